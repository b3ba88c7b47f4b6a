"""The auxdata that compilers append to bytecode; Sourcify calls it `cborAuxdata`.

solc (0.4.7 on) appends a CBOR map with the hash of its metadata, then its length in two bytes. Vyper 0.3.4
appends eleven bytes of CBOR without a length; 0.3.5 to 0.3.9 a map and its length; 0.3.10 on an array, in
creation code only, whose length counts its own two bytes. Measured in Sourcify's `bytecode-utils` and on
records of all these compilers.
"""

from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from statuary.domain.contracts.bytecode.cbor import CborValue, decode_cbor
from statuary.domain.contracts.compiler_version import CompilerVersion, parse_compiler_version
from statuary.domain.primitives import InvalidValueError

LENGTH_BYTES = 2
"""The big-endian length that ends auxdata."""

VYPER_0_3_4_BYTES = 11
HASH_BYTES = 32

_HASH_SIZES = {"ipfs": HASH_BYTES + 2, "bzzr0": HASH_BYTES, "bzzr1": HASH_BYTES}

REMEMBERED_PIECES = 1024
"""How many decoded pieces are kept: a record's two sides mostly end with the same bytes."""


class AuxdataStyle(StrEnum):
    """The layout of a compiler's auxdata."""

    NONE = "none"
    SOLIDITY = "solidity"
    VYPER_0_3_4 = "vyper 0.3.4"
    VYPER_BEFORE_0_3_10 = "vyper 0.3.5 to 0.3.9"
    VYPER = "vyper"


class Auxdata(NamedTuple):
    """One piece of auxdata: its offset in the bytecode, and its bytes including the length."""

    offset: int
    value: bytes


class AuxdataFields(NamedTuple):
    """The content of auxdata."""

    # digest by scheme (`ipfs`, `bzzr0`, `bzzr1`, `integrity`); an `ipfs` digest is a 34-byte multihash
    hashes: Mapping[str, bytes]
    compiler: str = ""  # version, dotted; empty if there is none
    runtime_size: int | None = None  # bytes of the runtime code (Vyper 0.3.10 on), else None
    immutable_size: int | None = None  # bytes of all immutables (Vyper 0.3.10 on), else None


@lru_cache(maxsize=REMEMBERED_PIECES)
def auxdata_style(language: str, version: str) -> AuxdataStyle:
    """Return the layout for a record's `compilation.language` and `compilerVersion`."""
    number = parse_compiler_version(version)
    if language == "Solidity":
        return AuxdataStyle.SOLIDITY if number >= CompilerVersion(0, 4, 7) else AuxdataStyle.NONE
    if language != "Vyper" or number < CompilerVersion(0, 3, 4):
        return AuxdataStyle.NONE
    if number < CompilerVersion(0, 3, 5):
        return AuxdataStyle.VYPER_0_3_4
    return AuxdataStyle.VYPER_BEFORE_0_3_10 if number < CompilerVersion(0, 3, 10) else AuxdataStyle.VYPER


def split_auxdata(code: bytes, style: AuxdataStyle) -> Auxdata | None:
    """Return the auxdata at the end of `code`; None if there is none in that layout."""
    size, cbor_end = _extent(code, style)
    start = len(code) - size
    if style is AuxdataStyle.NONE or not 0 <= start < cbor_end or not is_cbor(code[start:cbor_end]):
        return None
    return Auxdata(start, code[start:])


def _extent(code: bytes, style: AuxdataStyle) -> tuple[int, int]:
    """Return the length of the auxdata that ends a code, and the end of its CBOR."""
    if style is AuxdataStyle.VYPER_0_3_4:
        return VYPER_0_3_4_BYTES, len(code)
    size = int.from_bytes(code[-LENGTH_BYTES:], "big")
    # Vyper counts the two bytes of the length, solc does not
    return size + (0 if style is AuxdataStyle.VYPER else LENGTH_BYTES), len(code) - LENGTH_BYTES


@lru_cache(maxsize=REMEMBERED_PIECES)
def is_cbor(data: bytes) -> bool:
    """Return whether `data` is exactly one CBOR item."""
    try:
        decode_cbor(data)
    except InvalidValueError:
        return False
    return True


@lru_cache(maxsize=REMEMBERED_PIECES)
def parse_auxdata(value: bytes, style: AuxdataStyle) -> AuxdataFields:
    """Decode one piece of auxdata, length included, by its compiler's layout.

    Raises:
        InvalidValueError: if it is not in that layout.
    """
    size, cbor_end = _extent(value, style)
    if style is AuxdataStyle.NONE or size != len(value):
        raise InvalidValueError(f"0x{value[:16].hex()}… is not auxdata as {style} compilers write it")
    item = decode_cbor(value[:cbor_end])
    if style is AuxdataStyle.VYPER:
        return _vyper_fields(item)
    if not isinstance(item, dict):
        raise InvalidValueError("auxdata is not a CBOR map")
    return _map_fields(item)


def has_source_hash(value: bytes, style: AuxdataStyle, version: str) -> bool:
    """Return whether auxdata commits to the sources, which an exact match needs.

    In Solidity that is a metadata hash, in Vyper from 0.4.1 the integrity hash; nothing else counts
    (MEASUREMENTS.md, match levels).
    """
    if style is AuxdataStyle.VYPER and parse_compiler_version(version) < CompilerVersion(0, 4, 1):
        return False
    if style not in (AuxdataStyle.SOLIDITY, AuxdataStyle.VYPER):
        return False
    try:
        return bool(parse_auxdata(value, style).hashes)
    except InvalidValueError:
        return False


def _map_fields(item: dict[CborValue, CborValue]) -> AuxdataFields:
    """Decode the map that solc, and Vyper before 0.3.10, append.

    Raises:
        InvalidValueError: if it contains anything that these compilers do not write.
    """
    for key, value in item.items():
        if not _is_known_member(key, value):
            raise InvalidValueError(f"auxdata has a member {key!r} that compilers do not write in this form")
    hashes = {scheme: item[scheme] for scheme in _HASH_SIZES if scheme in item}
    return AuxdataFields(hashes=hashes, compiler=_dotted(item.get("solc", item.get("vyper"))))


def _is_known_member(key: CborValue, value: CborValue) -> bool:
    if key in _HASH_SIZES:
        return isinstance(value, bytes) and len(value) == _HASH_SIZES[key]
    return value is True if key == "experimental" else key in ("solc", "vyper") and bool(_dotted(value))


def _vyper_fields(item: CborValue) -> AuxdataFields:
    """Decode Vyper's array.

    It is `[integrity (from 0.4.1), runtime size, [data sizes], immutable size, {"vyper": [major, minor,
    patch]}]`.
    """
    if not isinstance(item, list) or len(item) not in (4, 5) or not isinstance(item[-1], dict):
        raise InvalidValueError("auxdata is not Vyper's CBOR array")
    *integrity, runtime_size, _, immutable_size, versions = item
    if not (isinstance(runtime_size, int) and isinstance(immutable_size, int)):
        raise InvalidValueError("auxdata's sizes are not numbers")
    is_hash = len(integrity) == 1 and isinstance(integrity[0], bytes) and len(integrity[0]) == HASH_BYTES
    return AuxdataFields(
        hashes={"integrity": integrity[0]} if is_hash else {},
        compiler=_dotted(versions.get("vyper")),
        runtime_size=runtime_size,
        immutable_size=immutable_size,
    )


def _dotted(version: CborValue) -> str:
    if isinstance(version, str):
        return version  # a nightly build writes its name
    if (
        isinstance(version, bytes | list)
        and len(version) == 3
        and all(isinstance(part, int) for part in version)
    ):
        return ".".join(str(part) for part in version)
    return ""
