"""The summary of a build in a few lines."""

from pathlib import Path

from statuary.base.findings import Severity
from statuary.base.primitives import Instant, count_text, format_utc
from statuary.cli.output import change_counts_line, format_size
from statuary.engine.report import BuildResult, CheckedSite
from statuary.publish.plan import Action


def build_summary(result: BuildResult, out: Path, now: Instant) -> str:
    """Return the lines that a build prints last.

    They state the number of records and findings, sizes, and the time of the next change.

    Args:
        result: the result of the build.
        out: the folder of the site.
        now: the time of the build.
    """
    plan = result.plan
    if plan is None:
        return finding_counts_line(result.checked)
    return "\n".join(
        [
            ", ".join(result.checked.counts),
            f"{count_text(plan.document_count, 'document')}, {format_size(plan.size)}, in {out}/ as of {format_utc(now)}",
            change_counts_line(plan, applied=result.applied),
            *([result.checked.line] if result.checked.line else []),
            finding_counts_line(result.checked),
            _next_transition_line(result.checked),
            f"took {result.seconds:.2f} s",
            *_first_steps(result, out),
        ]
    )


def _first_steps(result: BuildResult, out: Path) -> list[str]:
    plan = result.plan
    if not result.applied or plan is None or plan.unchanged or plan.counts[Action.REPLACE]:
        return []
    return ["", f"Now run: statuary serve {out} (to look at it), or statuary setup --help (to put it online)"]


def finding_counts_line(checked: CheckedSite) -> str:
    """Count the findings in a line such as `1 error, 2 warnings`."""
    errors, warnings, notes = map(checked.count, (Severity.ERROR, Severity.WARNING, Severity.NOTE))
    if not errors and not warnings and not notes:
        return "no errors or warnings"
    counts = [count_text(errors, "error"), count_text(warnings, "warning")]
    if notes:
        counts.append(count_text(notes, "note"))
    if checked.excluded_count:
        counts.append(f"{count_text(checked.excluded_count, 'record')} excluded")
    return ", ".join(counts)


def _next_transition_line(checked: CheckedSite) -> str:
    if checked.horizon is None:
        return "the site stays current until the content changes"
    due_text = f"build again by {format_utc(checked.horizon)}"
    if checked.next_transition is None:
        return f"no transition before the horizon; {due_text}"
    return f"next transition at {format_utc(checked.next_transition)}; {due_text}"
