"""Size, time and digest of contract files; listings of their folders."""

import os
from collections.abc import Sequence
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from statuary.contracts.sources.contract_source import (
    BulkSource,
    ContractForm,
    ContractSource,
    evidence_folder,
)
from statuary.source.source_files import SourceFile, is_utf8, walk_path


class SourceStat(NamedTuple):
    """The total size and latest modification time of a source's files."""

    text: str  # size and time of a file, or a hash of those of several files; empty if unknown
    modified: int  # the latest time, in nanoseconds

    def text_if_before(self, time_ns: int) -> str:
        """Return the size and time as text, if they identify the content.

        A file that was modified a moment ago could change again and keep the same modification time.

        Args:
            time_ns: all files must have been modified before this time, in nanoseconds since 1970.

        Returns:
            The text; empty if a file is newer.
        """
        return self.text if self.modified < time_ns else ""


def source_stat(root: Path | str, source: ContractSource | BulkSource) -> SourceStat:
    """Return the size and modification time of a contract's files.

    For objects in an object store, both are unknown.

    Args:
        root: the content folder; a string is a tenth faster than a Path.
        source: the contract, or a file with many contracts.
    """
    if isinstance(source, ContractSource) and source.form is ContractForm.RECORD:
        return _stat_file(root, source.path)
    paths = _source_paths(root, source)
    stats = [_stat_file(root, path) for path in paths]
    if len(stats) == 1:
        return stats[0]
    joined = "\n".join(f"{path} {stat.text}" for path, stat in zip(paths, stats, strict=True))
    digest = sha256(joined.encode("utf-8", "surrogateescape")).hexdigest()
    modified = max((stat.modified for stat in stats), default=0)
    return SourceStat(digest if all(stat.text for stat in stats) else "", modified)


def _source_paths(root: Path | str, source: ContractSource | BulkSource) -> Sequence[str]:
    if isinstance(source, BulkSource):
        return source.files
    if source.form not in (ContractForm.WORKSPACE, ContractForm.RECORD_WITH_EVIDENCE):
        return (source.path,)
    walked = walk_path(Path(root), evidence_folder(source))
    files = [file.path for file in walked if isinstance(file, SourceFile)]
    return files if source.form is ContractForm.WORKSPACE else [source.path, *files]


def file_stat_text(file: str) -> str:
    """Return a file's size and modification time as a string.

    If it is equal in the next build, the file is not read again.

    Returns:
        The string; empty if they are unknown.
    """
    try:
        stat = os.stat(file)
    except (OSError, ValueError):
        return ""
    return f"{stat.st_size} {stat.st_mtime_ns}"


def _stat_file(root: Path | str, path: str) -> SourceStat:
    try:
        stat = os.stat(f"{root}/{path}")
    except (OSError, ValueError):
        return SourceStat("", 0)
    return SourceStat(f"{stat.st_size} {stat.st_mtime_ns}", stat.st_mtime_ns)


def record_digest(raw: bytes) -> bytes:
    """Return the SHA-256 of a contract's file, ignoring final white space.

    For a file with canonical JSON, this is also the digest of the published document.
    """
    return sha256(raw if raw[-1:] == b"}" else raw.rstrip(b" \t\r\n")).digest()


RECORD_SUFFIXES = (".json", ".yaml", ".yml")


class FolderListing(NamedTuple):
    """The names of the files and folders in a folder."""

    runs: list[tuple[bool, list[str]]]
    """Runs of names, each with True if its names are record files.

    All are sorted like the paths of the files below them.
    """
    other_names: set[str]  # the names that are not plain files; a folder's name ends in a slash
    size: int
    undecodable: list[str]  # names that are not UTF-8; they are in none of the others


CACHED_NAMES = 100_000
"""Names that are kept for a second pass, unless one folder has more."""


class ListingCache:
    """Lists folders, and keeps lists for a second pass."""

    def __init__(self) -> None:
        self._kept: dict[tuple[Path, bool], FolderListing] = {}
        self._size = 0  # the number of names in the cache

    def list_folder(self, folder: Path, *, is_chain: bool) -> FolderListing:
        """Return the names in a folder, from the cache if possible.

        Args:
            folder: the folder to list.
            is_chain: whether the folder contains the records of a chain.

        Raises:
            OSError: if the folder cannot be read.
        """
        key = (folder, is_chain)
        if key in self._kept:
            listing = self._kept.pop(key)
            self._size -= listing.size
            return listing
        listing = _read_folder(folder, is_chain=is_chain)
        if self._size + listing.size > CACHED_NAMES and listing.size > self._size:
            self._kept.clear()
            self._size = 0
        if not self._kept or self._size + listing.size <= CACHED_NAMES:
            self._kept[key] = listing
            self._size += listing.size
        return listing


def _read_folder(folder: Path, *, is_chain: bool) -> FolderListing:
    names: list[str] = []
    undecodable: list[str] = []
    other_names: set[str] = set()
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            if not (name.isascii() or is_utf8(name)):
                undecodable.append(name)
                continue
            if not entry.is_file(follow_symlinks=False):
                # Add a slash to a folder's name, so that the name sorts like the paths of the files in the
                # folder.
                if entry.is_dir(follow_symlinks=False):
                    name += "/"
                other_names.add(name)
            names.append(name)
    names.sort()
    if not is_chain:
        return FolderListing([(False, names)] if names else [], other_names, len(names), undecodable)

    def is_record(name: str) -> bool:
        return name.endswith(RECORD_SUFFIXES) and name[0] != "." and name not in other_names

    runs = [(are_records, list(run)) for are_records, run in groupby(names, is_record)]
    return FolderListing(runs, other_names, len(names), undecodable)
