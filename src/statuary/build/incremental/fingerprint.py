"""Fingerprints of what the documents of a contract depend on besides its source."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import date, timedelta
from enum import Enum
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import FunctionType, NoneType
from typing import TYPE_CHECKING, NamedTuple, Self
from zoneinfo import ZoneInfo

import orjson

from statuary import version
from statuary.domain.json_values import Json
from statuary.domain.site_settings import ContractSettings

if TYPE_CHECKING:  # a build that reads no record does not load what proves and shows them
    from statuary.checks.contracts.check import ContractCheck
    from statuary.documents.pages.contracts.contract_page_context import ContractPageContext

FINGERPRINTED = (
    "domain",
    "content",
    "checks",
    "documents",
    "build/bulk_contracts.py",
    "build/contract.py",
    "build/partitions.py",
    "build/publish.py",
    "build/status.py",
    "publishing/host_layout.py",
)
"""The parts of the package that affect the bytes of documents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractBuildSettings:
    """What the documents of a contract depend on besides its source."""

    chains: frozenset[str]  # ids of the site's chains
    contracts: ContractSettings = field(default_factory=ContractSettings)
    checks: "Sequence[ContractCheck] | None" = None  # the checks of the record; None for all
    pages: "ContractPageContext | None" = None  # None if the site has no contract pages
    listed: bool = False  # whether pages list contracts


class Fingerprint(NamedTuple):
    """What documents depend on besides their sources."""

    statuary: str  # hash of the program, so that a changed program rebuilds even under the same version
    settings: str  # hash of the settings of the site and of the run

    @property
    def text(self) -> str:
        """Both as one line."""
        return " ".join(self)

    @classmethod
    def read(cls, text: str) -> Self:
        """Parse such a line; an empty one gives empty fingerprints."""
        program, _, settings = text.partition(" ")
        return cls(program, settings)


def fingerprint_of(*settings: object) -> Fingerprint:
    """Return the fingerprints for settings: values, and tuples, sets and dataclasses of them."""
    encoded = orjson.dumps([_as_json(one) for one in settings])
    return Fingerprint(program_fingerprint(), sha256(encoded).hexdigest())


@cache
def program_fingerprint() -> str:
    """Return the SHA-256 of the program's files that affect documents, with the version."""
    package = str(Path(version.__file__).parent)
    digest = sha256(version.VERSION.encode())
    for file in sorted(_fingerprinted_files(package)):
        with open(f"{package}/{file}", "rb", buffering=0) as stream:  # noqa: PTH123 - in half of the time
            digest.update(file.encode() + b"\0" + sha256(stream.read()).digest())
    return digest.hexdigest()


def _fingerprinted_files(package: str) -> Iterator[str]:
    """Yield the paths of these files, relative to the package, with forward slashes."""
    for part in FINGERPRINTED:
        if part.endswith(".py"):
            yield part
        for folder, folders, names in os.walk(f"{package}/{part}"):
            folders[:] = [name for name in folders if name != "__pycache__"]
            below = folder[len(package) + 1 :].replace(os.sep, "/")
            yield from (f"{below}/{name}" for name in names)


def _as_json(value: object) -> Json:
    """Return a value as JSON, equal for equal values only; raise TypeError for a value without such JSON."""
    if isinstance(value, Enum):
        return [type(value).__name__, value.name]
    if isinstance(value, str | int | float | NoneType):
        return value
    for kind, spell in AS_JSON.items():
        if isinstance(value, kind):
            return spell(value)
    if is_dataclass(value):
        members = {one.name: _as_json(getattr(value, one.name)) for one in fields(value)}
        return [type(value).__name__, members]
    raise TypeError(f"{type(value).__name__} cannot be part of a fingerprint")


AS_JSON: dict[type, Callable[..., Json]] = {
    bytes: lambda value: sha256(value).hexdigest(),
    date: lambda value: value.isoformat(),
    timedelta: str,
    ZoneInfo: lambda value: value.key,
    FunctionType: lambda value: f"{value.__module__}.{value.__qualname__}",
    frozenset: lambda value: sorted((_as_json(item) for item in value), key=orjson.dumps),
    tuple: lambda value: [_as_json(item) for item in value],
    list: lambda value: [_as_json(item) for item in value],
    dict: lambda value: sorted(
        ([_as_json(key), _as_json(one)] for key, one in value.items()), key=orjson.dumps
    ),
}
"""The JSON of values without a JSON type."""
