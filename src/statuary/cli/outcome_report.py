"""The outcome of a run: its last line, its exit code."""

from statuary.cli.escape import escape_control_chars
from statuary.cli.exit_codes import ExitCode
from statuary.publish.outcome import Extent, Outcome

MAX_NAMED = 5
"""Files with faults that the outcome line names; the findings name all of them."""

EXTENT_CODES = {
    Extent.NOTHING: ExitCode.FINDINGS,
    Extent.ALL: ExitCode.OK,
    Extent.PARTIAL: ExitCode.PUBLISHED_WITH_FAULTS,
    Extent.FOLDER: ExitCode.TARGET_FAILED,
}


def exit_code_of(outcome: Outcome) -> ExitCode:
    """Return the exit code for a complete, partial or failed publication."""
    return EXTENT_CODES[outcome.extent]


def outcome_line(outcome: Outcome, *, applied: bool) -> str:
    """Return a sentence that names the parts that were not published.

    Args:
        outcome: what a build or publication published.
        applied: whether the changes were made; False after a dry run.

    Returns:
        The sentence; empty if everything or nothing was published.
    """
    if outcome.extent not in (Extent.PARTIAL, Extent.FOLDER):
        return ""
    missing = [name for name in outcome.missing if name]  # an error of the program is in no file
    names = ", ".join(map(escape_control_chars, missing[:MAX_NAMED])) or "what an internal error is about"
    more = len(missing) - MAX_NAMED
    others = f" and {more:,} more" if more > 0 else ""
    if outcome.extent is Extent.FOLDER:
        return f"built, but not published completely (exit code 6): {names}{others}; run the command again"
    verb = "published" if applied else "would be published"
    return f"{verb} with faults in {names}{others} (exit code 4): deploy the site, then fix what is named"
