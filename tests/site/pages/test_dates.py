"""Instants and days as pages show them."""

from datetime import date, timedelta
from zoneinfo import ZoneInfo

import pytest

from statuary.base.primitives import parse_instant
from statuary.site.pages.page_texts import page_texts
from statuary.site.pages.site_context import DateFormatter, format_length

ZURICH = DateFormatter(ZoneInfo("Europe/Zurich"), page_texts("en"))


@pytest.mark.parametrize(
    ("zone", "instant", "iso", "text"),
    [
        ("Europe/Zurich", "2026-11-20T12:00:00Z", "2026-11-20T13:00:00+01:00", "20 Nov 2026, 13:00 CET"),
        ("Europe/Zurich", "2026-07-01T12:00:00Z", "2026-07-01T14:00:00+02:00", "1 Jul 2026, 14:00 CEST"),
        ("Etc/UTC", "2026-11-20T12:00:00Z", "2026-11-20T12:00:00+00:00", "20 Nov 2026, 12:00 UTC"),
        (
            "Asia/Kathmandu",
            "2026-11-20T12:00:00Z",
            "2026-11-20T17:45:00+05:45",
            "20 Nov 2026, 17:45 UTC+0545",
        ),
    ],
)
def test_page_times_use_page_timezone(zone: str, instant: str, iso: str, text: str) -> None:
    moment = DateFormatter(ZoneInfo(zone), page_texts("en")).moment(parse_instant(instant))
    assert (moment.iso, moment.text) == (iso, text)


def test_page_dates_have_iso_attribute() -> None:
    day = ZURICH.short_day(date(2026, 11, 20))
    assert (day.iso, day.text) == ("2026-11-20", "20 Nov 2026")
    assert (ZURICH.month(2026, 3).iso, ZURICH.month(2026, 3).text) == ("2026-03", "March 2026")


@pytest.mark.parametrize(
    ("length", "text"),
    [
        (timedelta(seconds=20), "less than a minute"),
        (timedelta(minutes=7), "7 min"),
        (timedelta(hours=2), "2 h"),
        (timedelta(hours=1, minutes=36), "1 h 36 min"),
        (timedelta(days=2, hours=8, minutes=5), "2 d 8 h"),
        (timedelta(days=3, minutes=5), "3 d 5 min"),
    ],
)
def test_duration_shows_at_most_two_units(length: timedelta, text: str) -> None:
    assert format_length(length, page_texts("en")) == text


def test_page_duration_uses_non_breaking_spaces() -> None:
    assert ZURICH.length(timedelta(days=6, hours=2)) == "6\xa0d\xa02\xa0h"
    assert ZURICH.length(timedelta(seconds=20)) == "less than a minute"
