"""What a build did, in a few lines."""

from pathlib import Path

from statuary.build.results import BuildResult, CheckedSite
from statuary.cli.output.amounts import changes_line, size_text
from statuary.domain.findings import Severity
from statuary.domain.primitives import Instant


def build_summary(outcome: BuildResult, out: Path, now: Instant) -> str:
    """Return how many of what, how many bytes, what changed, how long, and when the next build is due."""
    plan, catalogue = outcome.plan, outcome.checked.catalogue
    if plan is None or catalogue is None:
        return findings_line(outcome.checked)
    status = catalogue.status
    published = outcome.checked.contracts
    contracts = f"{_count(published.contracts, 'contract')} on {_count(len(published.by_chain), 'chain')}"
    parts = (
        (status.components, "component"),
        (status.incidents, "incident"),
        (status.maintenances, "maintenance"),
    )
    lines = [
        ", ".join([contracts, *(_count(len(things), noun) for things, noun in parts)]),
        f"{_count(plan.documents, 'document')}, {size_text(plan.size)}, in {out}/ as of {format_instant(now)}",
        changes_line(plan, applied=outcome.applied),
        findings_line(outcome.checked),
        _next(outcome.checked),
        f"took {outcome.seconds:.2f} s",
    ]
    return "\n".join(lines)


def findings_line(checked: CheckedSite) -> str:
    """Return how many findings of each severity there are."""
    errors, warnings = checked.count(Severity.ERROR), checked.count(Severity.WARNING)
    if not errors and not warnings:
        return "no findings"
    refused = f", {_count(checked.refusals, 'record')} refused" if checked.refusals else ""
    return f"{_count(errors, 'error')}, {_count(warnings, 'warning')}{refused}"


def _next(checked: CheckedSite) -> str:
    """Return when the status documents change by themselves."""
    if checked.next_transition is None:
        return "no transition is due before the horizon: the site stays true until the content changes"
    return f"next transition at {format_instant(checked.next_transition)}"


def format_instant(moment: Instant) -> str:
    """Return an instant in UTC and whole seconds, for people."""
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
