"""Storage layouts: one that solc wrote is right, and each change of it is a fault."""

import copy
import json
from pathlib import Path

import pytest

from demo_network.compilers import TOOLS, compile_json
from statuary.base.limits import MAX_LAYOUT_DEPTH, MAX_LAYOUT_TYPES
from statuary.contracts.model.storage_layout import (
    LayoutFault,
    SolidityLayout,
    find_vyper_layout_faults,
    parse_solidity_layout,
)
from support.requirements import absent

WRITTEN = json.loads((Path(__file__).parent / "solc_storage_layout.json").read_text(encoding="utf-8"))
"""The layout that solc 0.8.30 wrote for a source with types of every kind."""

VARIABLES = [variable["label"] for variable in WRITTEN["storageLayout"]["storage"]]


def changed(where, value):
    """Return the layout with one value changed, or removed if it is None."""
    layout = copy.deepcopy(WRITTEN["storageLayout"])
    *path, last = where
    place = layout
    for part in path:
        place = place[part]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return layout


def faults_of(layout, **options):
    read = parse_solidity_layout(layout)
    assert isinstance(read, SolidityLayout)
    return list(read.find_faults(**options))


def kind(name):
    """Return the types whose names begin so; solc ends some names with numbers."""
    [found] = [one for one in WRITTEN["storageLayout"]["types"] if one.startswith(name)]
    return found


def test_compiler_written_layout_has_no_fault():
    assert faults_of(WRITTEN["storageLayout"]) == []
    assert faults_of({"storage": [], "types": None}) == []


TYPE_FAULTS = [
    ("t_bool", "numberOfBytes", "2", "'t_bool' states a size of 2 bytes, but its parts take 1"),
    ("t_int128", "numberOfBytes", "32", "states a size of 32 bytes, but its parts take 16"),
    ("t_uint24", "numberOfBytes", "4", "states a size of 4 bytes, but its parts take 3"),
    ("t_address_payable", "numberOfBytes", "32", "states a size of 32 bytes, but its parts take 20"),
    ("t_contract(Other)", "numberOfBytes", "32", "states a size of 32 bytes, but its parts take 20"),
    ("t_string", "numberOfBytes", "64", "states a size of 64 bytes, but its parts take 32"),
    ("t_mapping", "numberOfBytes", "64", "states a size of 64 bytes, but its parts take 32"),
    ("t_array(t_uint64)5", "numberOfBytes", "96", "states a size of 96 bytes, but its parts take 64"),
    ("t_array(t_uint8)33", "numberOfBytes", "1056", "states a size of 1056 bytes, but its parts take 64"),
    ("t_array(t_bytes20)3", "numberOfBytes", "64", "states a size of 64 bytes, but its parts take 96"),
    ("t_array(t_uint128)3", "numberOfBytes", "96", "states a size of 96 bytes, but its parts take 64"),
    ("t_array(t_bytes17)2", "numberOfBytes", "32", "states a size of 32 bytes, but its parts take 64"),
    (
        "t_array(t_array(t_uint24)11",
        "numberOfBytes",
        "64",
        "states a size of 64 bytes, but its parts take 128",
    ),
    ("t_struct(Outer)", "numberOfBytes", "96", "states a size of 96 bytes, but its parts take 128"),
    ("t_enum", "numberOfBytes", "3", "states a size of 3 bytes, more than a type of its kind can have"),
    (
        "t_userDefinedValueType",
        "numberOfBytes",
        "33",
        "states a size of 33 bytes, more than a type of its kind can have",
    ),
    (
        "t_function_external",
        "numberOfBytes",
        "33",
        "states a size of 33 bytes, more than a type of its kind can have",
    ),
    *(
        ("t_uint24", "numberOfBytes", size, "should be a decimal number above zero")
        for size in ("0", "03", "-3", "3.0", "0x3", "1" * 79, 3, None)
    ),
    ("t_bool", "encoding", "outplace", "the encoding 'outplace', which solc does not write"),
    ("t_bool", "label", None, "a type of the storage layout has no `label`"),
    ("t_array(t_uint64)5", "label", "uint64[]", "the label 'uint64[]' of an array type states no length"),
    ("t_array(t_uint64)5", "label", "uint64", "the label 'uint64' of an array type states no length"),
    ("t_array(t_uint64)5", "label", "uint64[9]", "states a size of 64 bytes, but its parts take 96"),
    ("t_array(t_uint64)5", "base", "t_none", "the type 't_none', which `types` does not define"),
    (
        "t_array(t_uint64)5",
        "base",
        kind("t_array(t_uint64)5"),
        "contains itself, or is nested deeper than",
    ),
    ("t_mapping", "key", "t_none", "the type 't_none', which `types` does not define"),
    ("t_mapping", "value", ["t_bool"], "which `types` does not define"),
    (
        "t_array(t_struct(Inner)12_storage)dyn",
        "base",
        "t_none",
        "the type 't_none', which `types` does not define",
    ),
    ("t_struct(Outer)", "members", [{}], "which `types` does not define"),
    ("t_struct(Outer)", "members", [None], "the type 'None', which `types` does not define"),
]


@pytest.mark.parametrize(("name", "member", "value", "message"), TYPE_FAULTS)
def test_changed_storage_type_is_reported(name, member, value, message):
    [fault] = faults_of(changed(("types", kind(name), member), value))
    assert message in fault.message
    assert fault.pointer[0] == "types"
    assert fault.is_known


VARIABLE_FAULTS = [
    ("second", "offset", 2, "'second' is at slot 0, byte 2, but packing puts it at slot 0, byte 1"),
    ("owner", "slot", "1", "'owner' is at slot 1, byte 3, but packing puts it at slot 0, byte 3"),
    ("packed", "slot", "2", "'packed' is at slot 2, byte 0, but packing puts it at slot 1, byte 0"),
    ("kind", "offset", 0, "'kind' is at slot 12, byte 0, but packing puts it at slot 12, byte 16"),
    ("three", "type", "t_none", "the type 't_none', which `types` does not define"),
    *(
        ("three", member, value, "a variable lacks its label, type, slot or offset")
        for member, values in {
            "label": (None, 3),
            "type": (None, 3),
            "slot": (None, 26, "026", "-1", "0x1a", "1" * 79),
            "offset": (None, "0", True, -1, 32, 1.0),
        }.items()
        for value in values
    ),
]


@pytest.mark.parametrize(("name", "member", "value", "message"), VARIABLE_FAULTS)
def test_misplaced_storage_variable_is_reported(name, member, value, message):
    number = VARIABLES.index(name)
    [fault] = faults_of(changed(("storage", number, member), value))
    assert message in fault.message
    assert fault.pointer == ("storage", number)


def test_non_object_variable_is_reported():
    [fault] = faults_of(changed(("storage", 3), "packed"))
    assert fault.pointer == ("storage", 3)


@pytest.mark.parametrize("number", range(4))
def test_misplaced_struct_member_is_reported(number):
    struct = kind("t_struct(Outer)")
    member = WRITTEN["storageLayout"]["types"][struct]["members"][number]
    for place, value in (("slot", str(int(member["slot"]) + 1)), ("offset", member["offset"] + 1)):
        [fault] = faults_of(changed(("types", struct, "members", number, place), value))
        assert "but packing puts it" in fault.message


@pytest.mark.parametrize("shift", [1, 10**60])
def test_layout_at_other_slot_is_rejected(shift):
    layout = copy.deepcopy(WRITTEN["storageLayout"])
    for variable in layout["storage"]:
        variable["slot"] = str(int(variable["slot"]) + shift)
    [fault] = faults_of(layout)
    assert fault.pointer == ("storage", 0)
    assert faults_of(layout, may_start_anywhere=True) == []
    layout["storage"][1]["slot"] = str(shift + 1)
    [fault] = faults_of(layout, may_start_anywhere=True)
    assert fault.pointer == ("storage", 1)


def test_layout_types_are_limited():
    plain = {"encoding": "inplace", "label": "bool", "numberOfBytes": "1"}
    types = {f"t_{number}": plain for number in range(MAX_LAYOUT_TYPES)}
    assert faults_of({"storage": [], "types": types}) == []
    [fault] = faults_of({"storage": [], "types": types | {"t_more": plain}})
    assert fault == LayoutFault("20,001 types are more than 20,000", ("types",))


def test_types_beyond_limit_are_not_read():
    types = dict.fromkeys(map(str, range(MAX_LAYOUT_TYPES + 1)))
    [fault] = faults_of({"storage": [], "types": types})
    assert fault.pointer == ("types",)


def test_layout_depth_is_limited():
    def nested(levels):
        types = {"t_0": {"encoding": "inplace", "label": "bytes32", "numberOfBytes": "32"}}
        for level in range(1, levels + 1):
            base = {"base": f"t_{level - 1}", "label": "bytes32[1]"}
            types[f"t_{level}"] = {"encoding": "inplace", "numberOfBytes": "32", **base}
        return {"storage": [], "types": dict(reversed(types.items()))}

    assert faults_of(nested(MAX_LAYOUT_DEPTH)) == []
    [fault] = faults_of(nested(MAX_LAYOUT_DEPTH + 1))
    assert "nested deeper than" in fault.message


@pytest.mark.parametrize(
    "layout",
    [
        {},
        {"storage": {}},
        {"storage": [], "types": []},
        {"storage": [], "types": {}, "more": 1},
        {"types": {}},
    ],
)
def test_unknown_layout_member_is_reported(layout):
    assert parse_solidity_layout(layout) == LayoutFault("a layout has the members storage and types")


def place(slot, size=1):
    return {"type": "uint256", "slot": slot, "n_slots": size}


def test_vyper_neighbours_do_not_overlap():
    modules = {"a": place(0, 3), "module": {"type": place(3), "b": place(4, 2)}, "c": place(6)}
    assert list(find_vyper_layout_faults(modules)) == []
    [fault] = find_vyper_layout_faults(modules | {"d": place(5)})
    assert fault == LayoutFault("the variable at slot 5 overlaps the one before it", ("d",))


def test_vyper_immutable_overlaps_no_slot():
    code = {"type": "uint256", "offset": 0, "length": 32}
    assert list(find_vyper_layout_faults({"a": code, "b": code, "c": place(0)})) == []


@pytest.mark.parametrize(
    "value", ["a", None, [], {"type": "uint256"}, {"type": "uint256", "slot": 1, "n_slots": -1}]
)
def test_vyper_layout_without_slot_is_reported(value):
    assert list(find_vyper_layout_faults({"a": value})) == [LayoutFault("a variable has no slot", ("a",))]


def test_vyper_depth_is_limited():
    def nested(levels):
        layout = place(0)
        for _ in range(levels):
            layout = {"a": layout}
        return layout

    assert list(find_vyper_layout_faults(nested(MAX_LAYOUT_DEPTH))) == []
    [fault] = find_vyper_layout_faults(nested(MAX_LAYOUT_DEPTH + 1))
    assert fault.message == "a variable has no slot"


@pytest.mark.slow
def test_installed_solc_writes_same_layout():
    if not (TOOLS / "bin" / "solc-0.8.30").exists():
        absent("solc 0.8.30", ".ci/install-compilers")
    settings = {"outputSelection": {"*": {"Layout": ["storageLayout"]}}}
    sources = {"Layout.sol": {"content": "\n".join(WRITTEN["source"])}}
    standard_input = {"language": "Solidity", "sources": sources, "settings": settings}
    _, output = compile_json(TOOLS, "solc", "0.8.30", standard_input)
    assert output["contracts"]["Layout.sol"]["Layout"]["storageLayout"] == WRITTEN["storageLayout"]
