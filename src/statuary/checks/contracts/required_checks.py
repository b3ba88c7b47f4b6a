"""The checks that must pass for a match level: for these, "does not apply" is a failure."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from statuary.checks.contracts.record_view import RecordView, SideView

ANY_LEVEL: Final = ("{side}-replays", "{side}-transformations-are-found-again")
"""Checks that must pass for each side that claims a match, in any language."""

EXACT_SOLIDITY: Final = (
    "{side}-ends-with-the-metadata-hash",
    "sources-are-those-of-the-metadata",
    "metadata-names-the-compilation",
    "metadata-repeats-the-interface",
)
"""Checks that must pass besides for each side of a Solidity contract that claims an exact match."""

EXACT_CREATION: Final = ("creation-code-deploys-the-runtime-code",)
"""Checks that must pass besides for a creation side that claims an exact match."""


class Requirement(NamedTuple):
    """A check that must pass, and the member whose value requires it."""

    check: str
    member: str
    value: str


def requirements(record: RecordView) -> Iterator[Requirement]:
    """Yield the requirements of the levels that a record claims."""
    for side in record.sides:
        for check in _required_of(side):
            name = check.format(side=side.name)
            yield Requirement(name, f"{side.name}Match", str(side.claimed))


def _required_of(side: SideView) -> Iterator[str]:
    if side.claimed is None:
        return
    yield from ANY_LEVEL
    if not side.is_exact:
        return
    if side.record.language == "Solidity":
        yield from EXACT_SOLIDITY
    if side.name == "creation":
        yield from EXACT_CREATION
