"""Files that a person names: read whole, within bounds, with errors that name them."""

from pathlib import Path

import orjson

from statuary.content.files import SourceFile, decoded
from statuary.content.unreadable import Unreadable
from statuary.domain.json_values import Json
from statuary.domain.primitives import Hex, Malformed, parse_hex
from statuary.importing.cannot_import import CannotImport

LARGEST = 1 << 30
"""Bytes of one file: build-infos of large projects, syntax trees included, have some hundred megabytes."""

LARGEST_SOURCE = 16 << 20
"""Bytes of one source or hex file."""


def json_file(file: Path) -> dict[str, Json]:
    """Return the JSON object in a file.

    Raises:
        CannotImport: if the file cannot be read or holds none.
    """
    try:
        value = orjson.loads(_bytes(file, LARGEST))
    except orjson.JSONDecodeError as error:
        raise CannotImport(f"{file} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise CannotImport(f"{file} holds no JSON object")
    return value


def hex_file(file: Path) -> Hex:
    """Return the bytecode in a file, as `cast code` or a node prints it; any case, with or without `0x`.

    Raises:
        CannotImport: if it holds anything else, or nothing.
    """
    text = text_file(file).strip().lower()
    try:
        code = parse_hex(text if text.startswith("0x") else f"0x{text}")
    except Malformed as malformed:
        raise CannotImport(f"{file}: {malformed}", malformed.remedy) from None
    if code == "0x":
        raise CannotImport(f"{file} holds no bytecode", "leave the option out if it is not known")
    return code


def text_file(file: Path) -> str:
    """Return the text of a file.

    Raises:
        CannotImport: if it cannot be read or is not UTF-8.
    """
    try:
        return decoded(_bytes(file, LARGEST_SOURCE))
    except Unreadable as unreadable:
        raise CannotImport(f"{file}: {unreadable}", unreadable.remedy) from None


def source_bytes(file: Path) -> bytes:
    """Return the bytes of a source.

    Raises:
        CannotImport: if it cannot be read.
    """
    return _bytes(file, LARGEST_SOURCE)


def _bytes(file: Path, limit: int) -> bytes:
    try:
        return SourceFile(file.parent, file.name).bytes(limit)
    except Unreadable as unreadable:
        raise CannotImport(f"{file}: {unreadable}", unreadable.remedy) from None
