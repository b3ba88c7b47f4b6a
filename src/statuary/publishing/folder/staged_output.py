"""Stage the documents of a partition, from any process that can reach the target folder."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from typing_extensions import override

from statuary.documents.document import Document
from statuary.publishing.folder.stager import Stager
from statuary.publishing.ledger.partition_file import write_partition_file
from statuary.publishing.ledger.rows import OfferedFile, SourceRow
from statuary.publishing.partition_output import PartitionOutput, PartitionResult


@dataclass(slots=True)
class StagedOutput(PartitionOutput):
    """Stages documents and records what was staged."""

    stager: Stager
    file: Path | None  # where it is recorded; None returns it instead
    files: list[OfferedFile] = field(default_factory=list)

    @override
    def add(self, documents: Iterable[Document]) -> list[str]:
        staged = [file for document in documents for file in self.stager.stage(document)]
        self.files += staged
        return [file.path for file in staged]

    @override
    def result(self, items: int, rows: Sequence[SourceRow] = ()) -> PartitionResult:
        made = PartitionResult(
            items=items, rows=rows, files=self.files, folders=sorted(self.stager.source_folders)
        )
        if self.file is None:
            return made
        write_partition_file(self.file, made)
        return PartitionResult(items=items, file=self.file)
