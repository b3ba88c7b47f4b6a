"""Compare the storage layouts of two implementations.

A proxy keeps its storage when its implementation changes, so each variable must keep its position. The
layouts are the compilers' own, as in the records. Storage that code addresses by itself (namespaces of
ERC-7201, assembly) is in none.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Final, NamedTuple

from statuary.base.budget import consume_steps
from statuary.base.json_values import Json, JsonObject, as_list, as_object, as_text

WORD: Final = 32
GAP: Final = re.compile(r"_*gap[0-9]*\Z", re.IGNORECASE)
"""The name of an array that reserves space for later variables."""

NUMBER: Final = re.compile(r"[0-9]{1,78}\Z")
ARRAY: Final = re.compile(r".*\[([0-9]{1,78})\]\Z", re.DOTALL)
ADDRESSES: Final = re.compile(r"contract .*|address( payable)?\Z", re.DOTALL)
LONGEST_SHAPE: Final = 200
DEEPEST: Final = 32


class Variable(NamedTuple):
    """A contract's variable in storage, by the position of its bytes.

    `start` counts bytes from the first slot, and `shape` describes how they are read.
    """

    label: str
    type: str  # the compiler's name of the type
    shape: str  # a description that is equal for types that read the same bytes in the same way
    start: int  # the first byte, counted from slot 0
    size: int  # in bytes

    @property
    def is_gap(self) -> bool:
        """Whether the variable only reserves space for later ones."""
        return GAP.match(self.label) is not None and self.type.endswith("]")

    @property
    def end(self) -> int:
        """The position of the first byte after the variable in storage."""
        return self.start + self.size

    def to_json(self) -> JsonObject:
        """Return the variable's slot, offset, size in bytes and type as JSON."""
        slot, offset = divmod(self.start, WORD)
        return {"slot": str(slot), "offset": offset, "bytes": str(self.size), "type": self.type}


class StorageChange(NamedTuple):
    """A storage variable that was added, removed, moved or changed."""

    change: str  # "added", "removed", "renamed", "moved", "retyped" or "replaced"
    label: str
    before: Variable | None
    after: Variable | None

    @property
    def is_hazard(self) -> bool:
        """Whether the new code misreads what the old code has stored."""
        return self.change in ("moved", "retyped", "replaced")

    def to_json(self) -> JsonObject:
        """Return the variable before and after an upgrade, as JSON."""
        return {
            "change": self.change,
            "hazard": self.is_hazard,
            "variable": self.label,
            "before": None if self.before is None else self.before.to_json(),
            "after": None if self.after is None else {"variable": self.after.label, **self.after.to_json()},
        }


def parse_layout_variables(layout: Json) -> list[Variable] | None:
    """Parse a storage layout: where a contract's variables are in storage.

    Malformed entries are skipped. Vyper's variables are sorted by position; solc's keep their order.

    Returns:
        The variables, or None if the layout is not a JSON object.
    """
    if not isinstance(layout, dict):
        return None
    if isinstance(layout.get("storage"), list):
        return list(_iter_solc_variables(as_list(layout["storage"]), as_object(layout.get("types"))))
    return sorted(
        _iter_vyper_variables(as_object(layout.get("storage_layout", layout)), ""),
        key=lambda variable: variable.start,
    )


def _iter_solc_variables(storage_entries: Sequence[Json], type_definitions: JsonObject) -> Iterator[Variable]:
    shapes = _Shapes(type_definitions)
    for item in map(as_object, storage_entries):
        slot = as_text(item.get("slot"))
        offset = item.get("offset")
        name = as_text(item.get("type"))
        definition = as_object(type_definitions.get(name))
        size = as_text(definition.get("numberOfBytes"))
        if NUMBER.match(slot) and isinstance(offset, int) and NUMBER.match(size):
            label = as_text(definition.get("label"))
            start = int(slot) * WORD + offset
            yield Variable(as_text(item.get("label")), label, shapes.get_type_shape(name), start, int(size))


def _iter_vyper_variables(layout: JsonObject, name_prefix: str) -> Iterator[Variable]:
    for name, value in layout.items():
        place = as_object(value)
        kind = place.get("type")
        slot = place.get("slot")
        count = place.get("n_slots", 1)
        if isinstance(kind, str) and isinstance(slot, int) and isinstance(count, int):
            yield Variable(name_prefix + name, kind, kind, slot * WORD, count * WORD)
        elif not isinstance(kind, str) and name_prefix.count(".") < DEEPEST:
            yield from _iter_vyper_variables(place, f"{name_prefix}{name}.")


class _Shapes:
    """The shapes of types, which describe how bytes are read.

    The names of variables and structs do not matter.
    """

    def __init__(self, types: JsonObject) -> None:
        self._types = types
        self._shapes: dict[str, str] = {}

    def get_type_shape(self, type_name: str, outer_types: tuple[str, ...] = ()) -> str:
        if type_name in self._shapes:
            return self._shapes[type_name]
        definition = as_object(self._types.get(type_name))
        if type_name in outer_types or len(outer_types) > DEEPEST:
            return as_text(definition.get("label"))  # a struct may contain itself through a mapping
        shape = self._make_type_shape(definition, (*outer_types, type_name))
        consume_steps(1 + len(shape) // LONGEST_SHAPE)
        self._shapes[type_name] = shape if len(shape) <= LONGEST_SHAPE else sha256(shape.encode()).hexdigest()
        return self._shapes[type_name]

    def _make_type_shape(self, type_definition: JsonObject, outer_types: tuple[str, ...]) -> str:
        label = as_text(type_definition.get("label"))
        size = type_definition.get("numberOfBytes")
        encoding = type_definition.get("encoding")
        base = as_text(type_definition.get("base"))
        if encoding == "mapping":
            key, value = (
                self.get_type_shape(as_text(type_definition.get(part)), outer_types)
                for part in ("key", "value")
            )
            return f"mapping({key}=>{value})"
        if encoding == "dynamic_array":
            return f"{self.get_type_shape(base, outer_types)}[]"
        if isinstance(members := type_definition.get("members"), list):
            parts = []
            for member in map(as_object, members):
                place = f"{member.get('slot')}.{member.get('offset')}"
                parts.append(f"{place}:{self.get_type_shape(as_text(member.get('type')), outer_types)}")
            return f"{{{';'.join(parts)}}}"
        if base and (length := ARRAY.match(label)):
            return f"{self.get_type_shape(base, outer_types)}[{length[1]}]"
        return "address" if ADDRESSES.match(label) else f"{label}:{size}"


Name = tuple[str, int]
"""A label, and a number, since several inherited variables may have the same label."""


class _VariablesByByte:
    """The variables of a storage layout, searchable by position."""

    def __init__(self, variables: Sequence[tuple[Name, Variable]]) -> None:
        self._sorted = sorted(variables, key=lambda pair: pair[1].start)
        self._ends = [variable.end for _, variable in self._sorted]

    def find_first_overlap(self, variable: Variable) -> tuple[Name, Variable] | None:
        at = bisect_right(self._ends, variable.start)
        is_there = at < len(self._sorted) and self._sorted[at][1].start < variable.end
        return self._sorted[at] if is_there else None


def compare_layouts(before: Sequence[Variable], after: Sequence[Variable]) -> list[StorageChange]:
    """Compare the storage of two implementations, variable by variable.

    A proxy keeps its storage when its implementation changes, so a variable must not move. Gaps, which only reserve space,
    are not compared: they may shrink or be replaced.

    Args:
        before: the variables of the earlier layout.
        after: the variables of the later layout.

    Returns:
        The changes of earlier variables in their order, then the added variables.
    """
    old, new = _index_variables_by_name(before), _index_variables_by_name(after)
    plain = [(name, variable) for name, variable in new.items() if not variable.is_gap]
    changes = list(_iter_changes_of_old_variables(old, new, _VariablesByByte(plain)))
    renamed = {change.after.start for change in changes if change.change == "renamed" and change.after}
    later_variables = (
        variable for name, variable in plain if name not in old and variable.start not in renamed
    )
    return [
        *changes,
        *(StorageChange("added", variable.label, None, variable) for variable in later_variables),
    ]


def _iter_changes_of_old_variables(
    old_variables: Mapping[Name, Variable],
    new_variables: Mapping[Name, Variable],
    new_by_byte: _VariablesByByte,
) -> Iterator[StorageChange]:
    for name, old_variable in old_variables.items():
        second = new_variables.get(name)
        change = (
            _classify_missing_variable(old_variable, new_by_byte, old_variables)
            if second is None
            else _compare_variables(old_variable, second)
        )
        if change is not None and not old_variable.is_gap:
            yield change


def _compare_variables(old_variable: Variable, new_variable: Variable) -> StorageChange | None:
    if new_variable.start != old_variable.start:
        return StorageChange("moved", old_variable.label, old_variable, new_variable)
    return (
        StorageChange("retyped", old_variable.label, old_variable, new_variable)
        if new_variable.shape != old_variable.shape
        else None
    )


def _index_variables_by_name(variables: Sequence[Variable]) -> dict[Name, Variable]:
    counts = Counter[str]()
    variables_by_name = {}
    for variable in variables:
        variables_by_name[variable.label, counts[variable.label]] = variable
        counts[variable.label] += 1
    return variables_by_name


def _classify_missing_variable(
    old_variable: Variable, new_by_byte: _VariablesByByte, old_variables: Mapping[Name, Variable]
) -> StorageChange:
    there = new_by_byte.find_first_overlap(old_variable)
    if there is None:
        return StorageChange("removed", old_variable.label, old_variable, None)
    name, second = there
    is_same = (
        second.start == old_variable.start
        and second.shape == old_variable.shape
        and name not in old_variables
    )
    return StorageChange("renamed" if is_same else "replaced", old_variable.label, old_variable, second)
