"""Where a partition of a build puts its documents: a value that can be sent to another process."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from typing_extensions import override

from statuary.documents.document import Document
from statuary.publishing.ledger.rows import OfferedFile, SourceRow


class PartitionResult(NamedTuple):
    """What a partition made."""

    items: int
    rows: Sequence[SourceRow] = ()
    documents: Sequence[Document] = ()  # its documents, if they were not staged
    files: Sequence[OfferedFile] = ()
    folders: Sequence[str] = ()  # the folders of the site with these files
    file: Path | None = None  # where all of this is recorded; None if it is here


class PartitionOutput(Protocol):
    """Takes the documents of one partition."""

    def add(self, documents: Iterable[Document]) -> list[str]:
        """Add the documents of one item; return their paths."""

    def result(self, items: int, rows: Sequence[SourceRow] = ()) -> PartitionResult:
        """Return what the partition made, once all documents have been added."""


class CollectedOutput(PartitionOutput):
    """Returns the documents to the process that builds."""

    def __init__(self) -> None:
        self.documents: list[Document] = []

    @override
    def add(self, documents: Iterable[Document]) -> list[str]:
        before = len(self.documents)
        self.documents += documents
        return [document.path for document in self.documents[before:]]

    @override
    def result(self, items: int, rows: Sequence[SourceRow] = ()) -> PartitionResult:
        return PartitionResult(items=items, rows=rows, documents=self.documents)


class NoOutput(PartitionOutput):
    """Makes no documents: for a check."""

    @override
    def add(self, documents: Iterable[Document]) -> list[str]:
        return []

    @override
    def result(self, items: int, rows: Sequence[SourceRow] = ()) -> PartitionResult:
        return PartitionResult(items=items, rows=rows)
