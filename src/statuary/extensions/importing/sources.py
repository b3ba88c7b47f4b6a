"""What an import reads: another system over HTTP, and files."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import orjson

from statuary.content.source_files import SourceFile
from statuary.content.unreadable import UnreadableError
from statuary.domain.json_values import UntypedJson as Json
from statuary.domain.primitives import Hex, InvalidValueError, parse_hex
from statuary.extensions.http.client import RefusedError, Retries, UnreachableError, get, is_same_server
from statuary.extensions.importing.report import ContractImportError, SourceError, SourceUnavailableError

RETRIES = Retries(tries=4)


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
        self.announce()
        self.first_url = self.first_url or url
        # the server chooses the link to the next page
        headers = self.headers if is_same_server(self.first_url, url) else {}
        try:
            return get(url, headers=headers, retries=RETRIES._replace(wait=self.wait))
        except RefusedError as error:
            raise SourceError(str(error), error.hint) from None
        except UnreachableError as error:
            later = "" if error.pause is None else f" in {error.pause:,.0f} seconds"
            hint = f"run the import again{later}; it continues from here"
            raise SourceUnavailableError(str(error), hint) from None


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
