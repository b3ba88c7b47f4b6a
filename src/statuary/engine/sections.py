"""Run the sections of a site, guarded from each other's errors.

If `build` or `finalize` of an extension raises, its documents of the last build stay, and the error becomes a
finding at its key in site.yaml. If another method raises, only what it returns is missing. Contracts and status
guard their parts themselves: an exception that leaves `build` ends the run, and later only errors of the target do.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from statuary.base.budget import DEFECT, INTERRUPTIONS, run_guarded
from statuary.base.errors import BUG_REPORT_HINT, StatuaryError, describe_exception
from statuary.base.files import TARGET_ERRORS
from statuary.base.findings import Finding
from statuary.registry import CONTRACTS, EXTENSIONS, STATUS, Extension, extension_of, load, providers
from statuary.section import ContentSection, Outlook, Run, Section
from statuary.site.settings import NO_HOSTING

if TYPE_CHECKING:
    from statuary.engine.report import BuildReport
    from statuary.publish.target import BuildTarget
    from statuary.site.site_content import SiteContent
    from statuary.site.urls import Url

Result = TypeVar("Result")

FAILED = "extension-error"
"""The rule of findings about a section that failed."""


class ExtensionOptions(NamedTuple):
    """The options of the command line that extensions defined."""

    options: Mapping[str, Mapping[str, Any]] = MappingProxyType({})  # values by extension and parameter name
    to: str | None = None  # the further place that the site is published to


NO_OPTIONS = ExtensionOptions()


class EnabledSection(NamedTuple):
    """A part of statuary that a site uses: contracts, status, or an extension."""

    row: Extension
    section: Section


def enabled_sections(site: "SiteContent", options: ExtensionOptions = NO_OPTIONS) -> list[EnabledSection]:
    """Return the parts of statuary that a site uses, in build order.

    Contracts come first, then extensions, and the status last, because its pages show what the log contains.
    """
    return [
        _open_content_section(CONTRACTS),
        *_enabled_extensions(site, options),
        _open_content_section(STATUS),
    ]


def _open_content_section(row: Extension) -> EnabledSection:
    return EnabledSection(row, load(row.section)())


def _enabled_extensions(site: "SiteContent", options: ExtensionOptions) -> Iterator[EnabledSection]:
    settings: dict[str, object] = dict(site.extensions)
    if site.hosting != NO_HOSTING:
        settings["hosting"] = site.hosting
    own_keys = {row.name for row in EXTENSIONS}
    others = (extension_of(key) for key in settings if key not in own_keys)
    for row in (*EXTENSIONS, *filter(None, others)):
        own_options = options.options.get(row.name, {})
        targets = {
            row.section: row.name in settings,
            row.provides.get("section of options", ""): any(own_options.values()),
            row.provides.get("section of own pages", ""): bool(site.own_pages),
        }
        for target, is_enabled in targets.items():
            if target and is_enabled:
                kind: type[Section] = load(target)
                yield EnabledSection(row, kind(settings.get(row.name), own_options))


def published_sections(options: ExtensionOptions, target: "BuildTarget") -> list[EnabledSection]:
    """Return the extensions of a published site, recognized by its files.

    Args:
        options: the options of the command line that extensions defined.
        target: the published site.
    """
    need = "section of published "
    return [
        EnabledSection(row, load(section)(None, options.options.get(row.name, {})))
        for row in EXTENSIONS
        for name, section in row.provides.items()
        if name.startswith(need) and target.read_published(name.removeprefix(need)) is not None
    ]


class Sections:
    """Runs the steps of a build for each section: contracts, status, extensions."""

    def __init__(self, enabled: Iterable[EnabledSection], run: Run, report: "BuildReport") -> None:
        """Prepare a build.

        Args:
            enabled: the sections in the order in which they run.
            run: the build in progress.
            report: receives the findings.
        """
        self._enabled = tuple(enabled)
        self._run = run
        self._report = report
        self._incomplete: list[str] = []  # folders of failed sections that keep what nothing replaces
        run.sections = [section for _, section in self._enabled]

    @property
    def outlook(self) -> Outlook:
        """The times of the next status change and of the next build."""
        outlooks = (section.outlook() for section in self._run.sections_of(ContentSection))
        return next(outlook for outlook in outlooks if outlook is not None)

    def exclude_faults(self) -> None:
        """Exclude content that would stop the build.

        An incident whose file cannot be read stays as it was last published, or is left out.
        """
        from statuary.engine.read_content import is_excluded

        unread = self._take_unread()
        if self._run.checks.strict and not self._run.is_check:
            self._report.findings += unread
            unread = []
        for section in self._run.sections_of(ContentSection):
            sound = section.exclude_faults(self._run, unread)
            if sound is not None:
                self._run.site = sound.site
                paths = {finding.path for finding in unread}
                excluded = [item for item in filter(is_excluded, sound.findings) if item.path not in paths]
                self._report.exclude(excluded)
                self._report.skipped += [item for item in sound.findings if item not in excluded]

    def _take_unread(self) -> list[Finding]:
        paths = () if self._run.site is None else self._run.site.unread
        unread = [finding for finding in self._report.unsorted if finding.path in paths]
        self._report.unsorted = [finding for finding in self._report.unsorted if finding.path not in paths]
        return unread

    def find_faults(self) -> None:
        """Add the errors and warnings of every section to the report."""
        site = self._run.site
        if site is None:
            return
        keys = [*dict(site.extensions), *sorted(site.faulty_keys)]
        found = [
            *self._report.unsorted,
            *_unused_template_findings(site, keys),
        ]
        for row, section in self._enabled:
            found += _guarded_findings(partial(section.findings, self._run), site, f"checking `{row.name}`")
        is_stopped_by_errors = self._run.is_check or self._run.checks.strict
        consequences = {} if is_stopped_by_errors else dict(site.faults)
        for finding in found:
            is_alone = finding.rule == DEFECT or finding.path in site.unread
            consequence = consequences.get(finding)
            if consequence is not None:
                is_alone = True
                finding = replace(finding, message=f"{finding.message}; {consequence}")  # noqa: PLW2901
            (self._report.skipped if is_alone else self._report.findings).append(finding)

    def check(self) -> None:
        """Run the checks of every section, without making documents."""
        for result in self._run_each_section(lambda section: section.check(self._run)):
            self._report.add(result)
            self._run.results += result.values

    def build(self, *, strict: bool = False) -> bool:
        """Let each section add its documents, until an error stops the build.

        Returns:
            Whether the site may be published.
        """
        for result in self._run_each_section(lambda section: section.build(self._run), tells_readers=True):
            self._report.add(result)
            self._run.results += result.values
            if self._report.stops_publishing(strict=strict):
                return False
        return True

    def finalize(self) -> None:
        """Let each section add the documents that need those of all others.

        If another package's section failed, the documents of the last build stay.
        """
        for folder in self._incomplete:
            self._run.target.ledger.documents.retain_unreplaced_files(folder)
        results = self._run_each_section(
            lambda section: section.finalize(self._run), tells_readers=True, is_built=True
        )
        for result in results:
            self._report.add_final(result)

    def on_published(self) -> None:
        """Tell every section that the site was published, so that it can send messages."""
        nothing: Iterator[None] = self._run_each_section(
            lambda section: section.on_published(self._run), is_built=True
        )
        for _ in nothing:
            pass

    def _run_each_section(
        self,
        work: Callable[[Section], Result | None],
        *,
        tells_readers: bool = False,
        is_built: bool = False,
    ) -> Iterator[Result]:
        """Call a function with each section, and report its exceptions.

        Args:
            tells_readers: whether the section adds what tells readers of its error.
            is_built: whether contracts and status are complete.
        """
        for row, section in self._enabled:
            try:
                result = work(section)
            except BaseException as error:
                if _ends_run(error, section, is_built=is_built):
                    raise
                self._report_error(row, section, error)
                if tells_readers:
                    section.on_failure(self._run, error)
            else:
                if result is not None:
                    yield result

    def _report_error(self, row: Extension, section: Section, error: BaseException) -> None:
        """Add a finding about a section's error, and keep its published documents."""
        message, hint = describe_exception(error), BUG_REPORT_HINT
        if isinstance(error, StatuaryError):
            message, hint = str(error), error.hint
        path = self._run.site.source if self._run.site is not None and row.section else ""
        pointer = (row.name,) if path else ()
        self._report.skipped.append(
            Finding(rule=FAILED, message=message, hint=hint, path=path, pointer=pointer, on_key=True)
        )
        for folder in row.folders:
            self._run.target.ledger.documents.keep_published_folder(folder)
        # `row.folders` is only known for statuary's own extensions. Derive the folders of an extension from
        # another package from its URLs.
        if not row.folders and section.urls:
            self._incomplete += folders_of_urls(section.urls)


def _ends_run(error: BaseException, section: Section, *, is_built: bool) -> bool:
    if isinstance(error, (*INTERRUPTIONS, click.UsageError)):
        return True
    return isinstance(section, ContentSection) and (not is_built or isinstance(error, TARGET_ERRORS))


def _unused_template_findings(site: "SiteContent", keys: Collection[str]) -> list[Finding]:
    if not site.pages.theme.templates:
        return []
    from statuary.site.pages.unused_templates import unused_template_findings

    # A theme may keep the templates of extensions that are disabled now. So the templates of all extensions
    # are known.
    known = dict.fromkeys((*keys, *(row.name for row in EXTENSIONS)))
    return _guarded_findings(
        partial(unused_template_findings, site.pages, known), site, "reading the theme's templates"
    )


def _guarded_findings(
    find: Callable[[], Iterable[Finding]], site: "SiteContent", action: str
) -> list[Finding]:
    found = run_guarded(lambda: list(find()), site.source, action)
    return [found] if isinstance(found, Finding) else found


def without_building_sections(site: "SiteContent") -> "SiteContent":
    """Return the site without the extensions that add documents of their own.

    Extensions that add documents about each contract stay.
    """
    kept = []
    for key, settings in site.extensions:
        row = extension_of(key)
        kind: type[Section] = Section if row is None else load(row.section)
        is_building = kind.build is not Section.build or kind.finalize is not Section.finalize
        if not is_building or key in providers("record documents"):
            kept.append((key, settings))
    return site._replace(extensions=tuple(kept))


def remove_disabled_documents(site: "SiteContent", target: "BuildTarget", skipped: Iterable[Finding]) -> None:
    """Remove the documents of extensions that are no longer enabled.

    Args:
        site: the content of the site, with the enabled extensions.
        target: the site that is being built.
        skipped: the findings of the build; if one is about an extension's key in site.yaml, its documents
            stay.
    """
    documents = target.ledger.documents
    faulty = {finding.pointer[:1] for finding in skipped}
    enabled = dict(site.extensions)
    folders = {row.name: row.folders for row in EXTENSIONS if row.section} | _folders_of_packages(
        enabled, target
    )
    for key, folders_of_section in folders.items():
        if key not in enabled:
            for folder in folders_of_section:
                if (key,) in faulty:
                    documents.keep_published_folder(folder)
                else:
                    documents.remove_unless_added(documents.paths_under(folder))


OTHERS = "sections of other packages"
"""The ledger's note of the folders of these sections, by key."""


def _folders_of_packages(enabled: Iterable[str], target: "BuildTarget") -> dict[str, tuple[str, ...]]:
    """Return the folders of other packages' documents at the last build.

    Those of this build are stored for the next one.
    """
    note = target.ledger.get_meta(OTHERS)
    own_keys = {row.name for row in EXTENSIONS}
    rows = [row for key in enabled if key not in own_keys and (row := extension_of(key)) is not None]
    if note or rows:
        folders = {row.name: folders_of_urls(load(row.section).urls) for row in rows}
        target.ledger.set_meta({OTHERS: json.dumps(folders)})
    return {key: tuple(names) for key, names in json.loads(note or "{}").items()}


def folders_of_urls(urls: "Iterable[Url]") -> tuple[str, ...]:
    """Return the paths and folders that belong to another package's URLs.

    A folder is left out if statuary has URLs in the same top-level folder, because a package must not remove
    documents of others.
    """
    from statuary.site.url_table import all_urls

    shared = {url.pattern.partition("/")[0] for url in all_urls()}
    names = [url.pattern for url in urls if "{" not in url.pattern]
    folders = [url.prefix.rpartition("/")[0] for url in urls if "{" in url.pattern]
    own = (folder for folder in folders if folder.partition("/")[0] not in shared)
    return tuple(dict.fromkeys((*names, *own)))
