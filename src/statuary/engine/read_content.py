"""Read the content folder into a catalogue, with findings."""

import os
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path, PurePosixPath
from typing import NamedTuple, Protocol, TypeVar

from statuary.base.budget import BEYOND_LIMIT, DEFECT, run_guarded
from statuary.base.findings import Finding
from statuary.contracts.settings import ContractSettings
from statuary.contracts.sources.contract_source import ContractSources, NoContracts
from statuary.engine.catalogue import Catalogue
from statuary.engine.extension_settings import (
    ExtensionSettings,
    apply_extension_status,
    extension_models,
    read_extension_settings,
)
from statuary.engine.site_source import SiteSource
from statuary.site.settings import LANGUAGES, HostingSettings, PageSettings, SitePage, Theme
from statuary.source.file_kinds import (
    CONTRACTS,
    THEME,
    FileKind,
    is_ignored,
    match_pattern,
    pattern_of,
    unknown_file_finding,
)
from statuary.source.load_model import load_model, read_tree, validate_tree
from statuary.source.source_files import SourceFile, walk_folder
from statuary.source.source_model import value_of
from statuary.source.unreadable import UnreadableError
from statuary.status.model.records import StatusCatalogue, StatusSettings, with_creation
from statuary.status.sources.component_source import ComponentsSource, translate_components
from statuary.status.sources.incident_source import (
    IncidentSource,
    TemplateSource,
    translate_incident,
    translate_template,
)
from statuary.status.sources.maintenance_source import MaintenanceSource, translate_maintenance
from statuary.status.sources.site_settings import translate_page

Content = TypeVar("Content")
Source = TypeVar("Source")
Content_co = TypeVar("Content_co", covariant=True)


class Load(Protocol[Content_co]):
    """Reads a file.

    It returns the content, or None after adding faults to `findings`.
    """

    def __call__(self, file: SourceFile, *, limit: int, findings: list[Finding]) -> Content_co | None:
        """Read the file; `limit` is its largest size in bytes."""


class ReadResult(NamedTuple):
    """The result of reading the content folder."""

    catalogue: Catalogue | None  # the site; None if its settings or components could not be read
    # what is wrong with the files, contracts' own files excepted (they are read one by one later)
    findings: list[Finding]


def read_content(root: Path, files: Iterable[SourceFile | Finding] | None = None) -> ReadResult:
    """Read everything but the contracts.

    Args:
        files: the files to read, as `walk_folder` yields them, without contracts; by default all files.
    """
    if files is None and not root.is_dir():
        message = f"no content folder {str(root)!r}"
        return ReadResult(
            None, [Finding(rule="missing-content-folder", message=message, hint="run `statuary init`")]
        )
    reader = _Reader(root, has_contracts=files is None)
    for file in walk_folder(root, (CONTRACTS,)) if files is None else files:
        if isinstance(file, Finding):
            reader.findings.append(file)
        else:
            reader.add_file(file)
    return ReadResult(reader.catalogue(), reader.findings)


def is_excluded(finding: Finding) -> bool:
    """Return whether a finding excludes an incident, a maintenance window or a page.

    Findings about limits and bugs do; no genuine file exceeds a limit, so the site is published without it.
    """
    is_withholding = finding.rule in (BEYOND_LIMIT, DEFECT)
    pattern = match_pattern(PurePosixPath(finding.path)) if is_withholding else None
    return pattern is not None and pattern.kind in (FileKind.INCIDENT, FileKind.MAINTENANCE, FileKind.PAGE)


ALONE = (FileKind.INCIDENT, FileKind.MAINTENANCE, FileKind.TEMPLATE, FileKind.PAGE)
"""The kinds of files that nothing else depends on."""


class _Reader:
    """Sorts the files of a content folder, then reads them."""

    def __init__(self, root: Path, *, has_contracts: bool) -> None:
        self.root = root
        self.has_contracts = has_contracts
        self.findings: list[Finding] = []
        self.files: dict[FileKind, list[SourceFile]] = {kind: [] for kind in FileKind}
        self.theme: list[SourceFile] = []
        self.read: set[str] = set()  # paths

    def add_file(self, file: SourceFile) -> None:
        path = file.pure
        if is_ignored(path):
            return
        if path.parts[0] == THEME and len(path.parts) > 1:
            self.theme.append(file)
            return
        pattern = match_pattern(path)
        if pattern is None:
            self.findings.append(unknown_file_finding(path, file.path))
        else:
            self.files[pattern.kind].append(file)

    def unread(self) -> frozenset[str]:
        """Return the paths of files that only concern themselves, and could not be read."""
        files = (file.path for kind in ALONE for file in self.files[kind])
        return frozenset(files).difference(self.read)

    def catalogue(self) -> Catalogue | None:
        """Return the catalogue of the files.

        Returns:
            The catalogue, or None if the settings are missing or the components unreadable.
        """
        site = self._only(FileKind.SITE, _load_site)
        if not self.files[FileKind.SITE]:
            message = "the content folder has no site.yaml"
            self.findings.append(Finding(rule="missing-file", message=message, hint="run `statuary init`"))
        components = self._only(FileKind.COMPONENTS, partial(load_model, model=ComponentsSource))
        incidents = list(self._all(FileKind.INCIDENT, partial(load_model, model=IncidentSource)))
        maintenances = list(self._all(FileKind.MAINTENANCE, partial(load_model, model=MaintenanceSource)))
        templates = list(self._all(FileKind.TEMPLATE, partial(load_model, model=TemplateSource)))
        if site is None or (components is None and self.files[FileKind.COMPONENTS]):
            return None
        file, (settings, extensions) = site
        self._leave_folders_of(extensions)
        page = translate_page(settings.page)
        status = StatusCatalogue(
            page=page,
            page_source=file.path,
            components=() if components is None else translate_components(components[1], page),
            components_source="components.yaml" if components is None else components[0].path,
            incidents=self._translated(incidents, translate_incident),
            maintenances=self._translated(maintenances, partial(translate_maintenance, page=page)),
            templates=tuple(
                translate_template(template, file.pure.stem, file.path) for file, template in templates
            ),
        )
        self._require_components(status)
        status = with_creation(status)
        if extensions:
            status = apply_extension_status(
                self.root, extensions, status, self.findings, settings.pages.language
            )
        catalogue = self._catalogue(file, settings, status)
        return catalogue._replace(extensions=extensions, unread=self.unread())

    def _leave_folders_of(self, extensions: ExtensionSettings) -> None:
        """Drop findings about folders that extensions read; each has the name of its key."""
        folders = tuple(f"{key.replace('_', '-')}/" for key, _ in extensions)
        self.findings[:] = [item for item in self.findings if not item.path.startswith(folders)]

    def _require_components(self, status: StatusCatalogue) -> None:
        """Note that components.yaml is missing, if an incident or a maintenance names a component."""
        has_named_components = any(record.components for record in (*status.incidents, *status.maintenances))
        if has_named_components and not self.files[FileKind.COMPONENTS]:
            message = "the content folder has no components.yaml"
            hint = "list the components that incidents and maintenances name"
            self.findings.append(Finding(rule="missing-file", message=message, hint=hint))

    def _catalogue(self, file: SourceFile, settings: SiteSource, status: StatusCatalogue) -> Catalogue:
        contracts = settings.contracts
        theme, own_pages = self._theme_and_pages(settings.pages.language)
        return Catalogue(
            chains=tuple(chain.chain() for chain in settings.chains),
            contract_settings=value_of(
                ContractSettings, contracts, join_memory=contracts.join_memory_mib << 20
            ),
            contracts=self._contracts(settings, file.path),
            status=status,
            status_settings=value_of(
                StatusSettings, settings.status, horizon=timedelta(days=settings.status.horizon_days)
            ),
            pages=value_of(PageSettings, settings.pages, theme=theme),
            hosting=value_of(HostingSettings, settings.hosting),
            own_pages=own_pages,
        )

    def _theme_and_pages(self, language: str) -> tuple[Theme, tuple[SitePage, ...]]:
        pages = self.files[FileKind.PAGE]
        if not self.theme and not pages and language in LANGUAGES:
            return Theme(), ()
        from statuary.site.pages_and_theme import read_pages, read_theme

        own_pages = read_pages(pages, self.findings)
        self.read.update(page.source for page in own_pages)
        return read_theme(self.theme, language, self.findings), own_pages

    def _contracts(self, settings: SiteSource, path: str) -> ContractSources:
        """Return the contracts of the folder and of other sources.

        Args:
            path: the file of the settings.
        """
        locations = settings.contracts.sources
        if not locations and not (self.has_contracts and os.path.lexists(self.root / CONTRACTS)):
            return NoContracts()
        from statuary.contracts.sources.contract_scan import ContractScan, ExternalSource, ScanResult

        external = [
            ExternalSource(location, path, ("contracts", "sources", number))
            for number, location in enumerate(locations)
        ]
        return ContractScan(self.root, external, None if self.has_contracts else ScanResult(0))

    def _only(self, kind: FileKind, load: Load[Content]) -> tuple[SourceFile, Content] | None:
        for extra in self.files[kind][1:]:
            message = f"{self.files[kind][0].path} already contains the same settings"
            hint = "keep one of the two files"
            self.findings.append(Finding(rule="duplicate-file", path=extra.path, message=message, hint=hint))
        return next(self._all(kind, load), None)

    def _all(self, kind: FileKind, load: Load[Content]) -> Iterator[tuple[SourceFile, Content]]:
        limit = pattern_of(kind).limit
        for file in self.files[kind]:
            value = run_guarded(
                partial(load, file, limit=limit, findings=self.findings), file.path, "reading the file"
            )
            if isinstance(value, Finding):
                self.findings.append(value)
            elif value is not None:
                self.read.add(file.path)
                yield file, value

    def _translated(
        self, sources: Iterable[tuple[SourceFile, Source]], translate: Callable[[Source, str, str], Content]
    ) -> tuple[Content, ...]:
        """Return the values of files; a file that cannot be translated becomes a finding."""
        values = []
        for file, source in sources:
            value = run_guarded(
                partial(translate, source, file.pure.stem, file.path), file.path, "reading the file"
            )
            if isinstance(value, Finding):
                self.read.discard(file.path)
                self.findings.append(value)
            else:
                values.append(value)
        return tuple(values)


def _load_site(
    file: SourceFile, *, limit: int, findings: list[Finding]
) -> tuple[SiteSource, ExtensionSettings] | None:
    """Read the settings of the core and of extensions.

    Returns:
        The pair, or None if there are errors, which are added to `findings`.
    """
    try:
        tree = read_tree(file, limit)
    except UnreadableError as error:
        findings.append(error.finding(file.path))
        return None
    extensions: ExtensionSettings | None = ()
    if isinstance(tree, dict):
        models = extension_models(key for key in tree if key not in SiteSource.model_fields)
        extensions = read_extension_settings(tree, models, file.path, findings)
        tree = {key: value for key, value in tree.items() if key not in models}
    source = validate_tree(tree, SiteSource, file.path, findings)
    return None if source is None or extensions is None else (source, extensions)
