"""The three answers `exact_match`, `match` and null, and what earns them (MEASUREMENTS.md, match levels)."""

from collections.abc import Collection, Iterable
from enum import StrEnum

from statuary.domain.contracts.bytecode.auxdata import AuxdataStyle, auxdata_style, has_source_hash
from statuary.domain.contracts.bytecode.transformations import TransformationReason, TransformationStep


class MatchLevel(StrEnum):
    """How well on-chain and recompiled bytecode agree; no agreement at all is None."""

    EXACT_MATCH = "exact_match"
    """The same bytes, and a hash among them that commits to the very same sources."""

    MATCH = "match"
    """The same executable code; the hash differs, or there is none."""


def side_level(
    *, auxdata: Collection[bytes], transformations: Iterable[TransformationStep], language: str, version: str
) -> MatchLevel:
    """Return the level of a side whose replay gives the on-chain bytecode.

    Args:
        auxdata: every piece of auxdata in the recompiled code; none if it has none or it could not be found.
        transformations: the steps of the replay.
        language: the record's `compilation.language`.
        version: the record's `compilation.compilerVersion`.
    """
    if any(step.reason is TransformationReason.CBOR_AUXDATA for step in transformations) or not auxdata:
        return MatchLevel.MATCH
    style = auxdata_style(language, version)
    if style in (AuxdataStyle.SOLIDITY, AuxdataStyle.VYPER) and all(
        has_source_hash(value, style, version) for value in auxdata
    ):
        return MatchLevel.EXACT_MATCH
    return MatchLevel.MATCH


def overall_level(creation: str | None, runtime: str | None) -> str | None:
    """Return the record's `match`: exact if either side is exact, null only if both are."""
    if creation is None and runtime is None:
        return None
    if MatchLevel.EXACT_MATCH in (creation, runtime):
        return MatchLevel.EXACT_MATCH.value
    return MatchLevel.MATCH.value
