"""Lists the files of contracts outside the content folder: in another folder, or in an object store.

An external source has the layout of `contracts/`, or is one bulk file.
"""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from statuary.content.bulk.remote_objects import list_objects
from statuary.content.file_kinds import CONTRACTS
from statuary.content.remote_files import is_remote
from statuary.content.source_files import walk_folder
from statuary.content.unreadable import UnreadableError
from statuary.domain.findings import Finding

FOLDER = PurePosixPath(CONTRACTS)


class ExternalFile(NamedTuple):
    """A file of an external source."""

    pure: PurePosixPath  # the path that it would have in the content folder
    path: str  # its path relative to the content folder, or its URL


def external_files(root: Path, source: str) -> Iterator[ExternalFile | Finding]:
    """Yield the files of an external source in order of paths, and a finding for each thing not read.

    Args:
        source: the URL of an object store, or a path relative to the content folder.

    Raises:
        UnreadableError: if it does not exist or cannot be listed.
    """
    yield from _remote(source.rstrip("/")) if is_remote(source) else _local(root, source.rstrip("/"))


def _remote(url: str) -> Iterator[ExternalFile]:
    found = sorted({file.url for file in list_objects(url)})
    if not found:
        raise UnreadableError(f"no objects below {url}", "check the URL")
    for file in found:
        below = file.removeprefix(f"{url}/") if file != url else url.rpartition("/")[2]
        yield ExternalFile(FOLDER / below, file)


def _local(root: Path, source: str) -> Iterator[ExternalFile | Finding]:
    full = root / source
    if full.is_file():
        yield ExternalFile(FOLDER / full.name, source)
        return
    if not full.is_dir():
        raise UnreadableError(
            f"no file or folder {source!r}", "write the path relative to the content folder"
        )
    for file in walk_folder(full):
        if isinstance(file, Finding):
            yield file.within(f"{source}/{file.path}")
        else:
            yield ExternalFile(FOLDER / file.path, f"{source}/{file.path}")
