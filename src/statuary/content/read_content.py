"""The content folder to the catalogue, with every finding that reading gives."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

from statuary.content.bulk.external_sources import FOLDER
from statuary.content.contract_scan import ContractScan, ExternalSource, ScanResult
from statuary.content.file_kinds import (
    FILE_PATTERNS,
    FileKind,
    is_ignored,
    match_pattern,
    unknown_file_finding,
)
from statuary.content.load_model import load_model
from statuary.content.source_files import SourceFile, walk_folder
from statuary.content.source_model import SourceModel
from statuary.content.sources.component_source import ComponentsSource, translate_components
from statuary.content.sources.incident_source import IncidentSource, translate_incident
from statuary.content.sources.maintenance_source import MaintenanceSource, translate_maintenance
from statuary.content.sources.page_source import translate_page
from statuary.content.sources.site_source import SiteSource
from statuary.content.theme import FOLDER as THEME
from statuary.content.theme import read_theme
from statuary.domain.catalogue import Catalogue
from statuary.domain.findings import Finding
from statuary.domain.status.status_catalogue import StatusCatalogue

Model = TypeVar("Model", bound=SourceModel)


class ReadResult(NamedTuple):
    """What reading the content folder gave.

    Attributes:
        catalogue: the site; None if its settings or components could not be read.
        findings: what is wrong with the files, contracts' own files excepted (they are read one by one later).
    """

    catalogue: Catalogue | None
    findings: list[Finding]


def read_content(root: Path, files: Iterable[SourceFile | Finding] | None = None) -> ReadResult:
    """Read everything but the contracts' own files.

    Args:
        root: the content folder.
        files: what to read of it, as `walk_folder` yields, none of which is a contract's; everything if left out.
    """
    if not root.is_dir():
        message = f"there is no content folder {str(root)!r}"
        return ReadResult(None, [Finding(rule="content-folder", message=message, hint="run `statuary init`")])
    reader = _Reader(root, has_contracts=files is None)
    for found in walk_folder(root, (FOLDER.name,)) if files is None else files:
        if isinstance(found, Finding):
            reader.findings.append(found)
        else:
            reader.take(found)
    return ReadResult(reader.catalogue(), reader.findings)


class _Reader:
    """One reading, file by file."""

    def __init__(self, root: Path, *, has_contracts: bool) -> None:
        self.root = root
        self.has_contracts = has_contracts
        self.findings: list[Finding] = []
        self.files: dict[FileKind, list[SourceFile]] = {kind: [] for kind in FileKind}
        self.theme: list[SourceFile] = []

    def take(self, file: SourceFile) -> None:
        """Sort a file by the convention."""
        path = file.pure
        if is_ignored(path):
            return
        if path.parts[0] == THEME and len(path.parts) > 1:
            self.theme.append(file)
            return
        place = match_pattern(path)
        if place is None:
            self.findings.append(unknown_file_finding(path, file.path))
        else:
            self.files[place.kind].append(file)

    def catalogue(self) -> Catalogue | None:
        """Make the catalogue of what was taken; what cannot be read leaves a finding, and a gap."""
        site = self._only(FileKind.SITE, SiteSource)
        if not self.files[FileKind.SITE]:
            message = "the content folder has no site.yaml"
            self.findings.append(Finding(rule="required-file", message=message, hint="run `statuary init`"))
        components = self._only(FileKind.COMPONENTS, ComponentsSource)
        incidents = list(self._all(FileKind.INCIDENT, IncidentSource))
        maintenances = list(self._all(FileKind.MAINTENANCE, MaintenanceSource))
        if site is None or (components is None and self.files[FileKind.COMPONENTS]):
            return None
        elsewhere = [
            ExternalSource(place=place, path=site[0].path, pointer=("contracts", "sources", number))
            for number, place in enumerate(site[1].contracts.sources)
        ]
        page = translate_page(site[1].page)
        status = StatusCatalogue(
            page=page,
            page_source=site[0].path,
            components=() if components is None else translate_components(components[1], page),
            components_source="components.yaml" if components is None else components[0].path,
            incidents=tuple(translate_incident(one, file.pure.stem, file.path) for file, one in incidents),
            maintenances=tuple(
                translate_maintenance(one, file.pure.stem, file.path, page) for file, one in maintenances
            ),
        )
        pages = site[1].pages
        return Catalogue(
            chains=tuple(chain.chain() for chain in site[1].chains),
            contract_settings=site[1].contracts.settings(),
            contracts=ContractScan(self.root, elsewhere, None if self.has_contracts else ScanResult(0)),
            status=status,
            status_settings=site[1].status.settings(),
            pages=pages.settings(read_theme(self.theme, pages.language, self.findings)),
            hosting=site[1].hosting.settings(),
        )

    def _only(self, kind: FileKind, model: type[Model]) -> tuple[SourceFile, Model] | None:
        """Read the one file of a kind."""
        for twin in self.files[kind][1:]:
            self.findings.append(
                Finding(
                    rule="one-file",
                    path=twin.path,
                    message=f"{self.files[kind][0].path} says the same kind of thing already",
                    hint="keep one of the two files",
                )
            )
        return next(self._all(kind, model), None)

    def _all(self, kind: FileKind, model: type[Model]) -> Iterator[tuple[SourceFile, Model]]:
        limit = next(place.limit for place in FILE_PATTERNS if place.kind is kind)
        for file in self.files[kind]:
            value = load_model(file, model, limit, self.findings)
            if value is not None:
                yield file, value
