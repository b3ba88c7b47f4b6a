"""The content folder to the catalogue, with the findings of reading it."""

from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple, TypeVar

from statuary.content.contract_scan import ContractScan, ExternalSource, ScanResult
from statuary.content.file_kinds import (
    CONTRACTS,
    FileKind,
    is_ignored,
    match_pattern,
    pattern_of,
    unknown_file_finding,
)
from statuary.content.load_model import load_model
from statuary.content.page_files import read_pages
from statuary.content.source_files import SourceFile, walk_folder
from statuary.content.source_model import SourceModel
from statuary.content.sources.component_source import ComponentsSource, translate_components
from statuary.content.sources.incident_source import IncidentSource, translate_incident
from statuary.content.sources.maintenance_source import MaintenanceSource, translate_maintenance
from statuary.content.sources.page_source import translate_page
from statuary.content.sources.site_source import SiteSource
from statuary.content.theme import FOLDER as THEME
from statuary.content.theme import read_theme
from statuary.content.unreadable import BEYOND_LIMIT
from statuary.domain.catalogue import Catalogue
from statuary.domain.findings import Finding
from statuary.domain.status.status_catalogue import StatusCatalogue, with_creation

Model = TypeVar("Model", bound=SourceModel)


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
        return ReadResult(None, [Finding(rule="content-folder", message=message, hint="run `statuary init`")])
    reader = _Reader(root, has_contracts=files is None)
    for found in walk_folder(root, (CONTRACTS,)) if files is None else files:
        if isinstance(found, Finding):
            reader.findings.append(found)
        else:
            reader.take(found)
    return ReadResult(reader.catalogue(), reader.findings)


def is_left_out(finding: Finding) -> bool:
    """Say whether a finding is about an incident, a maintenance or a page that exceeds a limit.

    No genuine file exceeds one, so the site is published without it.
    """
    pattern = match_pattern(PurePosixPath(finding.path)) if finding.rule == BEYOND_LIMIT else None
    return pattern is not None and pattern.kind in (FileKind.INCIDENT, FileKind.MAINTENANCE, FileKind.PAGE)


class _Reader:
    """Sorts the files of a content folder, then reads them."""

    def __init__(self, root: Path, *, has_contracts: bool) -> None:
        self.root = root
        self.has_contracts = has_contracts
        self.findings: list[Finding] = []
        self.files: dict[FileKind, list[SourceFile]] = {kind: [] for kind in FileKind}
        self.theme: list[SourceFile] = []

    def take(self, file: SourceFile) -> None:
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

    def catalogue(self) -> Catalogue | None:
        """Return the catalogue of the files; None without settings or with unreadable components."""
        site = self._only(FileKind.SITE, SiteSource)
        if not self.files[FileKind.SITE]:
            message = "the content folder has no site.yaml"
            self.findings.append(Finding(rule="required-file", message=message, hint="run `statuary init`"))
        components = self._only(FileKind.COMPONENTS, ComponentsSource)
        incidents = list(self._all(FileKind.INCIDENT, IncidentSource))
        maintenances = list(self._all(FileKind.MAINTENANCE, MaintenanceSource))
        if site is None or (components is None and self.files[FileKind.COMPONENTS]):
            return None
        file, settings = site
        page = translate_page(settings.page)
        status = StatusCatalogue(
            page=page,
            page_source=file.path,
            components=() if components is None else translate_components(components[1], page),
            components_source="components.yaml" if components is None else components[0].path,
            incidents=tuple(translate_incident(one, file.pure.stem, file.path) for file, one in incidents),
            maintenances=tuple(
                translate_maintenance(one, file.pure.stem, file.path, page) for file, one in maintenances
            ),
        )
        self._require_components(status)
        return self._catalogue(file, settings, with_creation(status))

    def _require_components(self, status: StatusCatalogue) -> None:
        """Note that components.yaml is missing, if an incident or a maintenance names a component."""
        named = any(record.components for record in (*status.incidents, *status.maintenances))
        if named and not self.files[FileKind.COMPONENTS]:
            message = "the content folder has no components.yaml"
            hint = "list the components that incidents and maintenances name"
            self.findings.append(Finding(rule="required-file", message=message, hint=hint))

    def _catalogue(self, file: SourceFile, settings: SiteSource, status: StatusCatalogue) -> Catalogue:
        external = [
            ExternalSource(location, file.path, ("contracts", "sources", number))
            for number, location in enumerate(settings.contracts.sources)
        ]
        theme = read_theme(self.theme, settings.pages.language, self.findings)
        return Catalogue(
            chains=tuple(chain.chain() for chain in settings.chains),
            contract_settings=settings.contracts.settings(),
            contracts=ContractScan(self.root, external, None if self.has_contracts else ScanResult(0)),
            status=status,
            status_settings=settings.status.settings(),
            pages=settings.pages.settings(theme),
            hosting=settings.hosting.settings(),
            own_pages=read_pages(self.files[FileKind.PAGE], self.findings),
            log=None if settings.log is None else settings.log.settings(),
        )

    def _only(self, kind: FileKind, model: type[Model]) -> tuple[SourceFile, Model] | None:
        for extra in self.files[kind][1:]:
            message = f"{self.files[kind][0].path} already contains the same settings"
            hint = "keep one of the two files"
            self.findings.append(Finding(rule="one-file", path=extra.path, message=message, hint=hint))
        return next(self._all(kind, model), None)

    def _all(self, kind: FileKind, model: type[Model]) -> Iterator[tuple[SourceFile, Model]]:
        limit = pattern_of(kind).limit
        for file in self.files[kind]:
            value = load_model(file, model, limit, self.findings)
            if value is not None:
                yield file, value
