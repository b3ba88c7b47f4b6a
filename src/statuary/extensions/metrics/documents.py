"""`metrics-display/<id>/<period>.json` in Statuspage's form, and `metrics-display/<id>.svg`, a graph of the last day."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

from statuary.base.primitives import Instant, format_milliseconds
from statuary.extensions.metrics.points import Point
from statuary.extensions.metrics.settings import Metric
from statuary.site.document import Document, encode_json
from statuary.site.url_table import SVG, PutStep, Url

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
URLS = (POINTS, GRAPH)


class Period(NamedTuple):
    """A period that ends with a build."""

    name: str
    intervals: int
    interval: int  # seconds


PERIODS = (Period("day", 288, 300), Period("week", 336, 1800), Period("month", 360, 7200))
"""The periods of Statuspage, with its intervals."""


class Interval(NamedTuple):
    """The mean of the points of an interval."""

    timestamp: int  # seconds since 1970, of its beginning
    value: float


def intervals_of(points: Sequence[Point], period: Period, now: Instant) -> list[Interval]:
    """Return the means of a period's intervals with points."""
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


def metric_documents(metric: Metric, points: Sequence[Point], now: Instant) -> Iterator[Document]:
    """Yield the documents of a metric as of an instant."""
    for period in PERIODS:
        path = POINTS.path(metric_id=metric.id, period=period.name)
        yield Document(path=path, body=encode_json(_members(metric, points, period, now)))
    body = graph(metric, intervals_of(points, PERIODS[0], now), now).encode()
    yield Document(path=GRAPH.path(metric_id=metric.id), body=body, media_type=SVG)


def _members(metric: Metric, points: Sequence[Point], period: Period, now: Instant) -> dict[str, object]:
    data = intervals_of(points, period, now)
    total = round(sum(row.value for row in data), 6)
    summary = {"sum": total, "mean": round(total / len(data), 6) if data else None}
    past_points = [point for point in points if point.at <= now]
    first_time, last_time = (
        format_milliseconds(past_points[place].at) if past_points else None for place in (0, -1)
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


WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 420, 130, 52, 24, 10

STYLE = """\
text{font:12px system-ui,-apple-system,Segoe UI,Roboto,sans-serif;fill:#5a606a}
.line{fill:none;stroke:#2557b3;stroke-width:1.6;stroke-linejoin:round}
.area{fill:#2557b3;opacity:.12}
.grid{stroke:#e6e6e1}
@media (prefers-color-scheme:dark){text{fill:#a5abb5}.line{stroke:#86adf5}.area{fill:#86adf5}.grid{stroke:#2c3038}}"""


class _Point(NamedTuple):
    x: float
    y: float


def graph(metric: Metric, data: Sequence[Interval], now: Instant) -> str:
    """Return a metric's last day as an SVG with gaps."""
    period = PERIODS[0]
    end = int(now.timestamp()) // period.interval * period.interval
    start = end - (period.intervals - 1) * period.interval
    top = nice_ceiling(max((row.value for row in data), default=0.0))
    width, height = WIDTH - LEFT - 4, HEIGHT - BOTTOM - TOP

    def place(row: Interval) -> _Point:
        across = (row.timestamp - start) / (end - start)
        return _Point(LEFT + across * width, TOP + height - max(row.value, 0.0) / top * height)

    parts = []
    for share in (0.0, 0.5, 1.0):
        y = TOP + height - share * height
        label = escape(f"{top * share:g} {metric.unit}".strip())
        parts.append(
            f'<path class="grid" d="M{LEFT} {y:g}H{WIDTH - 4}"/><text x="{LEFT - 6}" y="{y + 4:g}" text-anchor="end">{label}</text>'
        )
    for hours, anchor in ((24, "start"), (12, "middle"), (0, "end")):
        x = LEFT + (24 - hours) / 24 * width
        label = f"-{hours} h" if hours else "0 h"  # the same in every language
        parts.append(f'<text x="{x:g}" y="{HEIGHT - 6}" text-anchor="{anchor}">{label}</text>')
    for run in runs_of(data, period.interval):
        line = " ".join(f"{x:.1f} {y:.1f}" for x, y in map(place, run))
        first_x, last_x = place(run[0]).x, place(run[-1]).x
        base = TOP + height
        parts.append(
            f'<path class="area" d="M{first_x:.1f} {base}L{line} L{last_x:.1f} {base}Z"/><path class="line" d="M{line}"/>'
        )
    title = escape(
        f"{metric.name}: {data[-1].value:g} {metric.unit}".strip() if data else f"{metric.name}: no points"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img"'
        f' aria-label="{title}"><title>{title}</title><style>{STYLE}</style>{"".join(parts)}</svg>'
    )


def runs_of(data: Sequence[Interval], interval: int) -> Iterator[list[Interval]]:
    """Yield runs of consecutive intervals; two missing ones in a row are a gap."""
    run: list[Interval] = []
    for row in data:
        if run and row.timestamp - run[-1].timestamp > 3 * interval:
            yield run
            run = []
        run.append(row)
    if run:
        yield run


def nice_ceiling(value: float) -> float:
    """Round a value up to one of 1, 2, 5, 10, 20 ….

    A value of zero or less gives 1.
    """
    step = 1e-6
    while value > 0:
        for factor in (1, 2, 5):
            if step * factor >= value:
                return step * factor
        step *= 10
    return 1.0
