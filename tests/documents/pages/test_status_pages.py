"""The status pages at an instant."""

import re

import pytest

from statuary.documents.pages.status.pages import StatusPages
from statuary.domain.primitives import Instant
from statuary.domain.settings import PageSettings
from statuary.domain.status.timeline import build_timeline
from support.page_links import PageParts
from support.pages import Elements, small_site_context
from support.status_site import at, catalogue_of

ZONED = """
    name: Demo
    url: https://status.example.org
    time_zone: Europe/Zurich
    created_at: 2020-01-01T00:00:00Z
"""

TROUBLE = """
    name: Slow answers
    components: {rpc: partial_outage}
    updates:
      - {at: 2026-11-10T10:00:00Z, status: investigating, body: We look.}
      - {at: 2026-11-10T10:30:00Z, status: investigating, body: We still look.}
      - {at: 2026-11-10T11:00:00Z, status: resolved, body: It was a disk.}
    postmortem: {published_at: 2026-11-12T09:00:00Z, body: "What we learned."}
"""

UPGRADE = """
    name: Upgrade
    components: [north]
    created_at: 2026-11-08T00:00:00Z
    scheduled_for: 2026-11-11T22:00:00Z
    scheduled_until: 2026-11-11T23:00:00Z
"""


def pages_at(now: Instant, **changes: dict[str, str]) -> dict[str, str]:
    records = {"incidents": {"trouble": TROUBLE}, "maintenances": {"upgrade": UPGRADE}} | changes
    catalogue = catalogue_of(page=ZONED, **records)
    pages = StatusPages(build_timeline(catalogue, at("12-31 00:00")), small_site_context())
    return {document.path: document.body.decode() for document in pages.documents_at(now)}


def text_of(page: str) -> str:
    """Return what readers see of a page's content, in one line."""
    content = page[page.index("<main") : page.index("</main>")]
    return " ".join(Elements(content).text.split())


def heading(page: str) -> str:
    return re.search(r"<h1[^>]*>(.*?)</h1>", page)[1]  # type: ignore[index]


def test_a_page_without_incidents_shows_that() -> None:
    page = pages_at(at("11-10 09:00"))["index.html"]
    assert heading(page) == "All Systems Operational"
    assert "Unresolved incidents" not in page
    assert "status-none.svg" in page


def test_an_unresolved_incident_is_on_top_with_every_update() -> None:
    page = pages_at(at("11-10 10:45"))["index.html"]
    text = text_of(page)
    assert heading(page) == "RPC partly down"
    assert "status-minor.svg" in page
    assert text.index("Unresolved incidents") < text.index("Components")
    assert "Update 10 Nov 2026, 11:30 CET, 30 min into it # We still look. 1 earlier update" in text
    assert "1 earlier update Investigating 10 Nov 2026, 11:00 CET # We look." in text
    assert text.count("Slow answers") == 3, (
        "in the banner, as a card, and by the day in the list of its component"
    )
    assert "Affects RPC" in text
    assert "“Slow answers” is rated Major" in text, "the banner says Minor"
    assert "Tuesday, 10 Nov 2026 What is open is shown above." in text[text.index("Past 15 days") :]
    assert "Next scheduled change 10 Nov 2026, 12:00 CET" in text


def test_a_resolved_incident_is_listed_under_the_day_it_began() -> None:
    text = text_of(pages_at(at("11-11 12:00"))["index.html"])
    assert "Unresolved incidents" not in text
    past = text[text.index("Past 15 days") :]
    assert "Wednesday, 11 Nov 2026 No incidents reported." in past
    assert (
        "Tuesday, 10 Nov 2026 Slow answers Major Resolved ·"
        " 10 Nov 2026, 11:00 \N{EN DASH} 12:00 CET (1 h) It was a disk." in past
    )
    assert "28 Oct 2026 \N{EN DASH} 9 Nov 2026 No incidents reported." in past


def test_a_maintenance_is_announced_runs_and_is_past() -> None:
    scheduled = text_of(pages_at(at("11-11 12:00"))["index.html"])
    assert (
        "Scheduled maintenance Upgrade"
        " Planned 11 Nov 2026, 23:00 \N{EN DASH} 12 Nov 2026, 00:00 CET (1 h)" in scheduled
    )
    running = text_of(pages_at(at("11-11 22:10"))["index.html"])
    assert (
        "Maintenance in progress Upgrade In progress"
        " Planned 11 Nov 2026, 23:00 \N{EN DASH} 12 Nov 2026, 00:00 CET (1 h)" in running
    )
    assert "Bridges 100.0 % uptime Under maintenance" in running
    over = text_of(pages_at(at("11-12 12:00"))["index.html"])
    assert "Upgrade Maintenance Completed" in over[over.index("Past 15 days") :]


def test_a_maintenance_cancelled_before_its_start_is_listed_on_that_day() -> None:
    cancelled = UPGRADE + "    cancelled_at: 2026-11-10T12:00:00Z\n"
    text = text_of(pages_at(at("11-11 12:00"), maintenances={"upgrade": cancelled})["index.html"])
    past = text[text.index("Past 15 days") :]
    assert "Tuesday, 10 Nov 2026 Upgrade Maintenance Cancelled" in past


OUTAGE = """
    name: No blocks
    components: {rpc: major_outage, north: degraded_performance, south: degraded_performance}
    updates:
      - {at: 2026-11-10T10:00:00Z, status: investigating, body: We look.}
      - {at: 2026-11-10T11:10:00Z, status: identified, body: A disk.}
"""


@pytest.mark.parametrize(
    ("page", "statuses", "found"),
    [
        ("", "rpc: major_outage, north: degraded_performance", "RPC down, North degraded"),
        ("", "south: degraded_performance, north: degraded_performance", "North and South degraded"),
        ("", "rpc: under_maintenance", "RPC under maintenance"),
        ("    description: Two nodes are back\n", "rpc: major_outage", "Two nodes are back"),
    ],
)
def test_the_banner_names_what_is_affected_the_worst_first(page: str, statuses: str, found: str) -> None:
    outage = OUTAGE.replace(
        "rpc: major_outage, north: degraded_performance, south: degraded_performance", statuses
    )
    catalogue = catalogue_of(page=ZONED + page, incidents={"outage": outage})
    pages = StatusPages(build_timeline(catalogue, at("12-31 00:00")), small_site_context())
    assert heading(pages.documents_at(at("11-10 12:00"))[0].body.decode()) == found


def test_an_incident_s_page_is_evidence_time_zone_and_how_long_into_it() -> None:
    page = pages_at(at("11-11 12:00"))["incidents/trouble.html"]
    assert "Resolved 10 Nov 2026, 12:00 CET, 1 h into it #" in text_of(page)
    links = re.findall(r'<a class="permalink" href="#([^"]*)"', page)
    assert len(links) == len(set(links)) == 3
    assert all(f'<li id="{link}">' in page for link in links)
    opened = pages_at(at("11-10 10:45"))
    assert 'data-since="2026-11-10T11:00:00+01:00"' in opened["incidents/trouble.html"]
    shown = re.findall(r'<a class="permalink" href="incidents/trouble.html#([^"]*)"', opened["index.html"])
    assert shown == links[1:]


def test_a_group_shows_its_worst_component() -> None:
    outage = TROUBLE.replace("rpc: partial_outage", "north: major_outage")
    text = text_of(pages_at(at("11-10 10:45"), incidents={"trouble": outage})["index.html"])
    assert "Bridges 99.98 % uptime Major outage North Major outage" in text
    assert "South Operational" in text


def test_a_day_with_downtime_names_its_incidents() -> None:
    page = pages_at(at("11-11 12:00"))["index.html"]
    text = text_of(page)
    assert "1 day with issues 10 Nov 2026 Partial outage 1 h Slow answers" in text
    assert "99.98 % uptime" in text
    assert 'class="s-partial_outage"' in page
    assert 'data-first="2026-08-14"' in page, "a script computes the days of the bars from the first one"


def test_the_page_of_an_incident_has_its_postmortem_on_top() -> None:
    before = text_of(pages_at(at("11-11 12:00"))["incidents/trouble.html"])
    after = text_of(pages_at(at("11-12 12:00"))["incidents/trouble.html"])
    assert "Postmortem" not in before
    assert after.index("Postmortem What we learned.") < after.index("Updates Resolved")
    assert "Affected RPC" in after


def test_a_closed_incident_reads_the_same_whenever_the_site_is_built() -> None:
    pages = [pages_at(at(instant))["incidents/trouble.html"] for instant in ("11-12 12:00", "12-24 18:00")]
    assert pages[0] == pages[1]


def test_scheduled_maintenances_are_not_in_the_history() -> None:
    text = text_of(pages_at(at("11-11 12:00"))["history.html"])
    assert "Slow answers" in text
    assert "Upgrade" not in text


def test_the_history_has_a_page_for_each_quarter_with_incidents() -> None:
    old = TROUBLE.replace("2026-11", "2025-02")
    pages = pages_at(at("11-12 12:00"), incidents={"trouble": TROUBLE, "old": old})
    assert {path for path in pages if path.startswith("history/")} == {
        "history/2026-q4.html",
        "history/2025-q1.html",
    }
    assert "February 2025 Slow answers" in text_of(pages["history/2025-q1.html"])
    assert "Newer: 2026, quarter 4" in text_of(pages["history/2025-q1.html"])
    assert "Older: 2025, quarter 1" in text_of(pages["history.html"])
    assert "September 2026 No incidents or maintenances in this month." in text_of(pages["history.html"])


def test_the_calendar_shows_each_day() -> None:
    page = pages_at(at("11-12 12:00"))["uptime.html"]
    text = text_of(page)
    assert '<td class="d-partial_outage" title="Partial outage 1 h">10<span' in page
    assert '<td class="d-unknown">13</td>' in page
    assert "RPC, November 2026 99.89 %" in text  # 0.3 of an hour of the 12 days so far
    assert "RPC, October 2026 100.0 %" in text
    assert text.index("Bridges / North") < text.index("Bridges / South")


def test_every_day_of_a_component_is_a_bar() -> None:
    page = pages_at(at("11-12 12:00"))["index.html"]
    pictures = re.findall(r'<svg viewBox="0 0 \d+ 34".*?</svg>', page, re.DOTALL)
    assert len(pictures) == 4  # a component each
    for picture in pictures:
        without_downtime = re.findall(r'<path class="(?:calm|unknown)" d="([^"]*)"', picture)
        assert sum(path.count("M") for path in without_downtime) + picture.count("<rect") == 90


def test_a_component_that_started_later_has_no_data_before() -> None:
    catalogue = catalogue_of("components: {rpc: {name: RPC, start_date: 2026-11-03}}", page=ZONED)
    now = at("11-12 12:00")
    pages = StatusPages(build_timeline(catalogue, at("12-31 00:00")), small_site_context())
    page = pages.documents_at(now)[0].body.decode()
    unknown = re.search(r'<path class="unknown" d="([^"]*)"', page)
    assert unknown is not None
    assert unknown[1].count("M") == 80


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_page_is_made_in_every_language(language: str) -> None:
    catalogue = catalogue_of(page=ZONED, incidents={"trouble": TROUBLE}, maintenances={"upgrade": UPGRADE})
    site = small_site_context(settings=PageSettings(language=language))
    pages = StatusPages(build_timeline(catalogue, at("12-31 00:00")), site)
    documents = pages.documents_at(at("11-10 10:45"))
    assert {"index.html", "history.html"} <= {document.path for document in documents}
    for document in documents:
        assert PageParts(document.body.decode()).repeated == []
        assert f'<html lang="{language}">' in document.body.decode()


def test_an_empty_site_has_its_pages() -> None:
    pages = StatusPages(
        build_timeline(catalogue_of("components: {}"), at("12-31 00:00")),
        small_site_context(),
    )
    page = pages.documents_at(at("11-10 10:45"))[0].body.decode()
    assert heading(page) == "All Systems Operational"
    assert '<h2 id="components"' not in page


def test_the_text_about_the_site_is_markdown() -> None:
    about = "    about: 'How **Demo** does; see [why](https://demo.example).<script>x</script>'\n"
    catalogue = catalogue_of(page=ZONED + about)
    pages = StatusPages(build_timeline(catalogue, at("12-31 00:00")), small_site_context())
    page = next(
        one.body.decode() for one in pages.documents_at(at("11-10 09:00")) if one.path == "index.html"
    )

    assert "<p>How <strong>Demo</strong> does; see <a href" in page
    assert "<script>x" not in page
