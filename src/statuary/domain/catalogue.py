"""Everything read from content: small things as values, contracts as where they are to be found.

A site may have forty million records of a hundred kilobytes, so the catalogue holds their places only; a
record is read, checked and written on its own, and forgotten.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple, Protocol

from statuary.domain.findings import Finding
from statuary.domain.hosting_settings import NO_HOSTING, HostingSettings
from statuary.domain.page_settings import PageSettings
from statuary.domain.site_settings import Chain, ContractSettings
from statuary.domain.status.status_catalogue import StatusCatalogue
from statuary.domain.status.status_settings import StatusSettings


class ContractForm(StrEnum):
    """How a contract is written in content."""

    RECORD = "record"
    WORKSPACE = "workspace"
    LINE = "line of a JSONL file"
    ROW = "row of an export"


class ContractSource(NamedTuple):
    """A place in content that makes one record.

    Attributes:
        path: the file, relative to the content folder, or a URL: the record, a workspace's `contract.yaml`, the
            JSONL file, or the export's file of `sourcify_matches`.
        chain_id: the chain that the path names, as written there; of a bulk file, the chain that the record names.
        address: the address that the path names, as written there; of a bulk file, the one that the record names.
        form: how it is written.
        line: of a bulk file, the line or row, counted from 1; 0 for a contract with a file of its own.
    """

    path: str
    chain_id: str
    address: str
    form: ContractForm
    line: int = 0

    @property
    def place(self) -> str:
        """Where the contract is written, for people: the path, and the line of a bulk file."""
        return f"{self.path}:{self.line}" if self.line else self.path


class BulkForm(StrEnum):
    """How many contracts are written in one place."""

    JSONL = "JSONL"
    EXPORT = "tables of an export"


class BulkSource(NamedTuple):
    """A place in content that makes any number of records.

    Attributes:
        path: a JSONL file or the folder of an export, relative to the content folder, or a URL.
        form: how the records are written.
        files: the files of it, in order; of a JSONL file, itself.
    """

    path: str
    form: BulkForm
    files: tuple[str, ...]


class ContractSources(Protocol):
    """The contracts of a site, found as often as they are asked for."""

    @property
    def bulk(self) -> tuple[BulkSource, ...]:
        """Places that hold many contracts each, in the order of their paths."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is wrong with the names of files."""

    def __len__(self) -> int:
        """Return how many have a file or a folder of their own."""

    def __iter__(self) -> Iterator[ContractSource]:
        """Yield those that have a file or a folder of their own, in byte order of their paths."""


class Catalogue(NamedTuple):
    """A whole site before anything is made of it.

    Attributes:
        chains: in the order of the settings.
        contract_settings: how contracts are published.
        contracts: where contracts are written.
        status: page, components, incidents, maintenances.
        status_settings: how the status side is published.
        pages: which pages for people there are.
        hosting: what the site holds for its hosts.
    """

    chains: tuple[Chain, ...]
    contract_settings: ContractSettings
    contracts: ContractSources
    status: StatusCatalogue
    status_settings: StatusSettings
    pages: PageSettings
    hosting: HostingSettings = NO_HOSTING

    @property
    def bulk(self) -> tuple[BulkSource, ...]:
        """Places that hold many contracts each, in the order of their paths."""
        return self.contracts.bulk
