"""The sign of a verdict on pages, and the level in lists."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from statuary.publish.ledger.contract_rows import ContractRow


def verdict_sign(verdict: str, level: str) -> str:
    """Return a verdict's sign: green if verified here, red if contradicted.

    Args:
        level: the match that the record claims of the runtime side; empty if it claims none.
    """
    if verdict in ("verified_here", "contradicted"):
        return "ok" if verdict == "verified_here" else "major"
    return "stated" if level else "none"


def level_of(row: "ContractRow") -> str:
    """Return the key of a contract's label in lists.

    It is the runtime side's, unless that is contradicted.
    """
    return "contradicted" if row.is_contradicted else row.runtimeMatch or "unchecked"
