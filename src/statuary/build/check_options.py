"""Which checks run, and how strictly."""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # a run that meets no record does not load what proves them
    from collections.abc import Sequence

    from statuary.checks.contracts.check import ContractCheck


class CheckOptions(NamedTuple):
    """Which checks run, and how strictly.

    Attributes:
        checks: the checks of records; None for all.
        skipped: names of skipped status rules.
    """

    checks: "Sequence[ContractCheck] | None" = None
    skipped: frozenset[str] = frozenset()
    strict: bool = False


ALL_CHECKS = CheckOptions()
"""Every check, and warnings forbid nothing."""
