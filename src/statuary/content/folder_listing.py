"""The names in folders, each folder listed as rarely as possible."""

import os
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from statuary.content.source_files import is_utf8

RECORD_SUFFIXES = (".json", ".yaml", ".yml")


class FolderListing(NamedTuple):
    """The names in a folder."""

    # adjacent names in byte order of the paths below them, and whether they are those of records
    runs: list[tuple[bool, list[str]]]
    others: set[str]  # the names that are not plain files; a folder's name ends in a slash
    size: int
    undecodable: list[str]  # names that are not UTF-8; they are in none of the others


class ListingCache:
    """Lists folders; the largest listing of the first pass is kept for the second one."""

    def __init__(self) -> None:
        self._kept: tuple[tuple[Path, bool], FolderListing] | None = None

    def of(self, folder: Path, *, is_chain: bool) -> FolderListing:
        """Return the names in a folder.

        Args:
            is_chain: whether plain files with the right suffixes are records there.

        Raises:
            OSError: if the folder cannot be read.
        """
        if self._kept is not None and self._kept[0] == (folder, is_chain):
            listing, self._kept = self._kept[1], None
            return listing
        listing = _list(folder, is_chain=is_chain)
        if self._kept is None or listing.size > self._kept[1].size:
            self._kept = (folder, is_chain), listing
        return listing


def _list(folder: Path, *, is_chain: bool) -> FolderListing:
    names: list[str] = []
    undecodable: list[str] = []
    others: set[str] = set()
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            if not (name.isascii() or is_utf8(name)):
                undecodable.append(name)
                continue
            if not entry.is_file(follow_symlinks=False):
                # a folder sorts like the paths in it, with the slash
                name += "/" if entry.is_dir(follow_symlinks=False) else ""
                others.add(name)
            names.append(name)
    names.sort()

    def is_record(name: str) -> bool:
        return is_chain and name.endswith(RECORD_SUFFIXES) and name[0] != "." and name not in others

    runs = [(are_records, list(run)) for are_records, run in groupby(names, is_record)]
    return FolderListing(runs, others, len(names), undecodable)
