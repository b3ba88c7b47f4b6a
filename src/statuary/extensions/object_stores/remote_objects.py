"""Read single objects by URL."""

import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

from typing_extensions import Buffer, override

from statuary.base.optional import MissingExtraError, import_optional
from statuary.extensions.object_stores.refusals import explain_refusal
from statuary.source.remote_files import RemoteFile, RemoteFiles
from statuary.source.unreadable import BeyondLimitError, UnreadableError

if TYPE_CHECKING:
    from obstore import ReadableFile
    from obstore.store import ObjectStore

PIECE = 4 << 20
"""Bytes per request."""


class RemoteObjects(RemoteFiles):
    """Reads objects at URLs such as `s3://bucket/key`, `gs://…` or `az://…`."""

    @override
    def list(self, url: str) -> Iterator[RemoteFile]:
        bucket, key = _split_object_url(url.rstrip("/"))
        with _convert_read_errors(url), suppress(FileNotFoundError):
            for piece in import_obstore().list(_cached_client(bucket), key or None, chunk_size=1000):
                yield from (RemoteFile(f"{bucket}/{item['path']}", item["size"]) for item in piece)
            if url.rstrip("/").endswith((".jsonl", ".gz", ".zst", ".json", ".parquet")):
                item = import_obstore().head(_cached_client(bucket), key)
                yield RemoteFile(url.rstrip("/"), item["size"])

    @override
    def read(self, url: str, limit: int) -> bytes:
        bucket, key = _split_object_url(url)
        with _convert_read_errors(url):
            answer = import_obstore().get(_cached_client(bucket), key)
            size = answer.meta["size"]
            if size <= limit:
                return bytes(answer.bytes())
        raise BeyondLimitError(
            f"the object has {size:,} bytes; the limit is {limit:,}",
            "split its content into several objects",
        )


def fetch_object_size(object_url: str) -> int:
    """Ask a store for the size of an object in bytes.

    Args:
        object_url: the URL of the object, such as `s3://bucket/key`.

    Raises:
        UnreadableError: if the object does not exist or cannot be read.
    """
    bucket, key = _split_object_url(object_url)
    with _convert_read_errors(object_url):
        return int(import_obstore().head(_cached_client(bucket), key)["size"])


def open_remote_object(object_url: str) -> io.BufferedReader:
    """Open an object in a store as a stream of bytes.

    Args:
        object_url: the URL of the object, such as `s3://bucket/key`.

    Raises:
        UnreadableError: if the object does not exist or cannot be read.
    """
    bucket, key = _split_object_url(object_url)
    with _convert_read_errors(object_url):
        reader = import_obstore().open_reader(_cached_client(bucket), key, buffer_size=PIECE)
    return io.BufferedReader(_Raw(reader, object_url), PIECE)


class _Raw(io.RawIOBase):
    """A raw stream over an object."""

    def __init__(self, reader: "ReadableFile", url: str) -> None:
        self.reader = reader
        self.url = url

    @override
    def readable(self) -> bool:
        return True

    @override
    def readinto(self, buffer: Buffer) -> int:
        view = memoryview(buffer)
        try:
            data = self.reader.read(len(view))
        except _list_store_errors() as error:
            raise OSError(explain_refusal(error, self.url, os.environ).reason) from None
        size = len(data)
        view[:size] = memoryview(data)
        return size


def import_obstore() -> ModuleType:
    """Import `obstore`, the library for object stores.

    Raises:
        MissingExtraError: if the library is not installed.
    """
    return import_optional("obstore", extra="s3", purpose="an object store")


BUCKET = re.compile(r"\$?[A-Za-z0-9][A-Za-z0-9._-]*")
"""Names of buckets and containers, `$web` included; a store may allow fewer."""


def describe_url_fault(store_url: str) -> str:
    """Describe the fault in the URL of an object store.

    Returns:
        The fault, such as a missing bucket; empty if the URL is valid.
    """
    scheme, _, path_part = store_url.partition("://")
    bucket, _, prefix = path_part.partition("/")
    if not bucket:
        return f"{scheme}:// has no name of a bucket"
    if not BUCKET.fullmatch(bucket):
        return f"{bucket!r} is not the name of a bucket"
    if {"..", "."} & set(prefix.split("/")) or {"?", "#"} & set(prefix):
        return f"{prefix!r} is not a prefix of objects"
    return ""


FORM_HINT = "write it like s3://BUCKET or s3://BUCKET/PREFIX"


def make_store_client(store_url: str, **options: object) -> "ObjectStore":
    """Create the library's client for an object store.

    Args:
        store_url: the URL of the store, such as `s3://bucket/prefix`.
        options: the options of the library's client.

    Raises:
        MissingExtraError: if the library is not installed.
    """
    library = import_optional("obstore.store", extra="s3", purpose="an object store")
    store: ObjectStore = library.from_url(store_url, **options)
    return store


@cache
def _cached_client(bucket_url: str) -> "ObjectStore":
    return make_store_client(bucket_url)


class _ObjectPlace(NamedTuple):
    bucket: str  # the URL of the bucket
    key: str


def _split_object_url(object_url: str) -> _ObjectPlace:
    scheme, _, path_part = object_url.partition("://")
    bucket, _, key = path_part.partition("/")
    return _ObjectPlace(f"{scheme}://{bucket}", key)


@contextmanager
def _convert_read_errors(object_url: str) -> Iterator[None]:
    if fault := describe_url_fault(object_url):
        raise UnreadableError(fault, FORM_HINT)
    try:
        failures = _list_store_errors()
    except MissingExtraError as missing_extra:
        raise UnreadableError(str(missing_extra), missing_extra.hint) from None
    try:
        yield
    except FileNotFoundError:
        raise UnreadableError(f"{object_url} does not exist") from None
    except failures as error:
        refusal = explain_refusal(error, object_url, os.environ)
        raise UnreadableError(f"{object_url} cannot be read: {refusal.reason}", refusal.hint) from None


def _list_store_errors() -> tuple[type[Exception], ...]:
    errors = import_optional("obstore.exceptions", extra="s3", purpose="an object store")
    return (errors.BaseError, OSError, ValueError)
