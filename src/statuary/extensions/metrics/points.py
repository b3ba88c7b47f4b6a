"""Read files of measurements in several formats.

Prometheus: the response of `query_range` (https://prometheus.io/docs/prometheus/latest/querying/api/). Gatus:
that of `/api/v1/endpoints/statuses`. Uptime Kuma: that of `/api/status-page/heartbeat/<slug>`. Upptime:
versions of `history/<slug>.yml`, one after the other.
"""

import csv
import io
import math
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

import orjson

from statuary.base.errors import StatuaryError
from statuary.base.json_values import Json, JsonObject
from statuary.base.primitives import Instant, InvalidValueError, parse_instant, shorten, to_instant
from statuary.extensions.metrics.settings import Metric, PointsForm

LARGEST_FILE = 16 << 20
"""Size in bytes of the largest file of points."""

MOST_POINTS = 200_000
"""The largest number of points in a file."""

MILLISECONDS = 1_000_000
"""Nanoseconds in a millisecond: Gatus states durations in nanoseconds."""


class PointsError(StatuaryError):
    """Raised if a file of measured values cannot be read."""


class Point(NamedTuple):
    """A measured value with its time."""

    at: Instant
    value: float


def parse_points(file_content: bytes, metric: Metric) -> list[Point]:
    """Parse a file of measured values, and sort them by time.

    If several values have the same time, the last one is used.

    Args:
        file_content: the content of the file.
        metric: the settings of the metric, which include the format of the file.

    Raises:
        PointsError: if the file is too large, or not in that format.
    """
    if len(file_content) > LARGEST_FILE:
        raise PointsError(f"{metric.file} has {len(file_content):,} bytes; the limit is {LARGEST_FILE:,}")
    try:
        rows = {at: value for at, value in READERS[metric.form](file_content, metric) if math.isfinite(value)}
    except (orjson.JSONDecodeError, UnicodeDecodeError, csv.Error, ValueError, OverflowError) as error:
        raise PointsError(
            f"{metric.file} is not a {metric.form} file: {shorten(str(error))}",
            "check `form` and `series` of the metric",
        ) from None
    if len(rows) > MOST_POINTS:
        raise PointsError(f"{metric.file} has {len(rows):,} points; the limit is {MOST_POINTS:,}")
    return [Point(at, rows[at]) for at in sorted(rows)]


def _convert_epoch_seconds(epoch_seconds: float) -> Instant:
    return to_instant(datetime.fromtimestamp(epoch_seconds, UTC))


def _parse_point_time(time_text: str) -> Instant:
    """Parse a time as RFC 3339, epoch seconds or Uptime Kuma write it."""
    try:
        return _convert_epoch_seconds(float(time_text))
    except ValueError:
        pass
    trimmed = re.sub(r"(\.\d{3})\d+", r"\1", time_text.strip())
    if " " in trimmed:
        trimmed = trimmed.replace(" ", "T") + "Z"
    try:
        return parse_instant(trimmed)
    except InvalidValueError as error:
        raise ValueError(str(error)) from None


def _parse_csv_points(file_content: bytes, metric: Metric) -> Iterator[tuple[Instant, float]]:
    """Parse the points in a CSV file; rows without a value are skipped."""
    reader = csv.reader(io.StringIO(file_content.decode("utf-8-sig")))
    names = next(reader, [])
    if metric.series and metric.series not in names:
        raise ValueError(f"the file has no column {metric.series!r}; its columns are {', '.join(names)}")
    column = names.index(metric.series) if metric.series else 1
    for row in reader:
        if len(row) > column and row[column].strip():
            yield _parse_point_time(row[0]), float(row[column])


def _parse_json(file_content: bytes) -> Json:
    value: Json = orjson.loads(file_content)
    return value


def _require_object(json_value: Json) -> JsonObject:
    return json_value if isinstance(json_value, Mapping) else {}


def _require_list(json_value: Json) -> list[Json]:
    return json_value if isinstance(json_value, list) else []


def _require_number(json_value: Json) -> float:
    return float(json_value) if isinstance(json_value, (int, float, str)) else math.nan


def _parse_prometheus_points(body: bytes, _: Metric) -> Iterator[tuple[Instant, float]]:
    results = _require_list(_require_object(_require_object(_parse_json(body)).get("data")).get("result"))
    if len(results) != 1:
        raise ValueError(f"the query returned {len(results)} series, but a metric shows exactly one")
    for row in _require_list(_require_object(results[0]).get("values")):
        at, value = _require_list(row)[:2]
        yield _convert_epoch_seconds(_require_number(at)), _require_number(value)


def _parse_gatus_points(body: bytes, metric: Metric) -> Iterator[tuple[Instant, float]]:
    endpoints = [_require_object(row) for row in _require_list(_parse_json(body))]
    matching_rows = [row for row in endpoints if metric.series in ("", row.get("key"), row.get("name"))]
    if len(matching_rows) != 1:
        raise ValueError(
            f"the file has {len(matching_rows)} endpoints named {metric.series!r}, but a metric shows "
            "exactly one"
        )
    for result in map(_require_object, _require_list(matching_rows[0].get("results"))):
        yield (
            _parse_point_time(str(result.get("timestamp"))),
            _require_number(result.get("duration")) / MILLISECONDS,
        )


def _parse_uptime_kuma_points(body: bytes, metric: Metric) -> Iterator[tuple[Instant, float]]:
    monitors = _require_object(_require_object(_parse_json(body)).get("heartbeatList"))
    if metric.series not in monitors:
        raise ValueError(f"the file has no monitor {metric.series!r}; its monitors are {', '.join(monitors)}")
    for beat in map(_require_object, _require_list(monitors[metric.series])):
        if beat.get("ping") is not None:
            yield _parse_point_time(str(beat.get("time"))), _require_number(beat["ping"])


UPPTIME = re.compile(
    r"^responseTime: *(?P<value>[0-9.]+) *$|^lastUpdated: *'?(?P<at>[^'\s]+)'? *$", re.MULTILINE
)


def _parse_upptime_points(body: bytes, _: Metric) -> Iterator[tuple[Instant, float]]:
    value = math.nan
    has_endpoint = False
    for match in UPPTIME.finditer(body.decode()):
        if match["value"]:
            value = float(match["value"])
        else:
            has_endpoint = True
            yield _parse_point_time(match["at"]), value
            value = math.nan
    if not has_endpoint:
        raise ValueError("the file has no `lastUpdated`")


READERS: dict[PointsForm, Callable[[bytes, Metric], Iterator[tuple[Instant, float]]]] = {
    PointsForm.CSV: _parse_csv_points,
    PointsForm.PROMETHEUS: _parse_prometheus_points,
    PointsForm.GATUS: _parse_gatus_points,
    PointsForm.UPTIME_KUMA: _parse_uptime_kuma_points,
    PointsForm.UPPTIME: _parse_upptime_points,
}
