"""Match recompiled with on-chain code, and find the match level.

Follows Sourcify's procedure (`lib-sourcify`, Transformations and Verification) step by step, so the list, its
order, the values and the level are what its server would write.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from statuary.base.json_values import Json
from statuary.base.primitives import InvalidValueError
from statuary.contracts.model.abi import TupleType, decode_abi_values, parse_abi_parameters
from statuary.contracts.model.auxdata import LENGTH_BYTES, Auxdata, CodeReference, has_source_hash
from statuary.contracts.model.cbor import is_cbor
from statuary.contracts.model.compiler_evidence import AuxdataStyle, compiler_evidence
from statuary.contracts.model.transformations import (
    TransformationReason,
    TransformationStep,
    TransformationType,
)


class MatchLevel(StrEnum):
    """The level at which recompiled code matches the on-chain code.

    For code that does not match, None is used instead.
    """

    EXACT_MATCH = "exact_match"
    """The same bytes, including a hash that commits to the same sources."""

    MATCH = "match"
    """The same executable code; the hash differs or is missing."""


def decide_match_level(
    *,
    auxdata_sections: Collection[bytes],
    transformations: Iterable[TransformationStep],
    language: str,
    version: str,
) -> MatchLevel:
    """Decide whether matching code is an `exact_match` or only a `match`.

    It is exact if the code contains a hash of the sources, and no transformation replaces the hash.

    Args:
        auxdata_sections: the compiler's metadata in the recompiled code; empty if there is none.
        transformations: the edits that turn the recompiled code into the on-chain code.
        language: the language of the record.
        version: the version of the compiler.
    """
    if (
        any(step.reason is TransformationReason.CBOR_AUXDATA for step in transformations)
        or not auxdata_sections
    ):
        return MatchLevel.MATCH
    style = compiler_evidence(language, version).auxdata
    if style in (AuxdataStyle.SOLIDITY, AuxdataStyle.VYPER) and all(
        has_source_hash(value, style, version) for value in auxdata_sections
    ):
        return MatchLevel.EXACT_MATCH
    return MatchLevel.MATCH


def overall_match_level(creation_level: object, runtime_level: object) -> str | None:
    """Return a contract's `match`: the better of its two match levels.

    Args:
        creation_level: the match level of the creation code; None if it does not match.
        runtime_level: the match level of the runtime code; None if it does not match.

    Returns:
        `exact_match` if either level is, and None if both are None.
    """
    if creation_level is None and runtime_level is None:
        return None
    if MatchLevel.EXACT_MATCH in (creation_level, runtime_level):
        return MatchLevel.EXACT_MATCH.value
    return MatchLevel.MATCH.value


PUSH20 = b"\x73"
CALL_PROTECTION = PUSH20 + bytes(20)
"""The beginning of a library's code before its own address is inserted (Solidity docs, "Call Protection")."""

INVALID = b"\xfe"


class RecompiledSide(NamedTuple):
    """Recompiled creation or runtime code, and its variable parts.

    Attributes:
        code: the bytecode, with zeros for libraries and immutables.
        libraries: the positions of library addresses.
        immutables: the positions of immutables; empty for creation code.
        appended_immutables: the size of immutables that Vyper's creation code appends to the runtime code.
        auxdata: the auxdata sections by number.
    """

    code: bytes
    language: str
    version: str
    libraries: Sequence[CodeReference] = ()
    immutables: Sequence[CodeReference] = ()
    appended_immutables: int = 0
    auxdata: Mapping[str, Auxdata] = MappingProxyType({})


class SideMatch(NamedTuple):
    """A match of creation or runtime code, with the necessary edits.

    `values` are the bytes that the edits (transformations) insert.
    """

    level: MatchLevel
    transformations: tuple[TransformationStep, ...]
    values: Mapping[str, Json]


class MismatchError(InvalidValueError):
    """Raised if recompiled code cannot become the on-chain code."""


@dataclass(slots=True)
class _Attempt:
    """Recompiled code while edits (transformations) are applied to it."""

    code: bytearray
    onchain: bytes
    steps: list[TransformationStep] = field(default_factory=list)
    values: dict[str, str | dict[str, str]] = field(default_factory=dict)

    def copy_onchain_bytes(
        self,
        change_type: TransformationType,
        reason: TransformationReason,
        code_range: CodeReference,
        *,
        values_key: str,
    ) -> None:
        """Copy bytes from the on-chain code, and record the transformation.

        Args:
            change_type: whether the bytes replace others or are inserted.
            code_range: the position of the bytes.
            values_key: the name of the map in `transformationValues` for the bytes.

        Raises:
            MismatchError: if the on-chain code is too short.
        """
        value = self.onchain[code_range.start : code_range.start + code_range.length]
        if len(value) != code_range.length:
            raise MismatchError(
                f"the on-chain code is too short: it ends before the {code_range.length} bytes of {code_range.id} at "
                f"byte {code_range.start}"
            )
        end = code_range.start + (code_range.length if change_type is TransformationType.REPLACE else 0)
        self.code[code_range.start : end] = value
        self.steps.append(
            TransformationStep(type=change_type, reason=reason, offset=code_range.start, id=code_range.id)
        )
        self.values_by_id(values_key)[code_range.id] = "0x" + value.hex()

    def values_by_id(self, values_key: str) -> dict[str, str]:
        values = self.values.setdefault(values_key, {})
        if not isinstance(values, dict):
            raise TypeError(f"{values_key} is not an object with one value for each id")
        return values


def match_runtime(recompiled_side: RecompiledSide, onchain_code: bytes) -> SideMatch | None:
    """Match recompiled runtime code with the code on the chain.

    The compiler leaves gaps for values that it does not know, such as the addresses of libraries.
    Transformations fill them in.

    Returns:
        The match, or None if transformations cannot explain the difference.
    """
    attempt = _Attempt(bytearray(recompiled_side.code), onchain_code)
    if recompiled_side.code.startswith(CALL_PROTECTION):
        attempt.code[1:21] = onchain_code[1:21]
        attempt.steps.append(
            TransformationStep(
                type=TransformationType.REPLACE, reason=TransformationReason.CALL_PROTECTION, offset=1
            )
        )
        attempt.values[TransformationReason.CALL_PROTECTION.value] = "0x" + onchain_code[1:21].hex()
    try:
        for place in recompiled_side.immutables:
            attempt.copy_onchain_bytes(
                TransformationType.REPLACE, TransformationReason.IMMUTABLE, place, values_key="immutables"
            )
        if recompiled_side.appended_immutables:
            end = CodeReference("0", len(recompiled_side.code), recompiled_side.appended_immutables)
            attempt.copy_onchain_bytes(
                TransformationType.INSERT, TransformationReason.IMMUTABLE, end, values_key="immutables"
            )
        return _match_code(recompiled_side, attempt, must_be_equal=True)
    except MismatchError:
        return None


def match_creation(
    recompiled_side: RecompiledSide, onchain_code: bytes, argument_types: TupleType | None
) -> SideMatch | None:
    """Match recompiled creation code with the code on the chain.

    On the chain, the arguments of the constructor follow the code.

    Args:
        argument_types: the types of the constructor's arguments; None if they are invalid.

    Returns:
        The match, or None if arguments and transformations cannot explain the difference.
    """
    attempt = _Attempt(bytearray(recompiled_side.code), onchain_code)
    try:
        side_match = _match_code(recompiled_side, attempt, must_be_equal=False)
        _append_constructor_arguments(attempt, argument_types)
    except InvalidValueError:
        return None
    return SideMatch(side_match.level, tuple(attempt.steps), side_match.values)


def constructor_argument_types(abi: Json) -> TupleType | None:
    """Return the types of the constructor's arguments, from the ABI.

    Returns:
        The types. Empty if there is no constructor; None if a type is invalid.
    """
    for item in abi if isinstance(abi, list) else ():
        if isinstance(item, dict) and item.get("type") == "constructor":
            try:
                return parse_abi_parameters(item.get("inputs"))
            except InvalidValueError:
                return None
    return TupleType(())


def _match_code(side: RecompiledSide, attempt: _Attempt, *, must_be_equal: bool) -> SideMatch:
    # If the code differs from the chain's, copy the auxdata from the chain and compare again.
    for place in side.libraries:
        attempt.copy_onchain_bytes(
            TransformationType.REPLACE, TransformationReason.LIBRARY, place, values_key="libraries"
        )
    if not _codes_match(attempt, must_be_equal=must_be_equal):
        if not side.auxdata:
            raise MismatchError(
                "the recompiled code differs from the on-chain code, and has no auxdata that could explain the difference"
            )
        _copy_onchain_auxdata(side, attempt)
        if not _codes_match(attempt, must_be_equal=must_be_equal):
            raise MismatchError("the recompiled code differs from the on-chain code in more than the auxdata")
    level = decide_match_level(
        auxdata_sections=[piece.value for piece in side.auxdata.values()],
        transformations=attempt.steps,
        language=side.language,
        version=side.version,
    )
    return SideMatch(level, tuple(attempt.steps), attempt.values)


def _codes_match(attempt: _Attempt, *, must_be_equal: bool) -> bool:
    return attempt.onchain == attempt.code if must_be_equal else attempt.onchain.startswith(attempt.code)


def _copy_onchain_auxdata(side: RecompiledSide, attempt: _Attempt) -> None:
    values = attempt.values_by_id("cborAuxdata")
    for number, piece in enumerate(side.auxdata.values(), start=1):
        end = piece.offset + len(piece.value)
        onchain = attempt.onchain[piece.offset : end]
        if not onchain:
            _delete_auxdata(attempt, piece)
            continue
        if not (is_cbor(onchain[:-LENGTH_BYTES]) or is_cbor(onchain)):
            raise MismatchError(
                f"the on-chain code has no valid auxdata at byte {piece.offset}, where the recompiled code "
                "has auxdata"
            )
        attempt.code[piece.offset : end] = onchain
        length = len(piece.value) if len(onchain) != len(piece.value) else None
        attempt.steps.append(_auxdata_step(TransformationType.REPLACE, piece.offset, str(number), length))
        values[str(number)] = "0x" + onchain.hex()


def _delete_auxdata(attempt: _Attempt, auxdata: Auxdata) -> None:
    start = auxdata.offset - len(INVALID)  # solc writes the opcode INVALID before auxdata
    if attempt.code[max(start, 0) : auxdata.offset] != INVALID:
        raise MismatchError(
            f"the auxdata at byte {auxdata.offset} of the recompiled code does not follow an INVALID opcode"
        )
    length = len(INVALID) + len(auxdata.value)
    del attempt.code[start : start + length]
    attempt.steps.append(_auxdata_step(TransformationType.DELETE, start, None, length))


def _auxdata_step(
    change_type: TransformationType, offset: int, auxdata_number: str | None, length: int | None
) -> TransformationStep:
    return TransformationStep(
        type=change_type,
        reason=TransformationReason.CBOR_AUXDATA,
        offset=offset,
        id=auxdata_number,
        length=length,
    )


def _append_constructor_arguments(attempt: _Attempt, argument_types: TupleType | None) -> None:
    arguments = attempt.onchain[len(attempt.code) :]
    if not arguments:
        return
    if argument_types is None:
        raise MismatchError(
            "the on-chain code has constructor arguments, but the ABI has no valid types for them"
        )
    decode_abi_values(argument_types, arguments)
    offset = len(attempt.code)
    attempt.steps.append(
        TransformationStep(
            type=TransformationType.INSERT, reason=TransformationReason.CONSTRUCTOR_ARGUMENTS, offset=offset
        )
    )
    attempt.values[TransformationReason.CONSTRUCTOR_ARGUMENTS.value] = "0x" + arguments.hex()
