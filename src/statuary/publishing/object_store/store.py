"""An object store by its URL: objects are asked for, put, listed and deleted; what fails for a while is tried again.

The library asks again by itself after server errors and broken connections, with growing pauses. What it does
not dare to repeat, a put whose answer never came, is repeated here: a put of the same bytes does nothing new.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any, NamedTuple, TypeVar

from statuary.content.bulk.remote_objects import SCHEMES, from_url, import_obstore
from statuary.optional import MissingExtraError, optional
from statuary.publishing.errors import PublishingError
from statuary.version import VERSION

Result = TypeVar("Result")


class RetryPolicy(NamedTuple):
    """How long a store that does not answer is asked.

    Attributes:
        timeout: seconds until an answer must have come.
        tries: how often the library asks again.
        begins: how often something is begun anew when the library has given up.
        pause: seconds before the second try; each further pause is twice as long.
    """

    timeout: float = 60.0
    tries: int = 8
    begins: int = 3
    pause: float = 0.2


DEFAULT_RETRIES = RetryPolicy()


class ObjectInfo(NamedTuple):
    """What a store tells of an object.

    Attributes:
        size: bytes.
        tag: its `ETag`; another one with every put.
        attributes: headers and metadata.
    """

    size: int
    tag: str | None
    attributes: dict[str, str]


class PreconditionFailedError(Exception):
    """The condition of a put does not hold: the object is there already, or has changed."""


def is_store_url(place: str) -> bool:
    """Return whether a place is written as the URL of an object store."""
    return place.startswith(SCHEMES)


class ObjectStore:
    """A store, or what lies below a prefix of it."""

    def __init__(self, url: str, patience: RetryPolicy = DEFAULT_RETRIES) -> None:
        """Name a store; nothing is asked of it yet.

        Args:
            url: `s3://bucket/prefix`, `gs://bucket/prefix` or `az://container/prefix`. Where the service is and who
                asks, the usual environment variables say (`AWS_…`, `GOOGLE_…`, `AZURE_…`).
            patience: how long it is asked.

        Raises:
            PublishingError: if the library is not installed, or knows no such store.
        """
        self.url = url.rstrip("/")
        self.patience = patience
        try:
            self.library = import_obstore()
            self.errors = optional("obstore.exceptions", extra="s3", purpose="an object store")
        except MissingExtraError as missing:
            raise PublishingError(str(missing), missing.hint) from None
        self.failures = (self.errors.BaseError, OSError, ValueError)
        try:
            self.store = from_url(self.url, **_options(self.url, patience))
        except self.failures as error:
            raise self._refused("be opened", error) from None

    def get(self, path: str) -> tuple[bytes, ObjectInfo] | None:
        """Return an object's body and what is told of it; None if there is none."""
        try:
            answer = self.library.get(self.store, path)
            return bytes(answer.bytes()), _held(answer)
        except FileNotFoundError:
            return None
        except self.failures as error:
            raise self._refused(f"give {path}", error) from None

    async def head(self, path: str) -> ObjectInfo | None:
        """Return what is told of an object; None if there is none."""
        try:
            return _held(await self.library.get_async(self.store, path, options={"head": True}))
        except FileNotFoundError:
            return None
        except self.failures as error:
            raise self._refused(f"say whether it has {path}", error) from None

    def listed(self) -> Iterator[tuple[str, int]]:
        """Yield path and size of every object, in no order."""
        try:
            for piece in self.library.list(self.store, chunk_size=1000):
                yield from ((found["path"], found["size"]) for found in piece)
        except self.failures as error:
            raise self._refused("be listed", error) from None

    async def put(self, path: str, body: bytes, attributes: dict[str, str] | None = None) -> None:
        """Put an object, whatever is there.

        Args:
            path: where to.
            body: its bytes.
            attributes: headers and metadata.

        Raises:
            PublishingError: if the store does not accept it.
        """
        await self._put(path, body, attributes, "overwrite")

    async def put_if_unchanged(
        self, path: str, body: bytes, attributes: dict[str, str], tag: str | None
    ) -> None:
        """Put an object if it still has an `ETag`, or, without one, if there is none.

        Raises:
            PreconditionFailedError: if it has changed, perhaps by an earlier attempt whose answer was lost.
            PublishingError: if the store does not accept it.
        """
        await self._put(path, body, attributes, _condition(tag))

    async def _put(
        self, path: str, body: bytes, attributes: dict[str, str] | None, mode: str | dict[str, str]
    ) -> None:
        async def once() -> None:
            await self.library.put_async(
                self.store, path, body, attributes=attributes or None, mode=mode, use_multipart=False
            )

        await self._again(once, f"take {path}")

    def put_if(
        self, path: str, body: bytes, tag: str | None, attributes: dict[str, str] | None = None
    ) -> str | None:
        """Put an object if it is still the one with an `ETag`, or, without one, not there; return the new `ETag`.

        It is asked once: whether an answer that did not come was a yes cannot be known from here.

        Raises:
            PreconditionFailedError: if it is another by now.
            PublishingError: if the store does not take it.
        """
        try:
            told = self.library.put(
                self.store,
                path,
                body,
                attributes=attributes or None,
                mode=_condition(tag),
                use_multipart=False,
            )
        except (self.errors.AlreadyExistsError, self.errors.PreconditionError):
            raise PreconditionFailedError(path) from None
        except self.failures as error:
            raise self._refused(f"take {path}", error) from None
        new_tag: str | None = told["e_tag"]
        return new_tag

    async def delete(self, paths: Sequence[str]) -> None:
        """Delete objects, in as few requests as the store offers; those that are gone already count as deleted."""

        async def once() -> None:
            try:
                await self.library.delete_async(self.store, list(paths))
            except FileNotFoundError:
                await asyncio.gather(*(self._delete_one(path) for path in paths))

        await self._again(once, f"delete {paths[0]}" if paths else "delete")

    async def _delete_one(self, path: str) -> None:
        try:
            await self.library.delete_async(self.store, path)
        except FileNotFoundError:
            return

    async def _again(self, once: Callable[[], Awaitable[Result]], what: str) -> Result:
        """Do something, and do it again if the store does not answer."""
        final = (
            self.errors.PermissionDeniedError,
            self.errors.UnauthenticatedError,
            self.errors.InvalidPathError,
        )
        for begun in range(1, self.patience.begins + 1):
            try:
                return await once()
            except (self.errors.AlreadyExistsError, self.errors.PreconditionError):
                raise PreconditionFailedError(what) from None
            except final as error:
                raise self._refused(what, error) from None
            except self.failures as error:
                if begun == self.patience.begins:
                    raise self._refused(what, error) from None
            await asyncio.sleep(self.patience.pause * 2**begun)
        raise AssertionError

    def _refused(self, what: str, error: Exception) -> PublishingError:
        """Return the refusal for what a store does not do; the rest of its answer is XML."""
        return PublishingError(
            f"{self.url} cannot {what}: {str(error).partition(chr(10))[0][:300]}",
            "publish again; it continues from here",
        )


def _condition(tag: str | None) -> str | dict[str, str]:
    return "create" if tag is None else {"e_tag": tag}


ENVIRONMENT_PREFIXES = {"s3": "AWS", "gs": "GOOGLE", "az": "AZURE"}
"""What the environment variables of a scheme begin with."""

CONNECTION_SETTINGS = (
    "allow_http",
    "allow_invalid_certificates",
    "connect_timeout",
    "proxy_ca_certificate",
    "proxy_excludes",
    "proxy_url",
    "timeout",
)
"""Settings of connections that the environment may have: the library overlooks them where any is given in words."""


def _options(url: str, patience: RetryPolicy) -> dict[str, Any]:
    prefix = ENVIRONMENT_PREFIXES.get(url.partition(":")[0], "")
    told = {name: os.environ.get(f"{prefix}_{name.upper()}", "") for name in CONNECTION_SETTINGS}
    wanted = {"timeout": f"{patience.timeout}s", "user_agent": f"statuary/{VERSION}"}
    return {
        "client_options": wanted | {name: value for name, value in told.items() if value},
        "retry_config": {
            "max_retries": patience.tries,
            "retry_timeout": timedelta(seconds=patience.timeout * 3),
            "backoff": {
                "init_backoff": timedelta(seconds=patience.pause),
                "max_backoff": timedelta(seconds=10),
                "base": 2,
            },
        },
    }


def _held(answer: Any) -> ObjectInfo:
    return ObjectInfo(answer.meta["size"], answer.meta["e_tag"], dict(answer.attributes))
