"""How strictly a site is judged."""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # a run that meets no record does not load what proves them
    from collections.abc import Sequence

    from statuary.checks.contracts.check import ContractCheck


class CheckOptions(NamedTuple):
    """How strictly a site is judged.

    Attributes:
        checks: what each record must prove; None for everything.
        skipped: names of the rules of the status side that are left out.
        strict: whether warnings forbid publishing too.
    """

    checks: "Sequence[ContractCheck] | None" = None
    skipped: frozenset[str] = frozenset()
    strict: bool = False


ALL_CHECKS = CheckOptions()
"""Every check, and warnings forbid nothing."""
