"""Sources outside of the content folder: URLs that an extension reads."""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from statuary.registry import load, providers

_TARGETS = providers("sources")
_BEGINNINGS = tuple(f"{scheme}://" for scheme in _TARGETS)


class RemoteFile(NamedTuple):
    """A file in a remote folder, such as a bucket."""

    url: str
    size: int  # the size in bytes


class RemoteFiles(Protocol):
    """Lists and reads files at URLs such as `s3://bucket/folder`."""

    def list(self, url: str) -> Iterator[RemoteFile]:
        """Yield the file at a URL, or the files below it, unsorted.

        Raises:
            UnreadableError: if the files cannot be listed.
        """

    def read(self, url: str, limit: int) -> bytes:
        """Return the bytes of a remote file.

        Args:
            url: the URL of the file.
            limit: the maximum number of bytes.

        Raises:
            UnreadableError: if the file is larger than the limit, or cannot be read.
        """


def is_remote(path: str) -> bool:
    """Return whether a location is a URL such as `s3://…`."""
    return path.startswith(_BEGINNINGS)


def remote_files(url: str) -> RemoteFiles:
    """Return the object that reads files from a remote storage, such as S3.

    Args:
        url: a URL whose scheme names the storage, such as `s3://bucket`.
    """
    files: RemoteFiles = load(_TARGETS[url.partition("://")[0]])()
    return files
