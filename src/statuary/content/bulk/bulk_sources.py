"""Groups bulk files into sources: each JSONL file is one, the tables below one folder are an export."""

from pathlib import PurePosixPath

from statuary.content.file_kinds import FileKind
from statuary.domain.catalogue import BulkForm, BulkSource

BULK_FORMS = {FileKind.LINES: BulkForm.JSONL, FileKind.TABLE: BulkForm.EXPORT}
"""The kinds of file with many contracts."""


class BulkSourceCollector:
    """Collects bulk files and groups them into sources."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, BulkForm], list[str]] = {}

    def take(self, kind: FileKind, pure: PurePosixPath, path: str) -> None:
        """Add a file.

        Args:
            pure: the path that it has, or would have, in the content folder.
            path: its path or URL.
        """
        form = BULK_FORMS[kind]
        location = path if form is BulkForm.JSONL else _export_of(pure, path)
        self.found.setdefault((location, form), []).append(path)

    def sources(self) -> tuple[BulkSource, ...]:
        """Return the sources in order of paths."""
        return tuple(
            BulkSource(path=location, form=form, files=tuple(files))
            for (location, form), files in sorted(self.found.items())
        )


def _export_of(pure: PurePosixPath, path: str) -> str:
    """Return the folder of an export: one directly in `contracts/`, or `contracts/` itself."""
    is_in_folder = len(pure.parts) > 2
    return path.rsplit("/", len(pure.parts) - 2 if is_in_folder else 1)[0]
