"""Sizes, counts and instants as people read them."""

from collections import Counter
from collections.abc import Iterable, Iterator

from statuary.cli.output.printable import printable
from statuary.documents.url_table import EPOCH_DOCUMENT
from statuary.domain.primitives import Instant
from statuary.publishing.plan import Action, Change, Plan

EPOCHS_FOLDER = EPOCH_DOCUMENT.prefix


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


def changes_lines(changes: Iterable[Change]) -> Iterator[str]:
    """Yield a line for each change; the documents of future transitions are counted on one line at the end."""
    epochs: Counter[Action] = Counter()
    size = 0
    for change in changes:
        if change.path.startswith(EPOCHS_FOLDER):
            epochs[change.action] += 1
            size += change.size
        else:
            yield printable(str(change))
    if epochs:
        counts = ", ".join(f"{number:,} to {action}" for action, number in sorted(epochs.items()))
        yield f"  {EPOCHS_FOLDER}: {counts} ({size_text(size)})"


def size_text(size: int) -> str:
    """Return a number of bytes with a unit (powers of 1000)."""
    amount = float(size)
    for unit in ("bytes", "kB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            return f"{size:,} bytes" if unit == "bytes" else f"{amount:,.1f} {unit}"
        amount /= 1000
    raise AssertionError


def count_text(number: int, noun: str) -> str:
    """Return a number and a noun, in the plural unless the number is 1."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def format_instant(moment: Instant) -> str:
    """Return an instant in UTC and whole seconds."""
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
