"""Probe nodes and services once (`statuary probe`)."""

import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import click
import orjson

from statuary.base.errors import StatuaryError
from statuary.base.primitives import Instant, format_utc_shortest
from statuary.cli.escape import escape_control_chars, print_error
from statuary.cli.exit_codes import ExitCode
from statuary.cli.options import build_instant, content_option, now_option
from statuary.engine.faulty_settings import SettingsFallback, find_extension_error
from statuary.engine.read_content import read_content
from statuary.extensions.metrics.point_files import append_measurement
from statuary.extensions.metrics.probe import Measurement, evaluate_probe_answers, run_probe
from statuary.extensions.metrics.settings import MetricsSettings
from statuary.source.edit_files import content_lock
from statuary.source.file_kinds import CONTRACTS
from statuary.source.source_files import walk_folder
from statuary.system.writing import replace_file

MOST_AT_ONCE = 16
"""The largest number of probes at the same time."""


@click.command()
@content_option
@click.option(
    "--points",
    metavar="FOLDER",
    type=click.Path(path_type=Path, file_okay=False),
    help="Append the measurements to CSV files in this folder. Default: `folder` under `metrics` in site.yaml.",
)
@click.option(
    "--alert",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    help="Write an alert for each probe, firing or resolved, to this file, for `statuary incident from-alert`. Use - for standard output.",
)
@now_option
def probe_command(
    content: Path,
    points: Path | None,
    alert: Path | None,
    now: Instant | None,
) -> ExitCode:
    """Probe nodes and services once, and write the measurements.

    List the probes under `metrics` in site.yaml. The command adds the results of each probe to a CSV file, which does
    not belong in git. Run the command regularly, for example with cron.

    Exit codes: 0 all probes passed; 1 a probe failed, its result was not saved, or site.yaml lists no probes.
    """
    settings, reason = read_metrics_settings(content)
    if not settings.probes:
        click.echo(escape_control_chars(f"nothing was asked{reason}"), err=True)
        return ExitCode.FINDINGS
    with ThreadPoolExecutor(MOST_AT_ONCE) as pool:
        answers = list(zip(settings.probes, pool.map(run_probe, settings.probes), strict=True))
    at = build_instant(now)
    latest = evaluate_probe_answers(answers, at)
    appended = append_measurements(points or content.resolve().parent / settings.folder, latest, at)
    _print_measurements(latest, appended.errors, to_stderr=str(alert) == "-")
    if alert is not None:
        write_alerts(alert, appended.alerts)
    failed_probes = [measured for measured in latest if measured.reason]
    return ExitCode.FINDINGS if failed_probes or appended.errors else ExitCode.OK


class ReadSettings(NamedTuple):
    """The settings of probes and metrics."""

    settings: MetricsSettings
    reason: str  # the end of a message about missing settings


def read_metrics_settings(content_folder: Path) -> ReadSettings:
    """Read what site.yaml says under `metrics`.

    Returns:
        The settings. If there are none, empty settings and the reason.
    """
    files = walk_folder(content_folder, (CONTRACTS,)) if content_folder.is_dir() else None
    site, findings = read_content(content_folder, files, fallback=SettingsFallback.of_command())
    settings = None if site is None else site.settings_of(MetricsSettings)
    error = find_extension_error(site, findings, "metrics")
    reason = "; list `probes` under `metrics` in site.yaml" if error is None else f": {error.message}"
    return ReadSettings(settings or MetricsSettings(folder=""), reason)


class AppendedPoints(NamedTuple):
    """A run's alerts, and the results that could not be saved."""

    alerts: list[dict[str, object]]
    errors: list[StatuaryError]


def append_measurements(
    points_folder: Path, measurements: Sequence[Measurement], run_time: Instant
) -> AppendedPoints:
    """Append each probe's result to the CSV file of the probe.

    If a file cannot be written, the others are still written.

    Args:
        points_folder: the folder with the CSV files, such as `rpc.csv` for the probe `rpc`.
        measurements: the result of each probe in this run.
        run_time: the time of the run.
    """
    points_folder.mkdir(parents=True, exist_ok=True)
    appended = AppendedPoints([], [])
    with content_lock(points_folder):
        for measured in measurements:
            try:
                in_a_row = append_measurement(points_folder / f"{measured.probe.id}.csv", measured, run_time)
            except StatuaryError as error:
                appended.errors.append(error)
                in_a_row = 1 if measured.reason else 0
            appended.alerts.append(
                _make_alert(measured, run_time, is_firing=in_a_row >= measured.probe.failures)
            )
    return appended


def _make_alert(measured: Measurement, run_time: Instant, *, is_firing: bool) -> dict[str, object]:
    probe = measured.probe
    return {
        "status": "firing" if is_firing else "resolved",
        "labels": {"alertname": f"probe {probe.id}", "probe": probe.id, "component": probe.component},
        "annotations": {
            "summary": f"{probe.id}: {measured.title}" if measured.title else f"{probe.id} is well",
            "description": measured.reason,
        },
        "startsAt": format_utc_shortest(run_time),
    }


def write_alerts(output_file: Path, alerts: Sequence[dict[str, object]]) -> None:
    """Write alerts to a file in the format of Alertmanager's webhook.

    `statuary incident from-alert` reads this file.

    Args:
        output_file: the file; `-` for standard output.
        alerts: the alerts, as JSON objects.
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
    if str(output_file) == "-":
        sys.stdout.buffer.write(body)
        sys.stdout.buffer.flush()
    else:
        replace_file(output_file, body)


def _print_measurements(
    measurements: Sequence[Measurement], write_errors: Sequence[StatuaryError], *, to_stderr: bool
) -> None:
    for line in _format_measurements(measurements):
        click.echo(escape_control_chars(line), err=to_stderr)
    for error in write_errors:
        print_error(error)


def _format_measurements(measurements: Sequence[Measurement]) -> Iterator[str]:
    for measured in measurements:
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
