"""The sections of a run, each guarded from the errors of the others.

A section never holds up the news: its error becomes a finding at its key in site.yaml, and its documents of the last
build stay as they are.
"""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from statuary.base.budget import INTERRUPTIONS
from statuary.base.errors import BUG_REPORT_HINT, StatuaryError, describe_exception
from statuary.base.findings import Finding
from statuary.engine.section import EMPTY_RESULT, Run, Section, SectionResult
from statuary.registry import EXTENSIONS, Extension, extension_of, load, providers
from statuary.site.settings import NO_HOSTING

if TYPE_CHECKING:
    from statuary.base.progress import Progress
    from statuary.engine.report import BuildReport
    from statuary.publish.ledger.contract_rows import ContractRow
    from statuary.publish.target import BuildTarget
    from statuary.site.operations import ApiDescription
    from statuary.site.site_content import SiteContent

FAILED = "extension-error"
"""The rule of findings about a section that failed."""


class ExtensionOptions(NamedTuple):
    """The command line's values for extensions."""

    options: Mapping[str, Mapping[str, Any]] = MappingProxyType({})  # by extension and parameter name
    to: str | None = None  # the further place that the site is published to


NO_OPTIONS = ExtensionOptions()

Result = TypeVar("Result")


class EnabledSection(NamedTuple):
    """A section that takes part in a run, with its row of the registry."""

    row: Extension
    section: Section


def enabled_sections(site: "SiteContent", options: ExtensionOptions = NO_OPTIONS) -> list[EnabledSection]:
    """Return the sections of a site, by its keys, pages and options."""
    settings: dict[str, object] = dict(site.extensions)
    if site.hosting != NO_HOSTING:
        settings["hosting"] = site.hosting
    enabled = []
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
                enabled.append(EnabledSection(row, kind(settings.get(row.name), own_options)))
    return enabled


def section_operations(site: "SiteContent", example: "ContractRow | None") -> "list[ApiDescription]":
    """Return the operations that sections add to openapi.json; `example` is a contract of the site."""
    return [api for _, section in enabled_sections(site) for api in section.operations(example)]


def published_sections(options: ExtensionOptions, target: "BuildTarget") -> list[EnabledSection]:
    """Return the sections of a published site, by the file that each adds."""
    need = "section of published "
    return [
        EnabledSection(row, load(section)(None, options.options.get(row.name, {})))
        for row in EXTENSIONS
        for name, section in row.provides.items()
        if name.startswith(need) and target.published(name.removeprefix(need)) is not None
    ]


class Sections:
    """The enabled sections of a run; their findings and errors go to its report."""

    def __init__(self, enabled: Iterable[EnabledSection], run: Run, report: "BuildReport") -> None:
        """Take the sections in their order."""
        self._enabled = tuple(enabled)
        self._run = run
        self._report = report

    def check(self, progress: "Progress") -> None:
        """Check the site with every section."""
        for result in self._results(lambda section: section.check(self._run, progress)):
            self._report.lines += filter(None, [result.line])

    def build(self) -> SectionResult:
        """Add the documents of every section to the target; return what they add to the status."""
        total = EMPTY_RESULT
        for result in self._results(lambda section: section.build(self._run), tells_readers=True):
            total = SectionResult(
                previous_versions={**total.previous_versions, **result.previous_versions},
                changes={**total.changes, **result.changes},
            )
        return total

    def finalize(self) -> None:
        """Add the documents that depend on all others."""

        def finalized(section: Section) -> SectionResult:
            return SectionResult(line=section.finalize(self._run))

        for result in self._results(finalized, tells_readers=True):
            self._report.lines += filter(None, [result.line])

    def on_published(self) -> None:
        """Tell every section that the target holds its documents."""
        self._results(lambda section: section.on_published(self._run))

    def _results(
        self, work: Callable[[Section], SectionResult | None], *, tells_readers: bool = False
    ) -> list[SectionResult]:
        """Run every section in order; an error of one does not stop the others."""
        results = []
        for row, section in self._enabled:
            try:
                result = work(section)
            except BaseException as error:
                if isinstance(
                    error, (*INTERRUPTIONS, click.UsageError)
                ):  # what was typed is no error of the site
                    raise
                self._report_error(row, error)
                if tells_readers:
                    section.on_failure(self._run, error)
            else:
                if result is not None:
                    self._report.skipped += result.findings
                    results.append(result)
        return results

    def _report_error(self, row: Extension, error: BaseException) -> None:
        """Report the error of a section at its key, and keep its published documents."""
        message, hint = describe_exception(error), BUG_REPORT_HINT
        if isinstance(error, StatuaryError):
            message, hint = str(error), error.hint
        site = self._run.site
        path = site.source if site is not None and row.section else ""
        pointer = (row.name,) if path else ()
        self._report.skipped.append(
            Finding(rule=FAILED, message=message, hint=hint, path=path, pointer=pointer, on_key=True)
        )
        if self._run.target is not None:
            for folder in row.folders:
                self._run.target.ledger.documents.retain_prefix(folder)


def without_building_sections(site: "SiteContent") -> "SiteContent":
    """Return a site without the sections that build more than documents of settings, of instants and of records."""
    kept = []
    for key, settings in site.extensions:
        row = extension_of(key)
        kind: type[Section] = Section if row is None else load(row.section)
        is_building = kind.build is not Section.build or kind.finalize is not Section.finalize
        if not is_building or key in providers("record documents"):
            kept.append((key, settings))
    return site._replace(extensions=tuple(kept))


def remove_disabled_documents(site: "SiteContent", target: "BuildTarget", skipped: Iterable[Finding]) -> None:
    """Remove the documents of disabled sections; keep those of one whose key a finding is about."""
    documents, faulty = target.ledger.documents, {finding.pointer[:1] for finding in skipped}
    enabled = dict(site.extensions)
    for row in EXTENSIONS:
        if row.section and row.name not in enabled:
            for folder in row.folders:
                if (row.name,) in faulty:
                    documents.retain_prefix(folder)
                else:
                    documents.remove_unless_added(documents.paths_under(folder))
