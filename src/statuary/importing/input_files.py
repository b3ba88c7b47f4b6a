"""Files that a person names: read whole, within bounds, with errors that name them."""

from pathlib import Path

import orjson

from statuary.content.source_files import SourceFile, decode_utf8
from statuary.content.unreadable import UnreadableError
from statuary.domain.json_values import Json
from statuary.domain.primitives import Hex, InvalidValueError, parse_hex
from statuary.importing.import_error import ContractImportError

MAX_FILE_BYTES = 1 << 30
"""Bytes of one file: build-infos of large projects, syntax trees included, have some hundred megabytes."""

MAX_SOURCE_BYTES = 16 << 20
"""Bytes of one source or hex file."""


def read_json_file(file: Path) -> dict[str, Json]:
    """Return the JSON object in a file.

    Raises:
        CannotImport: if the file cannot be read or holds none.
    """
    try:
        value = orjson.loads(_bytes(file, MAX_FILE_BYTES))
    except orjson.JSONDecodeError as error:
        raise ContractImportError(f"{file} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise ContractImportError(f"{file} holds no JSON object")
    return value


def read_hex_file(file: Path) -> Hex:
    """Return the bytecode in a file, as `cast code` or a node prints it; any case, with or without `0x`.

    Raises:
        CannotImport: if it holds anything else, or nothing.
    """
    text = read_text_file(file).strip().lower()
    try:
        code = parse_hex(text if text.startswith("0x") else f"0x{text}")
    except InvalidValueError as malformed:
        raise ContractImportError(f"{file}: {malformed}", malformed.hint) from None
    if code == "0x":
        raise ContractImportError(f"{file} holds no bytecode", "leave the option out if it is not known")
    return code


def read_text_file(file: Path) -> str:
    """Return the text of a file.

    Raises:
        CannotImport: if it cannot be read or is not UTF-8.
    """
    try:
        return decode_utf8(_bytes(file, MAX_SOURCE_BYTES))
    except UnreadableError as unreadable:
        raise ContractImportError(f"{file}: {unreadable}", unreadable.hint) from None


def read_source_bytes(file: Path) -> bytes:
    """Return the bytes of a source.

    Raises:
        CannotImport: if it cannot be read.
    """
    return _bytes(file, MAX_SOURCE_BYTES)


def _bytes(file: Path, limit: int) -> bytes:
    try:
        return SourceFile(file.parent, file.name).bytes(limit)
    except UnreadableError as unreadable:
        raise ContractImportError(f"{file}: {unreadable}", unreadable.hint) from None
