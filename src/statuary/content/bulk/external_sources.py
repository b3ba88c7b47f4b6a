"""Contracts that lie outside the content folder: in another folder, or in an object store.

Such a place is laid out as `contracts/` is, or is one bulk file.
"""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from statuary.content.bulk.remote_objects import is_remote, list_objects
from statuary.content.source_files import walk_folder
from statuary.content.unreadable import UnreadableError
from statuary.domain.findings import Finding

FOLDER = PurePosixPath("contracts")


class ExternalFile(NamedTuple):
    """A file of another place.

    Attributes:
        pure: where it would lie in the content folder.
        path: where it lies, relative to the content folder, or its URL.
    """

    pure: PurePosixPath
    path: str


def external_files(root: Path, source: str) -> Iterator[ExternalFile | Finding]:
    """Yield the files of a place in the order of their paths, and a finding for each trap.

    Args:
        root: the content folder.
        source: the URL of an object store, or a path relative to the content folder.

    Raises:
        Unreadable: if there is no such place, or it cannot be listed.
    """
    yield from _remote(source.rstrip("/")) if is_remote(source) else _local(root, source.rstrip("/"))


def _remote(url: str) -> Iterator[ExternalFile]:
    found = sorted({file.url for file in list_objects(url)})
    if not found:
        raise UnreadableError(f"nothing lies at {url}", "look at its spelling")
    for file in found:
        below = file.removeprefix(f"{url}/") if file != url else url.rpartition("/")[2]
        yield ExternalFile(FOLDER / below, file)


def _local(root: Path, source: str) -> Iterator[ExternalFile | Finding]:
    place = root / source
    if place.is_file():
        yield ExternalFile(FOLDER / place.name, source)
        return
    if not place.is_dir():
        raise UnreadableError(f"there is nothing at {source!r}", "write it relative to the content folder")
    for file in walk_folder(place):
        if isinstance(file, Finding):
            yield file.within(f"{source}/{file.path}")
        else:
            yield ExternalFile(FOLDER / file.path, f"{source}/{file.path}")
