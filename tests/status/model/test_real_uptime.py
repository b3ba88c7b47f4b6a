"""Percentages of a real page, from the outages by day on the same page.

status.circleci.com as it stood on 2021-01-22: seconds of partial and of major outage on each day, and the uptime
that it printed for 90, 60 and 30 days. Its eight components are numbered here; the last began on 2020-11-17.
"""

from datetime import UTC, date, datetime, timedelta

import pytest

from statuary.base.primitives import parse_instant
from statuary.status.model.timeline import build_timeline
from statuary.status.model.uptime import Outage, page_uptime, uptime_fraction, uptime_percentage
from support.status_site import catalogue_of

TODAY = date(2021, 1, 22)

OUTAGES = [
    {"11-05": (1024, 0), "12-04": (0, 8559), "12-18": (579, 480)},
    {"11-05": (1024, 0), "12-04": (0, 8559), "12-14": (0, 878), "12-18": (579, 480)},
    {"11-05": (1024, 0), "11-16": (572, 0), "12-04": (376, 8559), "12-18": (579, 685)},
    {"11-05": (1024, 0), "12-04": (0, 8559), "12-18": (580, 480)},
    {
        "11-05": (1024, 0),
        "11-06": (0, 2437),
        "11-18": (2841, 5708),
        "11-25": (555, 0),
        "12-14": (878, 0),
        "12-18": (580, 480),
    },
    {
        "11-05": (1024, 0),
        "11-06": (0, 676),
        "11-16": (10_102, 0),
        "11-17": (15_750, 1841),
        "11-18": (0, 5708),
        "12-04": (4848, 0),
        "12-14": (0, 1184),
    },
    {},
    {"11-25": (0, 17_400), "12-18": (580, 480)},
]
"""By component: partial and major outage in seconds, by the day of 2020."""

PRINTED = [
    (99.87, 99.82, 100.0),
    (99.86, 99.8, 100.0),
    (99.87, 99.81, 100.0),
    (99.87, 99.82, 100.0),
    (99.86, 99.97, 100.0),
    (99.75, 99.94, 100.0),
    (100.0, 100.0, 100.0),
    (99.68, 99.65, 100.0),
]
"""By component: what the page printed for 90, 60 and 30 days."""

BEGAN = {7: date(2020, 11, 17)}


def test_recorded_outages_reproduce_statuspage_uptime():
    """Each component's 90 days, from a history that has these outages."""
    now = parse_instant("2021-01-22T23:00:00Z")
    components = "components:\n" + "".join(map(component, range(len(OUTAGES))))

    uptime = page_uptime(build_timeline(catalogue_of(components=components), now), now)

    output = [uptime_percentage([one.fraction]) for one in uptime.components]
    assert output == [ninety for ninety, _, _ in PRINTED]
    assert uptime.first_day == date(2020, 10, 25)
    assert {f"{day:%m-%d}": out for day, out in uptime.components[5].days.items()} == {
        day: Outage(timedelta(seconds=partial), timedelta(seconds=major))
        for day, (partial, major) in OUTAGES[5].items()
    }


def component(number: int) -> str:
    """Return a component as an author writes it, with a history of its outages, each from midnight on."""
    changes = []
    for day, (partial, major) in OUTAGES[number].items():
        changes += [(day, 0, "partial_outage")] if partial else []
        changes += [(day, partial, "major_outage")] if major else []
        changes += [(day, partial + major, "operational")]
    midnight = datetime(2020, 1, 1, tzinfo=UTC)
    output = ", ".join(
        f"{{at: 2020-{day}T{midnight + timedelta(seconds=seconds):%H:%M:%SZ}, status: {status}}}"
        for day, seconds, status in changes
    )
    start = f", start_date: {BEGAN[number]}" if number in BEGAN else ""
    return f"  c{number}: {{name: C{number}{start}, history: [{output}]}}\n"


@pytest.mark.parametrize("number", range(len(OUTAGES)))
@pytest.mark.parametrize(("place", "days"), [(0, 90), (1, 60), (2, 30)])
def test_uptime_formula_matches_statuspage_figures(number, place, days):
    first = max(TODAY - timedelta(days=days - 1), BEGAN.get(number, date.min))
    out = Outage()
    for day, (partial, major) in OUTAGES[number].items():
        if date.fromisoformat(f"2020-{day}") >= first:
            out += Outage(timedelta(seconds=partial), timedelta(seconds=major))

    window = TODAY - first + timedelta(days=1)

    assert uptime_percentage([uptime_fraction(out, window)]) == PRINTED[number][place]
