"""Match both sides of a compiled contract with its on-chain code."""

from statuary.domain.contracts.bytecode.auxdata import AuxdataStyle, auxdata_style, parse_auxdata
from statuary.domain.contracts.bytecode.auxdata_positions import AuxdataByNumber
from statuary.domain.contracts.bytecode.code_references import parse_immutable_references
from statuary.domain.contracts.bytecode.matching import (
    RecompiledSide,
    SideMatch,
    constructor_inputs,
    match_creation,
    match_runtime,
)
from statuary.domain.contracts.compiled_members import SOLIDITY, CompiledMembers
from statuary.domain.contracts.jsonb_order import in_jsonb_order
from statuary.domain.json_values import Json
from statuary.domain.primitives import Hex, InvalidValueError

SideMatches = tuple[SideMatch | None, SideMatch | None]
"""The matches of creation and runtime code; None for a side that is unknown or does not match."""


def match_sides(compiled: CompiledMembers, creation: Hex | None, runtime: Hex | None) -> SideMatches:
    """Return how the compiled code matches the on-chain code."""
    contract, auxdata = compiled.contract, compiled.auxdata
    language, version = compiled.language, compiled.version
    creation_side = RecompiledSide(
        code=contract.creation.code,
        libraries=contract.creation.libraries,
        auxdata=auxdata.creation,
        language=language,
        version=version,
    )
    immutables = contract.runtime.artifact.get("immutableReferences") if language == SOLIDITY else None
    runtime_side = RecompiledSide(
        code=contract.runtime.code,
        libraries=contract.runtime.libraries,
        immutables=parse_immutable_references(immutables),
        appended_immutables=appended_immutables_size(auxdata.creation, language, version),
        auxdata=auxdata.runtime,
        language=language,
        version=version,
    )
    inputs = constructor_inputs(contract.artifact.get("abi"))
    return (
        match_creation(creation_side, bytes.fromhex(creation[2:]), inputs) if creation else None,
        match_runtime(runtime_side, bytes.fromhex(runtime[2:])) if runtime else None,
    )


def transformation_members(match: SideMatch | None) -> dict[str, Json]:
    """Return the members of a record that state how a side matches."""
    return {
        "transformations": [step.as_json() for step in match.transformations] if match else None,
        "transformationValues": in_jsonb_order(match.values) if match else None,
    }


def appended_immutables_size(creation: AuxdataByNumber, language: str, version: str) -> int:
    """Return the size of the immutables after the runtime code, from Vyper's creation code (0.3.10 on)."""
    style = auxdata_style(language, version)
    if style is not AuxdataStyle.VYPER or "1" not in creation:
        return 0
    try:
        return parse_auxdata(creation["1"].value, style).immutable_size or 0
    except InvalidValueError:
        return 0
