"""`statuary conform`: hold a deployment to both APIs, over HTTP."""

import json
import sys
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from statuary.cli.exit_codes import ExitCode
from statuary.conform.checked_deployment import CheckedDeployment
from statuary.conform.conformance import (
    ConformanceArea,
    ConformanceLevel,
    ConformanceOutcome,
    ConformanceResult,
)
from statuary.conform.conformance_checks import CHECKS
from statuary.conform.http_requests import UnreachableError, http_sender
from statuary.conform.run_checks import run_checks, select_checks
from statuary.domain.primitives import instant

if TYPE_CHECKING:
    from rich.table import Table

LEVELS = {level.name.lower(): level for level in ConformanceLevel}
PIPED_WIDTH = 160
"""Characters of a line where no terminal says how wide it is."""

NAMES = [check.name for check in CHECKS]


@click.command()
@click.argument("base_url", metavar="BASE_URL")
@click.option(
    "--level",
    type=click.Choice(list(LEVELS)),
    default="static",
    show_default=True,
    help="What it is held to: what plain files can do, or what an edge runtime makes of them.",
)
@click.option(
    "--only",
    type=click.Choice([ConformanceArea.CONTRACTS.value, ConformanceArea.STATUS.value]),
    help="One of the two APIs alone, as for a deployment that is not statuary's.",
)
@click.option("--skip", multiple=True, type=click.Choice(NAMES), metavar="CHECK", help="Leave a check out.")
@click.option(
    "--sample",
    type=click.IntRange(1, 200),
    default=3,
    show_default=True,
    help="How many records and incidents are looked at.",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(
    base_url: str, level: str, only: str | None, skip: tuple[str, ...], sample: int, form: str
) -> None:
    """Hold a deployment to both APIs, over HTTP.

    BASE_URL is where it is: https://status.example, or https://sourcify.dev/server with `--only contracts`, or
    https://www.githubstatus.com with `--only status`. A check that fails is asked twice, since a page may change
    between two questions.

    Exit codes: 0 it conforms; 1 it does not; 3 it cannot be asked.
    """
    areas = frozenset([ConformanceArea(only)] if only else ConformanceArea)
    checks = [check for check in select_checks(LEVELS[level], areas) if check.name not in skip]
    try:
        deployment = CheckedDeployment(http_sender(base_url), instant(datetime.now(UTC)), sample)
        verdicts = list(run_checks(deployment, checks))
    except UnreachableError as unreachable:
        click.echo(f"statuary: {unreachable}", err=True)
        sys.exit(ExitCode.FAILED)
    if form == "json":
        click.echo(as_json(base_url, level, verdicts))
    else:
        _print(base_url, level, verdicts)
    failed = any(verdict.outcome is ConformanceOutcome.FAILED for verdict in verdicts)
    sys.exit(ExitCode.FINDINGS if failed else ExitCode.OK)


def as_json(base: str, level: str, verdicts: Sequence[ConformanceResult]) -> str:
    """Return the verdicts as JSON."""
    told = {
        "base": base,
        "level": level,
        "conforms": not any(verdict.outcome is ConformanceOutcome.FAILED for verdict in verdicts),
        "checks": [
            {
                "check": verdict.check.name,
                "rule": verdict.check.rule,
                "area": verdict.check.area.value,
                "level": verdict.check.level.name.lower(),
                "feature": verdict.check.feature,
                "outcome": verdict.outcome.value,
                "problems": list(verdict.problems),
                "seconds": round(verdict.seconds, 3),
            }
            for verdict in verdicts
        ],
    }
    return json.dumps(told, indent=2, ensure_ascii=False)


def _print(base: str, level: str, verdicts: Sequence[ConformanceResult]) -> None:
    """Print the table, what is wrong below it, and the sum."""
    from rich.console import Console

    console = Console(highlight=False, width=None if sys.stdout.isatty() else PIPED_WIDTH)
    console.print(_table(verdicts))
    for verdict in verdicts:
        if verdict.outcome is ConformanceOutcome.FAILED:
            console.print(f"\n{verdict.check.name}: {verdict.check.rule}", markup=False, style="bold")
            for problem in verdict.problems:
                console.print(f"    {problem}", markup=False)
    counts = Counter(verdict.outcome for verdict in verdicts)
    told = ", ".join(f"{counts[outcome]} {outcome.value}" for outcome in ConformanceOutcome)
    console.print(f"\n{base} at the level {level}: {told}", markup=False)


STYLES = {
    ConformanceOutcome.PASSED: "green",
    ConformanceOutcome.FAILED: "bold red",
    ConformanceOutcome.SKIPPED: "dim",
}


def _table(verdicts: Sequence[ConformanceResult]) -> "Table":
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("", "check", "level"):
        table.add_column(heading, no_wrap=True)
    table.add_column("what it holds")
    for verdict in verdicts:
        skipped = verdict.outcome is ConformanceOutcome.SKIPPED
        said = f"not judged: {verdict.problems[0]}" if skipped else verdict.check.rule
        table.add_row(
            verdict.outcome.value,
            verdict.check.name,
            verdict.check.level.name.lower(),
            escape(said),
            style=STYLES[verdict.outcome],
        )
    return table
