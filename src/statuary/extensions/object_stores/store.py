"""An object store with retries, and a lease for its publisher.

The library retries server errors and broken connections with growing pauses. It does not retry a put without
a response; that is done here, since putting the same bytes again changes nothing.
"""

import asyncio
import os
import secrets
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import Context
from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, TypeVar
from zoneinfo import ZoneInfo

import orjson
from typing_extensions import override

from statuary.base.files import OWN_FOLDER, PublishingError
from statuary.base.optional import MissingExtraError, import_optional
from statuary.base.primitives import Instant, InvalidValueError, format_instant, parse_instant, to_instant
from statuary.extensions.object_stores.refusals import explain_refusal
from statuary.extensions.object_stores.remote_objects import (
    FORM_HINT,
    describe_url_fault,
    import_obstore,
    make_store_client,
)
from statuary.publish.locations import SiteLocation
from statuary.source.remote_files import is_remote
from statuary.version import VERSION

if TYPE_CHECKING:
    from obstore import GetResult

Result = TypeVar("Result")


class RetryPolicy(NamedTuple):
    """The time limits and number of attempts for requests to a store."""

    timeout: float = 60.0  # seconds to wait for an answer
    tries: int = 8  # the largest number of retries by the library in one call
    begins: int = 3  # the largest number of calls of the library
    pause: float = 0.2  # seconds of the library's first pause; each pause is twice as long


DEFAULT_RETRIES = RetryPolicy()


Tag = dict[str, str]
"""A value that every put of an object changes: `e_tag` and, on Google's store, the generation as `version`."""


class ObjectInfo(NamedTuple):
    """The size, tag and headers of an object in a store."""

    size: int
    tag: Tag | None
    attributes: dict[str, str]  # headers and metadata


class PreconditionFailedError(Exception):
    """Raised if another program has changed an object in the store."""


class ConditionsRefusedError(PublishingError):
    """Raised if a store does not support conditional requests."""


def is_store_url(location: str) -> bool:
    """Return whether a string is a store's URL, such as `s3://…`."""
    return is_remote(location)


class ObjectStore:
    """A client for an object store, or for a folder in it."""

    def __init__(self, url: str, patience: RetryPolicy = DEFAULT_RETRIES) -> None:
        """Create a client without sending a request.

        Args:
            url: `s3://bucket/prefix`, `gs://bucket/prefix` or `az://container/prefix`. Endpoint and
                credentials come from the usual environment variables (`AWS_…`, `GOOGLE_…`, `AZURE_…`).
            patience: the time limits and number of attempts.

        Raises:
            PublishingError: if the URL has no bucket, or the library is not installed or does not know such a
                store.
        """
        if fault := describe_url_fault(url):
            raise PublishingError(fault, FORM_HINT)
        self.url = url.rstrip("/")
        self.has_conditions = True  # whether puts have conditions; False for a store that refuses them
        self.patience = patience
        try:
            self.library = import_obstore()
            self.errors = import_optional("obstore.exceptions", extra="s3", purpose="an object store")
        except MissingExtraError as missing_extra:
            raise PublishingError(str(missing_extra), missing_extra.hint) from None
        self.failures = (self.errors.BaseError, OSError, ValueError)
        try:
            self.store = make_store_client(self.url, **_make_client_options(self.url, patience))
        except self.failures as error:
            raise self._make_refusal_error("be opened", error) from None

    def get(self, path: str) -> tuple[bytes, ObjectInfo] | None:
        """Fetch an object with its size, tag and headers.

        Returns:
            The bytes and the information, or None if the object does not exist.

        Raises:
            PublishingError: if the store rejects the request.
        """
        try:
            answer = self.library.get(self.store, path)
            return bytes(answer.bytes()), _read_object_info(answer)
        except FileNotFoundError:
            return None
        except self.failures as error:
            raise self._make_refusal_error(f"give {path}", error) from None

    async def head(self, path: str) -> ObjectInfo | None:
        """Fetch the size, tag and headers of an object without its bytes.

        Returns:
            The information, or None if the object does not exist.

        Raises:
            PublishingError: if the store rejects the request.
        """
        try:
            return _read_object_info(await self.library.get_async(self.store, path, options={"head": True}))
        except FileNotFoundError:
            return None
        except self.failures as error:
            raise self._make_refusal_error(f"look up {path}", error) from None

    def list_objects(self, folder: str | None = None) -> Iterator[tuple[str, int]]:
        """Yield the path and size of each object, in no particular order.

        Args:
            folder: list only objects in this folder; None for all.

        Raises:
            PublishingError: if the store rejects the request.
        """
        try:
            for piece in self.library.list(self.store, prefix=folder, chunk_size=1000):
                yield from ((item["path"], item["size"]) for item in piece)
        except self.failures as error:
            raise self._make_refusal_error("be listed", error) from None

    async def put(self, path: str, body: bytes, attributes: dict[str, str] | None = None) -> None:
        """Write an object, replacing an existing one.

        Args:
            path: the path of the object.
            body: the bytes of the object.
            attributes: the headers and metadata to store with it.

        Raises:
            PublishingError: if the store rejects the request.
        """
        await self._put_object(path, body, attributes, "overwrite")

    async def put_if_unchanged(
        self, path: str, body: bytes, attributes: dict[str, str], tag: Tag | None
    ) -> None:
        """Write an object only if nobody else has changed it.

        Failed requests are retried. A store without conditional requests writes the object in any case.

        Args:
            path: the path of the object.
            body: the bytes of the object.
            attributes: the headers and metadata to store with it.
            tag: the tag of the version that you know; None if the object must not exist yet.

        Raises:
            PreconditionFailedError: if the object has changed, possibly by an earlier attempt whose response
                was lost.
            PublishingError: if the store rejects the request.
        """
        await self._put_object(path, body, attributes, self._choose_write_mode(tag))

    async def _put_object(
        self, path: str, content: bytes, attributes: dict[str, str] | None, write_mode: str | Tag
    ) -> None:
        async def send_request() -> None:
            await self.library.put_async(
                self.store, path, content, attributes=attributes or None, mode=write_mode, use_multipart=False
            )

        await self._call_with_retries(send_request, f"take {path}")

    def try_put_if_unchanged(
        self, path: str, body: bytes, tag: Tag | None, attributes: dict[str, str] | None = None
    ) -> Tag | None:
        """Write an object only if nobody else has changed it, without retries.

        If the response is lost, it is unknown whether the object was written.

        Args:
            path: the path of the object.
            body: the bytes of the object.
            tag: the tag of the version that you know; None if the object must not exist yet.
            attributes: the headers and metadata to store with it.

        Returns:
            The tag of the new version.

        Raises:
            PreconditionFailedError: if the object has changed.
            ConditionsRefusedError: if the store does not support conditional requests.
            PublishingError: if the store rejects the request.
        """
        try:
            result = self.library.put(
                self.store,
                path,
                body,
                attributes=attributes or None,
                mode=self._choose_write_mode(tag),
                use_multipart=False,
            )
        except (self.errors.AlreadyExistsError, self.errors.PreconditionError):
            raise PreconditionFailedError(path) from None
        except self.failures as error:
            raise self._make_refusal_error(f"take {path}", error) from None
        return _read_entity_tag(result)

    def _choose_write_mode(self, expected_tag: Tag | None) -> str | Tag:
        if not self.has_conditions:
            return "overwrite"
        return "create" if expected_tag is None else expected_tag

    async def delete(self, paths: Sequence[str]) -> None:
        """Delete the objects at these paths with one request.

        Paths without an object are ignored.
        """

        async def send_request() -> None:
            try:
                await self.library.delete_async(self.store, list(paths))
            except FileNotFoundError:
                await asyncio.gather(*(self._delete_object(path) for path in paths))

        await self._call_with_retries(send_request, f"delete {paths[0]}" if paths else "delete")

    async def _delete_object(self, object_path: str) -> None:
        try:
            await self.library.delete_async(self.store, object_path)
        except FileNotFoundError:
            return

    async def _call_with_retries(self, attempt: Callable[[], Awaitable[Result]], action: str) -> Result:
        final = (
            self.errors.PermissionDeniedError,
            self.errors.UnauthenticatedError,
            self.errors.InvalidPathError,
        )
        for begun in range(1, self.patience.begins + 1):
            try:
                return await attempt()
            except (self.errors.AlreadyExistsError, self.errors.PreconditionError):
                raise PreconditionFailedError(action) from None
            except final as error:
                raise self._make_refusal_error(action, error) from None
            except self.failures as error:
                if begun == self.patience.begins:
                    raise self._make_refusal_error(action, error) from None
            await asyncio.sleep(self.patience.pause * 2**begun)
        raise AssertionError

    def _make_refusal_error(self, action: str, library_error: Exception) -> PublishingError:
        """Return the error for a request that the store has rejected.

        Its message does not quote the response of the store or the library.
        """
        if "501 Not Implemented" in str(library_error):
            return ConditionsRefusedError(
                f"{self.url} cannot {action}: it does not support conditional requests",
                "publish with --no-lease, and run only one publisher at a time",
            )
        refusal = explain_refusal(library_error, self.url, os.environ)
        return PublishingError(f"{self.url} cannot {action}: {refusal.reason}", refusal.hint)


class StoreLocation(SiteLocation):
    """An object store to read a site from."""

    def __init__(self, name: str) -> None:
        """Create a client for the store at the URL `name`.

        Raises:
            PublishingError: if the URL is invalid, or the library is not installed.
        """
        self.name = name
        self.store = ObjectStore(name)

    @override
    def read(self, path: str) -> bytes | None:
        answer = self.store.get(path)
        return None if answer is None else answer[0]


ENVIRONMENT_PREFIXES = {"s3": "AWS", "gs": "GOOGLE", "az": "AZURE"}
"""The prefixes of a scheme's environment variables."""

CONNECTION_SETTINGS = (
    "allow_http",
    "allow_invalid_certificates",
    "connect_timeout",
    "proxy_ca_certificate",
    "proxy_excludes",
    "proxy_url",
    "timeout",
)
"""Connection settings from the environment: the library ignores them where any is passed explicitly."""


def _make_client_options(store_url: str, retry_policy: RetryPolicy) -> dict[str, object]:
    prefix = ENVIRONMENT_PREFIXES.get(store_url.partition(":")[0], "")
    environment = {name: os.environ.get(f"{prefix}_{name.upper()}", "") for name in CONNECTION_SETTINGS}
    options = {"timeout": f"{retry_policy.timeout}s", "user_agent": f"statuary/{VERSION}"}
    return {
        "client_options": options | {name: value for name, value in environment.items() if value},
        "retry_config": {
            "max_retries": retry_policy.tries,
            "retry_timeout": timedelta(seconds=retry_policy.timeout * 3),
            "backoff": {
                "init_backoff": timedelta(seconds=retry_policy.pause),
                "max_backoff": timedelta(seconds=10),
                "base": 2,
            },
        },
    }


def _read_object_info(response: "GetResult") -> ObjectInfo:
    return ObjectInfo(response.meta["size"], _read_entity_tag(response.meta), dict(response.attributes))


def _read_entity_tag(headers: Mapping[str, object]) -> Tag | None:
    return {name: str(headers[name]) for name in ("e_tag", "version") if headers[name] is not None} or None


LEASE = f"{OWN_FOLDER}/lease.json"

DURATION = timedelta(seconds=120)
"""The duration of a lease without renewal."""

CLOCK_SKEW = 0.25
"""The part of a lease's duration by which clocks may differ, and that its holder leaves unused."""

UTC = ZoneInfo("UTC")

Clock = Callable[[], Instant]


class LeaseLostError(PublishingError):
    """Raised if another publisher has, or may have, taken the lock."""


class LeaseHeldError(PublishingError):
    """Raised if another publisher has the lock."""


class LeaseTerms(NamedTuple):
    """The content of the object that represents the lock."""

    holder: str  # a random name; empty if the lease was released
    until: Instant  # the time at which the lock expires
    is_unfinished: bool = False  # whether the publication of the last holder did not end


class Lease:
    """A temporary lock that lets only one publisher write."""

    def __init__(self, store: ObjectStore, clock: Clock, duration: timedelta = DURATION) -> None:
        self.bucket = store
        self.clock = clock
        self.duration = duration
        self.holder = secrets.token_hex(8)
        self.tag: Tag | None = None
        self.until = clock()
        self.follows_unfinished = False  # whether the last publication was killed, or failed
        self.is_unfinished = False  # whether this publication or the last one has begun, and has not ended

    def acquire(self) -> None:
        """Lock the store, so that no other publisher writes to it.

        Raises:
            PublishingError: if another publisher has the lock, or the store does not support conditional
                requests. Without them, two publishers could lock the store at once.
        """
        lease = self.bucket.get(LEASE)
        if lease is not None:
            terms = _parse_lease_terms(lease[0])
            self._refuse_if_held(terms)
            self.tag = lease[1].tag
            self.follows_unfinished = self.is_unfinished = bool(terms.holder) or terms.is_unfinished
        try:
            self._put_terms(self.holder)
        except PreconditionFailedError:
            if not self._was_lease_written():
                raise PublishingError(
                    f"another publisher has just taken the lease of {self.bucket.url}",
                    "wait for it to finish, and publish again",
                ) from None
        self._require_conditional_puts()

    def _refuse_if_held(self, current_terms: LeaseTerms) -> None:
        if current_terms.holder and current_terms.until + self.duration * CLOCK_SKEW > self.clock():
            raise LeaseHeldError(
                f"another publisher has locked {self.bucket.url} until {format_instant(current_terms.until, UTC)}",
                "wait for it to finish; the lock (lease) of a killed publisher ends at that time",
            )

    def _require_conditional_puts(self) -> None:
        """Raise an error if the store ignores the conditions of put requests.

        With such a store, two publishers could lock it at once.
        """
        try:
            self.bucket.try_put_if_unchanged(LEASE, b"", None)
        except PreconditionFailedError:
            return
        raise PublishingError(
            f"{self.bucket.url} ignores conditional requests, so statuary cannot lock it (a lease has no effect)",
            "publish with --no-lease, and run only one publisher at a time",
        )

    def renew_if_due(self) -> None:
        """Extend the lock if a third of its duration has passed.

        Publishers call it between uploads.

        Raises:
            LeaseLostError: if another publisher has taken the lock.
        """
        if self.clock() < self.until - self.duration * 2 / 3:
            return
        try:
            self._put_terms(self.holder)
        except PreconditionFailedError:
            if not self._was_lease_written():
                raise LeaseLostError(
                    f"another publisher has started to write to {self.bucket.url}",
                    "wait until that publisher has finished, and publish again",
                ) from None

    def _was_lease_written(self) -> bool:
        """Return whether the store has our lease, although a put was refused.

        An earlier put may have succeeded although its response was lost. The lease is then renewed.
        """
        lease = self.bucket.get(LEASE)
        if lease is None or _parse_lease_terms(lease[0]).holder != self.holder:
            return False
        self.tag = lease[1].tag
        self._put_terms(self.holder)
        return True

    def require_time_left(self) -> None:
        """Raise an error if the lock on the store will expire soon.

        Soon means that less than a quarter of its duration is left.

        Raises:
            LeaseLostError: if the lock will expire soon.
        """
        if self.clock() > self.until - self.duration * CLOCK_SKEW:
            raise LeaseLostError(
                f"the lock (lease) on {self.bucket.url} is about to end and could not be renewed",
                "publish again: the next run continues where this one stopped",
            )

    def release(self) -> None:
        """Unlock the store, unless another publisher has taken the lock."""
        try:
            self._put_terms("")
        except (PreconditionFailedError, PublishingError):
            return

    def _put_terms(self, new_holder: str) -> None:
        until = to_instant(self.clock() + self.duration)
        terms = {"holder": new_holder, "until": format_instant(until, UTC)}
        body = orjson.dumps(terms | ({"unfinished": True} if self.is_unfinished and not new_holder else {}))
        self.tag = self.bucket.try_put_if_unchanged(
            LEASE, body, self.tag, {"Content-Type": "application/json"}
        )
        self.until = until


def _parse_lease_terms(lease_object: bytes) -> LeaseTerms:
    try:
        value = orjson.loads(lease_object)
        is_unfinished = value.get("unfinished") is True
        return LeaseTerms(str(value["holder"]), parse_instant(value["until"]), is_unfinished)
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError, InvalidValueError):
        return LeaseTerms("", parse_instant("2000-01-01T00:00:00Z"))


Item = TypeVar("Item")

CONCURRENT_REQUESTS = 32
"""Requests in flight: the number with the highest rate of puts (measured on three servers)."""


class TransferLoop(asyncio.SelectorEventLoop):
    """An event loop that ignores responses that arrive after it was closed."""

    @override
    def call_soon_threadsafe(
        self, callback: Callable[..., object], *args: object, context: Context | None = None
    ) -> asyncio.Handle:
        try:
            return super().call_soon_threadsafe(callback, *args, context=context)
        except RuntimeError:
            if not self.is_closed():
                raise
        return asyncio.Handle(callback, args, self, context)


def run_transfers(
    items: Iterable[Item], transfer: Callable[[Item], Awaitable[None]], lease: Lease | None
) -> None:
    """Upload or download many items at once, and renew the lock meanwhile.

    Args:
        items: the arguments of the calls.
        transfer: the function to call for each item, such as an upload.
        lease: the lock of the store, or None.

    Raises:
        Exception: the first exception of a call; the remaining items are skipped.
    """
    if lease is not None:
        lease.renew_if_due()
    try:
        with asyncio.Runner(loop_factory=TransferLoop) as runner:
            runner.run(_transfer_concurrently(iter(items), transfer, lease))
    except BaseExceptionGroup as group:
        raise _find_first_exception(group) from None


async def _transfer_concurrently(
    items: Iterator[Item], transfer: Callable[[Item], Awaitable[None]], lease: Lease | None
) -> None:
    async def work() -> None:
        for item in items:
            await transfer(item)

    async with asyncio.TaskGroup() as group:
        workers = [group.create_task(work()) for _ in range(CONCURRENT_REQUESTS)]
        context = None if lease is None else group.create_task(_renew_lease_periodically(lease))
        await asyncio.wait(workers)
        if context is not None:
            context.cancel()


async def _renew_lease_periodically(lease: Lease) -> None:
    while True:
        await asyncio.to_thread(lease.renew_if_due)
        await asyncio.sleep(lease.duration.total_seconds() / 12)


def _find_first_exception(group: BaseExceptionGroup[BaseException]) -> BaseException:
    error = group.exceptions[0]
    return _find_first_exception(error) if isinstance(error, BaseExceptionGroup) else error


def split_into_batches(items: Iterable[Item], batch_size: int) -> Iterator[list[Item]]:
    """Divide items into lists of at most `batch_size`, for one request each."""
    iterator = iter(items)
    while piece := list(islice(iterator, batch_size)):
        yield piece
