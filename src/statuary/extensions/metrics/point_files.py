"""Append the results of probes to their files of points."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from statuary.base.primitives import Instant, format_utc_shortest
from statuary.extensions.metrics.points import LARGEST_FILE, MOST_POINTS, PointsError
from statuary.extensions.metrics.probe import Measurement
from statuary.extensions.metrics.settings import ProbeKind
from statuary.system.files import read_text
from statuary.system.writing import append_to_file, replace_file

COLUMNS = ("at", "seconds", "head", "age", "finalized", "lag", "fault")
"""The columns of a probe's file of points; that of a rollup has `batch_age` too."""

OF_BATCHES = (ProbeKind.OPTIMISM, ProbeKind.ZKSYNC)

LARGEST_SIZE = LARGEST_FILE * 3 // 4
"""Size in bytes from which on the older half of a file is removed, well before a build refuses it."""


def append_measurement(csv_file: Path, measured: Measurement, run_time: Instant) -> int:
    """Append a probe's result to its CSV file, creating the file.

    If the file gets too large for a build, the older half of the rows is removed.

    Args:
        csv_file: the CSV file.
        measured: the result of the probe.
        run_time: the time of the run.

    Returns:
        How often the probe has failed in a row, up to now; 0 if it passed.

    Raises:
        PointsError: if the file is not a CSV file that this program wrote.
    """
    text = _read_csv_text(csv_file)
    table = _parse_csv_rows(text, csv_file)
    header = table[0] if table else _list_csv_columns(measured.probe.kind)
    row = _make_column_values(measured, run_time)
    line = _format_csv_rows([[row.get(name, "") for name in header]])
    if len(table) > MOST_POINTS or len(text) > LARGEST_SIZE:
        newer = table[1 + len(table) // 2 :]
        replace_file(csv_file, (_format_csv_rows([header, *newer]) + line).encode())
    elif not table:
        append_to_file(csv_file, (_format_csv_rows([header]) + line).encode())
    else:
        # If the last run was interrupted while it wrote a line, begin a new line after the incomplete one.
        append_to_file(csv_file, (("" if text.endswith("\n") else "\n") + line).encode())
    return _count_latest_failures(header, table[1:]) + 1 if measured.reason else 0


def _read_csv_text(file: Path) -> str:
    if file.is_symlink() or (file.exists() and not file.is_file()):
        raise PointsError(
            f"{file} is not a regular file, so measurements cannot be added to it",
            "remove it; the next run writes a new file",
        )
    try:
        return read_text(file)
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise _not_csv_error(file) from None
    except OSError as error:
        raise PointsError(f"{file} cannot be read: {error.strerror or error}") from None


def _parse_csv_rows(csv_text: str, file: Path) -> list[list[str]]:
    try:
        return [row for row in csv.reader(io.StringIO(csv_text, newline="")) if row]
    except csv.Error:
        raise _not_csv_error(file) from None


def _not_csv_error(csv_file: Path) -> PointsError:
    return PointsError(f"{csv_file} is not a CSV file", "move it away; the next run writes a new file")


def _list_csv_columns(probe_kind: ProbeKind) -> list[str]:
    return [*COLUMNS, "batch_age"] if probe_kind in OF_BATCHES else [*COLUMNS]


def _make_column_values(measured: Measurement, run_time: Instant) -> dict[str, object]:
    answer = measured.answer
    return {
        "at": format_utc_shortest(run_time),
        "seconds": answer.seconds,
        "head": answer.head,
        "age": measured.age,
        "finalized": answer.finalized,
        "lag": measured.lag,
        "fault": measured.reason,
        "batch_age": measured.batch_age,
    }


def _format_csv_rows(rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _count_latest_failures(header: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """Count the consecutive failures at the end of a probe's file."""
    place = header.index("fault") if "fault" in header else len(header)
    count = 0
    for row in reversed(rows):
        if len(row) <= place or not row[place]:
            break
        count += 1
    return count
