"""Sizes and changes as people read them; apart from the summary, so that commands without a build start fast."""

from statuary.publishing.plan import Action, Plan


def changes_line(plan: Plan, *, applied: bool) -> str:
    """Return what changed, or would change."""
    counts = plan.counts
    would = "" if applied else "would be "
    if plan.is_empty:
        return "nothing changed" if applied else "nothing would change"
    return (
        f"{counts[Action.ADD]} {would}added, {counts[Action.REPLACE]} {would}replaced, "
        f"{counts[Action.REMOVE]} {would}removed, {plan.kept} kept ({size_text(plan.changed_size)} {would}written)"
    )


def size_text(size: int) -> str:
    """Return a number of bytes as people read it (powers of 1000)."""
    amount = float(size)
    for unit in ("bytes", "kB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            return f"{size:,} bytes" if unit == "bytes" else f"{amount:,.1f} {unit}"
        amount /= 1000
    raise AssertionError
