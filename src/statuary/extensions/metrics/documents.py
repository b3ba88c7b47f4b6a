"""Documents and graphs of metrics.

The files are `metrics-display/<id>/<period>.json`, `<id>.svg` and `<id>/now.svg`.
"""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import pairwise
from typing import NamedTuple

from statuary.base.primitives import Instant, format_utc_milliseconds
from statuary.extensions.metrics.points import Point
from statuary.extensions.metrics.settings import Metric
from statuary.site.document import Document, encode_json
from statuary.site.urls import SVG, PutStep, Url

POINTS = Url(
    "metric-points",
    "metrics-display/{metric_id}/{period}.json",
    "the points of a metric over a day, a week or a month, as Statuspage's pages load them",
    put=PutStep.BODY,
)
GRAPH = Url(
    "metric-graph",
    "metrics-display/{metric_id}.svg",
    "a metric over the last day, as a graph",
    SVG,
    put=PutStep.BODY,
)
PULSE = Url(
    "metric-pulse",
    "metrics-display/{metric_id}/now.svg",
    "a metric's value now, its usual range, and its last day as a line",
    SVG,
    put=PutStep.BODY,
)
URLS = (POINTS, GRAPH, PULSE)


class Period(NamedTuple):
    """A period that ends at the build's time, such as a week."""

    name: str
    intervals: int
    interval: int  # seconds


PERIODS = (Period("day", 288, 300), Period("week", 336, 1800), Period("month", 360, 7200))
"""The periods of Statuspage, with its intervals."""


class Interval(NamedTuple):
    """The mean of the values in an interval."""

    timestamp: int  # the beginning of the interval, in seconds since 1970
    value: float


def average_by_interval(points: Sequence[Point], period: Period, now: Instant) -> list[Interval]:
    """Return the mean value in each interval of a period.

    For example, it returns the mean of each hour of a week. Intervals without values, and values after `now`,
    are left out.

    Args:
        points: the measured values.
        period: the period and the length of its intervals; it ends at `now`.
        now: the time of the build.
    """
    end = int(now.timestamp()) // period.interval * period.interval + period.interval
    start = end - period.intervals * period.interval
    sums: dict[int, tuple[float, int]] = {}
    for point in points:
        at = point.at.timestamp()
        if start <= at <= now.timestamp():
            place = int(at) // period.interval * period.interval
            total, count = sums.get(place, (0.0, 0))
            sums[place] = total + point.value, count + 1
    return [Interval(place, round(total / count, 6)) for place, (total, count) in sorted(sums.items())]


def iter_metric_documents(metric: Metric, points: Sequence[Point], now: Instant) -> Iterator[Document]:
    """Yield the JSON documents and graphs of a metric, such as latency.

    Args:
        metric: the settings of the metric.
        points: the measured values.
        now: the time of the build.
    """
    for period in PERIODS:
        path = POINTS.path(metric_id=metric.id, period=period.name)
        yield Document(path=path, body=encode_json(_make_metric_members(metric, points, period, now)))
    day, week = (average_by_interval(points, period, now) for period in PERIODS[:2])
    body = draw_graph(metric, day, now).encode()
    yield Document(path=GRAPH.path(metric_id=metric.id), body=body, media_type=SVG)
    body = draw_metric_summary(metric, day, compute_usual_range(week), now).encode()
    yield Document(path=PULSE.path(metric_id=metric.id), body=body, media_type=SVG)


def _make_metric_members(
    metric: Metric, points: Sequence[Point], period: Period, now: Instant
) -> dict[str, object]:
    data = average_by_interval(points, period, now)
    total = round(sum(row.value for row in data), 6)
    summary = {"sum": total, "mean": round(total / len(data), 6) if data else None}
    past_points = [point for point in points if point.at <= now]
    first_time, last_time = (
        format_utc_milliseconds(past_points[place].at) if past_points else None for place in (0, -1)
    )
    metric_members = {
        "name": metric.name,
        "metric_identifier": metric.id,
        "created_at": first_time,
        "updated_at": last_time,
        "id": metric.id,
        "metrics_provider_id": None,
        "metrics_display_id": metric.id,
        "most_recent_data_at": last_time,
        "backfilled": False,
        "last_fetched_at": last_time,
        "backfill_percentage": 1.0,
    }
    values = [{"timestamp": row.timestamp, "value": row.value} for row in data]
    return {
        "period": {"count": period.intervals, "interval": period.interval, "identifier": period.name},
        "metrics": [{"metric": metric_members, "summary": summary, "data": values}],
        "summary": summary | {"last": data[-1].value if data else None},
    }


WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 420, 150, 44, 24, 30

STYLE = """\
text{font:12px system-ui,-apple-system,Segoe UI,Roboto,sans-serif;fill:#5a606a}
.now{font-size:22px;font-weight:600;fill:#14161a}
.now .unit{font-size:13px;font-weight:400;fill:#5a606a}
.line{fill:none;stroke:#5a606a;stroke-width:1.6;stroke-linejoin:round;stroke-linecap:round;vector-effect:non-scaling-stroke}
.area{fill:#5a606a;opacity:.12}
.grid{stroke:#e6e6e1}
.band{fill:#e6e6e1}
.out{fill:#825300}
.out.line{fill:none;stroke:#bd8100}
@media (prefers-color-scheme:dark){text,.now .unit{fill:#a1a8b1}.now{fill:#eceded}.line{stroke:#a1a8b1}.area{fill:#a1a8b1}.grid{stroke:#25292e}.band{fill:#25292e}.out{fill:#e3b74d}.out.line{stroke:#d9a52b}}"""


UNITS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
"""The letter of each factor, largest first."""


def format_short_number(value: float) -> str:
    """Format a number with about three digits, such as `12.3k`."""
    if abs(value) < 9999.5:
        return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
    rounded = float(f"{value:.3g}")  # round first, so that 999,600 becomes 1M
    factor, letter = next(unit for unit in UNITS if abs(rounded) >= unit[0])
    return f"{rounded / factor:,.4g}{letter}"


class UsualRange(NamedTuple):
    """The range of most values in the past week."""

    low: float
    high: float

    def is_unusual(self, current_value: float) -> bool:
        """Return whether a value is far outside of the usual range.

        Its distance from the range must be more than the width of the range, and more than a tenth of its
        upper end.
        """
        margin = max(self.high - self.low, abs(self.high) / 10)
        return not self.low - margin <= current_value <= self.high + margin


def compute_usual_range(week: Sequence[Interval]) -> UsualRange | None:
    """Return the range of a metric's usual values.

    It leaves out the lowest and the highest tenth of a week's values.

    Args:
        week: the mean values of a week.

    Returns:
        The range; None if there are fewer than ten intervals.
    """
    values = sorted(row.value for row in week)
    if len(values) < 10:
        return None
    return UsualRange(values[len(values) // 10], values[-1 - len(values) // 10])


PULSE_HEIGHT, PULSE_LINE_WIDTH = 52, 136


def draw_metric_summary(
    metric: Metric, day: Sequence[Interval], usual: UsualRange | None, now: Instant
) -> str:
    """Draw a small SVG with a metric's newest value and last day.

    The line of the day is in the right half. An unusual value has the colour of degraded performance. Texts
    keep their size at any width of the picture.

    Args:
        metric: the settings of the metric.
        day: the mean values of the last day; the newest one is shown as a number.
        usual: the range of usual values, drawn behind the line; None if unknown.
        now: the time of the build.
    """
    period = PERIODS[0]
    end = int(now.timestamp()) // period.interval * period.interval
    start = end - (period.intervals - 1) * period.interval
    top = max([row.value for row in day] + ([usual.high] if usual else []), default=0.0) or 1.0
    height = PULSE_HEIGHT - 12

    def y_of(value: float) -> float:
        return 6 + height - max(value, 0.0) / top * height

    style = " out" if _is_current_value_unusual(day, usual) else ""
    unit = escape(metric.unit)
    value = escape(format_short_number(day[-1].value)) if day else "\N{EN DASH}"
    texts = f'<text class="now{style}" x="0" y="22">{value} <tspan class="unit">{unit}</tspan></text>'
    lines = []
    if usual:
        y = y_of(usual.high)
        tall = max(y_of(usual.low) - y_of(usual.high), 3)
        lines.append(f'<rect class="band" y="{y:.1f}" width="{PULSE_LINE_WIDTH}" height="{tall:.1f}"/>')
        texts += (
            '<rect class="band" y="35" width="10" height="10" rx="2"/>'
            f'<text x="15" y="44">{escape(_format_usual_range(usual))} {unit}</text>'
        )
    for run in split_at_gaps(day, period.interval):
        line = _make_svg_path(
            _Point((row.timestamp - start) / (end - start) * PULSE_LINE_WIDTH, y_of(row.value)) for row in run
        )
        lines.append(f'<path class="line{style}" d="M{line}"/>')
    title = escape(f"{metric.name}: {value} {metric.unit}".strip())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="100%" height="{PULSE_HEIGHT}" role="img" aria-label="{title}">'
        f'<title>{title}</title><style>{STYLE}</style>{texts}<svg x="50%" width="50%" height="{PULSE_HEIGHT}"'
        f' viewBox="-2 0 {PULSE_LINE_WIDTH + 4} {PULSE_HEIGHT}" preserveAspectRatio="none">{"".join(lines)}</svg></svg>'
    )


def _is_current_value_unusual(day: Sequence[Interval], usual: UsualRange | None) -> bool:
    return bool(day and usual and usual.is_unusual(day[-1].value))


def _format_usual_range(usual: UsualRange) -> str:
    low, high = map(format_short_number, usual)
    return low if low == high else f"{low} \N{EN DASH} {high}"


class _Point(NamedTuple):
    x: float
    y: float


def _make_svg_path(line_points: Iterable[_Point]) -> str:
    places = [f"{x:.1f} {y:.1f}" for x, y in line_points]
    return " ".join(places) if len(places) > 1 else f"{places[0]}h0"


def draw_graph(metric: Metric, data: Sequence[Interval], now: Instant) -> str:
    """Draw an SVG graph of a metric's last day.

    Args:
        metric: the settings of the metric.
        data: the mean values of the last day.
        now: the time of the build.
    """
    period = PERIODS[0]
    end = int(now.timestamp()) // period.interval * period.interval
    start = end - (period.intervals - 1) * period.interval
    top = round_up_for_axis(max((row.value for row in data), default=0.0))
    width, height = WIDTH - LEFT - 4, HEIGHT - BOTTOM - TOP

    def place(row: Interval) -> _Point:
        across = (row.timestamp - start) / (end - start)
        return _Point(LEFT + across * width, TOP + height - max(row.value, 0.0) / top * height)

    parts = []
    for share in (0.0, 0.5, 1.0):
        y = TOP + height - share * height
        label = format_short_number(top * share)
        parts.append(
            f'<path class="grid" d="M{LEFT} {y:g}H{WIDTH - 4}"/><text x="{LEFT - 6}" y="{y + 4:g}" text-anchor="end">{label}</text>'
        )
    for hours, anchor in ((24, "start"), (12, "middle"), (0, "end")):
        x = LEFT + (24 - hours) / 24 * width
        label = f"\N{MINUS SIGN}{hours} h" if hours else "0 h"  # a label that is the same in every language
        parts.append(f'<text x="{x:g}" y="{HEIGHT - 6}" text-anchor="{anchor}">{label}</text>')
    for run in split_at_gaps(data, period.interval):
        line = _make_svg_path(map(place, run))
        first_x, last_x = place(run[0]).x, place(run[-1]).x
        base = TOP + height
        parts.append(
            f'<path class="area" d="M{first_x:.1f} {base}L{line} L{last_x:.1f} {base}Z"/><path class="line" d="M{line}"/>'
        )
    if data:
        value = format_short_number(data[-1].value)
        unit = escape(metric.unit)
        parts.append(
            f'<text class="now" x="{WIDTH - 4}" y="18" text-anchor="end">{value} <tspan class="unit">{unit}</tspan></text>'
        )
    title = escape(
        f"{metric.name}: {data[-1].value:g} {metric.unit}".strip() if data else f"{metric.name}: no points"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img"'
        f' aria-label="{title}"><title>{title}</title><style>{STYLE}</style>{"".join(parts)}</svg>'
    )


def split_at_gaps(data: Sequence[Interval], interval: int) -> Iterator[list[Interval]]:
    """Split a series of values wherever values are missing.

    A graph draws no line across such a gap, which is longer than three intervals and than twice the median
    distance between values.

    Args:
        data: the intervals that have values.
        interval: the length of an interval in seconds.
    """
    distances = sorted(later.timestamp - row.timestamp for row, later in pairwise(data))
    usual = distances[len(distances) // 2] if len(distances) > 1 else 0
    run: list[Interval] = []
    for row in data:
        if run and row.timestamp - run[-1].timestamp > max(3 * interval, 2 * usual):
            yield run
            run = []
        run.append(row)
    if run:
        yield run


def round_up_for_axis(value: float) -> float:
    """Round a chart's largest value up to a number for its axis.

    For example, 37 becomes 50.

    Returns:
        The smallest number of at least `value` that is 1, 2 or 5 times a power of ten (from 10^-6 on). If
        `value` is zero or negative, 1.
    """
    step = 1e-6
    while value > 0:
        for factor in (1, 2, 5):
            if step * factor >= value:
                return step * factor
        step *= 10
    return 1.0
