"""Read files named on the command line: whole, up to a size limit, with errors that name the file."""

from pathlib import Path

import orjson

from statuary.content.source_files import SourceFile
from statuary.content.unreadable import UnreadableError
from statuary.domain.json_values import Json
from statuary.domain.primitives import Hex, InvalidValueError, parse_hex
from statuary.importing.import_error import ContractImportError

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
