"""The content of a site.

A site may have forty million records of a hundred kilobytes, so the catalogue knows only where contracts are;
records are read, checked and written one at a time.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple, Protocol, Self, TypeVar

from typing_extensions import override

from statuary.domain.findings import Finding
from statuary.domain.settings import (
    NO_HOSTING,
    Chain,
    ContractSettings,
    HostingSettings,
    PageSettings,
    SitePage,
)
from statuary.domain.status.records import Page, StatusCatalogue, StatusSettings


class ContractForm(StrEnum):
    """How a contract is written in content."""

    RECORD = "record"
    RECORD_WITH_EVIDENCE = "record with evidence beside it"
    WORKSPACE = "workspace"
    LINE = "line of a JSONL file"
    ROW = "row of an export"


class ContractSource(NamedTuple):
    """Where one contract is written."""

    # the file, relative to the content folder, or a URL: the record, a workspace's `contract.yaml`, the JSONL
    # file, or the export's file of `sourcify_matches`
    path: str
    chain_id: str  # the chain as in the path; in a bulk file, as in the record
    address: str  # the address as in the path; in a bulk file, as in the record
    form: ContractForm
    line: int = 0  # in a bulk file, the line or row, counted from 1; else 0

    @property
    def location(self) -> str:
        """The path, followed by the line in a bulk file."""
        return f"{self.path}:{self.line}" if self.line else self.path


def evidence_folder(source: ContractSource) -> str:
    """Return the folder of a contract's evidence: that of a workspace, or the one beside a record."""
    folder, _, name = source.path.rpartition("/")
    return folder if source.form is ContractForm.WORKSPACE else f"{folder}/{name.rpartition('.')[0]}"


class BulkForm(StrEnum):
    """How the contracts of a bulk source are written."""

    JSONL = "JSONL"
    EXPORT = "tables of an export"


class BulkSource(NamedTuple):
    """Where many contracts are written."""

    path: str  # a JSONL file or the folder of an export, relative to the content folder, or a URL
    form: BulkForm
    files: tuple[str, ...]  # the files of an export, in order; or the JSONL file


class ContractSources(Protocol):
    """The contracts of a site; every iteration scans the folder again."""

    @property
    def bulk(self) -> tuple[BulkSource, ...]:
        """The bulk sources, in order of paths."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is wrong with file names."""

    def __len__(self) -> int:
        """Return the number of contracts that have their own file or folder."""

    def __iter__(self) -> Iterator[ContractSource]:
        """Yield the contracts that have their own file or folder, in byte order of paths."""


Settings = TypeVar("Settings")


class NoContracts(ContractSources):
    """The contracts of a site without any."""

    bulk: tuple[BulkSource, ...] = ()
    findings: tuple[Finding, ...] = ()

    @override
    def __len__(self) -> int:
        return 0

    @override
    def __iter__(self) -> Iterator[ContractSource]:
        return iter(())


class Catalogue(NamedTuple):
    """A whole site as its content describes it; chains in the order of the settings."""

    chains: tuple[Chain, ...]
    contract_settings: ContractSettings
    contracts: ContractSources
    status: StatusCatalogue
    status_settings: StatusSettings
    pages: PageSettings
    hosting: HostingSettings = NO_HOSTING
    own_pages: tuple[SitePage, ...] = ()
    # key of site.yaml and settings of every extension that is on
    extensions: tuple[tuple[str, tuple[object, ...]], ...] = ()

    def settings_of(self, kind: type[Settings]) -> Settings | None:
        """Return the settings of an extension by their type; None if it is off."""
        return next((value for _, value in self.extensions if isinstance(value, kind)), None)

    def without_templates(self, *names: str) -> Self:
        """Return the same without templates of the theme, the named ones or all."""
        return self._replace(pages=self.pages.without_templates(*names))

    def with_contracts(self, contracts: ContractSources) -> Self:
        """Return the same site with other sources of contracts."""
        return self._replace(contracts=contracts)

    def with_status(self, status: StatusCatalogue) -> Self:
        """Return the same site with other components, incidents and maintenances."""
        return self._replace(status=status)

    @property
    def page(self) -> Page:
        """The page that all components, incidents and maintenances belong to."""
        return self.status.page

    @property
    def has_contracts(self) -> bool:
        """Whether the site has a section of contracts."""
        return bool(self.chains)

    @property
    def bulk(self) -> tuple[BulkSource, ...]:
        """The bulk sources, in order of paths."""
        return self.contracts.bulk

    @property
    def has_contract_pages(self) -> bool:
        """Whether each contract has its own page."""
        return not self.bulk and self.pages.has_contract_pages(len(self.contracts))
