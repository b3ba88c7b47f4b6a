"""The code on the chain, with marks where it did not come from the compiler."""

from typing import Any

import pytest

from statuary.contracts.pages.bytecode import KEPT_BYTES, MAX_PLAIN_BYTES, CodeView, code_view
from support.contracts import FEATURES, made_record

SIDES = ("creation", "runtime")


def view(record: dict[str, Any], side: str) -> CodeView:
    return code_view(record, side)


def side_of(member: dict[str, Any]) -> CodeView:
    return code_view({"runtimeBytecode": member, "runtimeMatch": "match"}, "runtime")  # type: ignore[typeddict-item]


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", FEATURES)
def test_pieces_reassemble_onchain_code(name: str, side: str) -> None:
    record = made_record(name)
    onchain = record[f"{side}Bytecode"]["onchainBytecode"][2:]
    at = 0
    for piece in view(record, side).pieces:
        assert piece.offset == at
        assert piece.hex == ("" if piece.omitted else onchain[at * 2 : (at + piece.size) * 2])
        at += piece.size
    assert at * 2 == len(onchain)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", FEATURES)
def test_transformation_steps_are_marked(name: str, side: str) -> None:
    shown = view(made_record(name), side)
    marked = {piece.step: piece.hex for piece in shown.pieces if piece.step}
    assert marked == {step.number: step.value for step in shown.steps}


def test_deletion_is_marked_without_bytes() -> None:
    shown = view(made_record("none on chain"), "runtime")
    (step,) = shown.steps
    (piece,) = (piece for piece in shown.pieces if piece.step)
    assert (step.type, step.value, piece.size) == ("delete", "", 0)
    assert step.bytes > 0


def test_unchanged_metadata_is_marked_as_auxdata() -> None:
    record = made_record("plain")
    (piece,) = (piece for piece in view(record, "runtime").pieces if piece.reason == "auxdata")
    assert "0x" + piece.hex == record["runtimeBytecode"]["cborAuxdata"]["1"]["value"]


def test_long_code_keeps_both_ends() -> None:
    code = "0x" + bytes(range(256)).hex() * 4
    first, middle, last = side_of({"onchainBytecode": code, "recompiledBytecode": code}).pieces
    assert MAX_PLAIN_BYTES < 1024
    assert (first.size, middle.omitted, last.size) == (KEPT_BYTES, 1024 - 2 * KEPT_BYTES, KEPT_BYTES)
    assert code.endswith(last.hex)


@pytest.mark.parametrize(
    "damage",
    [
        {"transformations": [{"type": "replace"}]},
        {"transformations": [{"type": "replace", "reason": "library", "offset": 10**9, "id": "x"}]},
        {"transformationValues": None},
        {"cborAuxdata": {"1": {"value": "0xzz", "offset": -1}}},
        {"onchainBytecode": "0x123"},
        {"onchainBytecode": None},
        None,
    ],
)
def test_inconsistent_layout_is_drawn_partially(damage: dict[str, Any] | None) -> None:
    record = made_record("libraries")
    member = None if damage is None else record["runtimeBytecode"] | damage
    shown = side_of(member)
    assert sum(piece.size for piece in shown.pieces) == (shown.size or 0)
