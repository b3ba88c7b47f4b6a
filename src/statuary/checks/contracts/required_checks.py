"""The checks that must pass for a match level: for these, "does not apply" is a failure."""

from collections.abc import Mapping
from typing import Final

from statuary.checks.contracts.record_view import RecordView, SideView

ANY_LEVEL: Final = {
    side: (f"{side}-replays", f"{side}-transformations-are-found-again") for side in ("creation", "runtime")
}
"""Checks that must pass for each side that claims a match, in any language."""

EXACT_SOLIDITY: Final = {
    side: (
        f"{side}-ends-with-the-metadata-hash",
        "sources-are-those-of-the-metadata",
        "metadata-names-the-compilation",
        "metadata-repeats-the-interface",
    )
    for side in ("creation", "runtime")
}
"""Checks that must pass besides for each side of a Solidity contract that claims an exact match."""

EXACT_CREATION: Final = ("creation-code-deploys-the-runtime-code",)
"""Checks that must pass besides for a creation side that claims an exact match."""


def required_checks(record: RecordView) -> Mapping[str, SideView]:
    """Return the checks that the levels of a record require, each with the first side that does."""
    required: dict[str, SideView] = {}
    for side in (record.runtime, record.creation):
        required |= dict.fromkeys(_required_of(side), side)
    return required


def _required_of(side: SideView) -> tuple[str, ...]:
    if side.claimed is None:
        return ()
    required: tuple[str, ...] = ANY_LEVEL[side.name]
    if side.is_exact and side.record.language == "Solidity":
        required += EXACT_SOLIDITY[side.name]
    return required + EXACT_CREATION if side.is_exact and side.name == "creation" else required
