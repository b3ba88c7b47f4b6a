"""The content folder to the catalogue, with every finding that reading gives."""

from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple, TypeVar

from statuary.content.bulk.elsewhere import files_elsewhere
from statuary.content.bulk.sources import KINDS, BulkFiles
from statuary.content.files import SourceFile, walk
from statuary.content.layout import FOLDERS, PLACES, STEMS, Kind, is_left_alone, is_workspace_file, place_of
from statuary.content.load import load
from statuary.content.source_model import SourceModel
from statuary.content.sources.components import ComponentsSource, translate_components
from statuary.content.sources.incidents import IncidentSource, translate_incident
from statuary.content.sources.maintenances import MaintenanceSource, translate_maintenance
from statuary.content.sources.page import translate_page
from statuary.content.sources.site import SiteSource
from statuary.content.theme import FOLDER as THEME
from statuary.content.theme import read_theme
from statuary.content.unreadable import Unreadable
from statuary.domain.catalogue import Catalogue, ContractForm, ContractSource
from statuary.domain.findings import Finding, Pointer, Severity
from statuary.domain.spelling import did_you_mean
from statuary.domain.status.catalogue import StatusCatalogue

Model = TypeVar("Model", bound=SourceModel)


class Reading(NamedTuple):
    """What reading the content folder gave.

    Attributes:
        catalogue: the site; None if its settings or components could not be read.
        findings: what is wrong with the files, contracts' own files excepted (they are read one by one later).
    """

    catalogue: Catalogue | None
    findings: list[Finding]


def read_content(root: Path, files: Iterable[SourceFile | Finding] | None = None) -> Reading:
    """Read everything but the contracts' own files.

    Args:
        root: the content folder.
        files: what to read of it, as `walk` yields; everything if left out.
    """
    if not root.is_dir():
        message = f"there is no content folder {str(root)!r}"
        return Reading(None, [Finding(rule="content-folder", message=message, remedy="run `statuary init`")])
    reader = _Reader(root)
    for found in walk(root) if files is None else files:
        if isinstance(found, Finding):
            reader.findings.append(found)
        else:
            reader.take(found)
    return Reading(reader.catalogue(), reader.findings)


class _Reader:
    """One reading, file by file."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.findings: list[Finding] = []
        self.contracts: list[ContractSource] = []
        self.bulk = BulkFiles()
        self.files: dict[Kind, list[SourceFile]] = {kind: [] for kind in Kind}
        self.theme: list[SourceFile] = []

    def take(self, file: SourceFile) -> None:
        """Sort a file by the convention."""
        path = file.pure
        if is_left_alone(path):
            return
        if path.parts[0] == THEME and len(path.parts) > 1:
            self.theme.append(file)
        else:
            self.sort(path, file)

    def sort(self, path: PurePosixPath, file: SourceFile) -> None:
        """Put a file to its kind, by where it lies in the content folder, or would."""
        place = place_of(path)
        if place is None:
            if not is_workspace_file(path):
                self.findings.append(_stray(path, file.path))
        elif place.kind in KINDS:
            self.bulk.take(place.kind, path, file.path)
        elif place.kind is Kind.WORKSPACE:
            self.contracts.append(_contract(path.parts[1], path.parts[2], file.path, ContractForm.WORKSPACE))
        elif place.kind is Kind.RECORD:
            self.contracts.append(_contract(path.parts[1], path.stem, file.path, ContractForm.RECORD))
        else:
            self.files[place.kind].append(file)

    def take_elsewhere(self, place: str, path: str, pointer: Pointer) -> None:
        """Take the contracts of another place, which `path` names at `pointer`."""
        try:
            for found in files_elsewhere(self.root, place):
                if isinstance(found, Finding):
                    self.findings.append(found)
                elif not is_left_alone(found.pure):
                    self.sort(found.pure, SourceFile(self.root, found.path))
        except Unreadable as unreadable:
            self.findings.append(
                Finding(
                    rule="reachable-source",
                    path=path,
                    message=str(unreadable),
                    remedy=unreadable.remedy,
                    pointer=pointer,
                )
            )

    def catalogue(self) -> Catalogue | None:
        """Make the catalogue of what was taken; what cannot be read leaves a finding, and a gap."""
        site = self._only(Kind.SITE, SiteSource)
        if not self.files[Kind.SITE]:
            message = "the content folder has no site.yaml"
            self.findings.append(Finding(rule="required-file", message=message, remedy="run `statuary init`"))
        components = self._only(Kind.COMPONENTS, ComponentsSource)
        incidents = list(self._all(Kind.INCIDENT, IncidentSource))
        maintenances = list(self._all(Kind.MAINTENANCE, MaintenanceSource))
        if site is None or (components is None and self.files[Kind.COMPONENTS]):
            return None
        for number, place in enumerate(site[1].contracts.sources):
            self.take_elsewhere(place, site[0].path, ("contracts", "sources", number))
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
            contracts=tuple(self.contracts),
            bulk=self.bulk.sources(),
            status=status,
            status_settings=site[1].status.settings(),
            pages=pages.settings(read_theme(self.theme, pages.language, self.findings)),
            hosting=site[1].hosting.settings(),
        )

    def _only(self, kind: Kind, model: type[Model]) -> tuple[SourceFile, Model] | None:
        """Read the one file of a kind."""
        for twin in self.files[kind][1:]:
            self.findings.append(
                Finding(
                    rule="one-file",
                    path=twin.path,
                    message=f"{self.files[kind][0].path} says the same kind of thing already",
                    remedy="keep one of the two files",
                )
            )
        return next(self._all(kind, model), None)

    def _all(self, kind: Kind, model: type[Model]) -> Iterator[tuple[SourceFile, Model]]:
        limit = next(place.limit for place in PLACES if place.kind is kind)
        for file in self.files[kind]:
            value = load(file, model, limit, self.findings)
            if value is not None:
                yield file, value


def _contract(chain_id: str, address: str, path: str, form: ContractForm) -> ContractSource:
    return ContractSource(chain_id=chain_id, address=address, path=path, form=form)


def _stray(path: PurePosixPath, lies: str) -> Finding:
    """Return the finding for a file that has no place: a warning, since nothing of it is published."""
    top = path.parts[0]
    if top in FOLDERS:
        hint = f"the places are: {', '.join(place.pattern for place in PLACES if place.folder == top)}"
    else:
        hint = (
            did_you_mean(top, list(FOLDERS)) if len(path.parts) > 1 else did_you_mean(path.stem, list(STEMS))
        )
    known = ", ".join(place.pattern for place in PLACES)
    return Finding(
        rule="known-files",
        severity=Severity.WARNING,
        path=lies,
        message="this file has no place in the content folder, and is not read",
        remedy=hint or f"the places are: {known}",
    )
