"""Report availability (`statuary report`)."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from html import escape
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import click

from statuary.base.findings import Finding, Severity, sorted_findings
from statuary.base.primitives import Instant, day_start, format_utc
from statuary.cli.exit_codes import ExitCode
from statuary.cli.findings_report import text_report
from statuary.cli.options import build_instant, content_option, now_option
from statuary.engine.read_content import read_content
from statuary.extensions.reports.figures import (
    METHOD,
    MonthFigures,
    compute_quarter_figures,
    list_names_with_groups,
    months_of_quarter,
)
from statuary.site.pages.page_texts import page_texts
from statuary.site.pages.site_context import DateFormatter
from statuary.site.site_content import SiteContent
from statuary.source.file_kinds import CONTRACTS, FileKind, match_pattern
from statuary.source.locate import locate_findings
from statuary.source.source_files import walk_folder
from statuary.status.broken_records import exclude_faulty_content
from statuary.status.checks.status_checks import status_findings
from statuary.status.model.records import Page, StatusContent
from statuary.status.model.schedule import build_timeline_to_horizon
from statuary.system.writing import atomic_file

QUARTER = re.compile(r"(?P<year>\d{4})-q(?P<quarter>[1-4])")

COLUMNS = (
    "component", "id", "month", "seconds counted", "seconds of major outage", "seconds of partial outage",
    "seconds degraded", "seconds of maintenance", "availability in percent",
)  # fmt: skip
"""The columns of the CSV file."""


class Quarter(NamedTuple):
    """A quarter of a year."""

    year: int
    number: int  # from 1 to 4


def _parse_quarter(_ctx: click.Context, _param: click.Parameter, text: str) -> Quarter:
    match = QUARTER.fullmatch(text.lower())
    if match is None:
        raise click.UsageError(f"{text!r} is not a quarter; write it like 2026-q3")
    return Quarter(int(match["year"]), int(match["quarter"]))


@click.command()
@click.argument("quarter", metavar="QUARTER", callback=_parse_quarter)
@content_option
@click.option(
    "--out",
    metavar="FOLDER",
    default="reports",
    show_default=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="Write the report into this folder.",
)
@now_option
def report_command(quarter: Quarter, content: Path, out: Path, now: Instant | None) -> ExitCode:
    """Write a report of each component's availability in a quarter.

    QUARTER is a quarter, such as 2026-q3. The command writes a CSV file with a row for each component and month, and a
    page for printing, which also explains how availability is computed. The same content and --now give the same files.

    The report leaves out components, incidents and maintenance with errors, and its page names their files.

    Exit codes: 0 the report is complete; 1 something is left out, or site.yaml has errors and nothing was written.
    """
    at = build_instant(now)
    site, findings = read_content(content, walk_folder(content, (CONTRACTS,)) if content.is_dir() else None)
    if site is None:
        click.echo(text_report(locate_findings(content, findings), str(content)), err=True)
        return ExitCode.FINDINGS
    site, found = exclude_faulty_content(site, partial(_find_status_findings, now=at))
    errors = [finding for finding in (*findings, *found) if _removes_from_report(finding, site)]
    missing = sorted({finding.path for finding in errors})
    status = site.content_of(StatusContent)
    timeline = build_timeline_to_horizon(status.catalogue, at, status.settings)
    year, number = quarter
    page = status.catalogue.page
    if day_start(months_of_quarter(year, number)[0], page.time_zone) > at:
        raise click.UsageError(f"the quarter {year}-q{number} has not begun: the time is {format_utc(at)}")
    rows = compute_quarter_figures(timeline, year, number, at)
    out.mkdir(parents=True, exist_ok=True)
    title = f"{page.name}: availability in Q{number} {year}"
    for ending, text in (
        ("csv", format_figures_csv(rows)),
        ("html", render_report_page(title, rows, list_names_with_groups(timeline), at, page, missing)),
    ):
        file = out / f"{year}-q{number}.{ending}"
        with atomic_file(file) as stream:
            stream.write(text.encode())
        click.echo(str(file))
    if missing:
        located = sorted_findings(locate_findings(content, errors))
        click.echo(text_report(located, str(content)), err=True)
        click.echo(
            f"the report does not include the parts of the content that have errors, in {', '.join(missing)}",
            err=True,
        )
    return ExitCode.FINDINGS if missing else ExitCode.OK


PARTS = (FileKind.COMPONENTS, FileKind.INCIDENT, FileKind.MAINTENANCE)
"""The kinds of files that a report is made from."""


def _removes_from_report(finding: Finding, site: SiteContent) -> bool:
    """Return whether an error removes a component or incident from the report."""
    pattern = match_pattern(PurePosixPath(finding.path))
    is_part = pattern is not None and pattern.kind in PARTS
    return is_part and finding.severity is Severity.ERROR and finding.path in site.unread


def _find_status_findings(site: SiteContent, now: Instant) -> list[Finding]:
    status = site.content_of(StatusContent)
    return list(status_findings(build_timeline_to_horizon(status.catalogue, now, status.settings), now))


def format_figures_csv(month_figures: Sequence[MonthFigures]) -> str:
    """Format the availability of each component and month as CSV.

    Args:
        month_figures: the figures for each component and month.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in month_figures:
        times = (row.counted, row.outage.major, row.outage.partial, row.degraded, row.maintenance)
        seconds = [int(time.total_seconds()) for time in times]
        availability = "" if row.availability is None else f"{row.availability:.2f}"
        name = row.component.name
        # Spreadsheet programs evaluate a cell that begins like a formula. An apostrophe in front makes the
        # cell plain text.
        safe = f"'{name}" if name.startswith(("=", "+", "-", "@", "\t")) else name
        writer.writerow([safe, row.component.id, f"{row.month:%Y-%m}", *seconds, availability])
    return text.getvalue()


STYLE = """\
body{font:14px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:#14161a;background:#fff}
h1,td{overflow-wrap:anywhere}div{overflow-x:auto}table{border-collapse:collapse;width:100%}th,td{padding:.3rem .6rem;border-bottom:1px solid #cdcdc6;text-align:end}
th:first-child,td:first-child,th:nth-child(2),td:nth-child(2){text-align:start}td:first-child{min-width:9rem}td:nth-child(2){white-space:nowrap}
tr{break-inside:avoid}p{color:#5a606a}
@media screen and (width<46rem){thead{position:absolute;clip-path:inset(50%)}tr{display:flex;flex-wrap:wrap;gap:0 1rem;padding:.4rem 0;border-bottom:1px solid #cdcdc6}
td{padding:0;border:0}td:first-child{flex:1 1 60%;font-weight:600}td:nth-child(n+3)::before{content:attr(data-name)" ";color:#5a606a}}
@page{margin:15mm}"""


def _iter_figure_cells(month_figures: MonthFigures) -> Iterator[str]:
    yield "" if month_figures.availability is None else page_texts("en").percent(month_figures.availability)
    for time in (
        month_figures.outage.major,
        month_figures.outage.partial,
        month_figures.degraded,
        month_figures.maintenance,
    ):
        yield f"{int(time.total_seconds() // 60):,}"


def render_report_page(
    title: str,
    month_figures: Sequence[MonthFigures],
    names: Mapping[str, str],
    at: Instant,
    page: Page,
    faulty_files: Sequence[str] = (),
) -> str:
    """Render the availability of components as a page to print.

    Args:
        title: the title of the page.
        month_figures: the availability of each component in each month.
        names: the names of the components, by id.
        at: the time of the report.
        page: the status page.
        faulty_files: the files with errors, whose components or incidents are missing in the report.
    """
    heads = (
        "Component",
        "Month",
        "Availability",
        "Major outage",
        "Partial outage",
        "Degraded",
        "Maintenance",
    )
    lines = "".join(
        f"<tr><td dir='auto'>{escape(names[row.component.id])}</td><td>{row.month:%Y-%m}</td>"
        + "".join(
            f"<td data-name='{name}'>{figure}</td>"
            for name, figure in zip(heads[2:], _iter_figure_cells(row), strict=True)
        )
        + "</tr>\n"
        for row in month_figures
    )
    note = f"<p>Left out because of errors: {escape(', '.join(faulty_files))}.</p>\n" if faulty_files else ""
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{escape(title)}</title>\n<style>{STYLE}</style>\n'
        f"</head>\n<body>\n<main>\n<h1>{escape(title)}</h1>\n<p>{escape(page.url)}, as of {DateFormatter(page.time_zone, page_texts('en')).moment(at).text}. Durations in minutes.</p>\n{note}"
        f"<div tabindex='0' role='region' aria-label='{escape(title)}'><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{lines}</tbody>\n</table></div>\n"
        f"<h2>Accounting method</h2>\n<p>{escape(METHOD)}</p>\n</main>\n</body>\n</html>\n"
    )
