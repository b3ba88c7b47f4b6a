"""The content folder as it would be with a file edited: the same readers, before anything is written."""

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from typing_extensions import override

from statuary.content.source_files import SourceFile, walk_folder
from statuary.content.unreadable import UnreadableError
from statuary.domain.findings import Finding


@dataclass(frozen=True, slots=True)
class EditedFile(SourceFile):
    """A file that holds another text than the one on disk, if there is one.

    Attributes:
        edited: what it would hold.
    """

    edited: str

    @override
    def bytes(self, limit: int) -> bytes:
        raw = self.edited.encode("utf-8")
        if len(raw) > limit:
            raise UnreadableError(
                f"the file would have {len(raw):,} bytes, more than {limit:,}", "write less"
            )
        return raw


def edited_files(
    root: Path, edits: Mapping[str, str], without: Container[str] = ()
) -> Iterator[SourceFile | Finding]:
    """Yield what `walk_folder` yields, the edited files with their new texts, and new ones after all others."""
    new = dict(edits)
    for found in walk_folder(root, without):
        if isinstance(found, SourceFile) and found.path in new:
            yield EditedFile(root, found.path, new.pop(found.path))
        else:
            yield found
    for path, text in sorted(new.items()):
        yield EditedFile(root, path, text)
