"""Everything that a site's content says.

A site may have forty million records of a hundred kilobytes, so the catalogue only knows where contracts are; each
record is read, checked, written and forgotten by itself.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple, Protocol

from statuary.domain.findings import Finding
from statuary.domain.hosting_settings import NO_HOSTING, HostingSettings
from statuary.domain.page_settings import PageSettings, SitePage
from statuary.domain.site_settings import Chain, ContractSettings
from statuary.domain.status.page import StatusSettings
from statuary.domain.status.status_catalogue import StatusCatalogue


class ContractForm(StrEnum):
    """How a contract is written in content."""

    RECORD = "record"
    COMPILED_RECORD = "record with evidence of a compilation"
    WORKSPACE = "workspace"
    LINE = "line of a JSONL file"
    ROW = "row of an export"


class ContractSource(NamedTuple):
    """Where one contract is written.

    Attributes:
        path: the file, relative to the content folder, or a URL: the record, a workspace's `contract.yaml`, the
            JSONL file, or the export's file of `sourcify_matches`.
        chain_id: the chain as the path spells it; in a bulk file, as the record does.
        address: the address as the path spells it; in a bulk file, as the record does.
        form: how it is written.
        line: in a bulk file, the line or row, counted from 1; else 0.
        git: git's id of what it holds, when a build reads it; empty if unknown.
        reason: why a build reads it; empty outside a build.
    """

    path: str
    chain_id: str
    address: str
    form: ContractForm
    line: int = 0
    git: str = ""
    reason: str = ""

    @property
    def location(self) -> str:
        """The path, followed by the line in a bulk file."""
        return f"{self.path}:{self.line}" if self.line else self.path


class BulkForm(StrEnum):
    """How the contracts of a bulk source are written."""

    JSONL = "JSONL"
    EXPORT = "tables of an export"


class BulkSource(NamedTuple):
    """Where any number of contracts is written.

    Attributes:
        path: a JSONL file or the folder of an export, relative to the content folder, or a URL.
        form: how they are written.
        files: the files of an export, in order; or the JSONL file.
        git: as in `ContractSource`.
        reason: as in `ContractSource`.
    """

    path: str
    form: BulkForm
    files: tuple[str, ...]
    git: str = ""
    reason: str = ""


class ContractSources(Protocol):
    """The contracts of a site; each pass finds them anew."""

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

    @property
    def bulk(self) -> tuple[BulkSource, ...]:
        """The bulk sources, in order of paths."""
        return self.contracts.bulk
