"""Every kind of damage that a record can suffer, and the check that must notice it.

A damage changes a record in place and returns whether the record could bear it: a record without immutables
cannot have one changed. The record is a private copy, so nothing is put back.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import orjson
from sha3 import keccak_256

from statuary.contracts.model.abi import item_signature

Record = dict[str, Any]
Apply = Callable[[Record], bool]

OTHER_ADDRESS = "0x1111111111111111111111111111111111111111"
SIDES = ("creation", "runtime")


@dataclass(frozen=True)
class Damage:
    """A kind of damage.

    Attributes:
        name: what is done.
        caught_by: the check that must speak.
        apply: does it.
    """

    name: str
    caught_by: str
    apply: Apply


DAMAGES: list[Damage] = []


def damage(caught_by: str) -> Callable[[Apply], Apply]:
    def register(apply: Apply) -> Apply:
        DAMAGES.append(Damage(apply.__name__.replace("_", " "), caught_by, apply))
        return apply

    return register


def for_each_side(caught_by: str) -> Callable[[Callable[[Record, str], bool]], Callable[[Record, str], bool]]:
    """Register a damage once for each side; `{side}` in the check's name is the side's."""

    def register(apply: Callable[[Record, str], bool]) -> Callable[[Record, str], bool]:
        for side in SIDES:
            name = f"{apply.__name__.replace('_', ' ')} ({side})"
            DAMAGES.append(Damage(name, caught_by.format(side=side), lambda record, s=side: apply(record, s)))
        return apply

    return register


def side_of(record: Record, side: str) -> dict[str, Any]:
    return record[f"{side}Bytecode"]


def is_matched(record: Record, side: str) -> bool:
    return record[f"{side}Match"] is not None


def flipped(text: str, place: int) -> str:
    """Return hex text with one bit of the byte at `place` changed."""
    at = 2 + 2 * place
    return f"{text[:at]}{int(text[at : at + 2], 16) ^ 1:02x}{text[at + 2 :]}"


def size(text: str) -> int:
    return len(text) // 2 - 1


def compiler_output_of_contract(record: Record) -> dict[str, Any]:
    path, _, name = record["compilation"]["fullyQualifiedName"].rpartition(":")
    return record["stdJsonOutput"]["contracts"][path][name]


def evm_of(record: Record, side: str) -> dict[str, Any]:
    return compiler_output_of_contract(record)["evm"][
        "bytecode" if side == "creation" else "deployedBytecode"
    ]


def set_recompiled(record: Record, side: str, text: str) -> None:
    """Change recompiled bytecode and its copy in the compiler's output."""
    side_of(record, side)["recompiledBytecode"] = text
    evm_of(record, side)["object"] = text[2:]


def quiet_place(record: Record, side: str) -> int | None:
    """Return a byte that no transformation touches and no auxdata holds."""
    value = side_of(record, side)
    taken: set[int] = set()
    for step in value["transformations"] or []:
        taken |= set(range(step["offset"], step["offset"] + 32)) if step["type"] == "replace" else set()
    for piece in (value["cborAuxdata"] or {}).values():
        taken |= set(range(piece["offset"], piece["offset"] + size(piece["value"])))
    end = min(size(value["recompiledBytecode"]), size(value["onchainBytecode"] or "0x"))
    return next((place for place in range(end // 3, end) if place not in taken), None)


def steps_of(record: Record, side: str, reason: str) -> list[dict[str, Any]]:
    return [step for step in side_of(record, side)["transformations"] or [] if step["reason"] == reason]


# -- bytecode


@for_each_side("{side}-bytecode-mismatch")
def flip_a_byte_on_the_chain(record, side):
    place = quiet_place(record, side) if is_matched(record, side) else None
    if place is None:
        return False
    side_of(record, side)["onchainBytecode"] = flipped(side_of(record, side)["onchainBytecode"], place)
    return True


@for_each_side("{side}-bytecode-mismatch")
def flip_a_byte_of_the_recompiled(record, side):
    place = quiet_place(record, side) if is_matched(record, side) else None
    if place is None:
        return False
    set_recompiled(record, side, flipped(side_of(record, side)["recompiledBytecode"], place))
    return True


@for_each_side("std-json-output-mismatch")
def flip_a_byte_of_the_compilers_object(record, side):
    evm = evm_of(record, side)
    evm["object"] = flipped("0x" + evm["object"], 3)[2:]
    return True


@for_each_side("{side}-bytecode-mismatch")
def cut_the_last_byte_on_the_chain(record, side):
    if not is_matched(record, side):
        return False
    side_of(record, side)["onchainBytecode"] = side_of(record, side)["onchainBytecode"][:-2]
    return True


@for_each_side("{side}-bytecode-mismatch")
def add_a_byte_on_the_chain(record, side):
    if not is_matched(record, side):
        return False
    side_of(record, side)["onchainBytecode"] += "00"
    return True


@for_each_side("{side}-bytecode-mismatch")
def cut_the_recompiled(record, side):
    if not is_matched(record, side):
        return False
    set_recompiled(record, side, side_of(record, side)["recompiledBytecode"][:-2])
    return True


@for_each_side("{side}-bytecode-mismatch")
def take_the_bytecode_away(record, side):
    if not is_matched(record, side):
        return False
    side_of(record, side)["onchainBytecode"] = None
    return True


@for_each_side("invalid-hex")
def write_capital_digits(record, side):
    text = side_of(record, side)["recompiledBytecode"]
    side_of(record, side)["recompiledBytecode"] = "0x" + text[2:].upper()
    return text[2:] != text[2:].upper()


@for_each_side("invalid-hex")
def lose_half_a_byte(record, side):
    side_of(record, side)["recompiledBytecode"] = side_of(record, side)["recompiledBytecode"][:-1]
    return True


@damage("creation-deploys-other-code")
def flip_the_same_byte_everywhere_on_the_runtime_side(record):
    place = (
        quiet_place(record, "runtime")
        if None not in (record["creationMatch"], record["runtimeMatch"])
        else None
    )
    if place is None or record["compilation"]["language"] not in ("Solidity", "Vyper"):
        return False
    value = record["runtimeBytecode"]
    value["onchainBytecode"] = flipped(value["onchainBytecode"], place)
    set_recompiled(record, "runtime", flipped(value["recompiledBytecode"], place))
    return True


@damage("creation-deploys-other-code")
def flip_the_same_byte_of_the_runtime_code_everywhere_on_the_creation_side(record):
    if None in (record["creationMatch"], record["runtimeMatch"]):
        return False
    value, place = record["creationBytecode"], quiet_place(record, "runtime")
    start = value["recompiledBytecode"].find(record["runtimeBytecode"]["recompiledBytecode"][2:])
    if place is None or start < 0 or record["compilation"]["language"] not in ("Solidity", "Vyper"):
        return False
    place += start // 2 - 1
    value["onchainBytecode"] = flipped(value["onchainBytecode"], place)
    set_recompiled(record, "creation", flipped(value["recompiledBytecode"], place))
    return True


# -- transformations


def _shift(record: Record, side: str, reason: str) -> bool:
    steps = steps_of(record, side, reason)
    if steps:
        steps[-1]["offset"] += 1
    return bool(steps)


@for_each_side("{side}-transformations-mismatch")
def shift_a_library(record, side):
    return _shift(record, side, "library")


@damage("runtime-transformations-mismatch")
def shift_an_immutable(record):
    return record["compilation"]["language"] == "Solidity" and _shift(record, "runtime", "immutable")


@for_each_side("{side}-transformations-mismatch")
def shift_an_auxdata_transformation(record, side):
    return _shift(record, side, "cborAuxdata")


@damage("runtime-transformations-mismatch")
def shift_the_call_protection(record):
    return _shift(record, "runtime", "callProtection")


@damage("creation-bytecode-mismatch")
def shift_the_arguments(record):
    return _shift(record, "creation", "constructorArguments")


def _drop(record: Record, side: str, reason: str) -> bool:
    steps = steps_of(record, side, reason)
    if steps:
        side_of(record, side)["transformations"].remove(steps[0])
    return bool(steps)


@for_each_side("{side}-transformations-mismatch")
def drop_a_library(record, side):
    return _drop(record, side, "library")


@damage("runtime-transformations-mismatch")
def drop_an_immutable(record):
    return record["compilation"]["language"] == "Solidity" and _drop(record, "runtime", "immutable")


@damage("runtime-transformations-mismatch")
def drop_the_call_protection(record):
    return _drop(record, "runtime", "callProtection")


@for_each_side("{side}-bytecode-mismatch")
def drop_an_auxdata_transformation(record, side):
    return _drop(record, side, "cborAuxdata")


@damage("creation-bytecode-mismatch")
def drop_the_arguments(record):
    return _drop(record, "creation", "constructorArguments")


@for_each_side("{side}-transformations-mismatch")
def reorder_transformations(record, side):
    steps = side_of(record, side)["transformations"] or []
    resizing = any(step["type"] != "replace" or "length" in step for step in steps)
    steps.reverse()
    return not resizing and len(steps) > 1 and steps != steps[::-1]


@for_each_side("{side}-transformations-mismatch")
def repeat_a_transformation(record, side):
    steps = side_of(record, side)["transformations"] or []
    kept = [step for step in steps if step["type"] == "replace" and "length" not in step]
    steps.extend(kept[:1])
    return bool(kept)


@for_each_side("{side}-transformations-mismatch")
def spell_out_a_length(record, side):
    steps = steps_of(record, side, "library")
    for step in steps:
        step["length"] = 20
    return bool(steps)


@for_each_side("inconsistent-transformations")
def invent_a_type(record, side):
    steps = side_of(record, side)["transformations"] or []
    for step in steps[:1]:
        step["type"] = "move"
    return bool(steps)


@for_each_side("inconsistent-transformations")
def invent_a_reason(record, side):
    steps = side_of(record, side)["transformations"] or []
    for step in steps[:1]:
        step["reason"] = "because"
    return bool(steps)


@for_each_side("{side}-transformations-mismatch")
def take_the_id_away(record, side):
    steps = [step for step in side_of(record, side)["transformations"] or [] if "id" in step]
    for step in steps[:1]:
        del step["id"]
    return bool(steps)


@for_each_side("inconsistent-transformations")
def write_true_for_an_offset(record, side):
    steps = side_of(record, side)["transformations"] or []
    for step in steps[:1]:
        step["offset"] = True
    return bool(steps)


@damage("runtime-transformations-mismatch")
def put_arguments_on_the_runtime_side(record):
    value = record["runtimeBytecode"]
    if value["transformations"] is None:
        return False
    end = size(value["onchainBytecode"])
    value["transformations"].append({"type": "insert", "offset": end, "reason": "constructorArguments"})
    value["transformationValues"]["constructorArguments"] = "0x"
    return True


# -- values


def _flip_value(record: Record, side: str, group: str) -> bool:
    values = (side_of(record, side)["transformationValues"] or {}).get(group) or {}
    for key in list(values)[:1]:
        values[key] = flipped(values[key], size(values[key]) - 3)
    return bool(values)


@damage("runtime-bytecode-mismatch")
def change_an_immutable(record):
    return _flip_value(record, "runtime", "immutables")


@for_each_side("{side}-bytecode-mismatch")
def change_a_librarys_address(record, side):
    return _flip_value(record, side, "libraries")


@for_each_side("{side}-bytecode-mismatch")
def change_the_auxdata_of_a_transformation(record, side):
    return _flip_value(record, side, "cborAuxdata")


@damage("runtime-bytecode-mismatch")
def change_the_call_protection(record):
    values = record["runtimeBytecode"]["transformationValues"] or {}
    if "callProtection" in values:
        values["callProtection"] = flipped(values["callProtection"], 7)
    return "callProtection" in values


@damage("call-protection-mismatch")
def change_the_call_protection_and_the_chain(record):
    value = record["runtimeBytecode"]
    if "callProtection" not in (value["transformationValues"] or {}):
        return False
    value["transformationValues"]["callProtection"] = OTHER_ADDRESS
    value["onchainBytecode"] = "0x73" + OTHER_ADDRESS[2:] + value["onchainBytecode"][44:]
    return True


@damage("call-protection-mismatch")
def move_a_library_to_another_address(record):
    record["address"] = OTHER_ADDRESS
    return "callProtection" in (record["runtimeBytecode"]["transformationValues"] or {})


def arguments_of(record: Record) -> str | None:
    return (record["creationBytecode"]["transformationValues"] or {}).get("constructorArguments")


@damage("creation-bytecode-mismatch")
def change_the_arguments(record):
    arguments = arguments_of(record)
    if arguments:
        values = record["creationBytecode"]["transformationValues"]
        values["constructorArguments"] = flipped(arguments, size(arguments) - 1)
    return bool(arguments)


@damage("invalid-constructor-arguments")
def add_a_word_to_the_arguments_and_the_chain(record):
    arguments = arguments_of(record)
    if arguments:
        value = record["creationBytecode"]
        value["transformationValues"]["constructorArguments"] += "00" * 32
        value["onchainBytecode"] += "00" * 32
    return bool(arguments)


@damage("invalid-constructor-arguments")
def cut_a_byte_of_the_arguments_and_the_chain(record):
    arguments = arguments_of(record)
    if arguments:
        value = record["creationBytecode"]
        value["transformationValues"]["constructorArguments"] = arguments[:-2]
        value["onchainBytecode"] = value["onchainBytecode"][:-2]
    return bool(arguments)


@damage("missing-constructor-arguments")
def lose_the_arguments_everywhere(record):
    arguments = arguments_of(record)
    if arguments:
        value = record["creationBytecode"]
        del value["transformationValues"]["constructorArguments"]
        value["transformations"].pop()
        value["onchainBytecode"] = value["onchainBytecode"][: -2 * size(arguments)]
    return bool(arguments)


@for_each_side("{side}-transformations-mismatch")
def add_a_value(record, side):
    values = side_of(record, side)["transformationValues"]
    if values is None:
        return False
    values.setdefault("libraries", {})["contracts/Nobody.sol:Nobody"] = OTHER_ADDRESS
    return True


@for_each_side("{side}-bytecode-mismatch")
def lose_the_values(record, side):
    values = side_of(record, side)["transformationValues"]
    steps = side_of(record, side)["transformations"] or []
    if values:
        values.clear()
    return any(step["type"] != "delete" for step in steps)


@damage("invalid-vyper-immutables")
def cut_vypers_immutables_and_the_chain(record):
    value = record["runtimeBytecode"]
    immutables = (value["transformationValues"] or {}).get("immutables")
    if record["compilation"]["language"] != "Vyper" or not immutables:
        return False
    immutables["0"] = immutables["0"][:-64]
    value["onchainBytecode"] = value["onchainBytecode"][:-64]
    return True


# -- references and auxdata


@for_each_side("invalid-library-reference")
def shift_a_link_reference(record, side):
    for value in (side_of(record, side), evm_of(record, side)):
        for libraries in (value["linkReferences"] or {}).values():
            next(iter(libraries.values()))[0]["start"] += 1
    return bool(side_of(record, side)["linkReferences"])


@damage("invalid-immutable-reference")
def shift_an_immutable_reference(record):
    for value in (record["runtimeBytecode"], evm_of(record, "runtime")):
        for places in (value["immutableReferences"] or {}).values():
            places[0]["start"] += 1
    is_solidity = record["compilation"]["language"] == "Solidity"
    return is_solidity and bool(record["runtimeBytecode"]["immutableReferences"])


@damage("std-json-output-mismatch")
def rename_an_immutable(record):
    references = record["runtimeBytecode"]["immutableReferences"]
    for key in list(references or {})[:1]:
        references["999999"] = references.pop(key)
    is_matched_solidity = record["runtimeMatch"] and record["compilation"]["language"] == "Solidity"
    return bool(is_matched_solidity and references)


@for_each_side("std-json-output-mismatch")
def lose_the_source_map(record, side):
    lost = side_of(record, side)["sourceMap"]
    side_of(record, side)["sourceMap"] = None
    return lost is not None


def first_auxdata(record: Record, side: str) -> dict[str, Any] | None:
    return next(iter((side_of(record, side)["cborAuxdata"] or {}).values()), None)


@for_each_side("auxdata-offset")
def shift_the_auxdata(record, side):
    piece = first_auxdata(record, side)
    if piece:
        piece["offset"] -= 1
    return piece is not None


@for_each_side("auxdata-offset")
def change_the_auxdata(record, side):
    piece = first_auxdata(record, side)
    if piece:
        piece["value"] = flipped(piece["value"], 9)
    return piece is not None


@for_each_side("missing-auxdata")
def renumber_the_auxdata(record, side):
    auxdata = side_of(record, side)["cborAuxdata"]
    if auxdata:
        auxdata["9"] = auxdata.pop("1")
    return bool(auxdata)


@for_each_side("missing-auxdata")
def lose_the_auxdata(record, side):
    auxdata = side_of(record, side)["cborAuxdata"]
    had = bool(auxdata)
    if had:
        auxdata.clear()
    return had


@for_each_side("{side}-transformations-mismatch")
def give_an_auxdata_transformation_another_number(record, side):
    steps = steps_of(record, side, "cborAuxdata")
    values = (side_of(record, side)["transformationValues"] or {}).get("cborAuxdata") or {}
    for step in steps[:1]:
        if "id" not in step:
            return False
        values["9"] = values.pop(step["id"])
        step["id"] = "9"
    return bool(steps)


@damage("runtime-metadata-hash-mismatch")
def change_the_hash_in_the_bytecode_everywhere(record):
    piece = first_auxdata(record, "runtime")
    if record["metadata"] is None or piece is None or "69706673" not in piece["value"]:
        return False
    old = piece["value"][2:]
    new = flipped("0x" + old, 20)[2:]
    path, _, name = record["compilation"]["fullyQualifiedName"].rpartition(":")
    for side in SIDES:
        value = side_of(record, side)
        for member in ("onchainBytecode", "recompiledBytecode"):
            value[member] = value[member] and value[member].replace(old, new)
        for one in (value["cborAuxdata"] or {}).values():
            one["value"] = one["value"].replace(old, new)
    contract = record["stdJsonOutput"]["contracts"][path][name]
    for member in ("bytecode", "deployedBytecode"):
        contract["evm"][member]["object"] = contract["evm"][member]["object"].replace(old, new)
    return True


# -- match levels


@for_each_side("overstated-match-level")
def claim_too_little(record, side):
    was = record[f"{side}Match"]
    record[f"{side}Match"] = "match"
    return was == "exact_match"


@for_each_side("overstated-match-level")
def claim_too_much(record, side):
    was = record[f"{side}Match"]
    record[f"{side}Match"] = "exact_match"
    return was == "match"


@for_each_side("overstated-match-level")
def hide_an_exact_match_behind_a_step_that_changes_nothing(record, side):
    value, piece = side_of(record, side), (side_of(record, side)["cborAuxdata"] or {}).get("1")
    if record[f"{side}Match"] != "exact_match" or piece is None:
        return False
    record[f"{side}Match"] = "match"
    step = {"id": "1", "type": "replace", "offset": piece["offset"], "reason": "cborAuxdata"}
    value["transformations"].insert(0, step)
    value["transformationValues"]["cborAuxdata"] = {"1": piece["value"]}
    return True


@damage("overall-match-mismatch")
def claim_another_match(record):
    record["match"] = "match" if record["match"] == "exact_match" else "exact_match"
    return True


@damage("overall-match-mismatch")
def claim_no_match(record):
    record["match"] = None
    return True


@for_each_side("inconsistent-transformations")
def withdraw_a_match_by_half(record, side):
    was = record[f"{side}Match"]
    record[f"{side}Match"] = None
    return was is not None


@damage("unknown-member")
def add_a_member(record):
    record["audit"] = "passed"
    return True


@damage("unknown-member")
def add_a_member_of_a_side(record):
    record["runtimeBytecode"]["audit"] = "passed"
    return True


@damage("refused-setting")
def optimize_by_another_word(record):
    record["compilation"]["compilerSettings"]["optimize"] = "audited"
    version = record["compilation"]["compilerVersion"]
    return record["compilation"]["language"] == "Vyper" and version.startswith(("0.3.10+", "0.4."))


@damage("deceptive-name")
def rename_a_yul_object(record):
    record["compilation"]["name"] = "S\u0430fe"
    return record["compilation"]["language"] != "Solidity"


@for_each_side("understated-match-level")
def withdraw_a_match(record, side):
    was = record[f"{side}Match"]
    record[f"{side}Match"] = None
    side_of(record, side)["transformations"] = side_of(record, side)["transformationValues"] = None
    return was is not None


@for_each_side("{side}-bytecode-mismatch")
def claim_a_match_that_is_none(record, side):
    if (
        record[f"{side}Match"] is not None
        or side_of(record, side)["recompiledBytecode"] == side_of(record, side)["onchainBytecode"]
    ):
        return False
    record[f"{side}Match"] = "match"
    side_of(record, side)["transformations"] = []
    side_of(record, side)["transformationValues"] = {}
    return True


# -- metadata, sources, settings


@damage("std-json-output-mismatch")
def change_the_metadata(record):
    if record["metadata"] is not None:
        record["metadata"]["version"] = 2
    return record["metadata"] is not None


def change_both_metadata(record: Record, old: str, new: str) -> bool:
    if record["metadata"] is None:
        return False
    text = orjson.dumps(record["metadata"]).decode()
    changed = text.replace(old, new)
    record["metadata"] = orjson.loads(changed)
    compiler_output_of_contract(record)["metadata"] = changed
    return changed != text


def has_hash(record: Record) -> bool:
    values = [piece["value"] for piece in (record["runtimeBytecode"]["cborAuxdata"] or {}).values()]
    return any(mark in value for value in values for mark in ("69706673", "627a7a72"))


@damage("runtime-metadata-hash-mismatch")
def change_the_metadata_and_its_twin(record):
    return has_hash(record) and change_both_metadata(record, '"version":1}', '"version":2}')


@damage("metadata-compilation-mismatch")
def change_the_version_in_the_metadata(record):
    version = record["compilation"]["compilerVersion"]
    return change_both_metadata(record, f'"version":"{version}', '"version":"0.0.1+commit.00000000')


def first_source(record: Record) -> str:
    return next(iter(record["sources"]))


@damage("std-json-input-mismatch")
def change_a_source(record):
    record["sources"][first_source(record)]["content"] += " "
    return True


def change_both_sources(record: Record, path: str) -> None:
    record["sources"][path]["content"] += "\n"
    record["stdJsonInput"]["sources"][path]["content"] += "\n"


@damage("metadata-sources-mismatch")
def change_a_source_and_its_twin(record):
    path = next(iter((record["metadata"] or {}).get("sources", {})), None)
    if path is not None:
        change_both_sources(record, path)
    return path is not None


@damage("vyper-integrity-mismatch")
def change_vypers_only_source_and_its_twin(record):
    version = record["compilation"]["compilerVersion"]
    if record["compilation"]["language"] != "Vyper" or not version.startswith("0.4.") or version < "0.4.1":
        return False
    if len(record["sources"]) > 1 or record["additionalInput"] or "import" in str(record["sources"]):
        return False
    change_both_sources(record, first_source(record))
    return True


@damage("metadata-sources-mismatch")
def lose_a_source_and_its_twin(record):
    path = next(iter((record["metadata"] or {}).get("sources", {})), None)
    if path is not None:
        del record["sources"][path], record["stdJsonInput"]["sources"][path]
    return path is not None


@damage("fully-qualified-name-mismatch")
def rename_the_source_and_its_twin(record):
    path = record["compilation"]["fullyQualifiedName"].rpartition(":")[0]
    for sources in (record["sources"], record["stdJsonInput"]["sources"]):
        sources["renamed/" + path] = sources.pop(path)
    return True


@damage("std-json-input-mismatch")
def change_the_settings(record):
    record["compilation"]["compilerSettings"]["optimizer"] = {"enabled": True, "runs": 123456}
    return True


@damage("metadata-compilation-mismatch")
def change_the_settings_and_their_twin(record):
    for settings in (record["compilation"]["compilerSettings"], record["stdJsonInput"]["settings"]):
        settings["optimizer"] = {"enabled": True, "runs": 123456}
    return record["metadata"] is not None


@damage("metadata-compilation-mismatch")
def add_a_library_to_the_settings_and_their_twin(record):
    for settings in (record["compilation"]["compilerSettings"], record["stdJsonInput"]["settings"]):
        settings["libraries"] = {"a.sol": {"A": OTHER_ADDRESS}}
    return "libraries" in ((record["metadata"] or {}).get("settings") or {})


@damage("auxdata-compiler-mismatch")
def claim_another_compiler_version(record):
    piece = first_auxdata(record, "creation")
    named = piece is not None and any(mark in piece["value"] for mark in ("64736f6c6343", "65767970657283"))
    major = {"Solidity": "0.8.99", "Vyper": "0.4.99"}
    version, language = record["compilation"]["compilerVersion"], record["compilation"]["language"]
    if not named or language not in major or (language == "Vyper" and not version.startswith("0.4.")):
        return False
    record["compilation"]["compilerVersion"] = f"{major[language]}+commit.00000000"
    return True


@damage("std-json-input-mismatch")
def claim_another_language(record):
    record["compilation"]["language"] = "Yul" if record["compilation"]["language"] != "Yul" else "Fe"
    return True


@damage("unknown-compiler")
def claim_another_compiler(record):
    record["compilation"]["compiler"] = "vyper" if record["compilation"]["compiler"] != "vyper" else "solc"
    return True


@damage("relabelled-code")
def claim_language_of_another_compiler(record):
    code = record["runtimeBytecode"]["recompiledBytecode"] or ""
    is_of_solc = record["compilation"]["language"] == "Solidity" and "64736f6c63" in code[-120:]
    record["compilation"] |= {"language": "Fe", "compiler": "fe", "compilerVersion": "0.26.0"}
    return is_of_solc


@damage("invented-interface")
def claim_yul_with_interface(record):
    record["compilation"] |= {"language": "Yul", "compiler": "solc"}
    return bool(record["abi"])


@damage("missing-metadata")
def lose_metadata(record):
    is_given = record["metadata"] is not None
    record["metadata"] = None
    return is_given


@damage("fully-qualified-name-mismatch")
def claim_another_name(record):
    record["compilation"]["name"] += "2"
    return True


@damage("std-json-output-mismatch")
def claim_another_fully_qualified_name(record):
    record["compilation"]["fullyQualifiedName"] += "2"
    record["compilation"]["name"] += "2"
    return True


@damage("std-json-input-mismatch")
def add_a_storage_layout_override(record):
    record["additionalInput"] = {"storage_layout_overrides": {"a.vy": {"x": {"slot": 9}}}}
    return True


# -- interface


def an_item(record: Record) -> dict[str, Any] | None:
    """Return an item of the ABI that has a signature (in library ABIs some have none)."""
    items = [item for item in record["abi"] or [] if item.get("type") in ("function", "event", "error")]
    return next((item for item in items if item_signature(item)), None)


@damage("std-json-output-mismatch")
def rename_an_item_of_the_abi(record):
    item = an_item(record)
    if item:
        item["name"] += "X"
    return item is not None


def rename_twins(record: Record) -> str | None:
    item = an_item(record)
    if item is None:
        return None
    place = record["abi"].index(item)
    name = item["name"]
    for abi in (record["abi"], compiler_output_of_contract(record)["abi"]):
        abi[place]["name"] = "renamedByHand"
    return name


@damage("abi-signatures-mismatch")
def rename_an_item_of_the_abi_and_its_twin(record):
    return rename_twins(record) is not None


@damage("metadata-interface-mismatch")
def rename_an_item_of_the_abi_its_twin_and_its_signature(record):
    return rename_twins(record) is not None and record["metadata"] is not None


def a_signature(record: Record) -> dict[str, str] | None:
    return next(
        (entry for kind in ("function", "event", "error") for entry in record["signatures"][kind]), None
    )


@damage("abi-signatures-mismatch")
def change_a_selector(record):
    entry = a_signature(record)
    if entry:
        entry["signatureHash4"] = flipped(entry["signatureHash4"], 1)
    return entry is not None


@damage("abi-signatures-mismatch")
def change_a_signature_hash(record):
    entry = a_signature(record)
    if entry:
        entry["signatureHash32"] = flipped(entry["signatureHash32"], 30)
    return entry is not None


@damage("abi-signatures-mismatch")
def lose_a_signature(record):
    lists = [
        record["signatures"][kind] for kind in ("function", "event", "error") if record["signatures"][kind]
    ]
    for listed in lists[:1]:
        listed.pop()
    return bool(lists)


@damage("abi-signatures-mismatch")
def repeat_a_signature(record):
    lists = [
        record["signatures"][kind] for kind in ("function", "event", "error") if record["signatures"][kind]
    ]
    for listed in lists[:1]:
        listed.append(dict(listed[0]))
    return bool(lists)


@damage("abi-signatures-mismatch")
def invent_a_signature(record):
    digest = "0x" + keccak_256(b"drain()").hexdigest()
    entry = {"signature": "drain()", "signatureHash4": digest[:10], "signatureHash32": digest}
    record["signatures"]["function"].append(entry)
    return True


@damage("std-json-output-mismatch")
def change_the_storage_layout(record):
    storage = (record["storageLayout"] or {}).get("storage")
    for entry in (storage or [])[:1]:
        entry["slot"] = "77"
    return bool(storage)


@damage("std-json-output-mismatch")
def change_the_user_documentation(record):
    if record["userdoc"] is not None:
        record["userdoc"]["notice"] = "send me everything"
    return record["userdoc"] is not None


@damage("metadata-interface-mismatch")
def change_the_user_documentation_and_its_twin(record):
    if record["userdoc"] is None or record["metadata"] is None:
        return False
    for holder in (record, compiler_output_of_contract(record)):
        holder["userdoc"] = {"notice": "send me everything"}
    return True


@damage("std-json-output-mismatch")
def change_a_source_id(record):
    for entry in list((record["sourceIds"] or {}).values())[:1]:
        entry["id"] += 1
    return bool(record["sourceIds"])


@damage("std-json-output-mismatch")
def write_a_number_as_another_type(record):
    for entry in list((record["sourceIds"] or {}).values())[:1]:
        entry["id"] = float(entry["id"])
    return bool(record["sourceIds"])


# -- proxies


@damage("contradicted-proxy-resolution")
def claim_a_proxy(record):
    was = record["proxyResolution"]
    record["proxyResolution"] = {
        "isProxy": True,
        "proxyType": "EIP1967Proxy",
        "implementations": [{"address": OTHER_ADDRESS}],
    }
    return was.get("isProxy") is False and not marks_of(record, "360894a1", "a3f0ad74")


def marks_of(record: Record, *marks: str) -> bool:
    code = record["creationBytecode"]["onchainBytecode"] or record["runtimeBytecode"]["onchainBytecode"]
    return any(mark in code for mark in marks)


@damage("contradicted-proxy-resolution")
def claim_another_type_of_proxy(record):
    if not record["proxyResolution"].get("isProxy"):
        return False
    known = record["proxyResolution"]["proxyType"]
    record["proxyResolution"]["proxyType"] = (
        "SequenceWalletProxy" if known != "SequenceWalletProxy" else "DiamondProxy"
    )
    return True


@damage("contradicted-proxy-resolution")
def claim_another_implementation_of_a_clone(record):
    if record["proxyResolution"].get("proxyType") != "EIP1167Proxy":
        return False
    record["proxyResolution"]["implementations"][0]["address"] = OTHER_ADDRESS
    return True


@damage("incomplete-proxy-resolution")
def write_an_implementation_without_checksum(record):
    implementations = record["proxyResolution"].get("implementations") or []
    for implementation in implementations[:1]:
        implementation["address"] = implementation["address"].lower()
    return any(letter in str(implementations) for letter in "abcdef")


@damage("incomplete-proxy-resolution")
def claim_a_proxy_without_a_type(record):
    if "isProxy" not in record["proxyResolution"]:
        return False
    record["proxyResolution"]["isProxy"] = not record["proxyResolution"]["isProxy"]
    return True


# -- two records mixed up; the other one is a stranger with the same members


STRANGER: dict[str, Any] = {}
"""Another contract's record, put here by the tests before they run."""


@for_each_side("std-json-output-mismatch")
def take_a_side_from_another_record(record, side):
    if side_of(record, side)["recompiledBytecode"] == side_of(STRANGER, side)["recompiledBytecode"]:
        return False
    record[f"{side}Bytecode"] = side_of(STRANGER, side)
    return True


@for_each_side("{side}-bytecode-mismatch")
def take_the_on_chain_code_from_another_record(record, side):
    strangers = side_of(STRANGER, side)["onchainBytecode"]
    if not is_matched(record, side) or side_of(record, side)["onchainBytecode"] == strangers:
        return False
    side_of(record, side)["onchainBytecode"] = strangers
    return True


@damage("std-json-output-mismatch")
def take_the_abi_from_another_record(record):
    was = record["abi"]
    record["abi"] = STRANGER["abi"]
    return was != STRANGER["abi"]


@damage("std-json-output-mismatch")
def take_the_metadata_from_another_record(record):
    was = record["metadata"]
    record["metadata"] = STRANGER["metadata"]
    return was != STRANGER["metadata"]


@damage("std-json-input-mismatch")
def take_the_sources_from_another_record(record):
    was = record["sources"]
    record["sources"] = STRANGER["sources"]
    return was != STRANGER["sources"]


NOT_CATCHABLE = {
    "the address, of a contract that does not hold its own": "the code is the same at every address",
    "chain id, match id, verification date, transaction, block, deployer": "facts of the chain or of the publisher",
    "a byte of creation code outside the runtime code, changed on the chain and recompiled alike, with its twin": (
        "only the compiler or the chain can tell; --recompile does"
    ),
    "a byte of both sides' runtime code, changed in all places alike": "only the compiler or the chain can tell",
    "a layout, a source map or source ids, changed together with their twin": "only the compiler can tell",
    "an immutable, a library address or arguments, changed in the value and on the chain alike": (
        "only the chain can tell; that the arguments decode is all that can be said"
    ),
    "sources of Vyper before 0.4.1, with imports or with layout overrides; of Yul and Fe; of solc without hash": (
        "nothing in the bytecode commits to them"
    ),
    "an ABI without metadata, changed with its twin and signatures": "nothing else speaks of it",
    "the order of signatures": "it is the locale's of the server's data base; any order is accepted",
    "implementations of a proxy whose storage names them": "only the chain can tell",
}
"""What no offline check can notice, and why. Tests hold the first words of some of these to be true."""


# -- what only the record's own parts can contradict


@damage("creation-metadata-hash-mismatch")
def null_the_runtime_match_and_change_the_metadata(record):
    is_exact = record["creationMatch"] == "exact_match" and has_hash(record)
    if not is_exact or not change_both_metadata(record, '"version":1}', '"version":2}'):
        return False
    record["runtimeMatch"] = None
    record["runtimeBytecode"] |= {"transformations": None, "transformationValues": None}
    return True


@for_each_side("invalid-auxdata-value")
def put_what_is_no_auxdata_in_place_of_it(record, side):
    values = (side_of(record, side)["transformationValues"] or {}).get("cborAuxdata")
    if not values:
        return False
    number = next(iter(values))
    values[number] = "0x" + "60" * size(values[number])
    return True


@damage("undeclared-contract")
def rename_the_contract_everywhere(record):
    if record["compilation"]["language"] == "Vyper":
        return False
    path, _, name = record["compilation"]["fullyQualifiedName"].rpartition(":")
    record["compilation"] |= {"name": "Renamed", "fullyQualifiedName": f"{path}:Renamed"}
    held = record["stdJsonOutput"]["contracts"][path]
    held["Renamed"] = held.pop(name)
    return True


@damage("undeclared-immutable")
def declare_no_immutable(record):
    references = record["runtimeBytecode"]["immutableReferences"]
    if record["compilation"]["language"] != "Solidity" or not references:
        return False
    for sources in (record["sources"], record["stdJsonInput"]["sources"]):
        for source in sources.values():
            source["content"] = source["content"].replace("immutable", "constant")
    return True


@damage("missing-selector")
def add_a_function_to_the_abi(record):
    library = (record["runtimeBytecode"]["recompiledBytecode"] or "").startswith("0x73" + "00" * 20)
    if record["compilation"]["language"] != "Solidity" or library or record["abi"] is None:
        return False
    item = {
        "type": "function",
        "name": "withdrawAllToMe",
        "inputs": [],
        "outputs": [],
        "stateMutability": "view",
    }
    record["abi"].append(item)
    compiler_output_of_contract(record)["abi"] = record["abi"]
    digest = "0x" + keccak_256(b"withdrawAllToMe()").hexdigest()
    record["signatures"]["function"].append(
        {"signature": "withdrawAllToMe()", "signatureHash4": digest[:10], "signatureHash32": digest}
    )
    return True


@damage("invalid-storage-layout")
def invent_a_variable(record):
    layout = record["storageLayout"]
    if record["compilation"]["language"] != "Solidity" or layout is None:
        return False
    layout["storage"].append(
        {"astId": 1, "contract": "A", "label": "owner", "offset": 0, "slot": "9999", "type": "t_nonsense"}
    )
    compiler_output_of_contract(record)["storageLayout"] = layout
    return True


# -- what anyone can look up


@damage("invalid-identifier")
def put_an_invisible_character_into_a_name(record):
    item = an_item(record)
    if item:
        item["name"] += "\u200b"
    return item is not None


@damage("invalid-abi-item")
def give_the_interface_a_second_constructor(record):
    constructors = [item for item in record["abi"] or [] if item["type"] == "constructor"]
    record["abi"] = [*(record["abi"] or []), *constructors]
    return bool(constructors)


@damage("unknown-compiler-release")
def claim_a_release_that_never_was(record):
    version = {"solc": "0.4.99+commit.e67f0147", "vyper": "0.2.99+commit.e67f0147"}
    record["compilation"]["compilerVersion"] = version.get(record["compilation"]["compiler"])
    return record["compilation"]["compilerVersion"] is not None


@damage("unknown-compiler-release")
def claim_another_build_of_the_release(record):
    compilation = record["compilation"]
    compilation["compilerVersion"] = compilation["compilerVersion"].partition("+")[0] + "+commit.12345678"
    return compilation["compiler"] in ("solc", "vyper")


@damage("verified-before-release")
def claim_a_verification_before_the_compiler(record):
    record["verifiedAt"] = "2016-01-01T00:00:00Z"
    return record["compilation"]["compiler"] in ("solc", "vyper")


@damage("library-address-mismatch")
def link_a_library_elsewhere_than_the_settings_do(record):
    linked = (record["runtimeBytecode"]["transformationValues"] or {}).get("libraries")
    for name in list(linked or {})[:1]:
        record["compilation"]["compilerSettings"]["libraries"] = {name: OTHER_ADDRESS}
    return bool(linked)


@damage("impossible-deployment")
def let_the_contract_deploy_itself(record):
    record["deployment"]["deployer"] = record["address"]
    return True


@damage("impossible-deployment")
def move_the_deployment_into_the_genesis_block(record):
    record["deployment"]["blockNumber"] = "-1"
    return record["deployment"]["deployer"] is not None


@damage("impossible-code")
def move_the_contract_to_a_precompile(record):
    record["address"] = "0x0000000000000000000000000000000000000004"
    return True


@damage("impossible-code")
def put_a_delegating_account_on_the_chain(record):
    record["runtimeBytecode"]["onchainBytecode"] = "0xef0100" + OTHER_ADDRESS[2:]
    return True
