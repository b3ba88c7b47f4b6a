"""`statuary conform`: test a deployment against both APIs over HTTP."""

import sys
from collections import Counter
from collections.abc import Sequence

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from statuary.base.clock import utc_now
from statuary.cli.escape import escape_control_chars, json_text
from statuary.cli.exit_codes import ExitCode
from statuary.cli.options import text_or_json_option
from statuary.extensions.conform.conformance import (
    CHECKS,
    ConformanceArea,
    ConformanceLevel,
    ConformanceOutcome,
    ConformanceResult,
    run_checks,
    select_checks,
)
from statuary.extensions.conform.deployment import CheckedDeployment, make_http_sender
from statuary.system.network.client import display_location

LEVELS = {level.name.lower(): level for level in ConformanceLevel}
PIPED_WIDTH = 160
"""Characters of a line of the table, if the output is not a terminal."""

NAMES = [check.name for check in CHECKS]


@click.command()
@click.argument("base_url", metavar="BASE_URL")
@click.option(
    "--level",
    type=click.Choice(list(LEVELS)),
    default="static",
    show_default=True,
    help="Test what every static file host can do (static), or also the features of the edge program (edge).",
)
@click.option(
    "--only",
    type=click.Choice([ConformanceArea.CONTRACTS.value, ConformanceArea.STATUS.value]),
    help="Test only the contract API or only the status API. Default: both.",
)
@click.option(
    "--skip",
    multiple=True,
    type=click.Choice(NAMES),
    metavar="CHECK",
    help="Skip this check, by the name that the results show (repeatable).",
)
@click.option(
    "--sample",
    metavar="N",
    type=click.IntRange(1, 200),
    default=3,
    show_default=True,
    help="Test at most this many contract records and this many incidents. More records take more requests.",
)
@text_or_json_option
def conform_command(
    base_url: str, level: str, only: str | None, skip: tuple[str, ...], sample: int, output_format: str
) -> None:
    """Test a published site against the APIs of Sourcify and Statuspage.

    BASE_URL is the address of a site, such as https://status.example. You can also test a Sourcify server
    (https://sourcify.dev/server with `--only contracts`) or a Statuspage (https://www.githubstatus.com with
    `--only status`).

    The command repeats a failed check once, because a page may change between two requests.

    Exit codes: 0 all checks passed; 1 a check failed; 3 the deployment cannot be reached.
    """
    areas = frozenset([ConformanceArea(only)] if only else ConformanceArea)
    checks = [check for check in select_checks(LEVELS[level], areas) if check.name not in skip]
    deployment = CheckedDeployment(make_http_sender(base_url), utc_now(), sample)
    results = list(run_checks(deployment, checks))
    if output_format == "json":
        click.echo(format_results_as_json(base_url, level, results))
    else:
        _print_results(base_url, level, results)
    failed = any(result.outcome is ConformanceOutcome.FAILED for result in results)
    sys.exit(ExitCode.FINDINGS if failed else ExitCode.OK)


def format_results_as_json(base: str, level: str, results: Sequence[ConformanceResult]) -> str:
    """Format the results of all checks as JSON.

    Args:
        base: the URL of the tested site.
        level: `static` for what every file host can do, `edge` for a host that also runs the edge program.
        results: the result of each check.
    """
    value = {
        "base": display_location(base),
        "level": level,
        "conforms": not any(result.outcome is ConformanceOutcome.FAILED for result in results),
        "checks": [
            {
                "check": result.check.name,
                "rule": result.check.rule,
                "area": result.check.area.value,
                "level": result.check.level.name.lower(),
                "feature": result.check.feature,
                "outcome": result.outcome.value,
                "problems": list(result.problems),
                "seconds": round(result.seconds, 3),
            }
            for result in results
        ],
    }
    return json_text(value)


def _print_results(base: str, level: str, results: Sequence[ConformanceResult]) -> None:
    console = Console(highlight=False, width=None if sys.stdout.isatty() else PIPED_WIDTH)
    console.print(_make_results_table(results))
    for result in results:
        if result.outcome is ConformanceOutcome.FAILED:
            console.print(f"\n{result.check.name}: {result.check.rule}", markup=False, style="bold")
            for problem in result.problems:
                console.print(f"    {escape_control_chars(problem)}", markup=False)
    counts = Counter(result.outcome for result in results)
    summary = ", ".join(f"{counts[outcome]} {outcome.value}" for outcome in ConformanceOutcome)
    console.print(
        f"\n{escape_control_chars(display_location(base))} at the level {level}: {summary}", markup=False
    )


STYLES = {
    ConformanceOutcome.PASSED: "green",
    ConformanceOutcome.FAILED: "bold red",
    ConformanceOutcome.SKIPPED: "dim",
}


def _make_results_table(results: Sequence[ConformanceResult]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("", "check", "level"):
        table.add_column(heading, no_wrap=True)
    table.add_column("rule")
    for result in results:
        skipped = result.outcome is ConformanceOutcome.SKIPPED
        text = f"skipped: {result.problems[0]}" if skipped else result.check.rule
        table.add_row(
            result.outcome.value,
            result.check.name,
            result.check.level.name.lower(),
            escape(escape_control_chars(text)),
            style=STYLES[result.outcome],
        )
    return table
