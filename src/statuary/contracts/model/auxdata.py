"""Auxdata, which compilers append to bytecode (Sourcify: `cborAuxdata`).

solc (0.4.7 on) appends a CBOR map with the hash of its metadata, then its length in two bytes. Vyper 0.3.4
appends eleven bytes of CBOR without a length; 0.3.5 to 0.3.9 a map and its length; 0.3.10 on an array, in
creation code only, whose length counts its own two bytes. Measured in Sourcify's `bytecode-utils` and on
records of all these compilers. The module also parses the references of libraries and immutables.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from statuary.base.json_values import Json, is_whole_number
from statuary.base.limits import MAX_ASSEMBLY_DEPTH
from statuary.base.primitives import InvalidValueError, decode_hex_digits, is_hex_digits
from statuary.contracts.model.cbor import CborValue, decode_cbor, decode_cbor_prefix, is_cbor
from statuary.contracts.model.compiler_evidence import VYPER, AuxdataStyle, SourceHash, compiler_evidence

MAX_CACHED_SECTIONS: Final = 1024
"""The number of parsed sections that are cached: creation and runtime code mostly end with the same bytes."""

LENGTH_BYTES = 2
"""The big-endian length that ends auxdata."""

VYPER_0_3_4_BYTES = 11
HASH_BYTES = 32

_HASH_SIZES = {"ipfs": HASH_BYTES + 2, "bzzr0": HASH_BYTES, "bzzr1": HASH_BYTES}


class Auxdata(NamedTuple):
    """A piece of metadata (auxdata) in bytecode, including its length bytes.

    Compilers append it to code: the hash of the sources' metadata and the compiler version, in CBOR.
    """

    offset: int
    value: bytes


class AuxdataFields(NamedTuple):
    """The fields of a compiler's metadata in bytecode, such as its hash."""

    hashes: Mapping[str, bytes]
    """The digest of the metadata or sources by scheme: `ipfs` (34 bytes), `bzzr0`, `bzzr1` or `integrity`."""
    compiler: str = ""  # the version, such as `0.8.30`; empty if there is none
    runtime_size: int | None = None  # bytes of the runtime code (Vyper 0.3.10 on), else None
    immutable_size: int | None = None  # bytes of all immutables (Vyper 0.3.10 on), else None


def find_trailing_auxdata(code: bytes, style: AuxdataStyle) -> Auxdata | None:
    """Find the metadata that a compiler wrote at the end of bytecode.

    The metadata (auxdata) is encoded as CBOR.

    Args:
        style: the layout that the compiler uses.

    Returns:
        The metadata, or None if the code does not end with metadata in this layout.
    """
    size, cbor_end = _auxdata_extent(code, style)
    start = len(code) - size
    if style is AuxdataStyle.NONE or not 0 <= start < cbor_end or not is_cbor(code[start:cbor_end]):
        return None
    return Auxdata(start, code[start:])


class _Extent(NamedTuple):
    size: int
    cbor_end: int  # the offset


def _auxdata_extent(code: bytes, style: AuxdataStyle) -> _Extent:
    if style is AuxdataStyle.VYPER_0_3_4:
        return _Extent(VYPER_0_3_4_BYTES, len(code))
    size = int.from_bytes(code[-LENGTH_BYTES:], "big")
    # Since Vyper 0.3.10, the length includes its own two bytes. The length that solc and older releases of
    # Vyper write does not.
    if style is not AuxdataStyle.VYPER:
        size += LENGTH_BYTES
    return _Extent(size, len(code) - LENGTH_BYTES)


@lru_cache(maxsize=MAX_CACHED_SECTIONS)
def parse_auxdata(section: bytes, style: AuxdataStyle) -> AuxdataFields:
    """Decode the metadata that a compiler wrote into bytecode.

    For example, Solidity writes the fields `ipfs` and `solc`.

    Args:
        section: the bytes of the metadata, including the final length.
        style: the layout that the compiler uses.

    Raises:
        InvalidValueError: if the bytes are not in this layout.
    """
    size, cbor_end = _auxdata_extent(section, style)
    if style is AuxdataStyle.NONE or size != len(section):
        raise InvalidValueError(f"0x{section[:16].hex()}… is not auxdata as {style} compilers write it")
    item = decode_cbor(section[:cbor_end])
    if style is AuxdataStyle.VYPER:
        return _read_vyper_fields(item)
    if not isinstance(item, dict):
        raise InvalidValueError("the auxdata is not a CBOR map, as Solidity compilers write it")
    return _read_map_fields(item)


def has_source_hash(section: bytes, style: AuxdataStyle, compiler_version: str) -> bool:
    """Return whether metadata in bytecode contains a hash of the sources.

    Solidity writes the metadata hash, and Vyper (since 0.4.1) the integrity hash. Without such a hash, code
    is not an exact match.

    Args:
        section: the bytes of the metadata (auxdata).
        style: the layout that the compiler uses.
    """
    if (
        style is AuxdataStyle.VYPER
        and compiler_evidence(VYPER, compiler_version).source_hash is SourceHash.NONE
    ):
        return False
    if style not in (AuxdataStyle.SOLIDITY, AuxdataStyle.VYPER):
        return False
    try:
        return bool(parse_auxdata(section, style).hashes)
    except InvalidValueError:
        return False


def _read_map_fields(cbor_map: dict[CborValue, CborValue]) -> AuxdataFields:
    """Read the fields of auxdata that is a CBOR map.

    Raises:
        InvalidValueError: if it contains anything that solc and Vyper before 0.3.10 do not write.
    """
    for key, value in cbor_map.items():
        if not _is_known_auxdata_field(key, value):
            raise InvalidValueError(f"auxdata has a member {key!r} that compilers do not write in this form")
    hashes = {scheme: cbor_map[scheme] for scheme in _HASH_SIZES if scheme in cbor_map}
    return AuxdataFields(
        hashes=hashes, compiler=_format_compiler_version(cbor_map.get("solc", cbor_map.get("vyper")))
    )


def _is_known_auxdata_field(name: CborValue, value: CborValue) -> bool:
    if name in _HASH_SIZES:
        return isinstance(value, bytes) and len(value) == _HASH_SIZES[name]
    return (
        value is True
        if name == "experimental"
        else name in ("solc", "vyper") and bool(_format_compiler_version(value))
    )


def _read_vyper_fields(cbor_array: CborValue) -> AuxdataFields:
    """Read the fields of auxdata that is Vyper's CBOR array.

    The array is `[integrity (from 0.4.1), runtime size, [data sizes], immutable size, {"vyper": [major, minor,
    patch]}]`.
    """
    if (
        not isinstance(cbor_array, list)
        or len(cbor_array) not in (4, 5)
        or not isinstance(cbor_array[-1], dict)
    ):
        raise InvalidValueError("auxdata is not a CBOR array of 4 or 5 items, as Vyper writes it")
    *integrity, runtime_size, _, immutable_size, versions = cbor_array
    if not (isinstance(runtime_size, int) and isinstance(immutable_size, int)):
        raise InvalidValueError(
            "the sizes of the runtime code and immutables in the auxdata are not whole numbers"
        )
    is_hash = len(integrity) == 1 and isinstance(integrity[0], bytes) and len(integrity[0]) == HASH_BYTES
    return AuxdataFields(
        hashes={"integrity": integrity[0]} if is_hash else {},
        compiler=_format_compiler_version(versions.get("vyper")),
        runtime_size=runtime_size,
        immutable_size=immutable_size,
    )


def _format_compiler_version(encoded_version: CborValue) -> str:
    if isinstance(encoded_version, str):
        return encoded_version  # a nightly build has its name instead of a version
    if (
        isinstance(encoded_version, bytes | list)
        and len(encoded_version) == 3
        and all(isinstance(part, int) for part in encoded_version)
    ):
        return ".".join(str(part) for part in encoded_version)
    return ""


LIBRARY_BYTES = 20
"""Bytes of a linked library's address."""

MAX_ARRAY_INDEX = 2**32 - 2
"""JavaScript visits keys that spell whole numbers up to this one first, smallest first."""


class CodeReference(NamedTuple):
    """A gap in compiled code, for a library's address or an immutable.

    An immutable is a variable whose value the constructor writes into the code.
    """

    id: str  # a library's fully qualified name, or an immutable's AST id
    start: int  # offset in bytes
    length: int  # the length in bytes


def parse_link_references(link_references: Json) -> list[CodeReference]:
    """Parse `linkReferences`: where bytecode needs the addresses of libraries.

    The result is sorted by file and library, as in solc's output.

    Raises:
        InvalidValueError: if the value does not give positions by file and library.
    """
    if link_references is None or link_references == {}:
        return []
    return [
        place
        for file, libraries in sorted(
            _members_in_javascript_order(link_references, "linkReferences"), key=_member_name
        )
        for library, positions in sorted(
            _members_in_javascript_order(libraries, f"linkReferences of {file!r}"), key=_member_name
        )
        for place in _parse_code_references(f"{file}:{library}", positions)
    ]


def parse_immutable_references(immutable_references: Json) -> list[CodeReference]:
    """Parse `immutableReferences`: where bytecode needs the values of immutables.

    An immutable is a variable that the constructor sets once. solc names it by a number, the AST id.

    Raises:
        InvalidValueError: if the value does not give positions by AST id.
    """
    if immutable_references is None or immutable_references == {}:
        return []
    return [
        place
        for ast_id, positions in _members_in_javascript_order(immutable_references, "immutableReferences")
        for place in _parse_code_references(ast_id, positions)
    ]


def parse_cbor_auxdata(cbor_auxdata: Json) -> dict[str, Auxdata]:
    """Parse `cborAuxdata`: where a contract's bytecode contains metadata.

    Returns:
        The pieces of metadata by number, for example `"1"` for the first one.

    Raises:
        InvalidValueError: if the value is not a JSON object with such numbers as keys.
    """
    return {
        number: _parse_auxdata_section(number, piece)
        for number, piece in _members_in_javascript_order(cbor_auxdata, "cborAuxdata")
    }


def sort_keys_as_javascript(keys: Iterable[str]) -> list[str]:
    """Sort keys as in JavaScript objects: integers first, in ascending order.

    All other keys keep their order. Example: ["b", "10", "2"] -> ["2", "10", "b"]
    """
    key_list = list(keys)
    if len(key_list) < 2:
        return key_list
    numbers = sorted((key for key in key_list if _is_array_index(key)), key=int)
    return [*numbers, *(key for key in key_list if not _is_array_index(key))]


def _is_array_index(key: str) -> bool:
    if len(key) > 10 or not (key.isascii() and key.isdigit()):
        return False
    return str(int(key)) == key and int(key) <= MAX_ARRAY_INDEX


def _members_in_javascript_order(json_object: Json, description: str) -> Iterator[tuple[str, Json]]:
    if json_object is None:
        return
    if not isinstance(json_object, dict):
        raise InvalidValueError(f"{description} should be a JSON object")
    yield from ((key, json_object[key]) for key in sort_keys_as_javascript(json_object))


def _parse_code_references(reference_id: str, positions: Json) -> Iterator[CodeReference]:
    if not isinstance(positions, list):
        raise InvalidValueError(
            f"the positions of {reference_id!r} should be a list of objects with `start` and `length`"
        )
    for position in positions:
        members = position if isinstance(position, dict) else {}
        start = members.get("start", -1)
        length = members.get("length", -1)
        if not (is_whole_number(start) and is_whole_number(length) and start >= 0 and length > 0):
            raise InvalidValueError(
                f"a position of {reference_id!r} has no valid `start` (0 or more) and `length` (1 or more)"
            )
        yield CodeReference(reference_id, start, length)


def _parse_auxdata_section(section_number: str, section: Json) -> Auxdata:
    members = section if isinstance(section, dict) else {}
    offset = members.get("offset", -1)
    value = members.get("value")
    if not is_whole_number(offset) or offset < 0:
        raise InvalidValueError(
            f"entry {section_number!r} of cborAuxdata has no `offset` that is a whole number of 0 or more"
        )
    data = decode_hex_digits(value[2:]) if isinstance(value, str) and value.startswith("0x") else None
    if data is None:
        raise InvalidValueError(
            f"the `value` of entry {section_number!r} of cborAuxdata is not 0x and hex digits"
        )
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
    """The positions of the compiler's metadata in creation and runtime code."""

    creation: AuxdataByNumber
    runtime: AuxdataByNumber


def locate_auxdata(
    creation_code: bytes, runtime_code: bytes, *, language: str, version: str, assembly: Json
) -> AuxdataPositions:
    """Locate the metadata that the compiler wrote into recompiled bytecode.

    Records list these positions as `cborAuxdata`.

    Args:
        language: the language of the record.
        version: the version of the compiler.
        assembly: the compiler's output `evm.legacyAssembly`; None if it was not requested.
    """
    evidence = compiler_evidence(language, version)
    style = evidence.auxdata
    if style is not AuxdataStyle.SOLIDITY:
        # Vyper writes only one auxdata section (CBOR data for verifiers), at the end of the code.
        ends_runtime = style if evidence.has_runtime_auxdata else AuxdataStyle.NONE
        return AuxdataPositions(
            _number_trailing_auxdata(creation_code, style),
            _number_trailing_auxdata(runtime_code, ends_runtime),
        )
    if not evidence.lists_auxdata:
        return AuxdataPositions(
            _number_trailing_auxdata(creation_code, style), _number_trailing_auxdata(runtime_code, style)
        )
    values = (
        auxdata_in_assembly(assembly)
        if isinstance(assembly, dict)
        else search_auxdata(creation_code, runtime_code)
    )
    if len(values) > 1:
        # If code has several auxdata sections, Sourcify finds them by compiling twice with different source
        # hashes. Leave out sections without a hash, because they are the same both times and Sourcify misses
        # them.
        values = [piece if has_source_hash(piece, style, version) else b"" for piece in values]
        return AuxdataPositions(
            _locate_sections(creation_code, values), _locate_sections(runtime_code, values)
        )
    return AuxdataPositions(
        _locate_single_section(creation_code, style, values),
        _locate_single_section(runtime_code, style, values),
    )


def _locate_single_section(code: bytes, style: AuxdataStyle, section_values: list[bytes]) -> AuxdataByNumber:
    return (_number_trailing_auxdata(code, style) if section_values else {}) or _locate_sections(
        code, section_values
    )


def auxdata_in_assembly(assembly: Json) -> list[bytes]:
    """Return the metadata sections that solc's assembly output lists.

    Sourcify numbers the sections in this order.

    Args:
        assembly: the compiler's output `evm.legacyAssembly`.
    """
    return list(_walk_assembly_auxdata(assembly, 0))


def search_auxdata(creation_code: bytes, runtime_code: bytes) -> list[bytes]:
    """Find metadata in bytecode by searching for CBOR maps with their length.

    This is for compiler output without `evm.legacyAssembly`, which lists the metadata.

    Returns:
        The pieces of metadata. The last one in the runtime code, which is the contract's own, is first.
    """
    inner = [piece.value for piece in scan_for_auxdata(runtime_code)]
    outer = [piece.value for piece in scan_for_auxdata(creation_code)]
    for value in inner:
        if value in outer:
            outer.remove(value)
    return [*inner[-1:], *inner[:-1], *outer]


def scan_for_auxdata(code: bytes) -> Iterator[Auxdata]:
    """Yield each CBOR map in bytecode that is followed by its length.

    Compilers append their metadata in this form.
    """
    for start in _find_auxdata_map_offsets(code):
        try:
            _, end = decode_cbor_prefix(code, start)
        except InvalidValueError:
            continue
        if int.from_bytes(code[end : end + LENGTH_BYTES], "big") == end - start:
            yield Auxdata(start, code[start : end + LENGTH_BYTES])


def _find_auxdata_map_offsets(code: bytes) -> list[int]:
    starts = []
    for key in _FIRST_KEYS:
        place = code.find(key, 1)
        while place >= 0:
            if _SMALLEST_MAP <= code[place - 1] <= _LARGEST_MAP:
                starts.append(place - 1)
            place = code.find(key, place + 1)
    return sorted(starts)


def _walk_assembly_auxdata(assembly_node: Json, depth: int) -> Iterator[bytes]:
    if not isinstance(assembly_node, dict) or depth > MAX_ASSEMBLY_DEPTH:
        return
    for key in sort_keys_as_javascript(assembly_node):
        value = assembly_node[key]
        if key == ".auxdata" and isinstance(value, str) and is_hex_digits(value):
            yield bytes.fromhex(value)
        elif key == ".data" or (key.isascii() and key.isdigit()):
            # solc numbers these parts of the assembly in hexadecimal. Like Sourcify, skip a number with a
            # letter, such as `a`.
            yield from _walk_assembly_auxdata(value, depth + 1)


def _number_trailing_auxdata(code: bytes, style: AuxdataStyle) -> AuxdataByNumber:
    piece = find_trailing_auxdata(code, style)
    return {"1": piece} if piece else {}


def _locate_sections(code: bytes, section_values: Iterable[bytes]) -> AuxdataByNumber:
    sections: AuxdataByNumber = {}
    next_place: dict[bytes, int] = {}
    for number, value in enumerate(section_values, start=1):
        place = code.find(value, next_place.get(value, 0)) if value else -1
        if place >= 0:
            sections[str(number)] = Auxdata(place, value)
            next_place[value] = place + len(value)
    return sections
