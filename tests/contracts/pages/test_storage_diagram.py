"""Storage layouts as slots, drawn where the compiler puts their variables."""

from typing import Any

from statuary.contracts.pages.storage import MAX_VARIABLES, StorageView, storage_view

TYPES = {
    "t_bool": {"encoding": "inplace", "label": "bool", "numberOfBytes": "1"},
    "t_address": {"encoding": "inplace", "label": "address", "numberOfBytes": "20"},
    "t_uint": {"encoding": "inplace", "label": "uint256", "numberOfBytes": "32"},
    "t_map": {"encoding": "mapping", "label": "mapping(address => uint256)", "numberOfBytes": "32"},
    "t_fixed": {"encoding": "inplace", "label": "uint256[3]", "numberOfBytes": "96"},
    "t_struct": {
        "encoding": "inplace",
        "label": "struct Pair",
        "numberOfBytes": "64",
        "members": [
            {"label": "left", "offset": 0, "slot": "0", "type": "t_address"},
            {"label": "right", "offset": 0, "slot": "1", "type": "t_uint"},
        ],
    },
}


def solidity(*variables: tuple[str, str, int, int]) -> StorageView:
    storage = [
        {"astId": 1, "contract": "A", "label": label, "type": kind, "slot": str(slot), "offset": offset}
        for label, kind, slot, offset in variables
    ]
    found = storage_view({"storage": storage, "types": TYPES})
    assert found is not None
    return found


def test_packed_variables_share_slot() -> None:
    (slot,) = solidity(("owner", "t_address", 0, 0), ("paused", "t_bool", 0, 20)).slots
    assert [(one.label, one.offset, one.width) for one in slot.variables] == [
        ("owner", 0, 20),
        ("paused", 20, 1),
    ]


def test_struct_expands_into_members() -> None:
    found = solidity(("pair", "t_struct", 4, 0))
    assert [(slot.first, slot.variables[0].label) for slot in found.slots] == [
        ("4", "pair.left"),
        ("5", "pair.right"),
    ]
    assert found.slots[0].skipped == "4"


def test_multi_slot_variable_is_single_row() -> None:
    first, second = solidity(("three", "t_fixed", 0, 0), ("map", "t_map", 3, 0)).slots
    assert (first.first, first.last) == ("0", "2")
    assert (second.first, second.skipped, second.variables[0].kind) == ("3", "", "mapping")


def test_large_slot_numbers_are_strings() -> None:
    slot = 0x52C63247E1F47DB19D5CE0460030C497F067CA4CEBF71BA98EEADABE20BACE00
    assert solidity(("far", "t_uint", slot, 0)).slots[0].first == str(slot)


def test_vyper_layout_includes_modules() -> None:
    found = storage_view(
        {
            "owner": {"slot": 0, "type": "address", "n_slots": 1},
            "list": {"slot": 1, "type": "DynArray[address, 3]", "n_slots": 4},
            "erc20": {"balances": {"slot": 5, "type": "HashMap[address, uint256]", "n_slots": 1}},
        }
    )
    assert found is not None
    assert [(slot.first, slot.last, slot.variables[0].label) for slot in found.slots] == [
        ("0", "", "owner"),
        ("1", "4", "list"),
        ("5", "", "erc20.balances"),
    ]


def test_invalid_layout_is_not_drawn() -> None:
    odd: list[Any] = [None, {}, [], "x", {"storage": None, "types": None}, {"storage": [{"slot": "x"}]}]
    assert [storage_view(value) for value in odd] == [None] * len(odd)


def test_recursive_struct_does_not_loop() -> None:
    types = TYPES | {"t_loop": {"encoding": "inplace", "label": "Loop", "numberOfBytes": "32"}}
    types["t_loop"]["members"] = [{"label": "again", "offset": 0, "slot": "0", "type": "t_loop"}]  # type: ignore[assignment]
    found = storage_view(
        {"storage": [{"label": "x", "offset": 0, "slot": "0", "type": "t_loop"}], "types": types}
    )
    assert found is not None
    assert len(found.slots) == 1


def test_excess_variables_are_only_counted() -> None:
    found = solidity(*((f"v{n}", "t_uint", n, 0) for n in range(MAX_VARIABLES + 7)))
    assert (len(found.slots), found.more) == (MAX_VARIABLES, 7)


def test_rounded_slot_is_marked_approximate() -> None:
    """A real server's `9.007e15` and more are rounded: two variables share a slot."""
    place = {"type": "address", "slot": "18446744073709552000", "n_slots": 1}
    view = storage_view({"a": place, "b": place, "c": {"type": "address", "slot": 0, "n_slots": 1}})
    assert view is not None
    assert [slot.first for slot in view.slots] == ["0", "≈ 18446744073709552000"]
