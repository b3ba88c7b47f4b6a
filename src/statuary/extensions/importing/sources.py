"""Read the inputs of an import: HTTP responses and files."""

import os
import time
from codecs import BOM_UTF8
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import orjson

from statuary.base.json_values import Json, JsonObject, as_object
from statuary.base.primitives import Hex, InvalidValueError, parse_lowercase_hex
from statuary.extensions.importing.report import NotImportableError
from statuary.source.parse_json import parse_json_bytes
from statuary.source.source_files import SourceFile
from statuary.source.unreadable import UnreadableError
from statuary.system.network.client import (
    RefusedError,
    Retries,
    UnreachableError,
    display_location,
    get,
    is_same_server,
)

Member = TypeVar("Member", bound=Json)

RETRIES = Retries(tries=4)


class WebSource:
    """An HTTP client for reading from another system."""

    def __init__(
        self,
        headers: Mapping[str, str] | None = None,
        *,
        wait: Callable[[float], None] = time.sleep,
        announce: Callable[[], object] = lambda: None,
    ) -> None:
        """Create an HTTP client.

        Args:
            headers: the headers for the server of the first URL, such as a key; other servers do not get
                them.
            wait: pauses for a number of seconds.
            announce: is called before every request.
        """
        self.headers = dict(headers or {})
        self.first_url = ""
        self.wait = wait
        self.announce = announce

    def fetch_json(self, url: str) -> Json:
        """Fetch a JSON document from a URL, and parse it.

        Returns:
            The value, or None if the server responds with 404 or 410.

        Raises:
            UnreachableError: if the server does not respond after several attempts.
            NotImportableError: if the server refuses the request, or the response is not JSON.
        """
        body = self.get(url)
        if body is None:
            return None
        try:
            value: Json = orjson.loads(body)
        except orjson.JSONDecodeError as error:
            hint = "check the URL in a browser"
            raise NotImportableError(f"{display_location(url)} does not send JSON: {error}", hint) from None
        return value

    def get(self, url: str) -> bytes | None:
        """Fetch a URL, and return the body of the response.

        Returns:
            The bytes, or None if the server responds with 404 or 410.

        Raises:
            UnreachableError: if the server does not respond after several attempts.
            NotImportableError: if the server refuses the request.
        """
        self.announce()
        self.first_url = self.first_url or url
        # Send the headers, which may contain an API key, only to the server that the user named. This URL may
        # be a link to another server, taken from a response.
        headers = self.headers if is_same_server(self.first_url, url) else {}
        try:
            return get(url, headers=headers, retries=RETRIES._replace(wait=self.wait))
        except RefusedError as error:
            raise NotImportableError(str(error), error.hint) from None
        except UnreachableError as error:
            pause_text = "" if error.pause is None else f" in {error.pause:,.0f} seconds"
            hint = f"run the import again{pause_text}; it continues from here"
            raise UnreachableError(url, error.reason, hint) from None


MOST_PAGES = 1_000
"""The largest number of pages of a list that are requested."""


def make_too_many_pages_error(list_url: str) -> NotImportableError:
    """Make the error for a server whose list has too many pages.

    Args:
        list_url: the URL of the list.
    """
    return NotImportableError(
        f"{display_location(list_url)} has more than {MOST_PAGES:,} pages",
        "save its documents, and import the folder",
    )


SOURCE_SUFFIXES = (".sol", ".vy", ".yul")

MAX_FILE_BYTES = 1 << 30
"""Limit for a JSON file: build-infos of large projects, with syntax trees, have some hundred megabytes."""

MAX_SOURCE_BYTES = 16 << 20
"""Limit for a source or hex file."""


def parse_json(json_bytes: bytes, file_name: str) -> Json:
    """Parse the JSON in a file that is being imported.

    Args:
        json_bytes: the content of the file.
        file_name: the name of the file, for the error message.

    Raises:
        NotImportableError: if the content is not JSON.
    """
    try:
        return parse_json_bytes(json_bytes)
    except orjson.JSONDecodeError as error:
        if str(file_name).endswith(SOURCE_SUFFIXES):
            raise NotImportableError(
                f"{file_name} is a source file; the compiler's output is needed",
                "compile it, and give the artifact: out/<File>.sol/<Name>.json of Foundry, artifacts/… of Hardhat, or a standard JSON input with --output",
            ) from None
        raise NotImportableError(f"{file_name} is not JSON: {error}") from None


def read_json_file(file: Path) -> dict[str, Json]:
    """Read a file that contains a JSON object.

    Raises:
        NotImportableError: if the file cannot be read, or contains no JSON object.
    """
    value = parse_json(read_file_bytes(file, MAX_FILE_BYTES), str(file))
    if not isinstance(value, dict):
        raise NotImportableError(f"{file} is not a JSON object")
    return value


def required_member(value: Json, *keys: str) -> Json:
    """Return a value inside nested JSON objects.

    Example: `required_member(value, "output", "abi")` returns `value["output"]["abi"]`.

    Args:
        value: the outermost object.
        keys: the key in each object, from the outermost to the innermost.

    Raises:
        InvalidValueError: if the value is missing or null.
    """
    for key in keys:
        value = as_object(value).get(key)
    if value is None:
        raise InvalidValueError(f"the member {'.'.join(keys)} is missing or null")
    return value


def required_object(value: Json, *keys: str) -> JsonObject:
    """Return an object inside nested JSON objects.

    Example: `required_object(value, "output", "devdoc")` returns `value["output"]["devdoc"]`.

    Args:
        value: the outermost object.
        keys: the key in each object, from the outermost to the innermost.

    Raises:
        InvalidValueError: if the value is missing or not an object.
    """
    return _require_member_type(dict, "an object", value, keys)


def required_list(value: Json, *keys: str) -> Sequence[Json]:
    """Return a list inside nested JSON objects.

    Example: `required_list(value, "output", "abi")` returns `value["output"]["abi"]`.

    Args:
        value: the outermost object.
        keys: the key in each object, from the outermost to the innermost.

    Raises:
        InvalidValueError: if the value is missing or not a list.
    """
    return _require_member_type(list, "a list", value, keys)


def required_string(value: Json, *keys: str) -> str:
    """Return a string inside nested JSON objects.

    Example: `required_string(value, "compiler", "version")` returns `value["compiler"]["version"]`.

    Args:
        value: the outermost object.
        keys: the key in each object, from the outermost to the innermost.

    Raises:
        InvalidValueError: if the value is missing or not a string.
    """
    return _require_member_type(str, "a string", value, keys)


def _require_member_type(
    expected_type: type[Member], type_noun: str, json_value: Json, keys: Sequence[str]
) -> Member:
    member = required_member(json_value, *keys)
    if not isinstance(member, expected_type):
        raise InvalidValueError(f"the member {'.'.join(keys)} is not {type_noun}")
    return member


def read_hex_file(file: Path) -> Hex:
    """Read bytecode from a file of hex digits, such as `0x6080…`.

    Upper case and a missing `0x` are accepted.

    Raises:
        NotImportableError: if the file is empty or not hex.
    """
    text = read_text_file(file).strip().lower()
    try:
        code = parse_lowercase_hex(text if text.startswith("0x") else f"0x{text}")
    except InvalidValueError as error:
        raise NotImportableError(f"{file}: {error}", error.hint) from None
    if code == "0x":
        raise NotImportableError(
            f"{file} has no bytecode",
            "if you don't have the bytecode, leave out the option that names this file",
        )
    return code


def read_text_file(file: Path) -> str:
    """Read a text file in UTF-8.

    A byte order mark at the start is removed.

    Raises:
        NotImportableError: if the file cannot be read or is not UTF-8.
    """
    return decode_source_text(read_file_bytes(file).removeprefix(BOM_UTF8), file)


def decode_source_text(source_bytes: bytes, file: Path) -> str:
    """Decode the bytes of a source file as UTF-8.

    A byte order mark is kept, because compilers treat it as part of the source.

    Args:
        source_bytes: the content of the file.
        file: the path of the file, for the error message.

    Raises:
        NotImportableError: if the content is not valid UTF-8.
    """
    try:
        return source_bytes.decode()
    except UnicodeDecodeError:
        raise NotImportableError(f"{file} is not UTF-8", "save it as UTF-8") from None


def find_folder_above(start_file: Path, folder_name: str) -> Path | None:
    """Search a file's parent folders for a folder with this name.

    For example, a search for `build-info` from an artifact finds the `build-info` folder of its project.

    Args:
        start_file: the file whose parent folders are searched, nearest first.
        folder_name: the name of the folder to find.

    Returns:
        The nearest such folder, or None if no parent folder contains one.
    """
    folders = (folder / folder_name for folder in start_file.resolve().parents)
    return next((folder for folder in folders if folder.is_dir()), None)


def is_file(path: Path) -> bool:
    """Return whether a file exists at a path.

    The result is False, not an error, if the path is too long for the file system.
    """
    try:
        return path.is_file()
    except OSError:
        return False


def read_file_bytes(file: Path, max_bytes: int = MAX_SOURCE_BYTES) -> bytes:
    """Read a file, unless it is too large.

    Args:
        file: the path of the file.
        max_bytes: the largest size that is read, in bytes.

    Raises:
        NotImportableError: if the file cannot be read, or is larger than the limit.
    """
    real = Path(os.path.realpath(file))  # a project may link to its libraries
    try:
        return SourceFile(real.parent, real.name).load_bytes(max_bytes)
    except UnreadableError as error:
        raise NotImportableError(f"{file}: {error}", error.hint) from None
