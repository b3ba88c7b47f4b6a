"""Check storage layouts against the rules of solc and Vyper.

Bytecode has no trace of a layout, so only its consistency can be checked: every type is defined and has the
size of its parts, and every variable is where packing puts it (Solidity docs, "Layout of State Variables").
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from statuary.base.findings import Pointer
from statuary.base.json_values import Json, as_object, is_whole_number
from statuary.base.limits import MAX_LAYOUT_DEPTH, MAX_LAYOUT_TYPES
from statuary.base.primitives import InvalidValueError

WORD: Final = 32
"""Bytes of a storage slot."""

_NUMBER = re.compile(r"0|[1-9][0-9]{0,77}")
_ARRAY = re.compile(r"(?s).*\[([0-9]{1,78})\]")
_ELEMENTARY = re.compile(r"u?int([0-9]{1,3})|bytes([0-9]{1,2})|(address)(?: payable)?|(bool)|(contract) .*")
_LONGEST_REMEMBERED = 200
_ENUM_BYTES = 2
_SIZES = {"address": 20, "bool": 1, "contract": 20}
_FULL_SLOT = ("mapping", "dynamic_array", "bytes")


class LayoutFault(NamedTuple):
    """An error in a storage layout (slots of variables), with its place."""

    message: str
    pointer: Pointer = ()
    is_known: bool = True  # False if rounded numbers may make a correct layout look wrong


class _Cursor(NamedTuple):
    """The next free byte, as slot and offset."""

    slot: int
    offset: int


class _Variable(NamedTuple):
    """A variable in a storage layout, or a member of a struct."""

    label: str
    type: str
    place: _Cursor


@dataclass(slots=True)
class SolidityLayout:
    """A storage layout from solc: the slot of each contract variable.

    Its `variables` and `types` are solc's members `storage` and `types`.
    """

    variables: Sequence[Json]
    types: Mapping[str, Json]
    _sizes: dict[str, int] = field(default_factory=dict)

    def find_faults(self, *, may_start_anywhere: bool = False) -> Iterator[LayoutFault]:
        """Find variables and types in the layout that solc cannot have written.

        Args:
            may_start_anywhere: whether the first variable may be in any slot (`layout at`, since solc
                0.8.29).
        """
        if len(self.types) > MAX_LAYOUT_TYPES:
            yield LayoutFault(f"{len(self.types):,} types are more than {MAX_LAYOUT_TYPES:,}", ("types",))
            return
        for name in self.types:
            try:
                self.type_size(name)
            except InvalidValueError as error:
                yield LayoutFault(str(error), ("types", name))
                return
        yield from self._placement_faults(self.variables, ("storage",), may_start_anywhere=may_start_anywhere)

    def type_size(self, type_name: Json, depth: int = 0) -> int:
        """Return the size in bytes of a type in the layout.

        Args:
            type_name: the key of the type in `types`.
            depth: the number of types around this one, such as a struct that contains it.

        Raises:
            InvalidValueError: if the type is undefined, contains itself, or its size differs from that of its
                parts.
        """
        definition = self.types.get(type_name) if isinstance(type_name, str) else None
        if not isinstance(type_name, str) or not isinstance(definition, dict):
            raise InvalidValueError(
                f"the storage layout uses the type {str(type_name)[:80]!r}, which `types` does not define"
            )
        if type_name in self._sizes:
            return self._sizes[type_name]
        if depth > MAX_LAYOUT_DEPTH:
            raise InvalidValueError(
                f"type {type_name[:80]!r} contains itself, or is nested deeper than {MAX_LAYOUT_DEPTH} levels"
            )
        size = _parse_number_of_bytes(type_name, definition)
        expected = self._computed_type_size(definition, depth)
        if expected is None and size > (_ENUM_BYTES if type_name.startswith("t_enum") else WORD):
            raise InvalidValueError(
                f"type {type_name[:80]!r} states a size of {size} bytes, more than a type of its kind can have"
            )
        if expected not in (None, size):
            raise InvalidValueError(
                f"type {type_name[:80]!r} states a size of {size} bytes, but its parts take {expected}"
            )
        self._sizes[type_name] = size
        return size

    def _computed_type_size(self, type_definition: Mapping[str, Json], depth: int) -> int | None:
        # Return None if only the type's own entry states its size.
        if type_definition.get("encoding") in _FULL_SLOT:
            self._require_defined_parts(type_definition)
            return WORD
        if type_definition.get("encoding") != "inplace":
            raise InvalidValueError(
                f"a type of the storage layout has the encoding {type_definition.get('encoding')!r}, which solc does not write"
            )
        members = type_definition.get("members")
        label = type_definition.get("label")
        if isinstance(members, list):
            return self._struct_size(members, depth)
        if not isinstance(label, str):
            raise InvalidValueError("a type of the storage layout has no `label`")
        if "base" in type_definition:
            return self._array_size(label, type_definition["base"], depth)
        return (_cached_elementary_size if len(label) <= _LONGEST_REMEMBERED else _elementary_type_size)(
            label
        )

    def _require_defined_parts(self, type_definition: Mapping[str, Json]) -> None:
        for part in ("key", "value", "base"):
            name = type_definition.get(part)
            if part in type_definition and not (isinstance(name, str) and name in self.types):
                raise InvalidValueError(
                    f"the storage layout uses the type {str(name)[:80]!r}, which `types` does not define"
                )

    def _struct_size(self, members: Sequence[Json], depth: int) -> int:
        for member in members:
            self.type_size(member.get("type") if isinstance(member, dict) else None, depth + 1)
        for fault in self._placement_faults(members, ()):
            raise InvalidValueError(fault.message)
        end = _Cursor(0, 0)
        for variable in filter(None, map(_parse_layout_variable, members)):
            end = self._cursor_after(self._next_position(end, variable.type), variable.type)
        return (end.slot + (end.offset > 0)) * WORD

    def _array_size(self, array_label: str, item_type: Json, depth: int) -> int:
        match = _ARRAY.fullmatch(array_label)
        if match is None:
            raise InvalidValueError(f"the label {array_label[:80]!r} of an array type states no length")
        length, size = int(match[1]), self.type_size(item_type, depth + 1)
        if size > WORD // 2:
            return length * -(-size // WORD) * WORD
        return -(-length // (WORD // size)) * WORD

    def _placement_faults(
        self, variables: Sequence[Json], pointer: Pointer, *, may_start_anywhere: bool = False
    ) -> Iterator[LayoutFault]:
        cursor = _Cursor(0, 0)
        for number, value in enumerate(variables):
            where, variable = (*pointer, number), _parse_layout_variable(value)
            if variable is None:
                yield LayoutFault("a variable lacks its label, type, slot or offset", where)
                return
            try:
                self.type_size(variable.type)
            except InvalidValueError as error:
                yield LayoutFault(str(error), where)
                return
            place = variable.place
            is_free = may_start_anywhere and not number
            cursor = place if is_free else self._next_position(cursor, variable.type)
            if place != cursor:
                yield LayoutFault(
                    f"{variable.label[:80]!r} is at slot {place.slot}, byte {place.offset}, but packing puts it"
                    f" at slot {cursor.slot}, byte {cursor.offset}",
                    where,
                )
                return
            cursor = self._cursor_after(cursor, variable.type)

    def _starts_new_slot(self, type_name: str) -> bool:
        definition = as_object(self.types[type_name])
        return definition.get("encoding") in _FULL_SLOT or not definition.keys().isdisjoint(
            ("members", "base")
        )

    def _next_position(self, cursor: _Cursor, type_name: str) -> _Cursor:
        if cursor.offset and (
            self._starts_new_slot(type_name) or cursor.offset + self.type_size(type_name) > WORD
        ):
            return _Cursor(cursor.slot + 1, 0)
        return cursor

    def _cursor_after(self, cursor: _Cursor, type_name: str) -> _Cursor:
        size = self.type_size(type_name)
        if self._starts_new_slot(type_name):
            return _Cursor(cursor.slot + -(-size // WORD), 0)
        end = cursor.offset + size
        return _Cursor(cursor.slot + end // WORD, end % WORD)


def _elementary_type_size(type_label: str) -> int | None:
    match = _ELEMENTARY.fullmatch(type_label)
    if match is None:
        return None
    bits, length, *other_groups = match.groups()
    return int(bits) // 8 if bits else int(length) if length else _SIZES[next(filter(None, other_groups))]


_cached_elementary_size = lru_cache(maxsize=1024)(_elementary_type_size)


def _parse_number_of_bytes(type_name: str, type_definition: Mapping[str, Json]) -> int:
    text = type_definition.get("numberOfBytes")
    if not isinstance(text, str) or not _NUMBER.fullmatch(text) or text == "0":
        raise InvalidValueError(
            f"the numberOfBytes of type {type_name[:80]!r} should be a decimal number above zero"
        )
    return int(text)


def parse_solidity_layout(layout: Mapping[str, Json]) -> SolidityLayout | LayoutFault:
    """Parse a storage layout, which gives the slot of each variable.

    Returns:
        The layout, or an error if the value is not in solc's format.
    """
    variables = layout.get("storage")
    types = layout.get("types")
    if (
        not isinstance(variables, list)
        or not (types is None or isinstance(types, dict))
        or set(layout) - {"storage", "types"}
    ):
        return LayoutFault("a layout has the members storage and types")
    return SolidityLayout(variables, types or {})


LARGEST_EXACT: Final = 1 << 53
"""Numbers above it are rounded by servers in JavaScript, and some then write them as text."""


_ROUNDED = re.compile(r"[1-9][0-9]{15,79}|[1-9](\.[0-9]{1,20})?e\+[1-9][0-9]")


def _parse_slot_number(json_number: Json) -> int | None:
    # Servers in JavaScript round large numbers.
    if is_whole_number(json_number):
        return json_number if json_number >= 0 else None
    is_rounded = isinstance(json_number, float) or (
        isinstance(json_number, str) and _ROUNDED.fullmatch(json_number)
    )
    number = float(json_number) if is_rounded and isinstance(json_number, float | str) else 0.0
    return int(number) if LARGEST_EXACT < number < 1 << 256 else None


def find_vyper_layout_faults(layout: Mapping[str, Json]) -> Iterator[LayoutFault]:
    """Find variables in a storage layout that overlap or have no slot.

    Args:
        layout: a storage layout in Vyper's format.
    """
    ranges: list[tuple[int, int, Pointer]] = []
    for pointer, place in _iter_vyper_variables(layout, ()):
        slot = _parse_slot_number(place.get("slot", place.get("offset")))
        count = _parse_slot_number(place.get("n_slots", place.get("length", 1)))
        if slot is None or count is None:
            yield LayoutFault("a variable has no slot", pointer)
            return
        if slot + count > LARGEST_EXACT:
            name = str(pointer[-1])[:80]
            message = (
                f"the place of {name!r} is not checked: JavaScript rounds numbers above 2^53, such as {slot}"
            )
            yield LayoutFault(message, pointer, is_known=False)
        elif "slot" in place:
            ranges.append((slot, slot + count, pointer))
    ranges.sort(key=lambda slots: slots[:2])
    for (_, end, _), (start, _, pointer) in pairwise(ranges):
        if start < end:
            yield LayoutFault(f"the variable at slot {start} overlaps the one before it", pointer)
            return


def _iter_vyper_variables(
    layout: Mapping[str, Json], pointer: Pointer
) -> Iterator[tuple[Pointer, Mapping[str, Json]]]:
    for name, place in layout.items():
        where = (*pointer, name)
        if not isinstance(place, dict) or len(where) > MAX_LAYOUT_DEPTH:
            yield where, {}
        elif "type" in place and not isinstance(place["type"], dict):
            yield where, place
        else:
            yield from _iter_vyper_variables(place, where)


def _parse_layout_variable(variable: Json) -> _Variable | None:
    if not isinstance(variable, dict):
        return None
    label, kind, slot, offset = (variable.get(member) for member in ("label", "type", "slot", "offset"))
    if not (isinstance(label, str) and isinstance(kind, str) and isinstance(slot, str)):
        return None
    if not _NUMBER.fullmatch(slot) or not is_whole_number(offset) or not 0 <= offset < WORD:
        return None
    return _Variable(label, kind, _Cursor(int(slot), offset))
