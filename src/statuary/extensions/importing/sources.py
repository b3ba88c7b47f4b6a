"""Read another system over HTTP: with retries, the pauses that the server requests, and no request twice."""

import time
from collections.abc import Callable, Mapping
from email.message import Message
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from http.client import IncompleteRead
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import HTTPError

import orjson

from statuary.content.source_files import SourceFile
from statuary.content.unreadable import UnreadableError
from statuary.domain.json_values import UntypedJson as Json
from statuary.domain.primitives import Hex, InvalidValueError, parse_hex
from statuary.extensions.http.client import CONNECTION_ERRORS, is_same_server, open_url
from statuary.extensions.importing.report import ContractImportError, SourceError, SourceUnavailableError
from statuary.publishing.files import PublishingError

MAX_BODY = 256 << 20
"""Bytes of the longest body that is read."""

TRIES = 4
"""Tries of a request before the import stops."""

FIRST_PAUSE = 1.0
"""Seconds before the second try; each further pause is twice as long."""

LONGEST_PAUSE = 90.0
"""The longest pause in seconds that an import waits on a server's request; for a longer one it stops."""

GONE = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.GONE})
PASSING = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS})
"""Responses after which the same request may succeed; those of 500 and more are too."""


class WebSource:
    """GET requests to another system."""

    def __init__(
        self,
        headers: Mapping[str, str] | None = None,
        *,
        wait: Callable[[float], None] = time.sleep,
        announce: Callable[[], object] = lambda: None,
    ) -> None:
        """Create a client.

        Args:
            headers: what a request to the first URL's server has, such as a key.
            wait: passes the seconds of a pause.
            announce: is called before every request.
        """
        self.headers = dict(headers or {})
        self.first_url = ""
        self.wait = wait
        self.announce = announce

    def json(self, url: str) -> Any:
        """Return the JSON at a URL; None if there is nothing (404 or 410).

        Raises:
            SourceUnavailableError: if the server cannot be reached, or does not answer after several tries.
            SourceError: if it refuses, or sends anything but JSON.
        """
        body = self.get(url)
        if body is None:
            return None
        try:
            return orjson.loads(body)
        except orjson.JSONDecodeError as error:
            raise SourceError(f"{url} does not send JSON: {error}", "check the URL in a browser") from None

    def get(self, url: str) -> bytes | None:
        """Return the body at a URL; None if there is nothing (404 or 410).

        Raises:
            SourceUnavailableError: if the server cannot be reached, or does not answer after several tries.
            SourceError: if it refuses.
        """
        pause = FIRST_PAUSE
        for last in (*(False,) * (TRIES - 1), True):
            try:
                return self._get_once(url)
            except HTTPError as error:
                if error.code in GONE:
                    return None
                failure = _failure(url, error)
            except CONNECTION_ERRORS as error:
                failure = Failure(f"cannot be read: {getattr(error, 'reason', None) or error}")
            if last or (failure.pause or 0) > LONGEST_PAUSE:
                raise SourceUnavailableError(f"{url} {failure.why}", failure.hint)
            self.wait(pause if failure.pause is None else failure.pause)
            pause *= 2
        raise AssertionError

    def _get_once(self, url: str) -> bytes:
        self.announce()
        self.first_url = self.first_url or url
        # the server chooses the link to the next page
        headers = self.headers if is_same_server(self.first_url, url) else {}
        try:
            with open_url(url, headers) as response:
                body = response.read(MAX_BODY + 1)
                missing = getattr(response, "length", 0)
        except PublishingError as error:
            raise SourceError(str(error), error.hint) from None
        if len(body) > MAX_BODY:
            raise SourceError(f"{url} sends more than {MAX_BODY:,} bytes")
        if missing:
            raise IncompleteRead(body, missing)
        return body


class Failure(NamedTuple):
    """The reason of a temporary failure, and the seconds of the pause that the server requests, if any."""

    why: str
    pause: float | None = None

    @property
    def hint(self) -> str:
        """What to do after the last try."""
        again = "" if self.pause is None else f" in {self.pause:,.0f} seconds"
        return f"run the import again{again}; it continues from here"


def _failure(url: str, error: HTTPError) -> Failure:
    pause = requested_pause(error.headers)
    if pause is None and error.code not in PASSING and error.code < HTTPStatus.INTERNAL_SERVER_ERROR:
        needs_key = error.code in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
        hint = "the page needs a key" if needs_key else "check the URL in a browser"
        raise SourceError(f"{url} returns {error.code} {error.reason}", hint)
    return Failure(f"returns {error.code}", pause)


def requested_pause(headers: Message) -> float | None:
    """Return the seconds of the pause that a server requests: `Retry-After`, or GitHub's `X-RateLimit-Reset`; else None.

    An instant is compared with the server's own clock.
    """
    after, reset = headers.get("Retry-After", "").strip(), headers.get("X-RateLimit-Reset", "")
    if after.isdigit():
        return float(after)
    try:
        now = parsedate_to_datetime(headers.get("Date", "")).timestamp()
        if after:
            return max(0.0, parsedate_to_datetime(after).timestamp() - now)
    except ValueError:
        return None
    if headers.get("X-RateLimit-Remaining") == "0" and reset.isdigit():
        return max(0.0, int(reset) - now)
    return None


MAX_FILE_BYTES = 1 << 30
"""The limit for a JSON file: build-infos of large projects, with syntax trees, have some hundred megabytes."""

MAX_SOURCE_BYTES = 16 << 20
"""The limit for one source or hex file."""


def read_json_file(file: Path) -> dict[str, Json]:
    """Return the JSON object in a file; raise ContractImportError if the file cannot be read or has no JSON object."""
    try:
        value = orjson.loads(_read_bytes(file, MAX_FILE_BYTES))
    except orjson.JSONDecodeError as error:
        raise ContractImportError(f"{file} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise ContractImportError(f"{file} is not a JSON object")
    return value


def read_hex_file(file: Path) -> Hex:
    """Return the bytecode in a file, as `cast code` prints it; any case, with or without `0x`.

    Raises:
        ContractImportError: if it is empty or not hex.
    """
    text = decode_source(read_source_bytes(file), file).strip().lower()
    try:
        code = parse_hex(text if text.startswith("0x") else f"0x{text}")
    except InvalidValueError as error:
        raise ContractImportError(f"{file}: {error}", error.hint) from None
    if code == "0x":
        raise ContractImportError(f"{file} has no bytecode", "leave the option out if the code is unknown")
    return code


def read_source_bytes(file: Path) -> bytes:
    """Return the bytes of a source or hex file; raise ContractImportError if it cannot be read."""
    return _read_bytes(file, MAX_SOURCE_BYTES)


def decode_source(raw: bytes, file: Path) -> str:
    """Return the text of a file; raise ContractImportError if it is not UTF-8."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise ContractImportError(f"{file} is not UTF-8") from None


def folder_above(file: Path, name: str) -> Path | None:
    """Return the folder with a name in the nearest folder above a file that has one."""
    folders = (folder / name for folder in file.resolve().parents)
    return next((folder for folder in folders if folder.is_dir()), None)


def _read_bytes(file: Path, limit: int) -> bytes:
    try:
        return SourceFile(file.parent, file.name).bytes(limit)
    except UnreadableError as error:
        raise ContractImportError(f"{file}: {error}", error.hint) from None
