"""Bulk files as they are found, to the places that make records."""

from pathlib import PurePosixPath

from statuary.content.file_kinds import FileKind
from statuary.domain.catalogue import BulkForm, BulkSource

BULK_FORMS = {FileKind.LINES: BulkForm.JSONL, FileKind.TABLE: BulkForm.EXPORT}
"""The kinds of file that hold many contracts."""


class BulkSourceCollector:
    """Bulk files, collected: a JSONL file is a place of its own, the tables below one folder are an export."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, BulkForm], list[str]] = {}

    def take(self, kind: FileKind, pure: PurePosixPath, path: str) -> None:
        """Take a file.

        Args:
            kind: one of `BULK_FORMS`.
            pure: where it lies in the content folder, or would.
            path: where it lies.
        """
        form = BULK_FORMS[kind]
        place = path if form is BulkForm.JSONL else _export_of(pure, path)
        self.found.setdefault((place, form), []).append(path)

    def sources(self) -> tuple[BulkSource, ...]:
        """Return the places, in the order of their paths."""
        return tuple(
            BulkSource(path=place, form=form, files=tuple(files))
            for (place, form), files in sorted(self.found.items())
        )


def _export_of(pure: PurePosixPath, path: str) -> str:
    """Return the folder that all tables of an export lie below: one below `contracts/`, or that itself."""
    is_in_folder = len(pure.parts) > 2
    return path.rsplit("/", len(pure.parts) - 2 if is_in_folder else 1)[0]
