"""Locations of contracts in the content: file, folder, line or row."""

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple, Protocol

from typing_extensions import override

from statuary.base.findings import Finding


class ContractForm(StrEnum):
    """The format of a contract in the content."""

    RECORD = "record"
    RECORD_WITH_EVIDENCE = "record with evidence beside it"
    WORKSPACE = "workspace"
    LINE = "line of a JSONL file"
    ROW = "row of an export"


class ContractSource(NamedTuple):
    """The location of a contract in the content folder."""

    path: str
    """The record, a workspace's `contract.yaml`, a JSONL file, or the `sourcify_matches` of an export.

    The value is a path in the content folder or a URL.
    """
    chain_id: str  # the chain as in the path; in a bulk file, as in the record
    address: str  # the address as in the path; in a bulk file, as in the record
    form: ContractForm
    line: int = 0  # the line or row in a bulk file, from 1; 0 for other sources

    @property
    def location(self) -> str:
        """The path of the contract's file, such as `contracts/all.jsonl:12`.

        If the file has many contracts, the path ends with the contract's line.
        """
        return f"{self.path}:{self.line}" if self.line else self.path


def evidence_folder(source: ContractSource) -> str:
    """Return the folder with a contract's evidence, such as `anchor.json`.

    This is the contract's own folder, or a folder named like its file.
    """
    folder, _, name = source.path.rpartition("/")
    return folder if source.form is ContractForm.WORKSPACE else f"{folder}/{name.rpartition('.')[0]}"


class BulkForm(StrEnum):
    """The format of a file with many contracts."""

    JSONL = "JSONL"
    EXPORT = "tables of an export"


class BulkSource(NamedTuple):
    """A file, or a set of files, with many contracts."""

    path: str  # a JSONL file or the folder of an export, relative to the content folder, or a URL
    form: BulkForm
    files: tuple[str, ...]  # the files of an export, in order; or the JSONL file


class ContractSources(Protocol):
    """Finds a site's contracts; each iteration scans the content again."""

    @property
    def bulk(self) -> tuple[BulkSource, ...]:
        """The files that contain many contracts each, sorted by path."""

    @property
    def has_bulk(self) -> bool:
        """Whether contracts are in files that contain many, even if these cannot be read now."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings about file names in the folders of contracts."""

    def __len__(self) -> int:
        """Return the number of contracts that have their own file or folder."""

    def __iter__(self) -> Iterator[ContractSource]:
        """Yield the contracts that have their own files, sorted by path."""


class NoContracts(ContractSources):
    """The empty set of sources, for a site without contracts."""

    bulk: tuple[BulkSource, ...] = ()
    has_bulk: bool = False
    findings: tuple[Finding, ...] = ()

    @override
    def __len__(self) -> int:
        return 0

    @override
    def __iter__(self) -> Iterator[ContractSource]:
        return iter(())
