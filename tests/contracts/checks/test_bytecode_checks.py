"""Checks of bytecode and transformations, each alone on one record."""

import pytest

from statuary.contracts.checks.prove import CONTRACT_CHECKS
from statuary.contracts.checks.record_view import RecordView
from statuary.contracts.model.proof import CheckOutcome
from support.contracts import made_record

CHECKS = {check.name: check for check in CONTRACT_CHECKS}
RUNTIME = "fe00fe"
CONSTRUCTOR = {"size": "6003", "offset": "6006", "copy": "39", "return": "f3"}
NOTHING = "5b"  # JUMPDEST


def result_of(check, record):
    [result] = CHECKS[check].check_records([RecordView(record)])
    return result


def deploying_record(constructor):
    return {
        "creationMatch": "exact_match",
        "creationBytecode": {"recompiledBytecode": f"0x{constructor}{RUNTIME}"},
        "runtimeBytecode": {"recompiledBytecode": f"0x{RUNTIME}"},
    }


def test_constructor_returning_runtime_code_passes_check():
    result = result_of("creation-deploys-other-code", deploying_record("".join(CONSTRUCTOR.values())))
    assert result.outcome is CheckOutcome.PASSED
    assert result.evidence == {"at": 6, "bytes": 3}


@pytest.mark.parametrize("part", CONSTRUCTOR)
def test_incomplete_copying_constructor_fails(part):
    parts = CONSTRUCTOR | {part: NOTHING * (len(CONSTRUCTOR[part]) // 2)}
    result = result_of("creation-deploys-other-code", deploying_record("".join(parts.values())))
    assert result.outcome is CheckOutcome.FAILED


@pytest.mark.parametrize("side", ["creation", "runtime"])
def test_creation_code_without_constructor_fails(side):
    """The runtime code is at byte 0, or nowhere."""
    record = deploying_record("" if side == "creation" else "6003600639f3fe")
    record["runtimeBytecode"]["recompiledBytecode"] = f"0x{RUNTIME}" if side == "creation" else "0x0102"
    assert result_of("creation-deploys-other-code", record).outcome is CheckOutcome.FAILED


def renamed(record, names):
    """Give the immutables of the runtime side other ids, in the transformations and in the values."""
    side = record["runtimeBytecode"]
    for step in side["transformations"]:
        step["id"] = names.get(step["id"], step["id"])
    values = side["transformationValues"]["immutables"]
    side["transformationValues"]["immutables"] = {
        names.get(name, name): value for name, value in values.items()
    }
    return record


def test_changed_transformation_ids_give_note():
    record = renamed(made_record("immutables"), {"7": "70", "12": "120"})
    result = result_of("runtime-transformations-mismatch", record)
    assert result.outcome is CheckOutcome.PASSED
    assert [finding.message for finding in result.findings] == [
        "the ids of the transformations differ from those in the compiler's output"
    ]


def test_two_values_with_one_id_fail():
    record = renamed(made_record("immutables"), {"7": "12"})
    result = result_of("runtime-transformations-mismatch", record)
    assert result.outcome is CheckOutcome.FAILED
    assert "the compiler's output has two values for one id, or two ids for one value" in {
        finding.message for finding in result.findings
    }


def test_changed_transformation_value_is_reported():
    record = made_record("immutables")
    record["runtimeBytecode"]["transformationValues"]["immutables"]["7"] = "0x" + "22" * 32
    steps = [step for step in record["runtimeBytecode"]["transformations"] if step["id"] == "7"]
    result = result_of("runtime-transformations-mismatch", record)
    assert result.outcome is CheckOutcome.FAILED
    assert [finding.message for finding in result.findings] == [
        f"the value of the immutable transformation at byte {step['offset']} differs from the bytecode"
        for step in steps
    ]


def test_missing_transformation_value_is_reported():
    record = made_record("immutables")
    del record["runtimeBytecode"]["transformationValues"]["immutables"]["12"]
    result = result_of("runtime-transformations-mismatch", record)
    assert result.outcome is CheckOutcome.FAILED
    assert any("differs from the bytecode" in finding.message for finding in result.findings)


def test_unused_transformation_value_is_reported():
    record = made_record("immutables")
    record["runtimeBytecode"]["transformationValues"]["immutables"]["99"] = "0x" + "00" * 32
    [finding] = result_of("runtime-transformations-mismatch", record).findings
    assert finding.message == "no transformation uses the immutable value 99"
    assert finding.pointer == ("runtimeBytecode", "transformationValues")


@pytest.mark.parametrize("transformations", [None, {}, "", [None], [{"type": "replace"}]])
def test_invalid_transformation_list_is_absent(transformations):
    record = made_record("immutables")
    record["runtimeBytecode"]["transformations"] = transformations
    assert RecordView(record).runtime.transformations is None


def test_single_invalid_transformation_invalidates_list():
    record = made_record("immutables")
    assert len(RecordView(record).runtime.transformations) == 3
    record["runtimeBytecode"]["transformations"].append(None)
    assert RecordView(record).runtime.transformations is None


def test_empty_transformation_list_is_valid():
    record = made_record("plain")
    assert RecordView(record).runtime.transformations == ()


def test_push_above_four_bytes_is_ignored():
    """No code has sizes of more than four bytes."""
    wide = "64" + "0000000003" + "600a" + "39" + "f3"
    assert result_of("creation-deploys-other-code", deploying_record(wide)).outcome is CheckOutcome.FAILED
    narrow = "63" + "00000003" + "6009" + "39" + "f3"
    assert result_of("creation-deploys-other-code", deploying_record(narrow)).outcome is CheckOutcome.PASSED


@pytest.mark.parametrize(
    ("code", "shown"), [(5, "5"), (["0x"], "['0x']"), ("0xAB", "'0xAB'"), ("0x0", "'0x0'")]
)
def test_invalid_hex_is_quoted_in_message(code, shown):
    [finding] = result_of("invalid-hex", {"runtimeBytecode": {"onchainBytecode": code}}).findings
    assert finding.message == f"onchainBytecode {shown} is not lower-case hex"
    assert finding.pointer == ("runtimeBytecode", "onchainBytecode")


def test_replay_reports_differing_bytes():
    record = made_record()
    side = record["runtimeBytecode"]
    code = bytearray(bytes.fromhex(side["onchainBytecode"][2:]))
    before = code[20:28].hex()
    code[20] ^= 0xFF
    side["onchainBytecode"] = f"0x{code.hex()}"
    [finding] = result_of("runtime-bytecode-mismatch", record).findings
    assert f"at byte 20: 0x{before} instead of 0x{code[20:28].hex()}" in finding.message


def test_failing_transformation_is_reported_by_index():
    record = made_record("immutables")
    steps = record["runtimeBytecode"]["transformations"]
    steps[-1]["offset"] = 1_000_000
    [finding] = result_of("runtime-bytecode-mismatch", record).findings
    assert finding.pointer == ("runtimeBytecode", "transformations", len(steps) - 1)


def test_auxdata_missing_from_list_gives_warning():
    record = made_record("factory")
    complete = result_of("missing-auxdata", record)
    assert complete.outcome is CheckOutcome.PASSED
    assert complete.evidence == {
        side: len(record[f"{side}Bytecode"]["cborAuxdata"]) for side in ("creation", "runtime")
    }
    for side in ("creation", "runtime"):
        record[f"{side}Bytecode"]["cborAuxdata"].popitem()
    result = result_of("missing-auxdata", record)
    assert result.outcome is CheckOutcome.WARNED
    assert {finding.pointer for finding in result.findings} == {
        ("creationBytecode", "cborAuxdata"),
        ("runtimeBytecode", "cborAuxdata"),
    }


def test_renumbered_auxdata_gives_note():
    record = made_record()
    side = record["runtimeBytecode"]
    side["cborAuxdata"] = {"2": side["cborAuxdata"]["1"]}
    [finding] = result_of("missing-auxdata", record).findings
    assert finding.message == "the pieces are numbered 2; numbers begin at 1"
    assert finding.pointer == ("runtimeBytecode", "cborAuxdata")
