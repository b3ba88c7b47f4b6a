"""The status pages at an instant."""

import re

import pytest

from statuary.base.primitives import Instant
from statuary.site.settings import PageSettings
from statuary.status.model.timeline import build_timeline
from statuary.status.pages.component_rows import BAR_HEIGHT, BAR_HEIGHTS, _svg_line_of_days
from statuary.status.pages.pages import StatusPages
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


def test_page_without_incidents_says_operational() -> None:
    page = pages_at(at("11-10 09:00"))["index.html"]
    assert heading(page) == "All Systems Operational"
    assert "Open incidents and maintenance" not in page
    assert "status-none.svg" in page


def test_unresolved_incident_shows_updates_first() -> None:
    page = pages_at(at("11-10 10:45"))["index.html"]
    text = text_of(page)
    assert heading(page) == "RPC is partially down"
    assert "status-major.svg" in page, "the icon has the colour of the banner"
    assert text.index("Open incidents and maintenance") < text.index("Components")
    assert "Update 10 Nov, 11:30 CET · We still look. Affects RPC1 earlier update" in text
    assert "1 earlier update Investigating 10 Nov, 11:00 CET · We look." in text
    assert text.count("Slow answers") == 2, "as a card, and by the day in the list of its component"
    assert "Slow answers" not in text[text.index("Resolved") :], "what is open is told once"
    assert "Next scheduled change 11 Nov 2026, 2" in text


LONG_DEGRADATION = """
    name: Slow for days
    components: {rpc: degraded_performance, north: degraded_performance}
    impact_override: critical
    updates:
      - {at: 2026-11-05T10:00:00Z, status: investigating}
      - {at: 2026-11-10T11:30:00Z, status: monitoring, components: {north: operational}}
"""

NEW_OUTAGE = """
    name: Down
    components: {rpc: major_outage}
    updates:
      - {at: 2026-11-10T11:55:00Z, status: investigating}
"""

LATE_NEWS = f"{NEW_OUTAGE}    started_at: 2026-11-10T11:40:00Z\n"
"""An outage that began before the first update."""

WORSENED = """
    name: Slow, then down
    components: {rpc: degraded_performance}
    started_at: 2026-11-10T11:40:00Z
    updates:
      - {at: 2026-11-10T11:50:00Z, status: investigating}
      - {at: 2026-11-10T11:58:00Z, status: identified, components: {rpc: major_outage}}
"""


@pytest.mark.parametrize(
    ("incidents", "since"),
    [
        ({"slow": LONG_DEGRADATION, "down": LATE_NEWS}, "Since 10 Nov, 12:40 CET"),
        ({"down": WORSENED}, "Since 10 Nov, 12:58 CET"),
        ({"slow": LONG_DEGRADATION, "down": NEW_OUTAGE}, "Since 10 Nov, 12:55 CET"),
        ({"slow": LONG_DEGRADATION}, "Since 5 Nov, 11:00 CET"),
    ],
)
def test_status_headline_shows_start_of_outage(incidents: dict[str, str], since: str) -> None:
    text = text_of(pages_at(at("11-10 12:00"), incidents=incidents)["index.html"])
    assert since in text[:120]


def test_link_preview_names_down_components() -> None:
    page = pages_at(at("11-10 12:00"), incidents={"slow": LONG_DEGRADATION, "down": NEW_OUTAGE})["index.html"]
    [description] = re.findall(r'<meta name="description" content="([^"]*)">', page)
    assert description.startswith("RPC is down. ")
    assert "are operational" in description or "is operational" in description
    assert "<" not in description


def test_only_incident_card_shows_impact_override() -> None:
    rated = TROUBLE + "    impact_override: critical\n"
    page = pages_at(at("11-10 10:45"), incidents={"trouble": rated})["index.html"]
    assert heading(page) == "RPC is partially down"
    banner, _, rest = text_of(page).partition("Open incidents and maintenance")
    assert "Critical" in rest
    assert "Critical" not in banner


def test_resolved_incident_is_listed_fourteen_days() -> None:
    text = text_of(pages_at(at("11-11 12:00"))["index.html"])
    assert "Open incidents and maintenance" not in text
    assert "10 NovSlow answersMajor, Resolved 1 h" in text[text.index("Resolved") :]
    assert "10 NovSlow answers" in text_of(pages_at(at("11-24 12:00"))["index.html"]), "the fifteenth day"
    later = text_of(pages_at(at("11-25 12:00"))["index.html"])
    assert "Slow answers" not in later[later.index("Resolved") :]


def test_maintenance_moves_to_resolved_section() -> None:
    scheduled = text_of(pages_at(at("11-11 12:00"))["index.html"])
    assert (
        "11 NovUpgrade23:00 \N{EN DASH} 12 Nov, 00:00 CET (1 h) · North"
        in scheduled[scheduled.index("Scheduled maintenance") :]
    )
    running = text_of(pages_at(at("11-11 22:10"))["index.html"])
    assert "Upgrade Until 12 Nov, 00:00 CETAffects North" in running
    assert "Bridges1 of 2 affected · 90 days: 100%Under maintenance" in running
    over = text_of(pages_at(at("11-12 12:00"))["index.html"])
    assert "11 NovUpgradeMaintenance, Completed 1 h" in over[over.index("Resolved") :]


def test_maintenance_cancelled_early_is_listed_past() -> None:
    cancelled = UPGRADE + "    cancelled_at: 2026-11-10T12:00:00Z\n"
    text = text_of(pages_at(at("11-11 12:00"), maintenances={"upgrade": cancelled})["index.html"])
    past = text[text.index("Resolved") :]
    assert "UpgradeMaintenance, Cancelled" in past


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
        ("", "rpc: major_outage, north: degraded_performance", "RPC is down"),
        (
            "",
            "south: degraded_performance, north: degraded_performance",
            "North and South have degraded performance",
        ),
        ("", "rpc: under_maintenance", "RPC is under maintenance"),
        ("    description: Two nodes are back\n", "rpc: major_outage", "Two nodes are back"),
    ],
)
def test_status_headline_names_worst_components_first(page: str, statuses: str, found: str) -> None:
    outage = OUTAGE.replace(
        "rpc: major_outage, north: degraded_performance, south: degraded_performance", statuses
    )
    catalogue = catalogue_of(page=ZONED + page, incidents={"outage": outage})
    pages = StatusPages(build_timeline(catalogue, at("12-31 00:00")), small_site_context())
    assert heading(pages.documents_at(at("11-10 12:00"))[0].body.decode()) == found


def test_incident_page_shows_timezone_and_elapsed() -> None:
    page = pages_at(at("11-11 12:00"))["incidents/trouble.html"]
    assert "12:00 CET10 Nov 2026after 1 h Resolved It was a disk." in text_of(page)
    assert "Start10 Nov 2026, 11:00 CET" in text_of(page)
    links = re.findall(r'<a class="at" href="#([^"]*)"', page)
    assert len(links) == len(set(links)) == 3
    assert all(f'<li id="{link}">' in page for link in links)
    opened = pages_at(at("11-10 10:45"))
    assert 'data-since="2026-11-10T11:00:00+01:00"' in opened["incidents/trouble.html"]


def test_group_shows_worst_component_status() -> None:
    outage = TROUBLE.replace("rpc: partial_outage", "north: major_outage")
    text = text_of(pages_at(at("11-10 10:45"), incidents={"trouble": outage})["index.html"])
    assert "Bridges1 of 2 affected · 90 days: 99.98%Major outage North" in text
    assert "99.96% Major outage" in text[text.index("Bridges1") :]


def test_downtime_day_on_page_lists_incidents() -> None:
    page = pages_at(at("11-11 12:00"))["index.html"]
    text = text_of(page)
    assert "10 Nov 2026 Partial outage 1 h Slow answers" in text
    assert "99.98%" in text
    assert 'aria-label="RPC: 1 day with downtime in the past 90 days"' in page
    assert '<path class="d-partial"' in page
    assert 'data-first="2026-08-14"' in page, "a script computes the days of the bars from the first one"


def test_incident_page_shows_postmortem_before_updates() -> None:
    before = text_of(pages_at(at("11-11 12:00"))["incidents/trouble.html"])
    after = text_of(pages_at(at("11-12 12:00"))["incidents/trouble.html"])
    assert "Postmortem" not in before
    assert after.index("Postmortem What we learned.") < after.index("Updates")
    assert "AffectedRPC" in after


def test_closed_incident_page_never_changes() -> None:
    pages = [pages_at(at(instant))["incidents/trouble.html"] for instant in ("11-12 12:00", "12-24 18:00")]
    assert pages[0] == pages[1]


def test_history_page_lists_no_maintenances() -> None:
    text = text_of(pages_at(at("11-11 12:00"))["history.html"])
    assert "Slow answers" in text
    assert "Upgrade" not in text


def test_incident_history_has_page_per_quarter() -> None:
    old = TROUBLE.replace("2026-11", "2025-02")
    pages = pages_at(at("11-12 12:00"), incidents={"trouble": TROUBLE, "old": old})
    assert {path for path in pages if path.startswith("history/")} == {
        "history/2026-q4.html",
        "history/2025-q1.html",
    }
    assert "February 2025 Slow answers" in text_of(pages["history/2025-q1.html"])
    assert "Newer: Q4 2026" in text_of(pages["history/2025-q1.html"])
    assert "Older: Q1 2025" in text_of(pages["history.html"])
    assert "September 2026 No incidents reported." in text_of(pages["history.html"])


def test_uptime_calendar_shows_days() -> None:
    page = pages_at(at("11-12 12:00"))["uptime.html"]
    text = text_of(page)
    assert '<td class="s-partial" title="Partial outage 1\xa0h">10<span' in page
    assert '<td class="s-none">13</td>' in page
    assert "RPC, November 2026 99.89" in text  # 0.3 of an hour of the 12 days so far
    assert "RPC, October 2026 100" in text
    assert "10 NovSlow answersRPCPartial outage 1 h" in text, "what took components down, once"
    assert text.index("November 2026") < text.index("October 2026"), "a phone shows the newest month first"
    assert text.index("Bridges / North") < text.index("Bridges / South")
    assert '<time datetime="2026-08-15">15 Aug</time> \N{EN DASH}' in page, "the first month is not whole"


def days_of(picture: str) -> dict[str, list[int]]:
    """Return the days of the bars by state, as the style sheet dashes them: 5 units, and 2 to the next."""
    days: dict[str, list[int]] = {}
    for state, line in re.findall(r'<path class="d-([a-z]+)" d="([^"]*)"/>', picture):
        for begin, length in re.findall(r"M(\d+) [\d.]+h(\d+)", line):
            assert (int(length) + 2) % 7 == int(begin) % 7 == 0
            days.setdefault(state, []).extend(range(int(begin) // 7, (int(begin) + int(length) + 2) // 7))
    return days


def test_uptime_bars_group_days_by_status() -> None:
    page = pages_at(at("11-12 12:00"))["index.html"]
    pictures = re.findall(r'<svg viewBox="0 0 628 22".*?</svg>', page, re.DOTALL)
    assert len(pictures) == 4  # a component each
    for picture in pictures:
        days = days_of(picture)
        assert picture.count("<path") == len(days)
        assert sorted(day for of_state in days.values() for day in of_state) == list(range(90))
    assert [87] in [days_of(picture).get("partial") for picture in pictures], "two days before the last"


@pytest.mark.parametrize("height", BAR_HEIGHTS.values())
def test_uptime_bars_are_aligned_at_bottom(height: int) -> None:
    [middle] = re.findall(r"M\d+ ([\d.]+)h", _svg_line_of_days(0, 2, height))
    assert float(middle) + height / 2 == BAR_HEIGHT


def test_uptime_bars_show_unknown_before_start() -> None:
    catalogue = catalogue_of("components: {rpc: {name: RPC, start_date: 2026-11-03}}", page=ZONED)
    now = at("11-12 12:00")
    pages = StatusPages(build_timeline(catalogue, at("12-31 00:00")), small_site_context())
    page = pages.documents_at(now)[0].body.decode()
    assert days_of(page)["none"] == list(range(80))
    assert 'data-unknown="80"' in page


@pytest.mark.parametrize("language", ["en", "de"])
def test_pages_render_in_all_languages(language: str) -> None:
    catalogue = catalogue_of(page=ZONED, incidents={"trouble": TROUBLE}, maintenances={"upgrade": UPGRADE})
    site = small_site_context(settings=PageSettings(language=language))
    pages = StatusPages(build_timeline(catalogue, at("12-31 00:00")), site)
    documents = pages.documents_at(at("11-10 10:45"))
    assert {"index.html", "history.html"} <= {document.path for document in documents}
    for document in documents:
        assert PageParts(document.body.decode()).repeated == []
        assert f'<html lang="{language}">' in document.body.decode()


def test_empty_site_has_status_page() -> None:
    pages = StatusPages(
        build_timeline(catalogue_of("components: {}"), at("12-31 00:00")),
        small_site_context(),
    )
    page = pages.documents_at(at("11-10 10:45"))[0].body.decode()
    assert heading(page) == "Nothing to report yet"
    assert '<h2 id="components"' not in page


def test_about_text_is_rendered_as_markdown() -> None:
    about = "    about: 'How **Demo** does; see [why](https://demo.example).<script>x</script>'\n"
    catalogue = catalogue_of(page=ZONED + about)
    pages = StatusPages(build_timeline(catalogue, at("12-31 00:00")), small_site_context())
    page = next(
        one.body.decode() for one in pages.documents_at(at("11-10 09:00")) if one.path == "index.html"
    )

    assert "<p>How <strong>Demo</strong> does; see <a href" in page
    assert "<script>x" not in page


COURSE = """
    name: The RPC answers with errors
    started_at: 2026-11-10T09:40:00Z
    components: {rpc: major_outage}
    updates:
      - {at: 2026-11-10T10:00:00Z, status: investigating, body: We look.}
      - {at: 2026-11-10T10:30:00Z, status: identified, body: A disk., components: {rpc: partial_outage, north: degraded_performance}}
      - {at: 2026-11-10T11:00:00Z, status: resolved, body: It was a disk.}
"""


def lanes_of(page: str) -> dict[str, list[tuple[str, int, int]]]:
    """Return the parts of each component's lane: its state, where it begins and how wide it is."""
    lanes = re.findall(
        r'<div class="lane"><span dir="auto">(.*?)</span><svg viewBox="0 0 (\d+) 14".*?>(<rect.*?)</svg>',
        page,
    )
    part = re.compile(r'<rect class="f-(\w+)" x="(\d+)" width="(\d+)"')
    return {
        name: [
            *((state, int(x), int(width)) for state, x, width in part.findall(rects)),
            ("end", int(end), 0),
        ]
        for name, end, rects in lanes
    }


def test_incident_timeline_shows_component_status_changes() -> None:
    path = "incidents/course.html"
    rpc, north = lanes_of(pages_at(at("11-10 10:45"), incidents={"course": COURSE})[path]).values()
    assert rpc == [("major", 0, 3000), ("partial", 3000, 0), ("end", 3000, 0)], "a script lets the last go on"
    assert north == [("ok", 0, 3000), ("degraded", 3000, 0), ("end", 3000, 0)]
    page = pages_at(at("11-12 10:00"), incidents={"course": COURSE})[path]
    rpc, north = lanes_of(page).values()
    assert rpc == [("major", 0, 3000), ("partial", 3000, 1800), ("end", 4800, 0)]
    assert north == [("ok", 0, 3000), ("degraded", 3000, 1800), ("end", 4800, 0)]
    assert "Major outage 50\xa0min, Partial outage 30\xa0min" in page
    assert "data-since" not in page.partition("</h2>")[0].partition('class="lanes')[2]


@pytest.mark.parametrize("change", ["started_at: 2026-11-10T11:00:00Z", "components: {}"])
def test_incident_without_changes_has_no_timeline(change: str) -> None:
    key = change.partition(":")[0]
    record = re.sub(rf"(?m)^    {key}: .*$", f"    {change}", COURSE)
    record = record.replace(", components: {rpc: partial_outage, north: degraded_performance}", "")
    page = pages_at(at("11-12 10:00"), incidents={"course": record})["incidents/course.html"]
    assert "lanes" not in page


def test_hebrew_component_names_keep_text_direction() -> None:
    """Such a name keeps its own direction within the headline, and its elements find theirs."""
    name = "שרת RPC"
    incident = f"{{name: {name}, components: {{rpc: major_outage}}, updates: [{{at: 2026-11-10T11:55:00Z, status: investigating}}]}}"
    components = f"components: {{rpc: {{name: {name}}}}}"
    pages = pages_at(at("11-10 12:00"), incidents={"down": incident}, maintenances={}, components=components)
    page = pages["index.html"]
    assert f'<h1 id="banner">\u2068{name}\u2069 is down' in page
    assert f'dir="auto"><a href="incidents/down.html">{name}</a>' in page
    for path, mark in {"uptime.html": "<b>", "incidents/down.html": "<span>"}.items():
        assert f"{mark}\u2068{name}\u2069" in pages[path], path
