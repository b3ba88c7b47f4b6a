"""The storage diagram on a contract's page: slots and their variables.

Reads Solidity's `storageLayout` and Vyper's `layout`; other shapes are not drawn.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import groupby, islice
from typing import NamedTuple

from statuary.base.json_values import Json, as_list, as_non_negative_integer, as_object, as_text
from statuary.contracts.model.storage_layout import LARGEST_EXACT
from statuary.site.pages.page_texts import visible_name

SLOT_BYTES = 32

MAX_VARIABLES = 400
"""Variables that are drawn; generated contracts have thousands."""

MAX_PLACED = 20_000
"""Variables of which those that are drawn are taken."""

MAX_SHOWN_DEPTH = 8
"""Levels of structs that are opened."""

TONES = 6
"""The number of different colours in the picture."""


class StorageVariable(NamedTuple):
    """A variable in a contract's storage, or a member of a struct."""

    label: str  # the name; for a member of a struct, with the names of the structs around it
    type: str
    slot: int  # the first slot
    offset: int  # the first byte in that slot
    size: int  # in bytes
    kind: str  # `value`, or for content elsewhere: `mapping`, `dynamic_array`, `bytes`
    tone: int = 0  # the number of its colour
    rounded: bool = False  # whether the slot is so large that a server in JavaScript may have rounded it

    @property
    def slots(self) -> int:
        """The number of 32-byte slots that the variable occupies."""
        return max(1, (self.offset + self.size + SLOT_BYTES - 1) // SLOT_BYTES)

    @property
    def width(self) -> int:
        """The number of bytes that the variable occupies in its first slot."""
        return max(1, min(self.size, SLOT_BYTES - self.offset))

    @property
    def last_byte(self) -> int:
        """The offset of the variable's last byte in its first slot."""
        return self.offset + self.width - 1


class StorageSlot(NamedTuple):
    """A 32-byte slot, or several that one variable occupies."""

    first: str  # the slot number as text, since it can be as large as a hash
    last: str  # the number of the last slot, for a range of slots; empty for one slot
    skipped: str  # the number of unused slots before this one; empty if there are none
    variables: tuple[StorageVariable, ...]


class StorageView(NamedTuple):
    """A contract's storage layout, as its page draws it."""

    slots: tuple[StorageSlot, ...]
    more: int  # the number of variables that are not drawn


def storage_view(layout: Json) -> StorageView | None:
    """Prepare a storage layout for drawing it on the page.

    Returns:
        The slots to draw, or None if there is nothing to draw.
    """
    members = as_object(layout)
    of_solidity = "storage" in members
    variables = sorted(
        islice(_solidity_variables(members) if of_solidity else _vyper_variables(members, "", 0), MAX_PLACED),
        key=lambda variable: (variable.slot, variable.offset),
    )
    if not variables:
        return None
    drawn = variables[:MAX_VARIABLES]
    total = len(variables) if len(variables) < MAX_PLACED or not of_solidity else _count_variables(members)
    return StorageView(slots=tuple(_group_into_slots(drawn)), more=total - len(drawn))


def _count_variables(layout: Mapping[str, Json]) -> int:
    """Count the variables of a Solidity layout, members of structs included."""
    types = as_object(layout.get("types"))

    @cache
    def count_in_type(name: str, depth: int) -> int:
        members = as_list(as_object(types.get(name)).get("members")) if depth < MAX_SHOWN_DEPTH else []
        return (
            sum(count_in_type(as_text(as_object(member).get("type")), depth + 1) for member in members)
            if members
            else 1
        )

    return sum(
        count_in_type(as_text(as_object(variable).get("type")), 0)
        for variable in as_list(layout.get("storage"))
    )


def _solidity_variables(layout: Mapping[str, Json]) -> Iterator[StorageVariable]:
    types = as_object(layout.get("types"))
    for entry in as_list(layout.get("storage")):
        yield from _variables_of_member(as_object(entry), types, "", 0, 0)


def _variables_of_member(
    layout_member: Mapping[str, Json], types: Mapping[str, Json], name_prefix: str, base_slot: int, depth: int
) -> Iterator[StorageVariable]:
    slot = as_non_negative_integer(layout_member.get("slot"))
    offset = as_non_negative_integer(layout_member.get("offset"))
    kind = as_object(types.get(as_text(layout_member.get("type"))))
    if slot is None or offset is None or offset >= SLOT_BYTES:
        return
    label = name_prefix + visible_name(as_text(layout_member.get("label")))
    members = as_list(kind.get("members"))
    if members and depth < MAX_SHOWN_DEPTH:
        for member in members:
            yield from _variables_of_member(
                as_object(member), types, f"{label}.", base_slot + slot, depth + 1
            )
        return
    encoding = as_text(kind.get("encoding"))
    yield StorageVariable(
        label=label,
        type=visible_name(as_text(kind.get("label")) or as_text(layout_member.get("type"))),
        slot=base_slot + slot,
        offset=offset,
        size=as_non_negative_integer(kind.get("numberOfBytes")) or SLOT_BYTES,
        kind=encoding if encoding in ("mapping", "dynamic_array", "bytes") else "value",
    )


def _vyper_variables(layout: Mapping[str, Json], name_prefix: str, depth: int) -> Iterator[StorageVariable]:
    for name, entry in layout.items():
        place = as_object(entry)
        slot = as_non_negative_integer(place.get("slot"))
        label = name_prefix + visible_name(name)
        if slot is not None:
            kind = as_text(place.get("type"))
            yield StorageVariable(
                label=label,
                type=visible_name(kind),
                slot=slot,
                offset=0,
                size=(as_non_negative_integer(place.get("n_slots")) or 1) * SLOT_BYTES,
                kind="mapping" if kind.startswith("HashMap") else "value",
                rounded=slot > LARGEST_EXACT,
            )
        elif depth < MAX_SHOWN_DEPTH:
            yield from _vyper_variables(place, f"{label}.", depth + 1)


def _group_into_slots(variables: list[StorageVariable]) -> Iterator[StorageSlot]:
    next_slot = 0
    tone = 0
    for first_slot, of_slot in groupby(variables, key=lambda item: item.slot):
        toned = []
        for variable in of_slot:
            toned.append(variable._replace(tone=tone % TONES))
            tone += 1
        slots = max(part.slots for part in toned)
        about = "≈ " if toned[0].rounded else ""
        yield StorageSlot(
            first=f"{about}{first_slot}",
            last=f"{about}{first_slot + slots - 1}" if slots > 1 else "",
            skipped=str(first_slot - next_slot) if first_slot > next_slot else "",
            variables=tuple(toned),
        )
        next_slot = max(next_slot, first_slot + slots)
