"""Checks of the match levels that a record claims."""

from collections.abc import Iterator

from statuary.checks.contracts.check import Evidence, Observation, Violation
from statuary.checks.contracts.json_comparison import as_json_text
from statuary.checks.contracts.record_view import RecordView, SideView
from statuary.domain.contracts.bytecode.transformations import (
    TransformationReason,
    TransformationStep,
    TransformationType,
    value_bytes,
)
from statuary.domain.contracts.match_level import MatchLevel, overall_level, side_level
from statuary.domain.findings import Severity
from statuary.domain.primitives import InvalidValueError


def match_levels_follow_from_the_bytes(record: RecordView) -> Iterator[Observation]:
    """The levels creationMatch and runtimeMatch are no higher than the replay and the auxdata show."""
    for side in record.sides:
        if side.claimed is None or side.replayed is None or side.replayed != side.onchain:
            continue  # the check of the replay reports these
        earned = earned_level(side)
        yield Evidence({side.name: earned.value})
        if side.claimed != earned:
            yield Violation(
                f"{side.name}Match is {as_json_text(side.claimed)}, but the bytes earn {earned.value!r}",
                (f"{side.name}Match",),
                f"write {earned.value}",
                Severity.NOTE if side.claimed == MatchLevel.MATCH else None,
            )


def match_is_the_better_side(record: RecordView) -> Iterator[Observation]:
    """The overall match is exact_match if either side is, and null only if both are."""
    claimed = record.value.get("match")
    earned = overall_level(record.creation.claimed, record.runtime.claimed)
    yield Evidence({"match": str(earned or "null")})
    if claimed != earned:
        yield Violation(
            f"match is {as_json_text(claimed)}, but its sides make it {as_json_text(earned)}",
            ("match",),
            f"write {earned or 'null'}",
        )
    elif earned is None:
        yield Violation("neither side matches: the record verifies nothing", ("match",), "remove it")


def unmatched_side_does_not_match(record: RecordView) -> Iterator[Observation]:
    """A side without a match level does not match."""
    for side in record.sides:
        if side.claimed is not None or not side.onchain:
            continue
        yield Evidence({side.name: "does not match" if side.found is None else side.found.level.value})
        if side.found is not None:
            yield Violation(
                f"{side.name}Match is null, but the bytecode matches with"
                f" {len(side.found.transformations)} transformations: {side.found.level.value}",
                (f"{side.name}Match",),
                "verify the contract again to record the match",
            )


def earned_level(side: SideView) -> MatchLevel:
    """Return the level of a side whose replay succeeds.

    A transformation that inserts the auxdata that is there already changes nothing, so it does not lower the
    level.
    """
    steps = [step for step in side.transformations or () if not _changes_nothing(side, step)]
    return side_level(
        auxdata=[piece.value for piece in side.auxdata.values()],
        transformations=steps,
        language=side.record.language,
        version=side.record.version,
    )


def _changes_nothing(side: SideView, step: TransformationStep) -> bool:
    if step.reason is not TransformationReason.CBOR_AUXDATA or step.type is TransformationType.DELETE:
        return False
    piece = next((piece for piece in side.auxdata.values() if piece.offset == step.offset), None)
    try:
        return piece is not None and value_bytes(step, side.values) == piece.value
    except InvalidValueError:
        return False
