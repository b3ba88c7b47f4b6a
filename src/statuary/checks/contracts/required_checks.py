"""The checks that must pass for a match level: for these, "does not apply" is a failure."""

from functools import cache
from typing import Final

from statuary.checks.contracts.record_view import SideView

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


def required_by(side: SideView) -> frozenset[str]:
    """Return the checks that the level of a side requires."""
    if side.claimed is None:
        return frozenset()
    return _required(side.name, is_exact=side.is_exact, is_solidity=side.record.language == "Solidity")


@cache
def _required(side: str, *, is_exact: bool, is_solidity: bool) -> frozenset[str]:
    required = {*ANY_LEVEL[side]}
    if is_exact and is_solidity:
        required.update(EXACT_SOLIDITY[side])
    if is_exact and side == "creation":
        required.update(EXACT_CREATION)
    return frozenset(required)
