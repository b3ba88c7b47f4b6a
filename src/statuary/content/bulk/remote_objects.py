"""Objects in an object store, to be read: by URL, in pieces, each piece asked for again if the answer fails."""

import io
from collections.abc import Iterator
from functools import cache
from typing import IO, Any, NamedTuple

from typing_extensions import override

from statuary.content.unreadable import UnreadableError
from statuary.optional import MissingExtraError, optional

SCHEMES = ("s3://", "gs://", "az://")
"""How the URL of an object store begins; where its service is and who asks, the usual environment variables say."""

PIECE = 4 << 20
"""Bytes that are asked for at a time."""


class RemoteObject(NamedTuple):
    """An object of a listing.

    Attributes:
        url: its URL.
        size: its bytes.
    """

    url: str
    size: int


def is_remote(path: str) -> bool:
    """Say whether a path is the URL of an object store."""
    return path.startswith(SCHEMES)


def list_objects(url: str) -> Iterator[RemoteObject]:
    """Yield what lies below a URL, or the object itself that has it, in no order.

    Raises:
        Unreadable: if the store cannot be listed.
    """
    bucket, key = _parts(url.rstrip("/"))
    try:
        for piece in import_obstore().list(_store(bucket), key or None, chunk_size=1000):
            yield from (RemoteObject(f"{bucket}/{found['path']}", found["size"]) for found in piece)
        if url.rstrip("/").endswith((".jsonl", ".gz", ".zst", ".json", ".parquet")):
            found = import_obstore().head(_store(bucket), key)
            yield RemoteObject(url.rstrip("/"), found["size"])
    except FileNotFoundError:
        return
    except Exception as error:  # noqa: BLE001 - obstore has an exception for each store, without a base of all
        raise _unreadable(url, error) from None


def read_remote(url: str, limit: int) -> bytes:
    """Return the body of an object.

    Raises:
        Unreadable: if it has more than `limit` bytes, is not there, or cannot be had.
    """
    bucket, key = _parts(url)
    try:
        answer = import_obstore().get(_store(bucket), key)
        size = answer.meta["size"]
        body = bytes(answer.bytes()) if size <= limit else None
    except Exception as error:  # noqa: BLE001 - as above
        raise _unreadable(url, error) from None
    if body is None:
        raise UnreadableError(
            f"the object has {size:,} bytes, more than {limit:,}", "split it, or check what it is"
        )
    return body


def open_remote(url: str) -> IO[bytes]:
    """Open an object to be read from its beginning to its end.

    Raises:
        Unreadable: if it is not there.
    """
    bucket, key = _parts(url)
    try:
        reader = import_obstore().open_reader(_store(bucket), key, buffer_size=PIECE)
    except Exception as error:  # noqa: BLE001 - as above
        raise _unreadable(url, error) from None
    return io.BufferedReader(_Raw(reader), PIECE)


class _Raw(io.RawIOBase):
    """An object's reader in the form that Python's own streams want."""

    def __init__(self, reader: Any) -> None:
        self.reader = reader

    @override
    def readable(self) -> bool:
        return True

    @override
    def readinto(self, buffer: Any) -> int:
        try:
            data = self.reader.read(len(buffer))
        except Exception as error:  # noqa: BLE001 - as above
            raise OSError(_said(error)) from None
        size = len(data)
        buffer[:size] = memoryview(data)
        return size


def import_obstore() -> Any:
    """Return the library.

    Raises:
        MissingExtra: if it is not installed.
    """
    return optional("obstore", extra="s3", purpose="an object store")


def from_url(url: str, **options: Any) -> Any:
    """Return the store of a URL.

    Raises:
        MissingExtra: if the library is not installed.
    """
    return optional("obstore.store", extra="s3", purpose="an object store").from_url(url, **options)


@cache
def _store(bucket: str) -> Any:
    return from_url(bucket)


def _parts(url: str) -> tuple[str, str]:
    """Return the URL of the bucket, and the key."""
    scheme, _, rest = url.partition("://")
    bucket, _, key = rest.partition("/")
    return f"{scheme}://{bucket}", key


def _unreadable(url: str, error: Exception) -> UnreadableError:
    if isinstance(error, MissingExtraError):
        return UnreadableError(str(error), error.hint)
    if isinstance(error, FileNotFoundError):
        return UnreadableError(f"{url} is not there")
    return UnreadableError(f"{url} cannot be read: {_said(error)}")


def _said(error: Exception) -> str:
    """Return the first line of what a store's error says; the rest is its answer, in XML."""
    return str(error).partition("\n")[0][:300]
