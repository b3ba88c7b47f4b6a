"""The checks that run, and how strictly."""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from statuary.contracts.checks.check import ContractCheck


class CheckOptions(NamedTuple):
    """The checks that run, and their strictness."""

    checks: "Sequence[ContractCheck] | None" = None  # the checks of records; None for all
    skipped: frozenset[str] = frozenset()  # names of skipped status rules
    strict: bool = False


ALL_CHECKS = CheckOptions()
"""Every check; warnings do not keep the site from being published."""
