"""Size, modification time and digest of a source, by which a later build sees that it has not changed."""

import os
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from statuary.content.source_files import SourceFile, walk_path
from statuary.domain.catalogue import BulkSource, ContractForm, ContractSource, evidence_folder


class SourceStat(NamedTuple):
    """Size and modification time of all files of a source."""

    text: str  # both, or a hash of them for several files; empty if one is unknown
    modified: int  # the latest time, in nanoseconds

    def text_if_before(self, instant: int) -> str:
        """Return the text if all files are older than an instant in nanoseconds; else an empty one.

        A later change within the resolution of the clock would not show.
        """
        return self.text if self.modified < instant else ""


def source_stat(root: Path | str, source: ContractSource | BulkSource) -> SourceStat:
    """Return size and time of a source; those of remote objects are unknown.

    Args:
        root: the content folder; a text takes a tenth less time than a path.
    """
    if isinstance(source, ContractSource) and source.form is ContractForm.RECORD:
        return _stat(root, source.path)
    paths = _paths(root, source)
    stats = [_stat(root, path) for path in paths]
    if len(stats) == 1:
        return stats[0]
    joined = "\n".join(f"{path} {stat.text}" for path, stat in zip(paths, stats, strict=True))
    digest = sha256(joined.encode("utf-8", "surrogateescape")).hexdigest()
    modified = max((stat.modified for stat in stats), default=0)
    return SourceStat(digest if all(stat.text for stat in stats) else "", modified)


def _paths(root: Path | str, source: ContractSource | BulkSource) -> Sequence[str]:
    if isinstance(source, BulkSource):
        return source.files
    if source.form not in (ContractForm.WORKSPACE, ContractForm.RECORD_WITH_EVIDENCE):
        return (source.path,)
    found = walk_path(Path(root), evidence_folder(source))
    files = [file.path for file in found if isinstance(file, SourceFile)]
    return files if source.form is ContractForm.WORKSPACE else [source.path, *files]


def _stat(root: Path | str, path: str) -> SourceStat:
    try:
        found = os.stat(f"{root}/{path}")
    except (OSError, ValueError):
        return SourceStat("", 0)
    return SourceStat(f"{found.st_size} {found.st_mtime_ns}", found.st_mtime_ns)


def record_digest(raw: bytes) -> bytes:
    """Return the SHA-256 of a record file without white space at its end; of canonical JSON, that is what is published."""
    return sha256(raw if raw[-1:] == b"}" else raw.rstrip(b" \t\r\n")).digest()
