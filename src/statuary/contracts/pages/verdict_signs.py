"""Signs and words of verdicts in lists of contracts."""

from functools import cache
from typing import TYPE_CHECKING

from statuary.contracts.model.proof import ClaimStatus

if TYPE_CHECKING:
    from statuary.contracts.model.contract_row import ContractRow

VERDICT_SIGNS = {
    "verified_here": "ok",
    "stated_by_a_file": "stated",
    "not_shown": "none",
    "contradicted": "major",
    "refused": "major",
}
"""The sign of each verdict: green if verified here, red if contradicted or rejected."""

UNCHECKED = ""
"""The verdict in lists of a record that no build checked."""


def verdict_sign(verdict: str) -> str:
    """Return the name of the icon that shows a verdict.

    Args:
        verdict: the verdict; empty if the contract was not checked.
    """
    return VERDICT_SIGNS.get(verdict, "none")


@cache
def listed_verdict_text_key(verdict: str) -> str:
    """Return the key of the page text that names a contract's verdict.

    Args:
        verdict: the verdict; empty if the contract was not checked.
    """
    return f"claim_status.{ClaimStatus(verdict).name.lower()}" if verdict else "level.unchecked"


def claimed_level_text_key(row: "ContractRow") -> str:
    """Return the key of the page text for a contract's match level.

    Returns:
        The key, such as `level.exact_match`; empty if the record has no match level, or is contradicted by
        evidence.
    """
    return "" if row.is_contradicted or not row.runtimeMatch else f"level.{row.runtimeMatch}"


def level_label_key(row: "ContractRow") -> str:
    """Return the key of the label that lists show for a contract.

    It is the match level of the runtime code, such as `exact_match`, or `contradicted` if evidence
    contradicts the record, or `unchecked` without a match level.
    """
    return "contradicted" if row.is_contradicted else row.runtimeMatch or "unchecked"
