"""An object store by its URL: get, head, list, put and delete, with retries.

The library retries server errors and broken connections with growing pauses. It does not retry a put without
a response; that is done here, since putting the same bytes again changes nothing.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple, TypeVar

from statuary.content.bulk.remote_objects import from_url, import_obstore
from statuary.content.remote_files import SCHEMES
from statuary.optional import MissingExtraError, optional
from statuary.publishing.errors import PublishingError
from statuary.version import VERSION

Result = TypeVar("Result")


class RetryPolicy(NamedTuple):
    """How long an unavailable store is retried."""

    timeout: float = 60.0  # seconds to wait for an answer
    tries: int = 8  # attempts of the library
    begins: int = 3  # attempts after the library has given up
    pause: float = 0.2  # seconds before the second attempt; doubles each time


DEFAULT_RETRIES = RetryPolicy()


Tag = dict[str, str]
"""What changes with every put of an object: `e_tag` and, on Google's store, the generation as `version`."""


class ObjectInfo(NamedTuple):
    """What a store reports about an object."""

    size: int
    tag: Tag | None
    attributes: dict[str, str]  # headers and metadata


class PreconditionFailedError(Exception):
    """The condition of a put does not hold: the object exists already, or has changed."""


class ConditionsRefusedError(PublishingError):
    """The store responds with 501 Not Implemented, as some do to a put with a condition."""


def is_store_url(url: str) -> bool:
    """Return whether a text is the URL of an object store."""
    return url.startswith(SCHEMES)


class ObjectStore:
    """A store, or a prefix of it."""

    def __init__(self, url: str, patience: RetryPolicy = DEFAULT_RETRIES) -> None:
        """Create a client; no request is made.

        Args:
            url: `s3://bucket/prefix`, `gs://bucket/prefix` or `az://container/prefix`. Endpoint and
                credentials come from the usual environment variables (`AWS_…`, `GOOGLE_…`, `AZURE_…`).

        Raises:
            PublishingError: if the library is not installed, or does not know such a store.
        """
        self.url = url.rstrip("/")
        self.has_conditions = True  # whether puts have conditions; False for a store that refuses them
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
        """Return an object's body and information; None if there is none."""
        try:
            answer = self.library.get(self.store, path)
            return bytes(answer.bytes()), _held(answer)
        except FileNotFoundError:
            return None
        except self.failures as error:
            raise self._refused(f"give {path}", error) from None

    async def head(self, path: str) -> ObjectInfo | None:
        """Return an object's information; None if there is none."""
        try:
            return _held(await self.library.get_async(self.store, path, options={"head": True}))
        except FileNotFoundError:
            return None
        except self.failures as error:
            raise self._refused(f"look up {path}", error) from None

    def listed(self) -> Iterator[tuple[str, int]]:
        """Yield path and size of every object, in no order."""
        try:
            for piece in self.library.list(self.store, chunk_size=1000):
                yield from ((found["path"], found["size"]) for found in piece)
        except self.failures as error:
            raise self._refused("be listed", error) from None

    async def put(self, path: str, body: bytes, attributes: dict[str, str] | None = None) -> None:
        """Put an object unconditionally.

        Args:
            attributes: headers and metadata.

        Raises:
            PublishingError: if the store rejects it.
        """
        await self._put(path, body, attributes, "overwrite")

    async def put_if_unchanged(
        self, path: str, body: bytes, attributes: dict[str, str], tag: Tag | None
    ) -> None:
        """Put an object if it is unchanged or, without a tag, if there is none.

        Raises:
            PreconditionFailedError: if it has changed, perhaps by an earlier attempt whose response was lost.
            PublishingError: if the store rejects it.
        """
        await self._put(path, body, attributes, self._mode(tag))

    async def _put(self, path: str, body: bytes, attributes: dict[str, str] | None, mode: str | Tag) -> None:
        async def once() -> None:
            await self.library.put_async(
                self.store, path, body, attributes=attributes or None, mode=mode, use_multipart=False
            )

        await self._again(once, f"take {path}")

    def put_if(
        self, path: str, body: bytes, tag: Tag | None, attributes: dict[str, str] | None = None
    ) -> Tag | None:
        """Put an object if it is unchanged or, without a tag, if there is none; return the new tag.

        There is one attempt: whether a put without a response succeeded cannot be known here.

        Raises:
            PreconditionFailedError: if it has changed.
            ConditionsRefusedError: if the store does not support such requests.
            PublishingError: if the store rejects it.
        """
        try:
            result = self.library.put(
                self.store,
                path,
                body,
                attributes=attributes or None,
                mode=self._mode(tag),
                use_multipart=False,
            )
        except (self.errors.AlreadyExistsError, self.errors.PreconditionError):
            raise PreconditionFailedError(path) from None
        except self.failures as error:
            raise self._refused(f"take {path}", error) from None
        return _tag(result)

    def _mode(self, tag: Tag | None) -> str | Tag:
        if not self.has_conditions:
            return "overwrite"
        return "create" if tag is None else tag

    async def delete(self, paths: Sequence[str]) -> None:
        """Delete objects, in as few requests as the store allows; missing ones count as deleted."""

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
        """Call a function, and retry if the store does not respond."""
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
        """Return the error for a request that the store rejects; the rest of its response is XML."""
        said = str(error).partition(chr(10))[0]
        message = f"{self.url} cannot {what}: {said[:300]}"
        if "501 Not Implemented" in said:
            return ConditionsRefusedError(
                message, "publish with --no-lease, and run only one publisher at a time"
            )
        return PublishingError(message, "publish again; it continues from here")


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


def _options(url: str, patience: RetryPolicy) -> dict[str, Any]:
    prefix = ENVIRONMENT_PREFIXES.get(url.partition(":")[0], "")
    environment = {name: os.environ.get(f"{prefix}_{name.upper()}", "") for name in CONNECTION_SETTINGS}
    wanted = {"timeout": f"{patience.timeout}s", "user_agent": f"statuary/{VERSION}"}
    return {
        "client_options": wanted | {name: value for name, value in environment.items() if value},
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
    return ObjectInfo(answer.meta["size"], _tag(answer.meta), dict(answer.attributes))


def _tag(headers: Mapping[str, Any]) -> Tag | None:
    return {name: headers[name] for name in ("e_tag", "version") if headers[name] is not None} or None
