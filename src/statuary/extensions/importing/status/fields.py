"""Read members of another system's objects, with precise errors."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from dateutil import parser

from statuary.base.primitives import (
    InvalidValueError,
    format_utc_shortest,
    parse_instant,
    shorten,
    to_instant,
)
from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.sources import MAX_FILE_BYTES, parse_json, read_file_bytes, read_text_file
from statuary.source.parse_yaml import parse_yaml
from statuary.source.unreadable import UnreadableError

LABEL = ("id", "code", "number", "name", "title")
"""The members that may name a record in a report, in order of preference."""


class Fields(dict[str, Any]):
    """A JSON object from another system, with methods that convert members."""

    @classmethod
    def from_json_value(cls, value: object) -> Self:
        """Check that a value is a JSON object, and return its members.

        Raises:
            NotImportableError: if the value is not a JSON object.
        """
        if not isinstance(value, dict):
            raise NotImportableError("is not an object")
        return cls(value)

    def get_text(self, *member_names: str) -> str:
        """Return the first given member that is not empty, as text.

        Example: `get_text("title", "name")` returns the name if there is no title.

        Args:
            member_names: the names of alternative members, in order of preference.

        Returns:
            The string or integer; empty if all members are missing or empty.
        """
        values = (self.get(name) for name in member_names)
        texts = (
            str(value) for value in values if isinstance(value, str | int) and not isinstance(value, bool)
        )
        return next(filter(None, texts), "")

    def required_text(self, *member_names: str) -> str:
        """Return the first given member that is not empty, as text.

        Example: `required_text("title", "name")` returns the name if there is no title.

        Args:
            member_names: the names of alternative members, in order of preference.

        Raises:
            NotImportableError: if all members are missing or empty.
        """
        return self._require_value(self.get_text(*member_names), member_names)

    def _require_value(self, value: str | None, member_names: tuple[str, ...]) -> str:
        if not value:
            raise NotImportableError(f"has no {' or '.join(map(repr, member_names))}")
        return value

    def get_timestamp(self, *member_names: str) -> str | None:
        """Return a time as content files write it, such as `2026-01-31T12:00:00Z`.

        The value must be in RFC 3339 format. The result is in UTC.

        Args:
            member_names: the names of alternative members; the first that is present is used.

        Returns:
            The time, or None if all members are missing.

        Raises:
            NotImportableError: if the value is not such a time.
        """
        text = self.get_text(*member_names)
        try:
            return format_utc_shortest(parse_instant(text)) if text else None
        except InvalidValueError:
            name = next(name for name in member_names if self.get_text(name))
            raise NotImportableError(f"{name!r} is not a date and time: {shorten(text)}") from None

    def required_timestamp(self, *member_names: str) -> str:
        """Return a time as content files write it, such as `2026-01-31T12:00:00Z`.

        The value must be in RFC 3339 format. The result is in UTC.

        Args:
            member_names: the names of alternative members; the first that is present is used.

        Raises:
            NotImportableError: if all members are missing, or the value is not such a time.
        """
        return self._require_value(self.get_timestamp(*member_names), member_names)

    def get_free_form_time(self, *member_names: str) -> str | None:
        """Convert a time in any common format, such as `Jan 31, 2026`.

        A date without a time zone is in UTC.

        Args:
            member_names: the names of alternative members; the first that is present is used.

        Returns:
            The time as content files write it, such as `2026-01-31T12:00:00Z`; None if all members are missing or null.

        Raises:
            NotImportableError: if the value is not a date.
        """
        text = self.get_text(*member_names).partition(" (")[0].strip()
        if not text or text in ("null", "~"):
            return None
        try:
            parsed = parser.parse(text, default=datetime(2000, 1, 1, tzinfo=UTC))
            return format_utc_shortest(to_instant(parsed.astimezone(UTC)))
        except (ValueError, OverflowError):
            raise NotImportableError(f"{member_names[0]!r} is not a date: {shorten(text)}") from None

    def required_free_form_time(self, *member_names: str) -> str:
        """Convert a time in any common format, such as `Jan 31, 2026`.

        A date without a time zone is in UTC. The result is as content files write it, such as `2026-01-31T12:00:00Z`.

        Args:
            member_names: the names of alternative members; the first that is present is used.

        Raises:
            NotImportableError: if all members are missing, or the value is not a date.
        """
        return self._require_value(self.get_free_form_time(*member_names), member_names)

    def get_integer(self, member_name: str) -> int | None:
        """Return a member if it is a 64-bit integer, or else None."""
        value = self.get(member_name)
        if not isinstance(value, int) or isinstance(value, bool):
            return None
        return value if abs(value) < 1 << 63 else None

    def get_boolean(self, member_name: str) -> bool | None:
        """Return a member if it is a boolean, or else None."""
        value = self.get(member_name)
        return value if isinstance(value, bool) else None

    def get_normalized_word(self, member_name: str) -> str:
        """Return a member in lower case, with only its letters and digits.

        For example, `Under Maintenance` and `under_maintenance` both become `undermaintenance`.
        """
        return normalize_word(self.get(member_name))

    def get_object(self, member_name: str) -> "Fields":
        """Return a member that must be a JSON object.

        Returns:
            The object, or an empty one if the member is missing or null.

        Raises:
            NotImportableError: if the member is not an object.
        """
        return Fields.from_json_value(self.get(member_name) or {})

    def get_objects(self, member_name: str) -> "list[Fields]":
        """Return a member that must be a list of JSON objects.

        Returns:
            The objects; empty if the member is missing or null.

        Raises:
            NotImportableError: if the member is not a list of objects.
        """
        values = self.get(member_name)
        if values is None:
            return []
        if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
            raise NotImportableError(f"{member_name!r} is not a list of objects")
        return [Fields(value) for value in values]


def normalize_word(value: object) -> str:
    """Convert a value to lower case, and keep only letters and digits.

    For example, `Under Maintenance` becomes `undermaintenance`.
    """
    return "".join(letter for letter in str(value or "").lower() if letter.isalnum())


def find_source_files(source: str, suffixes: tuple[str, ...]) -> list[Path]:
    """List the file at a path, or the files in a folder.

    Hidden folders are skipped, and so are links to places outside of the folder.

    Args:
        source: the path of a file or folder.
        suffixes: the suffixes of the files to return from a folder, such as `.json`.

    Raises:
        NotImportableError: if there is no such file.
    """
    path = Path(source)
    if path.is_file():
        return [path]
    if not path.is_dir():
        is_host = re.fullmatch(r"[\w-]+(\.[\w-]+)+(/\S*)?", source)
        hint = (
            f"for the page on the web, write https://{source}"
            if is_host
            else "give a URL, a folder or a file"
        )
        raise NotImportableError(f"there is no file or folder {source!r}", hint)
    files = sorted(file for file in path.rglob("*") if file.name.endswith(suffixes) and file.is_file())
    visible = [file for file in files if _is_visible_file_below(file, path)]
    if not visible:
        raise NotImportableError(
            f"{source} has no file that ends with {' or '.join(suffixes)}",
            "save the documents of the page's API into it, or give the URL of the page",
        )
    return visible


def _is_visible_file_below(file: Path, folder: Path) -> bool:
    is_hidden = any(part.startswith(".") for part in file.relative_to(folder).parts[:-1])
    return not is_hidden and file.resolve().is_relative_to(folder.resolve())


def read_json_documents(source: str) -> Iterator[tuple[Path, Any]]:
    """Yield each value in the source's JSON and JSON Lines files.

    Args:
        source: the path of a file or folder.

    Yields:
        The file and a parsed value.

    Raises:
        NotImportableError: if there is no file with the suffix .json or .jsonl, or a file is not JSON.
    """
    for file in find_source_files(source, (".json", ".jsonl")):
        raw = read_file_bytes(file, MAX_FILE_BYTES)
        texts = filter(None, map(bytes.strip, raw.splitlines())) if file.suffix == ".jsonl" else [raw]
        for text in texts:
            yield file, parse_json(text, str(file))


def read_yaml_mapping(file: Path) -> Fields:
    """Read a YAML file that contains a mapping.

    Numbers, dates and booleans in it stay strings. An empty file is read as an empty mapping.

    Raises:
        NotImportableError: if the file cannot be read, or contains no mapping.
    """
    return Fields.from_json_value(parse_source_yaml(read_text_file(file), str(file)) or {})


def parse_source_yaml(yaml_text: str, file_name: str) -> Any:
    """Parse YAML; numbers, dates and booleans stay strings.

    Args:
        yaml_text: the YAML text.
        file_name: the name of the file, for the error message.

    Raises:
        NotImportableError: if the text is not YAML.
    """
    try:
        return parse_yaml(yaml_text)
    except UnreadableError as error:
        raise NotImportableError(
            f"{file_name}, line {error.position.line}: {error}", error.hint or "correct the file"
        ) from None
