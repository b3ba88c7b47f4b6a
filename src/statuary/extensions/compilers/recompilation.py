"""Compare a record with new output of its compiler."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from statuary.base.findings import Pointer
from statuary.base.json_values import Json, JsonObject, NumberText, as_list, as_object, as_text
from statuary.base.primitives import InvalidValueError, shorten
from statuary.base.rules import rule_of_function
from statuary.contracts.checks.check import Violation
from statuary.contracts.checks.record_view import encode_compact_json, format_json_line, is_same_json
from statuary.contracts.model.compiler import CompilerVersion, parse_compiler_version
from statuary.contracts.model.derivation import (
    compiled_record_members,
    match_creation_and_runtime,
    split_qualified_name,
    transformation_members,
)
from statuary.contracts.model.matching import MatchLevel
from statuary.contracts.model.record import RecordValue
from statuary.contracts.model.storage_layout import LARGEST_EXACT
from statuary.contracts.model.transformations import parse_transformation, transformation_value_text

MATCH_RANK: Final = {None: 0, MatchLevel.MATCH.value: 1, MatchLevel.EXACT_MATCH.value: 2}

MATCH_MEMBERS: Final = ("creationMatch", "runtimeMatch")
TRANSFORMATION_MEMBERS: Final = ("transformations", "transformationValues")

NUMBERED_MEMBERS: Final = ("cborAuxdata", "immutableReferences")
"""Objects whose keys may be those of another submission with the same code, so that only values are compared."""

LAYOUTS: Final = ("storageLayout", "transientStorageLayout")

OMITTED_BY_TOOL_CHAINS: Final = (*LAYOUTS, "sourceIds")
"""Members that are null in records from tool chains that do not request them."""

OMISSION_HINT: Final = "add the contract again with --compiler to complete the record"
HINT: Final = "the sources, the settings, the compiler version or this member is wrong"


def recompilation_mismatch(record: RecordValue, recompiled: Mapping[Pointer, Json]) -> Iterator[Violation]:
    """Recompiling a record must give the same values for every member that follows from the output.

    Args:
        record: the record.
        recompiled: the members that follow from the compiler's output, by pointer.
    """
    for member, value in recompiled.items():
        if member[-1] in (*MATCH_MEMBERS, *TRANSFORMATION_MEMBERS):
            continue
        recorded = record_value_at(record, member)
        if not is_same_json(recorded, value) and not _is_same_value_respelled(member, recorded, value):
            pointer, recorded_part, compiled_part = find_first_difference(recorded, value, member)
            hint = OMISSION_HINT if is_optional_output_missing(record, member) else HINT
            yield Violation(
                f"{'.'.join(map(str, pointer))} {_describe_difference(recorded_part, compiled_part)}",
                pointer,
                hint,
            )
    for side in ("creation", "runtime"):
        yield from _match_violations(record, recompiled, side)


RULES = (rule_of_function(recompilation_mismatch, "recompile"),)
"""The rule that needs compilers; it runs with `--recompile` only."""


def is_optional_output_missing(record: RecordValue, pointer: Pointer) -> bool:
    """Return whether a contract's record lacks an optional compiler output.

    Some tools omit such outputs. The record then has null, although the compiler can produce the value.

    Args:
        pointer: the path of the output in the record.
    """
    return pointer[0] in OMITTED_BY_TOOL_CHAINS and record_value_at(record, pointer) is None


def _match_violations(
    record: RecordValue, recompiled: Mapping[Pointer, Json], code_kind: str
) -> Iterator[Violation]:
    claimed = record[f"{code_kind}Match"]
    compiled = as_text(recompiled[f"{code_kind}Match",]) or None
    if claimed is None:
        return
    if MATCH_RANK.get(claimed, 2) > MATCH_RANK[compiled]:
        yield Violation(
            f"{code_kind}Match is {format_json_line(claimed)}, the compiler's output gives {format_json_line(compiled)}",
            (f"{code_kind}Match",),
            HINT,
        )
    name = f"{code_kind}Bytecode"
    recompiled_members = {member: recompiled[name, member] for member in TRANSFORMATION_MEMBERS}
    if compiled is not None and _sorted_transformations(record[name]) != _sorted_transformations(
        recompiled_members
    ):
        yield Violation(
            f"{name}.transformations differ from those that the compiler's output gives",
            (name, "transformations"),
            HINT,
        )


def _sorted_transformations(bytecode: Mapping[str, Json]) -> list[tuple[Json, ...]] | None:
    """Return the type, position and value of each transformation, sorted.

    A transformation is a change that makes compiled code equal to the code on the chain, such as a library's
    address. Its id is left out: it may come from another contract with the same code.

    Returns:
        The transformations, or None if one is malformed.
    """
    values = as_object(bytecode["transformationValues"])
    try:
        steps = [parse_transformation(step) for step in as_list(bytecode["transformations"])]
        texts = [transformation_value_text(step, values) for step in steps]
    except InvalidValueError:
        return None
    return sorted(
        (step.offset, step.type, step.reason, -1 if step.length is None else step.length, text)
        for step, text in zip(steps, texts, strict=True)
    )


def _is_same_value_respelled(pointer: Pointer, recorded: Json, recompiled: Json) -> bool:
    # Other submissions and JavaScript servers write some numbers and ids differently.
    if pointer[-1] in NUMBERED_MEMBERS:
        return _have_same_values(recorded, recompiled)
    return pointer[-1] in LAYOUTS and is_same_except_rounding(
        _with_null_types(recorded), _with_null_types(recompiled)
    )


def _with_null_types(layout: Json) -> Json:
    # solc writes null, and Foundry an empty object.
    if isinstance(layout, dict) and layout.get("types") == {}:
        return {**layout, "types": None}
    return layout


def is_same_except_rounding(recorded: Json, recompiled: Json) -> bool:
    """Return whether two storage layouts are equal except for rounded numbers.

    JavaScript rounds integers above 2^53, so layouts from servers written in it differ there. Keys must be in
    the same order.

    Args:
        recorded: the layout in a contract's record.
        recompiled: the layout that the compiler wrote.
    """
    if isinstance(recorded, dict) and isinstance(recompiled, dict):
        return list(recorded) == list(recompiled) and all(
            is_same_except_rounding(value, recompiled[key]) for key, value in recorded.items()
        )
    numbers = [_round_large_number(value) for value in (recorded, recompiled)]
    return is_same_json(recorded, recompiled) if None in numbers else numbers[0] == numbers[1]


def _round_large_number(value: Json) -> float | None:
    if not isinstance(value, int | float | NumberText):
        return None
    number = float(value)
    return number if number > LARGEST_EXACT else None


def _have_same_values(recorded: Json, recompiled: Json) -> bool:
    return (
        isinstance(recorded, dict)
        and isinstance(recompiled, dict)
        and _sorted_values(recorded) == _sorted_values(recompiled)
    )


def _sorted_values(value: dict[str, Json]) -> list[bytes]:
    return sorted(encode_compact_json(item, sort_keys=True) or b"" for item in value.values())


class FirstDifference(NamedTuple):
    """The first place where two JSON values differ."""

    pointer: Pointer
    recorded: Json
    recompiled: Json


def find_first_difference(recorded: Json, recompiled: Json, pointer: Pointer) -> FirstDifference:
    """Return the first place where two JSON values differ.

    Lists of different lengths differ as a whole. A missing key counts as null.

    Args:
        recorded: the value in the record.
        recompiled: the value from the compiler.
        pointer: the keys and indexes that lead to the values in the record.
    """
    if isinstance(recorded, dict) and isinstance(recompiled, dict):
        pairs = ((key, recorded.get(key), recompiled.get(key)) for key in {**recorded, **recompiled})
    elif isinstance(recorded, list) and isinstance(recompiled, list) and len(recorded) == len(recompiled):
        pairs = ((index, *pair) for index, pair in enumerate(zip(recorded, recompiled, strict=True)))
    else:
        return FirstDifference(pointer, recorded, recompiled)
    for key, recorded_value, recompiled_value in pairs:
        if not is_same_json(recorded_value, recompiled_value):
            return find_first_difference(recorded_value, recompiled_value, (*pointer, key))
    return FirstDifference(pointer, recorded, recompiled)


def _describe_difference(recorded: Json, recompiled: Json) -> str:
    if isinstance(recorded, str) and isinstance(recompiled, str) and max(len(recorded), len(recompiled)) > 60:
        return _describe_text_difference(recorded, recompiled)
    return f"is {_shorten_json(recorded)}, the compiler gives {_shorten_json(recompiled)}"


def _describe_text_difference(recorded: str, recompiled: str) -> str:
    pairs = enumerate(zip(recorded, recompiled, strict=False))
    position = next(
        (
            position
            for position, (recorded_character, recompiled_character) in pairs
            if recorded_character != recompiled_character
        ),
        min(len(recorded), len(recompiled)),
    )
    if recorded.startswith("0x") and recompiled.startswith("0x"):
        unit = "byte"
        position = position // 2 - 1
        sizes = (len(recorded) // 2 - 1, len(recompiled) // 2 - 1)
    else:
        unit = "character"
        sizes = (len(recorded), len(recompiled))
    return f"has {sizes[0]:,} {unit}s, the compiler gives {sizes[1]:,}; the first difference is at {unit} {position:,}"


def _shorten_json(value: Json) -> str:
    return shorten(value) if isinstance(value, str) else format_json_line(value)[:80]


def record_value_at(record: RecordValue, pointer: Pointer) -> Json:
    """Follow a list of keys to a value in a contract's record.

    Returns:
        The value, or None if a key is missing.
    """
    value: Json = record
    for key in pointer:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def recompiled_members(record: RecordValue, std_json_output: Json) -> dict[Pointer, Json]:
    """Return the values that a contract's record should have, from compiler output.

    For example, the bytecode, the ABI and the match levels. A check compares these values with the record.

    Args:
        record: the record that was recompiled.
        std_json_output: the output of the compiler.

    Returns:
        The values by pointer: the keys that lead to the value in the record.

    Raises:
        InvalidValueError: if the output is incomplete or cannot be parsed.
    """
    compilation = record["compilation"]
    compiled = compiled_record_members(
        std_json_output,
        compilation["fullyQualifiedName"],
        language=compilation["language"],
        version=compilation["compilerVersion"],
    )
    sides = ("creation", "runtime")
    onchain = [record[f"{side}Bytecode"]["onchainBytecode"] for side in sides]
    members: dict[Pointer, Json] = {}
    for side, artifacts, match in zip(
        sides,
        (compiled.creation, compiled.runtime),
        match_creation_and_runtime(compiled, *onchain),
        strict=True,
    ):
        members[f"{side}Match",] = match and match.level.value
        for name, value in {**artifacts, **transformation_members(match)}.items():
            members[f"{side}Bytecode", name] = value
    members |= {(name,): value for name, value in compiled.artifacts.items()}
    return members | {("sourceIds",): compiled.source_ids}


CODE_ARTIFACTS = (
    "evm.bytecode.object",
    "evm.bytecode.sourceMap",
    "evm.bytecode.linkReferences",
    "evm.deployedBytecode.object",
    "evm.deployedBytecode.sourceMap",
    "evm.deployedBytecode.linkReferences",
)
"""The outputs of solc for Yul, which it also has for Solidity."""

SOLIDITY_ARTIFACTS = (
    *CODE_ARTIFACTS,
    "evm.deployedBytecode.immutableReferences",
    "evm.legacyAssembly",
    "abi",
    "metadata",
    "userdoc",
    "devdoc",
    "storageLayout",
    "transientStorageLayout",
)
"""The outputs that a record is derived from; versions of solc ignore names that they do not know."""

VYPER_ARTIFACTS = ("evm.bytecode.object", "evm.deployedBytecode.object", "abi", "userdoc", "devdoc")
"""Outputs of every Vyper version."""

OPTIONAL_VYPER_ARTIFACTS = {
    "layout": ("storageLayout",),
    "evm.bytecode.sourceMap": ("creationBytecode", "sourceMap"),
    "evm.deployedBytecode.sourceMap": ("runtimeBytecode", "sourceMap"),
}
"""Outputs that only some versions of Vyper accept, with their places in the record."""

VYPER_ARTIFACTS_SINCE = {
    "evm.deployedBytecode.sourceMap": CompilerVersion(0, 2, 0),
    "evm.bytecode.sourceMap": CompilerVersion(0, 4, 0),
    "layout": CompilerVersion(0, 4, 1),
}
"""The first version of Vyper for which Sourcify stores each output (MEASUREMENTS.md, records)."""

LAYOUT_KEYS = ("type", "slot", "n_slots")
"""The keys of a variable in Vyper's layouts, in Vyper's order."""


def recompilation_input(record: RecordValue) -> JsonObject:
    """Return the compiler input for compiling a contract's sources again.

    It requests the outputs that the record contains.

    Raises:
        DerivationError: if the fully qualified name in the record is invalid.
    """
    std_json_input = record["stdJsonInput"]
    compilation = record["compilation"]
    language = std_json_input["language"]
    artifacts = output_names_in_records(language, compilation["compilerVersion"])
    if language == "Vyper":
        in_record = (
            name for name, place in OPTIONAL_VYPER_ARTIFACTS.items() if record_value_at(record, place)
        )
        artifacts = tuple(dict.fromkeys((*artifacts, *in_record)))
    return select_compiler_outputs(
        _sort_layout_overrides(std_json_input), compilation["fullyQualifiedName"], artifacts
    )


def select_compiler_outputs(
    std_json_input: JsonObject, fully_qualified_name: str, output_names: tuple[str, ...]
) -> JsonObject:
    """Return compiler input that selects some outputs of one contract.

    Args:
        std_json_input: the standard JSON input.
        fully_qualified_name: the path of the contract's source, a colon, and its name.
        output_names: the names of the outputs, such as `abi`.

    Raises:
        DerivationError: if the fully qualified name is invalid.
    """
    path, name = split_qualified_name(fully_qualified_name)
    selection: Json = (
        list(output_names) if std_json_input["language"] == "Vyper" else {name: list(output_names)}
    )
    settings = {**as_object(std_json_input["settings"]), "outputSelection": {path: selection}}
    return {**std_json_input, "settings": settings}


def request_all_outputs(
    std_json_input: JsonObject, contract_names: Iterable[str], version: str
) -> JsonObject:
    """Change compiler input to request every output that records contain.

    Args:
        std_json_input: the standard JSON input.
        contract_names: the contracts of which to request outputs, such as `src/Fare.sol:Fare`; `*:*` selects
            all.
        version: the version of the compiler.

    Returns:
        A copy of the input.

    Raises:
        DerivationError: if a name is invalid.
    """
    language = as_text(std_json_input["language"])
    artifacts: Json = list(output_names_in_records(language, version))
    selection: dict[str, Json] = {}
    for path, name in map(split_qualified_name, contract_names):
        of_path = {**as_object(selection.get(path)), name: artifacts}
        selection[path] = artifacts if language == "Vyper" else of_path
    settings = {**as_object(std_json_input["settings"]), "outputSelection": selection}
    return {**std_json_input, "settings": settings}


def output_names_in_records(language: str, version: str) -> tuple[str, ...]:
    """Return the names of the compiler outputs that contract records contain.

    Args:
        language: the language of the sources, such as `Vyper`.
        version: the version of the compiler.
    """
    if language == "Vyper":
        parsed = parse_compiler_version(version)
        return (*VYPER_ARTIFACTS, *(name for name, since in VYPER_ARTIFACTS_SINCE.items() if parsed >= since))
    return CODE_ARTIFACTS if language == "Yul" else SOLIDITY_ARTIFACTS


def _sort_layout_overrides(std_json_input: JsonObject) -> JsonObject:
    """Sort the storage slots that a contract's author chose, in Vyper's order.

    In Vyper 0.4.1, the hash of the sources depends on the order of these `storage_layout_overrides`. Databases
    that store JSON as `jsonb` lose it.
    """
    overrides = std_json_input.get("storage_layout_overrides")
    if not isinstance(overrides, dict):
        return std_json_input
    ordered = {path: _order_layout_keys(layout) for path, layout in overrides.items()}
    return {**std_json_input, "storage_layout_overrides": ordered}


def _order_layout_keys(layout: Json) -> Json:
    if not isinstance(layout, dict):
        return layout
    members = {key: layout[key] for key in LAYOUT_KEYS if key in layout}
    return {
        **members,
        **{key: _order_layout_keys(inner) for key, inner in layout.items() if key not in members},
    }
