"""Fingerprints of the program and the settings that documents depend on."""

import os
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from datetime import timedelta
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple, Self
from zoneinfo import ZoneInfo

import orjson

from statuary import version
from statuary.registry import EXTENSIONS
from statuary.system.files import read_file

FINGERPRINTED = (
    "base",
    "system",
    "source",
    "site",
    "status",
    "contracts",
    "engine",
    "publish/host_layout.py",
    "publish/ledger/stored_values.py",
    *(
        f"extensions/{row.name}"
        for row in EXTENSIONS
        if row.section or any(need in row.provides for need in ("section of own pages", "bulk JSONL"))
    ),
)
"""The parts of the package that affect the bytes of documents, or of stored values."""


class Fingerprint(NamedTuple):
    """Digests of the program and of the settings.

    They cover everything that documents depend on, except the content files.
    """

    statuary: str  # hash of the program, so that a changed program rebuilds even under the same version
    settings: str  # hash of the settings of the site and of the run

    @property
    def text(self) -> str:
        """Both digests as one string, to store in the build's database."""
        return " ".join(self)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a string that `Fingerprint.text` returned.

        Returns:
            The fingerprint; both digests are empty for an empty string.
        """
        program, _, settings = text.partition(" ")
        return cls(program, settings)


def fingerprint_of(*settings: object) -> Fingerprint:
    """Return the digest of the program, and one digest of all settings.

    If either digest changes, documents have to be made again.

    Args:
        settings: the settings, such as numbers, strings, lists and dataclasses.
    """
    return Fingerprint(program_fingerprint(), digest_of(*settings))


def digest_of(*values: object) -> str:
    """Return one SHA-256, in hex, of all values together.

    The values are encoded as JSON, and then hashed.

    Args:
        values: for example numbers, strings, lists and dataclasses.
    """
    return sha256(_encode_value(values)).hexdigest()


@cache
def program_fingerprint() -> str:
    """Return a digest of statuary's version and source files.

    The files are those that affect documents. If one changes, the next build makes all documents again.
    """
    package = str(Path(version.__file__).parent)
    digest = sha256(version.VERSION.encode())
    for file in sorted(_fingerprinted_files(package)):
        digest.update(file.encode() + b"\0" + sha256(read_file(f"{package}/{file}")).digest())
    return digest.hexdigest()


def _fingerprinted_files(package: str) -> Iterator[str]:
    for part in FINGERPRINTED:
        if part.endswith(".py"):
            yield part
        for folder, folders, names in os.walk(f"{package}/{part}"):
            folders[:] = [name for name in folders if name != "__pycache__"]
            below = folder[len(package) + 1 :].replace(os.sep, "/")
            yield from (f"{below}/{name}" for name in names)


def _encode_value(value: object) -> bytes:
    """Encode a value as JSON; different values have different bytes.

    Raises:
        TypeError: if it has no such JSON.
    """
    return orjson.dumps(value, _to_json_value, OPTIONS)


OPTIONS = (
    orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_SUBCLASS
    | orjson.OPT_NON_STR_KEYS
    | orjson.OPT_SORT_KEYS
)


def _to_json_value(value: object) -> object:
    """Replace a value that orjson cannot encode, or encodes without its type."""
    kind = type(value)
    if is_dataclass(kind):
        return kind.__name__, [getattr(value, name) for name in _field_names(kind)]
    for base, as_json in AS_JSON.items():
        if isinstance(value, base):
            return as_json(value)
    raise TypeError(f"a value of type {kind.__name__} cannot be part of a fingerprint")


@cache
def _field_names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


AS_JSON: dict[type, Callable[..., object]] = {
    str: lambda text: getattr(text, "by_language", None) or str(text),  # a `Translated` string
    tuple: list,  # a named tuple
    dict: dict,
    list: list,
    int: int,
    bytes: lambda value: sha256(value).hexdigest(),
    timedelta: str,
    ZoneInfo: lambda value: value.key,
    FunctionType: lambda value: f"{value.__module__}.{value.__qualname__}",
    frozenset: lambda value: [orjson.Fragment(text) for text in sorted(map(_encode_value, value))],
}
"""The replacement of values for JSON, by type."""
