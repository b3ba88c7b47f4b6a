"""The match levels `exact_match`, `match` and null, and their conditions (MEASUREMENTS.md, match levels)."""

from collections.abc import Collection, Iterable
from enum import StrEnum

from statuary.domain.contracts.bytecode.auxdata import AuxdataStyle, auxdata_style, has_source_hash
from statuary.domain.contracts.bytecode.transformations import TransformationReason, TransformationStep


class MatchLevel(StrEnum):
    """How well on-chain and recompiled bytecode agree; None means no match."""

    EXACT_MATCH = "exact_match"
    """The same bytes, including a hash that commits to the same sources."""

    MATCH = "match"
    """The same executable code; the hash differs, or there is none."""


def side_level(
    *, auxdata: Collection[bytes], transformations: Iterable[TransformationStep], language: str, version: str
) -> MatchLevel:
    """Return the level of a side whose replay gives the on-chain bytecode.

    `auxdata` holds every piece in the recompiled code; it is empty if there is none, or none was found.
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
