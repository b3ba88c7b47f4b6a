"""Auxdata, which compilers append to bytecode (Sourcify: `cborAuxdata`).

solc (0.4.7 on) appends a CBOR map with the hash of its metadata, then its length in two bytes. Vyper 0.3.4
appends eleven bytes of CBOR without a length; 0.3.5 to 0.3.9 a map and its length; 0.3.10 on an array, in
creation code only, whose length counts its own two bytes. Measured in Sourcify's `bytecode-utils` and on
records of all these compilers. The module also has the CBOR decoder, and the references of libraries and
immutables.
"""

import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

from statuary.base.json_values import Json, is_whole_number
from statuary.base.limits import MAX_ASSEMBLY_DEPTH, MAX_CBOR_DEPTH
from statuary.base.primitives import InvalidValueError, decode_hex_digits, is_hex_digits
from statuary.contracts.model.compiler_evidence import VYPER, AuxdataStyle, SourceHash, compiler_evidence

CborValue = Any
"""A decoded item: int, bytes, str, list, dict (keys are text, bytes or numbers), bool, None or float."""

_FALSE, _TRUE, _NULL, _UNDEFINED = 20, 21, 22, 23
_FLOATS = {25: ">e", 26: ">f", 27: ">d"}


REMEMBERED_PIECES = 1024
"""The number of cached pieces: a record's two sides mostly end with the same bytes."""


@lru_cache(maxsize=REMEMBERED_PIECES)
def decode_cbor(data: bytes) -> CborValue:
    """Decode bytes that contain a single CBOR item.

    The returned value is cached and shared: do not modify it.

    Raises:
        InvalidValueError: if `data` is not exactly one well-formed CBOR item.
    """
    item, end = decode_cbor_prefix(data, 0)
    if end != len(data):
        raise InvalidValueError(
            f"{len(data) - end} bytes follow the CBOR item, which should be all of the data"
        )
    return item


class CborItem(NamedTuple):
    """A decoded CBOR item, and the offset after it."""

    value: CborValue
    end: int  # the offset after the item


def decode_cbor_prefix(data: bytes, start: int) -> CborItem:
    """Decode the CBOR item at an offset, ignoring the bytes after it.

    Args:
        data: the bytes that contain the item.
        start: the offset of the item.

    Raises:
        InvalidValueError: if no well-formed item is at the offset.
    """
    if (usual := _USUAL_MAP.match(data, start)) is not None:
        return CborItem({"ipfs": usual[1], "solc": usual[2]}, usual.end())
    return _decode_item(data, start, 0)


_USUAL_MAP: Final = re.compile(rb"\xa2\x64ipfs\x58\x22(.{34})\x64solc\x43(.{3})", re.DOTALL)
"""The map that solc has written since 0.6.0 if no setting says otherwise: decoded at once, as nearly all auxdata is this."""


def _decode_item(data: bytes, start: int, depth: int) -> CborItem:
    if depth > MAX_CBOR_DEPTH:
        raise InvalidValueError(f"the CBOR data is nested deeper than the limit of {MAX_CBOR_DEPTH} levels")
    if start >= len(data):
        raise InvalidValueError(f"the CBOR data ends at byte {len(data)}, where another item is expected")
    major, argument, offset = _decode_head(data, start)
    if major <= 1:
        return CborItem(-1 - argument if major else argument, offset)
    if major <= 3:
        return _decode_bytes(data, offset, argument) if major == 2 else _decode_text(data, offset, argument)
    if major <= 5:
        return (_decode_list if major == 4 else _decode_map)(data, offset, argument, depth)
    # skip a tag (major type 6), and decode the item that it describes
    return (
        _decode_item(data, offset, depth + 1)
        if major == 6
        else _decode_simple_value(data, start, argument, offset)
    )


class _Head(NamedTuple):
    """The head of a CBOR item (RFC 8949, section 3)."""

    major: int  # the type
    argument: int
    content: int  # the offset after the head


def _decode_head(data: bytes, start: int) -> _Head:
    major, detail = data[start] >> 5, data[start] & 0x1F
    if detail < 24:
        return _Head(major, detail, start + 1)
    if detail > 27:
        raise InvalidValueError(f"the CBOR item at byte {start} has an indefinite or reserved length")
    width = 1 << (detail - 24)
    content = start + 1 + width
    if content > len(data):
        raise InvalidValueError(
            f"the CBOR data ends at byte {len(data)}, inside the length of the item at byte {start}"
        )
    return _Head(major, int.from_bytes(data[start + 1 : content], "big"), content)


def _decode_bytes(data: bytes, at: int, length: int) -> CborItem:
    if length > len(data) - at:
        raise InvalidValueError(
            f"the CBOR data is cut off: a string of {length} bytes has {len(data) - at} left"
        )
    return CborItem(data[at : at + length], at + length)


def _decode_text(data: bytes, at: int, length: int) -> CborItem:
    end = _decode_bytes(data, at, length).end
    try:
        return CborItem(data[at:end].decode("utf-8"), end)
    except UnicodeDecodeError:
        raise InvalidValueError(f"the CBOR text at byte {at} is not valid UTF-8") from None


def _decode_list(data: bytes, offset: int, count: int, depth: int) -> CborItem:
    if count > len(data) - offset:  # each item takes at least one byte, so reject a huge count early
        raise InvalidValueError(
            f"the CBOR data is cut off: an array of {count} items begins where only {len(data) - offset} "
            "bytes are left"
        )
    items = []
    for _ in range(count):
        item, offset = _decode_item(data, offset, depth + 1)
        items.append(item)
    return CborItem(items, offset)


def _decode_map(data: bytes, offset: int, count: int, depth: int) -> CborItem:
    if 2 * count > len(data) - offset:
        raise InvalidValueError(
            f"the CBOR data is cut off: a map of {count} pairs begins where only {len(data) - offset} bytes "
            "are left"
        )
    pairs: dict[CborValue, CborValue] = {}
    for _ in range(count):
        key, offset = _decode_item(data, offset, depth + 1)
        if isinstance(key, list | dict) or key in pairs:
            raise InvalidValueError(
                f"a CBOR map has the key {key!r}, which is repeated, or is an array or a map"
            )
        pairs[key], offset = _decode_item(data, offset, depth + 1)
    return CborItem(pairs, offset)


def _decode_simple_value(data: bytes, start: int, argument: int, at: int) -> CborItem:
    detail = data[start] & 0x1F
    if detail in _FLOATS:
        return CborItem(struct.unpack(_FLOATS[detail], data[start + 1 : at])[0], at)
    plain = {_FALSE: False, _TRUE: True, _NULL: None, _UNDEFINED: None}
    if detail not in plain:
        raise InvalidValueError(
            f"the CBOR item at byte {start} has the simple value {argument}; allowed are false, true, null "
            "and undefined"
        )
    return CborItem(plain[detail], at)


LENGTH_BYTES = 2
"""The big-endian length that ends auxdata."""

VYPER_0_3_4_BYTES = 11
HASH_BYTES = 32

_HASH_SIZES = {"ipfs": HASH_BYTES + 2, "bzzr0": HASH_BYTES, "bzzr1": HASH_BYTES}


class Auxdata(NamedTuple):
    """An auxdata section in bytecode, including its final length bytes.

    Compilers append auxdata to code: the hash of the metadata and the compiler version, in CBOR.
    """

    offset: int
    value: bytes


class AuxdataFields(NamedTuple):
    """The decoded fields of an auxdata section, such as the metadata hash."""

    # the digest by scheme (`ipfs`, `bzzr0`, `bzzr1`, `integrity`); an `ipfs` digest is a 34-byte multihash
    hashes: Mapping[str, bytes]
    compiler: str = ""  # the version, such as `0.8.30`; empty if there is none
    runtime_size: int | None = None  # bytes of the runtime code (Vyper 0.3.10 on), else None
    immutable_size: int | None = None  # bytes of all immutables (Vyper 0.3.10 on), else None


def split_auxdata(code: bytes, style: AuxdataStyle) -> Auxdata | None:
    """Return the auxdata at the end of bytecode.

    Args:
        code: the bytecode.
        style: the layout of auxdata that the compiler uses.

    Returns:
        The auxdata, or None if the code does not end with auxdata in this layout.
    """
    size, cbor_end = _auxdata_extent(code, style)
    start = len(code) - size
    if style is AuxdataStyle.NONE or not 0 <= start < cbor_end or not is_cbor(code[start:cbor_end]):
        return None
    return Auxdata(start, code[start:])


class _Extent(NamedTuple):
    """The offsets of the auxdata at the end of code."""

    size: int
    cbor_end: int  # the offset


def _auxdata_extent(code: bytes, style: AuxdataStyle) -> _Extent:
    if style is AuxdataStyle.VYPER_0_3_4:
        return _Extent(VYPER_0_3_4_BYTES, len(code))
    size = int.from_bytes(code[-LENGTH_BYTES:], "big")
    # Vyper's length includes the two bytes of the length itself, solc's does not
    if style is not AuxdataStyle.VYPER:
        size += LENGTH_BYTES
    return _Extent(size, len(code) - LENGTH_BYTES)


@lru_cache(maxsize=REMEMBERED_PIECES)
def is_cbor(data: bytes) -> bool:
    """Return whether bytes are a CBOR value, with nothing after it."""
    try:
        decode_cbor(data)
    except InvalidValueError:
        return False
    return True


@lru_cache(maxsize=REMEMBERED_PIECES)
def parse_auxdata(value: bytes, style: AuxdataStyle) -> AuxdataFields:
    """Decode the fields of an auxdata section.

    Args:
        value: the bytes of the section, including the final length.
        style: the layout of auxdata that the compiler uses.

    Raises:
        InvalidValueError: if the bytes are not in this layout.
    """
    size, cbor_end = _auxdata_extent(value, style)
    if style is AuxdataStyle.NONE or size != len(value):
        raise InvalidValueError(f"0x{value[:16].hex()}… is not auxdata as {style} compilers write it")
    item = decode_cbor(value[:cbor_end])
    if style is AuxdataStyle.VYPER:
        return _vyper_fields(item)
    if not isinstance(item, dict):
        raise InvalidValueError("the auxdata is not a CBOR map, as Solidity compilers write it")
    return _map_fields(item)


def has_source_hash(value: bytes, style: AuxdataStyle, version: str) -> bool:
    """Return whether an auxdata section contains a hash of the sources.

    This is the metadata hash of Solidity, or the integrity hash of Vyper (since 0.4.1). An exact match
    requires one.

    Args:
        value: the bytes of the section.
        style: the layout of auxdata that the compiler uses.
        version: the version of the compiler.
    """
    if style is AuxdataStyle.VYPER and compiler_evidence(VYPER, version).source_hash is SourceHash.NONE:
        return False
    if style not in (AuxdataStyle.SOLIDITY, AuxdataStyle.VYPER):
        return False
    try:
        return bool(parse_auxdata(value, style).hashes)
    except InvalidValueError:
        return False


def _map_fields(item: dict[CborValue, CborValue]) -> AuxdataFields:
    """Read the fields of auxdata that is a CBOR map.

    Raises:
        InvalidValueError: if it contains anything that solc and Vyper before 0.3.10 do not write.
    """
    for key, value in item.items():
        if not _is_known_member(key, value):
            raise InvalidValueError(f"auxdata has a member {key!r} that compilers do not write in this form")
    hashes = {scheme: item[scheme] for scheme in _HASH_SIZES if scheme in item}
    return AuxdataFields(hashes=hashes, compiler=_dotted_version(item.get("solc", item.get("vyper"))))


def _is_known_member(key: CborValue, value: CborValue) -> bool:
    if key in _HASH_SIZES:
        return isinstance(value, bytes) and len(value) == _HASH_SIZES[key]
    return (
        value is True if key == "experimental" else key in ("solc", "vyper") and bool(_dotted_version(value))
    )


def _vyper_fields(item: CborValue) -> AuxdataFields:
    """Read the fields of auxdata that is Vyper's CBOR array.

    The array is `[integrity (from 0.4.1), runtime size, [data sizes], immutable size, {"vyper": [major, minor,
    patch]}]`.
    """
    if not isinstance(item, list) or len(item) not in (4, 5) or not isinstance(item[-1], dict):
        raise InvalidValueError("auxdata is not a CBOR array of 4 or 5 items, as Vyper writes it")
    *integrity, runtime_size, _, immutable_size, versions = item
    if not (isinstance(runtime_size, int) and isinstance(immutable_size, int)):
        raise InvalidValueError(
            "the sizes of the runtime code and immutables in the auxdata are not whole numbers"
        )
    is_hash = len(integrity) == 1 and isinstance(integrity[0], bytes) and len(integrity[0]) == HASH_BYTES
    return AuxdataFields(
        hashes={"integrity": integrity[0]} if is_hash else {},
        compiler=_dotted_version(versions.get("vyper")),
        runtime_size=runtime_size,
        immutable_size=immutable_size,
    )


def _dotted_version(version: CborValue) -> str:
    if isinstance(version, str):
        return version  # a nightly build has its name instead of a version
    if (
        isinstance(version, bytes | list)
        and len(version) == 3
        and all(isinstance(part, int) for part in version)
    ):
        return ".".join(str(part) for part in version)
    return ""


LIBRARY_BYTES = 20
"""Bytes of a linked library's address."""

MAX_ARRAY_INDEX = 2**32 - 2
"""JavaScript visits keys that spell whole numbers up to this one first, smallest first."""


class CodeReference(NamedTuple):
    """A range of code for a library's address or an immutable."""

    id: str  # a library's fully qualified name, or an immutable's AST id
    start: int  # offset in bytes
    length: int  # the length in bytes


def parse_link_references(link_references: Json) -> list[CodeReference]:
    """Parse `linkReferences`: the positions of library addresses in bytecode.

    The result is sorted by file and library, as in solc's output.

    Raises:
        InvalidValueError: if the value is not a map of files to libraries to positions.
    """
    if link_references is None or link_references == {}:
        return []
    return [
        place
        for file, libraries in sorted(_object_members(link_references, "linkReferences"), key=_member_name)
        for library, positions in sorted(
            _object_members(libraries, f"linkReferences of {file!r}"), key=_member_name
        )
        for place in _parse_references(f"{file}:{library}", positions)
    ]


def parse_immutable_references(immutable_references: Json) -> list[CodeReference]:
    """Parse `immutableReferences`: the positions of immutables in bytecode.

    Raises:
        InvalidValueError: if the value is not a map of AST ids to positions.
    """
    if immutable_references is None or immutable_references == {}:
        return []
    return [
        place
        for ast_id, positions in _object_members(immutable_references, "immutableReferences")
        for place in _parse_references(ast_id, positions)
    ]


def parse_cbor_auxdata(cbor_auxdata: Json) -> dict[str, Auxdata]:
    """Parse `cborAuxdata`: the auxdata sections by their numbers.

    Raises:
        InvalidValueError: if the value is not a map of `"1"`, `"2"` and so on to sections.
    """
    return {
        number: _parse_piece(number, piece) for number, piece in _object_members(cbor_auxdata, "cborAuxdata")
    }


def javascript_order(keys: Iterable[str]) -> list[str]:
    """Sort keys as in JavaScript objects: ascending integers, then the rest.

    Other keys keep their order.
    """
    key_list = list(keys)
    if len(key_list) < 2:
        return key_list
    numbers = sorted((key for key in key_list if _is_index(key)), key=int)
    return [*numbers, *(key for key in key_list if not _is_index(key))]


def _is_index(key: str) -> bool:
    if len(key) > 10 or not (key.isascii() and key.isdigit()):
        return False
    return str(int(key)) == key and int(key) <= MAX_ARRAY_INDEX


def _object_members(value: Json, what: str) -> Iterator[tuple[str, Json]]:
    if value is None:
        return
    if not isinstance(value, dict):
        raise InvalidValueError(f"{what} should be a JSON object")
    yield from ((key, value[key]) for key in javascript_order(value))


def _parse_references(name: str, positions: Json) -> Iterator[CodeReference]:
    if not isinstance(positions, list):
        raise InvalidValueError(
            f"the positions of {name!r} should be a list of objects with `start` and `length`"
        )
    for position in positions:
        members = position if isinstance(position, dict) else {}
        start = members.get("start", -1)
        length = members.get("length", -1)
        if not (is_whole_number(start) and is_whole_number(length) and start >= 0 and length > 0):
            raise InvalidValueError(
                f"a position of {name!r} has no valid `start` (0 or more) and `length` (1 or more)"
            )
        yield CodeReference(name, start, length)


def _parse_piece(number: str, piece: Json) -> Auxdata:
    members = piece if isinstance(piece, dict) else {}
    offset = members.get("offset", -1)
    value = members.get("value")
    if not is_whole_number(offset) or offset < 0:
        raise InvalidValueError(
            f"entry {number!r} of cborAuxdata has no `offset` that is a whole number of 0 or more"
        )
    data = decode_hex_digits(value[2:]) if isinstance(value, str) and value.startswith("0x") else None
    if data is None:
        raise InvalidValueError(f"the `value` of entry {number!r} of cborAuxdata is not 0x and hex digits")
    return Auxdata(offset, data)


def _member_name(member: tuple[str, Json]) -> str:
    return member[0]


_FIRST_KEYS = (
    b"\x64ipfs\x58\x22",
    b"\x65bzzr0\x58\x20",
    b"\x65bzzr1\x58\x20",
    b"\x64solc",
    b"\x6cexperimental",
)
"""The beginnings of the first pair in solc's map, after the byte that begins a small map."""

_SMALLEST_MAP, _LARGEST_MAP = 0xA1, 0xAF

AuxdataByNumber = dict[str, Auxdata]


class AuxdataPositions(NamedTuple):
    """The positions of auxdata in a contract's creation and runtime code."""

    creation: AuxdataByNumber
    runtime: AuxdataByNumber


def auxdata_positions(
    creation: bytes, runtime: bytes, *, language: str, version: str, assembly: Json
) -> AuxdataPositions:
    """Locate the auxdata sections in a contract's recompiled bytecode.

    Args:
        creation: the creation code.
        runtime: the runtime code.
        language: the language of the record.
        version: the version of the compiler.
        assembly: the compiler's output `evm.legacyAssembly`; None if it was not requested.
    """
    evidence = compiler_evidence(language, version)
    style = evidence.auxdata
    if style is not AuxdataStyle.SOLIDITY:
        # Vyper's auxdata is at the very end of the code
        ends_runtime = style if evidence.has_runtime_auxdata else AuxdataStyle.NONE
        return AuxdataPositions(_final_auxdata(creation, style), _final_auxdata(runtime, ends_runtime))
    if not evidence.lists_auxdata:
        return AuxdataPositions(_final_auxdata(creation, style), _final_auxdata(runtime, style))
    values = listed_auxdata(assembly) if isinstance(assembly, dict) else recognized_auxdata(creation, runtime)
    if len(values) > 1:
        # Sourcify locates several pieces of auxdata by compiling twice, with different source hashes
        values = [piece if has_source_hash(piece, style, version) else b"" for piece in values]
        return AuxdataPositions(_locate_pieces(creation, values), _locate_pieces(runtime, values))
    return AuxdataPositions(
        _locate_single_piece(creation, style, values), _locate_single_piece(runtime, style, values)
    )


def _locate_single_piece(code: bytes, style: AuxdataStyle, values: list[bytes]) -> AuxdataByNumber:
    """Locate the only listed piece, at the end of code or elsewhere."""
    return (_final_auxdata(code, style) if values else {}) or _locate_pieces(code, values)


def listed_auxdata(assembly: Json) -> list[bytes]:
    """Return the auxdata sections that solc's assembly output lists.

    The sections are in the order in which Sourcify numbers them.

    Args:
        assembly: the compiler's output `evm.legacyAssembly`.
    """
    return list(_auxdata_in_assembly(assembly, 0))


def recognized_auxdata(creation: bytes, runtime: bytes) -> list[bytes]:
    """Find auxdata sections in bytecode by their form.

    Returns:
        The sections; the contract's own one is first.
    """
    inner = [piece.value for piece in recognized_auxdata_pieces(runtime)]
    outer = [piece.value for piece in recognized_auxdata_pieces(creation)]
    for value in inner:
        if value in outer:
            outer.remove(value)
    return [*inner[-1:], *inner[:-1], *outer]


def recognized_auxdata_pieces(code: bytes) -> Iterator[Auxdata]:
    """Yield each piece of bytecode that is a CBOR map followed by its length."""
    for start in _map_starts(code):
        try:
            _, end = decode_cbor_prefix(code, start)
        except InvalidValueError:
            continue
        if int.from_bytes(code[end : end + LENGTH_BYTES], "big") == end - start:
            yield Auxdata(start, code[start : end + LENGTH_BYTES])


def _map_starts(code: bytes) -> list[int]:
    starts = []
    for key in _FIRST_KEYS:
        place = code.find(key, 1)
        while place >= 0:
            if _SMALLEST_MAP <= code[place - 1] <= _LARGEST_MAP:
                starts.append(place - 1)
            place = code.find(key, place + 1)
    return sorted(starts)


def _auxdata_in_assembly(branch: Json, depth: int) -> Iterator[bytes]:
    if not isinstance(branch, dict) or depth > MAX_ASSEMBLY_DEPTH:
        return
    for key in javascript_order(branch):
        value = branch[key]
        if key == ".auxdata" and isinstance(value, str) and is_hex_digits(value):
            yield bytes.fromhex(value)
        elif key == ".data" or (key.isascii() and key.isdigit()):
            # Sourcify parses these hexadecimal numbers as decimal ones, and so skips those with A to F
            yield from _auxdata_in_assembly(value, depth + 1)


def _final_auxdata(code: bytes, style: AuxdataStyle) -> AuxdataByNumber:
    piece = split_auxdata(code, style)
    return {"1": piece} if piece else {}


def _locate_pieces(code: bytes, values: Iterable[bytes]) -> AuxdataByNumber:
    """Locate listed pieces in code; equal pieces get successive positions."""
    pieces: AuxdataByNumber = {}
    next_place: dict[bytes, int] = {}
    for number, value in enumerate(values, start=1):
        place = code.find(value, next_place.get(value, 0)) if value else -1
        if place >= 0:
            pieces[str(number)] = Auxdata(place, value)
            next_place[value] = place + len(value)
    return pieces
