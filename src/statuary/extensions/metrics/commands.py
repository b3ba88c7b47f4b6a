"""Probe nodes and services once (`statuary probe`)."""

import csv
import io
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import click
import orjson

from statuary.base.primitives import Instant, format_exact
from statuary.cli.escape import escape_control_chars
from statuary.cli.exit_codes import ExitCode
from statuary.cli.options import build_instant, content_option, now_option
from statuary.engine.read_content import read_content
from statuary.extensions.metrics.points import PointsError
from statuary.extensions.metrics.probe import Measurement, ask, measurements
from statuary.extensions.metrics.settings import MetricsSettings, ProbeKind
from statuary.source.edit_files import content_lock
from statuary.source.file_kinds import CONTRACTS
from statuary.source.source_files import walk_folder
from statuary.system.files import read_text
from statuary.system.writing import append_to_file, replace_file

COLUMNS = ("at", "seconds", "head", "age", "finalized", "lag", "fault")
"""The columns of a probe's file of points; that of a rollup has `batch_age` too."""

OF_BATCHES = (ProbeKind.OPTIMISM, ProbeKind.ZKSYNC)

MOST_AT_ONCE = 16
"""The largest number of probes at the same time."""


@click.command()
@content_option
@click.option(
    "--points",
    metavar="FOLDER",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write points into this folder. Default: `folder` under `metrics` in site.yaml, beside the content folder.",
)
@click.option(
    "--alert",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    help="Write the alerts of this run, for `statuary incident from-alert`; - for standard output.",
)
@now_option
def probe_command(
    content: Path,
    points: Path | None,
    alert: Path | None,
    now: Instant | None,
) -> ExitCode:
    """Probe nodes and services once, and write the measurements.

    List the probes under `metrics` in site.yaml. Each one writes a CSV file of points, which does not belong in git. Run
    the command from any scheduler.

    Exit codes: 0 all probes passed; 1 a probe failed, or there are none.
    """
    settings, reason = read_settings(content)
    if settings is None or not settings.probes:
        click.echo(escape_control_chars(f"nothing was asked{reason}"), err=True)
        return ExitCode.FINDINGS
    with ThreadPoolExecutor(MOST_AT_ONCE) as pool:
        answers = list(zip(settings.probes, pool.map(ask, settings.probes), strict=True))
    at = build_instant(now)
    latest = measurements(answers, at)
    alerts = append_points(points or content.resolve().parent / settings.folder, latest, at)
    for line in _lines(latest):
        click.echo(escape_control_chars(line), err=alert is not None and str(alert) == "-")
    if alert is not None:
        write_alerts(alert, alerts)
    return ExitCode.FINDINGS if any(measured.reason for measured in latest) else ExitCode.OK


class ReadSettings(NamedTuple):
    """The settings of probes and metrics."""

    settings: MetricsSettings | None
    reason: str  # the end of a message about missing settings


def read_settings(content: Path) -> ReadSettings:
    """Read the settings, or return why that failed."""
    catalogue, findings = read_content(
        content, walk_folder(content, (CONTRACTS,)) if content.is_dir() else None
    )
    settings = None if catalogue is None else catalogue.settings_of(MetricsSettings)
    reason = f": {findings[0].message}" if findings else "; list `probes` under `metrics` in site.yaml"
    return ReadSettings(settings, reason)


def append_points(folder: Path, results: Sequence[Measurement], at: Instant) -> list[dict[str, object]]:
    """Append a row to each probe's file, and return the alerts.

    Raises:
        PointsError: if a file is not a regular file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    alerts = []
    with content_lock(folder):
        for measured in results:
            file = folder / f"{measured.probe.id}.csv"
            if file.is_symlink() or (file.exists() and not file.is_file()):
                raise PointsError(
                    f"{file} is not a regular file", "remove it; the next run writes a new file"
                )
            in_a_row = failures_in_a_row(file) + 1 if measured.reason else 0
            append_point(file, measured, at)
            alerts.append(_alert(measured, at, is_firing=in_a_row >= measured.probe.failures))
    return alerts


def failures_in_a_row(file: Path) -> int:
    """Count the failures at the end of a file."""
    if not file.is_file():
        return 0
    count = 0
    for row in csv.DictReader(io.StringIO(read_text(file))):
        count = count + 1 if row.get("fault") else 0
    return count


def append_point(file: Path, measured: Measurement, at: Instant) -> None:
    """Append a row to a file of points, creating it if needed."""
    answer, probe = measured.answer, measured.probe
    values = {
        "at": format_exact(at),
        "seconds": answer.seconds,
        "head": answer.head,
        "age": measured.age,
        "finalized": answer.finalized,
        "lag": measured.lag,
        "fault": measured.reason,
        "batch_age": measured.batch_age,
    }
    columns = [*COLUMNS, "batch_age"] if probe.kind in OF_BATCHES else [*COLUMNS]
    # keep the columns of an existing file: another program may have created it with other columns
    header = next(csv.reader(io.StringIO(read_text(file))), []) if file.exists() else []
    text = io.StringIO()
    writer = csv.DictWriter(text, header or columns, extrasaction="ignore", lineterminator="\n")
    if not header:
        writer.writeheader()
    writer.writerow(values)
    append_to_file(file, text.getvalue().encode())


def _alert(measured: Measurement, at: Instant, *, is_firing: bool) -> dict[str, object]:
    """Return an alert in the form of Alertmanager."""
    probe = measured.probe
    return {
        "status": "firing" if is_firing else "resolved",
        "labels": {"alertname": f"probe {probe.id}", "probe": probe.id, "component": probe.component},
        "annotations": {
            "summary": f"{probe.id}: {measured.title}" if measured.title else f"{probe.id} is well",
            "description": measured.reason,
        },
        "startsAt": format_exact(at),
    }


def write_alerts(file: Path, alerts: Sequence[dict[str, object]]) -> None:
    """Write alerts as a webhook of Alertmanager sends a group.

    Args:
        file: the file; `-` for standard output.
    """
    status = "firing" if any(alert["status"] == "firing" for alert in alerts) else "resolved"
    group = {
        "version": "4",
        "receiver": "probe",
        "groupKey": "statuary probe",
        "status": status,
        "alerts": alerts,
    }
    body = orjson.dumps(group, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    if str(file) == "-":
        sys.stdout.buffer.write(body)
        sys.stdout.buffer.flush()
    else:
        replace_file(file, body)


def _lines(results: Sequence[Measurement]) -> Iterator[str]:
    for measured in results:
        answer = measured.answer
        parts = [
            f"head {answer.head:,}" if answer.head is not None else "",
            f"age {measured.age:.0f} s" if measured.age is not None else "",
            f"finalized {answer.finalized:,}" if answer.finalized is not None else "",
            f"lag {measured.lag}" if measured.lag is not None else "",
            f"batches {measured.batch_age:.0f} s" if measured.batch_age is not None else "",
            f"{answer.seconds * 1000:.0f} ms" if answer.seconds is not None else "",
        ]
        yield f"{measured.probe.id}: {measured.reason or 'well'} ({', '.join(filter(None, parts)) or 'no answer'})"
