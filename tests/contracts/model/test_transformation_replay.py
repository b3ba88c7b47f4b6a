"""Replaying transformations: each kind, the order, and steps that cannot be taken."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statuary.base.limits import MAX_RESIZING_STEPS
from statuary.base.primitives import InvalidValueError
from statuary.contracts.model.transformations import (
    ReplayError,
    TransformationReason,
    TransformationStep,
    TransformationType,
    first_differing_offset,
    parse_transformation,
    replay_transformations,
    transformation_value_bytes,
    transformation_value_keys,
)
from support.real_records import real_records, served_vectors, vectors
from support.strategies import steady

CODE = bytes(range(10))


def step(kind="replace", reason="library", offset=0, **members):
    return parse_transformation({"type": kind, "reason": reason, "offset": offset} | members)


@pytest.mark.parametrize(
    ("steps", "values", "result"),
    [
        ([], {}, CODE),
        ([step(id="L", offset=2)], {"libraries": {"L": "0xffff"}}, b"\0\1\xff\xff" + CODE[4:]),
        ([step("insert", "constructorArguments", 10)], {"constructorArguments": "0xaa"}, CODE + b"\xaa"),
        ([step("insert", "immutable", 10, id="0")], {"immutables": {"0": "0xaabb"}}, CODE + b"\xaa\xbb"),
        ([step("delete", "cborAuxdata", 7, length=3)], {"cborAuxdata": {}}, CODE[:7]),
        (
            [step("replace", "cborAuxdata", 7, id="1", length=3)],
            {"cborAuxdata": {"1": "0xee"}},
            CODE[:7] + b"\xee",
        ),
        (
            [step("replace", "callProtection", 1)],
            {"callProtection": "0x" + "ff" * 3},
            b"\0\xff\xff\xff" + CODE[4:],
        ),
        (
            [step(id="L", offset=0), step(id="L", offset=5)],
            {"libraries": {"L": "0xff"}},
            b"\xff" + CODE[1:5] + b"\xff" + CODE[6:],
        ),
        (  # the second step counts on what the first one left
            [step("delete", "cborAuxdata", 0, length=9), step("insert", "constructorArguments", 1)],
            {"constructorArguments": "0xaa"},
            b"\x09\xaa",
        ),
    ],
)
def test_replay_applies_transformations_in_order(steps, values, result):
    assert replay_transformations(CODE, steps, values, max_bytes=100) == result


@pytest.mark.parametrize(
    ("steps", "values", "place"),
    [
        ([step(id="L", offset=10)], {"libraries": {"L": "0xff"}}, 0),
        ([step(id="L")], {"libraries": {"M": "0xff"}}, 0),
        ([step(id="L")], {"libraries": {"L": 5}}, 0),
        ([step(id="L")], {"libraries": {"L": "0xf"}}, 0),
        ([step(id="L")], {"libraries": []}, 0),
        ([step("insert", "constructorArguments", 11)], {"constructorArguments": "0xff"}, 0),
        ([step("delete", "cborAuxdata", 8, length=3)], {}, 0),
        (
            [step("delete", "cborAuxdata", 0, length=2), step(id="L", offset=8)],
            {"libraries": {"L": "0xff"}},
            1,
        ),
        ([step("insert", "constructorArguments", 10)], {"constructorArguments": "0x" + "ff" * 200}, 0),
    ],
)
def test_replay_rejects_invalid_step(steps, values, place):
    with pytest.raises(ReplayError) as refusal:
        replay_transformations(CODE, steps, values, max_bytes=100)
    assert refusal.value.step == place


@pytest.mark.parametrize(
    "value",
    [
        [],
        {"type": "move", "reason": "library", "offset": 0},
        {"type": ["replace"], "reason": "library", "offset": 0},
        {"type": "replace", "reason": "luck", "offset": 0},
        {"type": "replace", "reason": "library", "offset": -1},
        {"type": "replace", "reason": "library", "offset": True},
        {"type": "replace", "reason": "library", "offset": 1.0},
        {"type": "replace", "reason": "library"},
        {"type": "replace", "reason": "library", "offset": 0, "length": "3"},
        {"type": "delete", "reason": "cborAuxdata", "offset": 0},
        {"type": "replace", "reason": "library", "offset": 0, "id": 5},
    ],
)
def test_invalid_transformation_is_rejected(value):
    with pytest.raises(InvalidValueError):
        parse_transformation(value)


def test_transformation_keeps_key_order():
    served = {"id": "1", "type": "replace", "length": 53, "offset": 283, "reason": "cborAuxdata"}
    assert list(parse_transformation(served).as_json().items()) == list(served.items())


def test_transformation_value_keys_have_ids():
    values = {"immutables": {"1": "0x", "2": "0x"}, "callProtection": "0x", "libraries": {}, "other": 1}
    assert transformation_value_keys(values) == {
        ("callProtection", None),
        ("immutable", "1"),
        ("immutable", "2"),
    }


def test_too_many_resizing_steps_are_rejected():
    steps = [step("insert", "constructorArguments", 0)] * (MAX_RESIZING_STEPS + 1)
    with pytest.raises(ReplayError):
        replay_transformations(
            bytes(1_000_000), steps, {"constructorArguments": "0xff"}, max_bytes=10_000_000
        )


@steady
@given(
    st.binary(max_size=40),
    st.binary(max_size=40),
    st.integers(0, 40),
    st.integers(0, 40),
    st.sampled_from(TransformationType),
)
def test_random_step_splices_or_fails(code, value, offset, length, kind):
    one = TransformationStep(
        type=kind, reason=TransformationReason.CBOR_AUXDATA, offset=offset, id="1", length=length
    )
    try:
        result = replay_transformations(
            code, [one], {"cborAuxdata": {"1": "0x" + value.hex()}}, max_bytes=100
        )
    except ReplayError:
        assert offset + (0 if kind is TransformationType.INSERT else length) > len(code)
        return
    removed = 0 if kind is TransformationType.INSERT else length
    put = b"" if kind is TransformationType.DELETE else value
    assert result == code[:offset] + put + code[offset + removed :]


@steady
@given(st.binary(max_size=30), st.binary(max_size=30))
def test_first_difference_finds_first_byte(one, other):
    place = first_differing_offset(one, other)
    if place is None:
        assert one == other
    else:
        assert one[:place] == other[:place]
        assert one[place : place + 1] != other[place : place + 1]


def replays(side):
    steps = [parse_transformation(value) for value in side["transformations"]]
    onchain, recompiled = (bytes.fromhex(side[f"{name}Bytecode"][2:]) for name in ("onchain", "recompiled"))
    return (
        replay_transformations(
            recompiled, steps, side["transformationValues"], max_bytes=len(onchain) + len(recompiled)
        )
        == onchain
    )


def test_replay_reproduces_code_of_real_records():
    count = 0
    for name, record in [*real_records(), *served_vectors()]:
        for side in ("creation", "runtime"):
            if record[f"{side}Match"] is not None:
                assert replays(record[f"{side}Bytecode"]), (name, side)
                count += 1
    assert count > 200


def vector_side(vector, side):
    """Return one side of a published vector, whichever of the two formats it is in; None if it does not match."""
    if "verification" in vector:
        if vector["verification"][f"{side}Match"] is None:
            return None
        name = {"creation": "creationBytecode", "runtime": "deployedBytecode"}[side]
        return {
            "onchainBytecode": vector["onchain"][name],
            "recompiledBytecode": unlinked(vector["output"][name]),
            "transformations": vector["verification"][f"{side}Transformations"],
            "transformationValues": vector["verification"][f"{side}Values"],
        }
    if not vector[f"{side}_match"]:
        return None
    return {
        "onchainBytecode": vector[f"deployed_{side}_code"],
        "recompiledBytecode": unlinked(vector[f"compiled_{side}_code"]),
        "transformations": vector[f"{side}_transformations"],
        "transformationValues": vector[f"{side}_values"],
    }


def unlinked(digits):
    import re

    return re.sub(r"__\$\w{34}\$__|__.{38}", "0" * 40, digits)


@pytest.mark.parametrize(
    "folder",
    ["blockscout-vera-test-cases", "sourcify-verification-cases", "sourcify-verification-cases-newer"],
)
def test_replay_reproduces_code_of_published_vectors(folder):
    sides = 0
    for name, vector in vectors(folder):
        for side in ("creation", "runtime"):
            if (held := vector_side(vector, side)) is not None:
                assert replays(held), (name, side)
                sides += 1
    assert sides >= 8


def test_value_lookup_uses_reason_and_id():
    values = {"libraries": {"a:B": "0xff"}, "constructorArguments": "0x01"}
    assert transformation_value_bytes(step(id="a:B"), values) == b"\xff"
    assert transformation_value_bytes(step("insert", "constructorArguments"), values) == b"\x01"
    assert transformation_value_bytes(step("delete", "cborAuxdata", length=1), values) == b""
