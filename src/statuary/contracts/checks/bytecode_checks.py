"""Checks that transformations turn the compiled code into the on-chain code."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from statuary.base.findings import Pointer, Severity
from statuary.base.json_values import Json, as_object, as_text
from statuary.base.primitives import InvalidValueError, shorten
from statuary.base.rules import check
from statuary.contracts.checks.check import (
    Evidence,
    Match,
    NotApplicable,
    NotKnown,
    Observation,
    Violation,
    reads_only_compilation,
    required_for,
)
from statuary.contracts.checks.record_view import RecordView, SideView, decode_lowercase_hex, format_json_line
from statuary.contracts.model.matching import MatchLevel, decide_match_level, overall_match_level
from statuary.contracts.model.open_lists import COMPILERS, is_plausible_name
from statuary.contracts.model.transformations import (
    ReplayError,
    TransformationReason,
    TransformationStep,
    TransformationType,
    UnknownTransformationError,
    first_differing_offset,
    transformation_value_bytes,
    transformation_value_keys,
)

_SINGLE_VALUES = ("callProtection", "constructorArguments")

_GROUPS_OF_VALUES = ("cborAuxdata", "immutables", "libraries")

_PUSH0, _CODECOPY, _RETURN, _MAX_PUSHED_SIZE = 0x5F, 0x39, 0xF3, 4

_VERSIONS: Final = {
    "solc": re.compile(r"\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?\+commit\.[0-9a-f]{7,8}(\.mod)?"),
    "vyper": re.compile(r"\d+\.\d+\.\d+((b|rc|a)\d+)?(\+commit\.[0-9a-f]{7,8})?"),
    "fe": re.compile(r"v?\d+\.\d+\.\d+(-(alpha|beta|rc)(\.\d+)?)?(\+commit\.[0-9a-f]{7,8})?"),
}


@check
def invalid_hex(record: RecordView) -> Iterator[Observation]:
    """Bytecode, auxdata and transformation values must be `0x` and whole bytes in lower-case hex.

    Auxdata is metadata that compilers append to code. Transformations turn compiled into on-chain code.
    """
    count = 0
    for side in record.sides:
        for pointer, text, data in _hex_members(side):
            count += 1
            if data is None:
                yield Violation(
                    f"{pointer[-1]} {shorten(text) if isinstance(text, str) else repr(text)} is not lower-case hex",
                    pointer,
                    "write 0x and an even number of lower-case hex digits",
                )
    if count:
        yield Evidence({"texts": count})


def _hex_members(side: SideView) -> Iterator[tuple[Pointer, Json, bytes | None]]:
    # Yield each string that must be hex, with its bytes, which are None if it is not.
    for member, data in (
        ("onchainBytecode", side.onchain_code),
        ("recompiledBytecode", side.recompiled_code),
    ):
        if side.value.get(member) is not None:
            yield (side.member, member), side.value[member], data
    for pointer, text in _short_hex_members(side):
        yield pointer, text, decode_lowercase_hex(text)


def _short_hex_members(side: SideView) -> Iterator[tuple[Pointer, Json]]:
    for number, piece in as_object(side.value.get("cborAuxdata")).items():
        yield (side.member, "cborAuxdata", number, "value"), as_object(piece).get("value")
    where = (side.member, "transformationValues")
    for member in _SINGLE_VALUES:
        if member in side.transformation_values:
            yield (*where, member), side.transformation_values[member]
    for group in _GROUPS_OF_VALUES:
        for key, text in as_object(side.transformation_values.get(group)).items():
            yield (*where, group, key), text


@check
@reads_only_compilation
def unknown_compiler(record: RecordView) -> Iterator[Observation]:
    """The compiler must be one for the record's language. An unknown compiler is only noted."""
    compiler = as_text(record.compilation.get("compiler"))
    if not record.is_known:
        is_language = record.language not in COMPILERS
        member, value = ("language", record.language) if is_language else ("compiler", compiler)
        pointer = ("compilation", member)
        if is_plausible_name(value):
            yield NotKnown(member, value, pointer)
        else:
            yield Violation(f"{value[:80]!a} is not the name of a {member}", pointer)
        return
    yield Evidence({"language": record.language, "compiler": compiler, "version": record.version[:80]})
    expected = COMPILERS[record.language]
    if compiler != expected:
        yield Violation(
            f"{record.language} is not compiled by {compiler!r}",
            ("compilation", "compiler"),
            f"known pairs: {', '.join(f'{language}/{name}' for language, name in COMPILERS.items())}",
        )
    elif not _VERSIONS[expected].fullmatch(record.version):
        yield Violation(
            f"{record.version[:80]!r} is not a version of {expected}", ("compilation", "compilerVersion")
        )


@check
def inconsistent_transformations(record: RecordView) -> Iterator[Observation]:
    """Creation or runtime code must have transformations with values if it matches, and none otherwise.

    Transformations are edits that turn compiled into on-chain code, such as inserting the address of a library.
    """
    for side in record.sides:
        for member in ("transformations", "transformationValues"):
            is_given = side.value.get(member) is not None
            if is_given != (side.claimed_level is not None):
                yield Violation(
                    f"{side.name}Match is {format_json_line(side.claimed_level)}, but {member} is"
                    f" {'given' if is_given else 'null'}",
                    (side.member, member),
                )
        for place, step in enumerate(side.transformation_steps_or_errors):
            pointer = (side.member, "transformations", place)
            if isinstance(step, UnknownTransformationError) and _find_unknown_transformation(side):
                yield NotKnown("transformation", step.word, pointer)
            elif isinstance(step, InvalidValueError):
                yield Violation(str(step), pointer)
        yield Evidence({side.name: "matched" if side.claimed_level is not None else "not matched"})


@check
@required_for(Match("creation"))
def creation_bytecode_mismatch(record: RecordView) -> Iterator[Observation]:
    """The transformations must turn the recompiled creation bytecode into the on-chain bytecode.

    Transformations are edits, such as inserting the address of a library.
    """
    return _replay_violations(record.creation)


@check
@required_for(Match("runtime"))
def runtime_bytecode_mismatch(record: RecordView) -> Iterator[Observation]:
    """The transformations must turn the recompiled runtime bytecode into the on-chain bytecode.

    Transformations are edits, such as inserting the address of a library.
    """
    return _replay_violations(record.runtime)


def _replay_violations(side: SideView) -> Iterator[Observation]:
    if side.claimed_level is None:
        yield NotApplicable(f"the {side.name} bytecode is not claimed to match")
        return
    for member in ("onchainBytecode", "recompiledBytecode"):
        if side.value.get(member) in (None, "0x"):
            yield Violation(
                f"{side.name}Match is {format_json_line(side.claimed_level)}, but {member} is {format_json_line(side.value.get(member))}",
                (side.member, member),
            )
            return
    replayed = side.replayed_code
    if unknown := _find_unknown_transformation(side):
        yield unknown
    elif isinstance(replayed, ReplayError):
        yield Violation(str(replayed), (side.member, "transformations", replayed.step))
    elif replayed is None or side.onchain_code is None:
        yield Violation("the replay cannot run: a bytecode or a transformation is malformed", (side.member,))
    else:
        yield Evidence({"transformations": len(side.transformations or ()), "bytes": len(replayed)})
        if (place := first_differing_offset(replayed, side.onchain_code)) is not None:
            yield _bytecode_violation(side, replayed, side.onchain_code, place)


def _find_unknown_transformation(side: SideView) -> NotKnown | None:
    if side.transformations is not None:
        return None  # every step is known
    errors = [
        step for step in side.transformation_steps_or_errors if isinstance(step, UnknownTransformationError)
    ]
    if not errors or side.recomputed_match is not None or not is_plausible_name(errors[0].word):
        return None
    return NotKnown("transformation", errors[0].word, (side.member, "transformations"))


def _bytecode_violation(side: SideView, replayed_code: bytes, onchain_code: bytes, offset: int) -> Violation:
    return Violation(
        f"the transformations give {len(replayed_code):,} bytes that differ from the {len(onchain_code):,} on the chain"
        f" at byte {offset:,}: 0x{replayed_code[offset : offset + 8].hex()} instead of 0x{onchain_code[offset : offset + 8].hex()}",
        (side.member, "onchainBytecode"),
        "verify the contract again; this record does not reproduce what is on the chain",
    )


@check
@required_for(Match("creation"))
def creation_transformations_mismatch(record: RecordView) -> Iterator[Observation]:
    """The creation code must have the transformations and values that Sourcify's matching finds.

    Transformations are edits that turn compiled into on-chain code.
    """
    return _rematch_violations(record.creation)


@check
@required_for(Match("runtime"))
def runtime_transformations_mismatch(record: RecordView) -> Iterator[Observation]:
    """The runtime code must have the transformations and values that Sourcify's matching finds.

    Transformations are edits that turn compiled into on-chain code.
    """
    return _rematch_violations(record.runtime)


class _Position(NamedTuple):
    reason: str
    type: str
    offset: int
    length: int | None


def _rematch_violations(side: SideView) -> Iterator[Observation]:
    if side.claimed_level is None:
        yield NotApplicable(f"the {side.name} bytecode is not claimed to match")
        return
    if unknown := _find_unknown_transformation(side):
        yield unknown
        return
    if side.recomputed_match is None:
        yield Violation(
            f"Sourcify's procedure finds no match between recompiled and on-chain {side.name} bytecode",
            (f"{side.name}Match",),
            "verify the contract again",
        )
        return
    if side.transformations is None:
        return  # another check names the element that cannot be read
    steps, own_steps = side.recomputed_match.transformations, side.transformations
    yield Evidence({"transformations": len(steps)})
    has_places = len({step.offset for step in steps}) == len(steps)
    if has_places and steps == own_steps and side.recomputed_match.values == side.transformation_values:
        return  # the usual case; otherwise, the differences are yielded below
    yield from _position_differences(side, steps, own_steps)
    yield from _value_differences(side, steps, own_steps)


def _position_differences(
    side: SideView,
    expected_steps: tuple[TransformationStep, ...],
    recorded_steps: tuple[TransformationStep, ...],
) -> Iterator[Violation]:
    expected = Counter(map(_step_position, expected_steps))
    recorded_places = Counter(map(_step_position, recorded_steps))
    pointer = (side.member, "transformations")
    for place in sorted((expected - recorded_places).keys(), key=str)[:1]:
        yield Violation(
            f"the record does not list a {_format_position(place)}, which follows from the bytecode", pointer
        )
    for place in sorted((recorded_places - expected).keys(), key=str)[:1]:
        yield Violation(
            f"the record lists a {_format_position(place)}, which does not follow from the bytecode", pointer
        )
    if expected == recorded_places and [_step_position(step) for step in expected_steps] != [
        _step_position(step) for step in recorded_steps
    ]:
        yield Violation("the transformations are not in Sourcify's order", pointer, severity=Severity.NOTE)


def _format_position(position: _Position) -> str:
    length = "" if position.length is None else f" of length {position.length}"
    return f"{position.reason} transformation of type {position.type}{length} at byte {position.offset}"


def _value_differences(
    side: SideView,
    expected_steps: tuple[TransformationStep, ...],
    recorded_steps: tuple[TransformationStep, ...],
) -> Iterator[Violation]:
    if side.recomputed_match is None:
        return
    pointer = (side.member, "transformations")
    by_place = {_step_position(step): step for step in expected_steps}
    pairs = [
        (step, by_place[_step_position(step)]) for step in recorded_steps if _step_position(step) in by_place
    ]
    for step, other_step in pairs:
        if not _have_same_value(step, side.transformation_values, other_step, side.recomputed_match.values):
            yield Violation(
                f"the value of the {step.reason} transformation at byte {step.offset} differs from the bytecode",
                pointer,
            )
    yield from _transformation_id_differences(pairs, pointer)
    unused = transformation_value_keys(side.transformation_values) - {
        (step.reason.value, _value_key(step)) for step in recorded_steps
    }
    for reason, key in sorted(unused, key=str):
        yield Violation(
            f"no transformation uses the {reason} value {key or ''}".rstrip(),
            (side.member, "transformationValues"),
        )


def _transformation_id_differences(
    step_pairs: list[tuple[TransformationStep, TransformationStep]], pointer: Pointer
) -> Iterator[Violation]:
    # Compare the ids of the record's transformations with those of the compiler's output. They may differ if
    # another compilation made equal code, but each id must stand for one value.
    id_pairs = {
        ((own_step.reason, own_step.id), (other_step.reason, other_step.id))
        for own_step, other_step in step_pairs
    }
    if len(id_pairs) != len({own_step for own_step, _ in id_pairs}) or len(id_pairs) != len(
        {other_step for _, other_step in id_pairs}
    ):
        yield Violation("the compiler's output has two values for one id, or two ids for one value", pointer)
    elif any(own_step != other_step for own_step, other_step in id_pairs):
        yield Violation(
            "the ids of the transformations differ from those in the compiler's output",
            pointer,
            severity=Severity.NOTE,
        )


def _have_same_value(
    step: TransformationStep,
    values: Mapping[str, Json],
    other_step: TransformationStep,
    other_values: Mapping[str, Json],
) -> bool:
    try:
        return transformation_value_bytes(step, values) == transformation_value_bytes(
            other_step, other_values
        )
    except InvalidValueError:
        return False


def _value_key(step: TransformationStep) -> str | None:
    return None if step.reason in ("callProtection", "constructorArguments") else step.id


def _step_position(step: TransformationStep) -> _Position:
    return _Position(step.reason.value, step.type.value, step.offset, step.length)


@check
@required_for(Match("creation", is_exact=True))
@reads_only_compilation
def creation_deploys_other_code(record: RecordView) -> Iterator[Observation]:
    """The recompiled creation bytecode must begin with code that returns the recompiled runtime bytecode.

    Creation code runs once, and returns the runtime code, which stays at the address.
    """
    side = record.creation
    creation, runtime = side.recompiled_code, record.runtime.recompiled_code
    if side.claimed_level is None or not creation or not runtime:
        yield NotApplicable("there is no matching creation bytecode, or no recompiled runtime bytecode")
        return
    if not side.is_exact and record.runtime.claimed_level is None:
        yield NotApplicable("the runtime bytecode is not claimed to match")
        return  # a constructor may return other code than the compiler's
    place = creation.find(runtime)
    yield Evidence({"at": place, "bytes": len(runtime)})
    if place <= 0:
        yield Violation(
            "the recompiled creation bytecode does not contain the recompiled runtime bytecode after a constructor",
            ("runtimeBytecode", "recompiledBytecode"),
            "take both from one run of the compiler",
        )
    elif not _copies_and_returns_range(
        creation[:place] + creation[place + len(runtime) :], place, len(runtime)
    ):
        yield Violation(
            f"the constructor does not copy and return the {len(runtime):,} bytes of runtime bytecode at byte {place:,}",
            ("creationBytecode", "recompiledBytecode"),
            "take both from one run of the compiler",
        )


def _copies_and_returns_range(constructor_code: bytes, start: int, size: int) -> bool:
    # Vyper up to 0.3.1 pushes the end of the range instead of its size.
    has_size = _pushes_number(constructor_code, size) or _pushes_number(constructor_code, start + size)
    return (
        _pushes_number(constructor_code, start)
        and has_size
        and _CODECOPY in constructor_code
        and _RETURN in constructor_code
    )


def _pushes_number(code: bytes, number: int) -> bool:
    shortest = -(-number.bit_length() // 8)
    return any(
        bytes((_PUSH0 + width,)) + number.to_bytes(width, "big") in code
        for width in range(shortest, _MAX_PUSHED_SIZE + 1)
    )


@check
def overstated_match_level(record: RecordView) -> Iterator[Observation]:
    """The `creationMatch` and `runtimeMatch` must not be higher than bytecode and auxdata justify.

    An `exact_match` needs a hash of the sources in the code's metadata (auxdata).
    """
    for side in record.sides:
        if (
            side.claimed_level is None
            or side.replayed_code is None
            or side.replayed_code != side.onchain_code
        ):
            continue  # another check reports transformations that do not give the on-chain code
        earned = justified_match_level(side)
        if side.is_exact and not record.is_known:
            compiler = f"{record.language} {record.version}"
            yield NotKnown("hash of sources by", compiler, (f"{side.name}Match",))
            continue
        yield Evidence({side.name: earned.value})
        if side.claimed_level != earned:
            yield Violation(
                f"{side.name}Match is {format_json_line(side.claimed_level)}, but the bytecode shows only {earned.value!r}",
                (f"{side.name}Match",),
                f"write {earned.value}",
                Severity.NOTE if side.claimed_level == MatchLevel.MATCH else None,
            )


def justified_match_level(side: SideView) -> MatchLevel:
    """Return the match level that a record's code justifies.

    For example, code whose metadata hash was replaced is only a `match`, even if the record says `exact_match`. Call this
    function after the transformations in the record have turned the recompiled code into the on-chain code.
    """
    steps = tuple([step for step in side.transformations or () if not _leaves_auxdata_unchanged(side, step)])
    if (found := side.recomputed_match) is not None and found.transformations == steps:
        return found.level  # the level that the matching algorithm gave this code
    return decide_match_level(
        auxdata_sections=[piece.value for piece in side.auxdata.values()],
        transformations=steps,
        language=side.record.language,
        version=side.record.version,
    )


def _leaves_auxdata_unchanged(side: SideView, step: TransformationStep) -> bool:
    if step.reason is not TransformationReason.CBOR_AUXDATA or step.type is TransformationType.DELETE:
        return False
    piece = next((piece for piece in side.auxdata.values() if piece.offset == step.offset), None)
    try:
        return (
            piece is not None and transformation_value_bytes(step, side.transformation_values) == piece.value
        )
    except InvalidValueError:
        return False


@check
def overall_match_mismatch(record: RecordView) -> Iterator[Observation]:
    """The `match` must be exact_match if either code's match is exact, and null only if neither matches."""
    claimed = record.value.get("match")
    earned = overall_match_level(record.creation.claimed_level, record.runtime.claimed_level)
    yield Evidence({"match": str(earned or "null")})
    if claimed != earned:
        yield Violation(
            f"match is {format_json_line(claimed)}, but creationMatch and runtimeMatch make it {format_json_line(earned)}",
            ("match",),
            f"write {earned or 'null'}",
        )
    elif earned is None:
        yield Violation("neither bytecode matches, so the record verifies nothing", ("match",), "remove it")


@check(Severity.NOTE)
def understated_match_level(record: RecordView) -> Iterator[Observation]:
    """Creation or runtime code with the match level null must not match the on-chain code.

    If it does match, the record should say so.
    """
    for side in record.sides:
        if side.claimed_level is not None or not side.onchain_code:
            continue
        yield Evidence(
            {
                side.name: "does not match"
                if side.recomputed_match is None
                else side.recomputed_match.level.value
            }
        )
        if side.recomputed_match is not None:
            yield Violation(
                f"{side.name}Match is null, but the bytecode matches with"
                f" {len(side.recomputed_match.transformations)} transformations: {side.recomputed_match.level.value}",
                (f"{side.name}Match",),
                "verify the contract again to record the match",
            )
