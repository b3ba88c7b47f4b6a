"""References in bytecode: library addresses, immutables, auxdata.

They are parsed from a record's `linkReferences`, `immutableReferences` and `cborAuxdata` into lists, in the
order in which Sourcify visits them (that of JavaScript's object keys), which is also the order of
transformations.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from statuary.domain.contracts.bytecode.auxdata import Auxdata
from statuary.domain.json_values import Json, is_whole_number
from statuary.domain.primitives import InvalidValueError, decode_hex_digits

LIBRARY_BYTES = 20
"""Bytes of a linked library's address."""

MAX_ARRAY_INDEX = 2**32 - 2
"""JavaScript visits keys that spell whole numbers up to this one first, smallest first."""


class CodeReference(NamedTuple):
    """Bytes of the code that a value replaces."""

    id: str  # a library's fully qualified name, or an immutable's AST id
    start: int  # offset in bytes
    length: int  # in bytes


def parse_link_references(link_references: Json) -> list[CodeReference]:
    """Parse `linkReferences`: by file, library, and position.

    Files and libraries are in alphabetical order, as solc writes them; a record's own map is in `jsonb`
    order.

    Raises:
        InvalidValueError: if it is not such a map.
    """
    if link_references is None or link_references == {}:
        return []
    return [
        place
        for file, libraries in sorted(_members(link_references, "linkReferences"), key=_name)
        for library, positions in sorted(_members(libraries, f"linkReferences of {file!r}"), key=_name)
        for place in _places(f"{file}:{library}", positions)
    ]


def parse_immutable_references(immutable_references: Json) -> list[CodeReference]:
    """Parse `immutableReferences`: by AST id and position.

    Raises:
        InvalidValueError: if it is not such a map.
    """
    if immutable_references is None or immutable_references == {}:
        return []
    return [
        place
        for ast_id, positions in _members(immutable_references, "immutableReferences")
        for place in _places(ast_id, positions)
    ]


def parse_cbor_auxdata(cbor_auxdata: Json) -> dict[str, Auxdata]:
    """Parse `cborAuxdata`: by its numbers "1", "2" and so on.

    Raises:
        InvalidValueError: if it is not such a map.
    """
    return {number: _auxdata(number, piece) for number, piece in _members(cbor_auxdata, "cborAuxdata")}


def javascript_order(keys: Iterable[str]) -> list[str]:
    """Return keys in JavaScript's order: integers first, ascending, then the rest in insertion order."""
    listed = list(keys)
    if len(listed) < 2:
        return listed
    numbers = sorted((key for key in listed if _is_index(key)), key=int)
    return [*numbers, *(key for key in listed if not _is_index(key))]


def _is_index(key: str) -> bool:
    if len(key) > 10 or not (key.isascii() and key.isdigit()):
        return False
    return str(int(key)) == key and int(key) <= MAX_ARRAY_INDEX


def _members(value: Json, what: str) -> Iterator[tuple[str, Json]]:
    if value is None:
        return
    if not isinstance(value, dict):
        raise InvalidValueError(f"{what} is not an object")
    yield from ((key, value[key]) for key in javascript_order(value))


def _places(name: str, positions: Json) -> Iterator[CodeReference]:
    if not isinstance(positions, list):
        raise InvalidValueError(f"the positions of {name!r} are not a list")
    for position in positions:
        members = position if isinstance(position, dict) else {}
        start, length = members.get("start", -1), members.get("length", -1)
        if not (is_whole_number(start) and is_whole_number(length) and start >= 0 and length > 0):
            raise InvalidValueError(f"a position of {name!r} is not a start and a length")
        yield CodeReference(name, start, length)


def _auxdata(number: str, piece: Json) -> Auxdata:
    members = piece if isinstance(piece, dict) else {}
    offset, value = members.get("offset", -1), members.get("value")
    if not is_whole_number(offset) or offset < 0:
        raise InvalidValueError(f"cborAuxdata {number!r} has no offset")
    data = decode_hex_digits(value[2:]) if isinstance(value, str) and value.startswith("0x") else None
    if data is None:
        raise InvalidValueError(f"the value of cborAuxdata {number!r} is not hex text")
    return Auxdata(offset, data)


def _name(member: tuple[str, Json]) -> str:
    return member[0]
