"""Where the first things that matter stand on status pages, and that nothing is wider than the window."""

from pathlib import Path

import pytest

from support.browser import browse, build
from support.sites import path_of, site_of_many, write_files

pytestmark = pytest.mark.slow

NOW = "2026-11-22T14:32:00Z"

SITE = "page: {{name: {name}, url: https://status.plinth.example, created_at: 2026-01-12T09:00:00Z}}\npages: {{language: {language}}}\n"

GROUPS = {
    "network": ["Block production", "Public RPC", "WebSocket RPC", "Archive RPC", "Bridge"],
    "services": ["Explorer", "Indexer", "Faucet", "Contract verification", "Documentation"],
    "test-network": ["Blocks of Socle", "RPC of Socle"],
}

OUTAGE = {
    "incidents/rpc.yaml": """
name: The public RPC answers with errors
impact_override: critical
started_at: 2026-11-22T13:42:00Z
components: {public-rpc: major_outage}
updates:
  - {at: 2026-11-22T13:44:00Z, status: investigating, body: Most calls to the public RPC fail with status 502.}
  - at: 2026-11-22T13:58:00Z
    status: investigating
    body: All nodes are in step with the chain; only the way to them is broken.
    components: {websocket-rpc: partial_outage}
  - at: 2026-11-22T14:20:00Z
    status: identified
    next_update_by: 2026-11-22T14:45:00Z
    body: >-
      The load balancer lost its list of nodes in a routine renewal of certificates. Two of five nodes are back; one call in
      five succeeds. Transactions that were accepted are not lost.
""",
    "incidents/archive.yaml": """
name: Time-outs from the archive RPC
components: {archive-rpc: degraded_performance}
updates:
  - {at: 2026-11-20T19:48:00Z, status: investigating, body: Traces and storage queries for old blocks often fail.}
  - at: 2026-11-22T09:15:00Z
    status: identified
    body: >-
      Traces of blocks before March 2026 take up to 30 seconds. One of the two disks is slow and will be replaced on 26
      November. Newer blocks are answered as usual.
""",
    "maintenances/relayers.yaml": """
name: New keys for the bridge's relayers
components: [bridge]
created_at: 2026-11-15T08:00:00Z
scheduled_for: 2026-11-22T06:00:00Z
scheduled_until: 2026-11-22T18:00:00Z
""",
}
"""Two incidents and a maintenance at once."""

LONG = " ".join(["Donaudampfschifffahrtsgesellschaft"] * 6)[:200]
UNBROKEN = "x" * 200


def components(groups: dict[str, list[str]]) -> str:
    """Return the file of components, with a key made of each name."""
    lines = ["components:"]
    for group, names in groups.items():
        lines += [f"  {group}:", f"    name: {group.replace('-', ' ').capitalize()}", "    components:"]
        lines += [f"      {name.lower().replace(' ', '-')}: {{name: {name}}}" for name in names]
    return "\n".join(lines) + "\n"


def content(groups: dict[str, list[str]], name: str = "Plinth", language: str = "en") -> dict[str, str]:
    return {"site.yaml": SITE.format(name=name, language=language), "components.yaml": components(groups)}


LONG_NAMES = {
    "site.yaml": SITE.format(name=LONG, language="en"),
    "components.yaml": f"components:\n  g:\n    name: {LONG}\n    components:\n      a: {{name: {LONG}}}\n  b: {{name: {UNBROKEN}}}\n",
    "incidents/a.yaml": f"name: {LONG}\ncomponents: {{a: major_outage}}\nupdates:\n"
    f"  - {{at: 2026-11-22T13:44:00Z, status: investigating, body: {UNBROKEN}}}\n",
    "incidents/b.yaml": f"name: {UNBROKEN}\ncomponents: {{b: partial_outage}}\nupdates:\n"
    f"  - {{at: 2026-11-22T13:40:00Z, status: investigating, body: {LONG}}}\n",
}

MANY = {
    f"region-{number}": [f"Service {number}.{place}".replace(".", " ") for place in range(6)]
    for number in range(5)
}

HEBREW = {
    "network": ["שרת הבלוקים", "שרת הקריאות (RPC)", "WebSocket RPC"],
    "services": ["סייר הבלוקים", "גשר", "ברז"],
}

RIGHT_TO_LEFT = content({}, name="הרשת שלנו", language="he") | {
    "components.yaml": "components:\n  network:\n    name: רשת\n    components:\n"
    + "".join(f"      n{at}: {{name: {name}}}\n" for at, name in enumerate(HEBREW["network"]))
    + "  services:\n    name: שירותים\n    components:\n"
    + "".join(f"      s{at}: {{name: {name}}}\n" for at, name in enumerate(HEBREW["services"])),
    "incidents/calls.yaml": "name: שרת הקריאות (RPC) אינו עונה\nimpact_override: critical\n"
    "started_at: 2026-11-22T13:42:00Z\ncomponents: {n1: major_outage, n2: degraded_performance}\nupdates:\n"
    "  - {at: 2026-11-22T13:44:00Z, status: investigating, body: רוב הקריאות נכשלות עם הקוד 502.}\n"
    "  - {at: 2026-11-22T14:20:00Z, status: identified, next_update_by: 2026-11-22T14:45:00Z, "
    "body: מאזן העומסים איבד את רשימת השרתים. שניים מתוך חמישה חזרו.}\n",
    "maintenances/bridge.yaml": "name: מפתחות חדשים לגשר\ncomponents: [s1]\ncreated_at: 2026-11-15T08:00:00Z\n"
    "scheduled_for: 2026-11-22T06:00:00Z\nscheduled_until: 2026-11-22T18:00:00Z\n",
    "theme/texts/he.yaml": (Path(__file__).parent / "hebrew.yaml").read_text("utf-8"),
}

SITES = {
    "outage": content(GROUPS) | OUTAGE,
    "german": content(GROUPS, language="de") | OUTAGE,
    "calm": content(GROUPS),
    "empty": {"site.yaml": SITE.format(name="Plinth", language="en"), "components.yaml": "components: {}\n"},
    "thirty": content(MANY),
    "long": LONG_NAMES,
    "hebrew": RIGHT_TO_LEFT,
}


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("layout")
    return {
        name: build(write_files(root / name, files), root / f"{name}-site", NOW)
        for name, files in SITES.items()
    }


def test_first_component_fits_screen_during_incidents(sites: dict[str, Path]) -> None:
    places = browse(
        sites["outage"], "places", path="index.html", now=NOW, widths=[1280, 390], selectors=[".card", ".row"]
    )
    (card, _), (row, height) = places["1280"][".card"], places["1280"][".row"]
    assert card <= 320
    assert row <= 680
    assert height == 44
    (card, _), (row, height) = places["390"][".card"], places["390"][".row"]
    assert card <= 360
    assert row <= 1030
    assert height == 66


FIVE_INCIDENTS = {
    f"incidents/minor-{name.lower()}.yaml": f"name: {name} is slow\ncomponents: {{{name.lower()}: degraded_performance}}\n"
    "updates:\n  - {at: 2026-11-22T10:15:00Z, status: identified, body: Some requests are slow.}\n"
    for name in ("Explorer", "Faucet", "Indexer")
}
"""With those of the outage."""


def test_first_component_fits_screen_below_metrics(tmp_path: Path) -> None:
    """Five incidents, a window and three measurements stand before it."""
    files = content(GROUPS) | OUTAGE | FIVE_INCIDENTS
    names = ("Newest block", "Public RPC responds in", "Finality lag")
    shown = "".join(
        f"    m{at}: {{name: {name}, unit: s, file: points.csv}}\n" for at, name in enumerate(names)
    )
    files["site.yaml"] += f"metrics:\n  shown:\n{shown}"
    rows = "".join(f"2026-11-22T{hour:02}:00:00Z,{hour % 3 + 3}\n" for hour in range(15))
    write_files(tmp_path, {"measurements/points.csv": f"at,value\n{rows}"})
    site = build(write_files(tmp_path / "content", files), tmp_path / "site", NOW)
    places = browse(
        site, "places", path="index.html", now=NOW, widths=[1280, 390], selectors=[".pulse", ".row"]
    )
    assert places["1280"][".row"][0] <= 900
    assert places["390"][".row"][0] <= 1250
    assert {place["wider"] for place in places.values()} == {0}


def test_operational_components_fit_first_screens(sites: dict[str, Path]) -> None:
    places = browse(
        sites["calm"],
        "places",
        path="index.html",
        now=NOW,
        widths=[1280, 390],
        selectors=[".row", ".group:last-of-type .row:last-child"],
    )
    assert places["1280"][".row"][0] <= 370
    assert places["1280"][".group:last-of-type .row:last-child"][0] <= 1000
    assert places["390"][".row"][0] <= 410


def test_long_navigation_keeps_verdict_near_top(tmp_path: Path) -> None:
    site, contract = tmp_path / "site", path_of(1).replace(".json", ".html")
    content = site_of_many(tmp_path, 1, pages=True)
    named = ("Support", "About us", "Terms of service")
    write_files(
        content,
        {
            f"pages/{at}.md": f"---\ntitle: {name}\nnavigation: true\n---\nText.\n"
            for at, name in enumerate(named)
        },
    )
    build(content, site, NOW)
    places = browse(
        site,
        "places",
        path=contract,
        now=NOW,
        widths=[1280, 390, 320],
        selectors=[".verdict", ".masthead nav"],
    )
    assert places["1280"][".verdict"][0] <= 205
    assert places["390"][".verdict"][0] <= 228
    assert places["390"][".masthead nav"][1] == places["320"][".masthead nav"][1] == 44, "one line"
    assert {place["wider"] for place in places.values()} == {0}


def test_incident_page_shows_timeline_first(sites: dict[str, Path]) -> None:
    """On a phone the lanes and the first update are near, and the facts of the log and the feeds follow the updates."""
    selectors = [".due", ".lanes", ".updates li", ".updates li:last-child", ".late", ".late:last-child"]
    places = browse(
        sites["outage"], "places", path="incidents/rpc.html", now=NOW, widths=[1280, 390], selectors=selectors
    )
    desk, phone = places["1280"], places["390"]
    assert desk[".lanes"][0] == desk[".due"][0] <= 210, "beside each other"
    assert desk[".updates li"][0] <= 415
    due, lanes, first, last, late, facts = (phone[selector] for selector in selectors)
    assert due[0] < lanes[0] < first[0] <= 750
    assert last[0] < late[0] < facts[0]
    assert facts[1] > 20


def test_open_incident_timeline_extends_to_now(sites: dict[str, Path]) -> None:
    """What the newest update says holds still; a reader's clock that is behind it shows the lanes of the build."""
    instants = ["2026-11-22T14:00:00Z", NOW, "2026-11-22T15:02:00Z", "2026-11-24T13:42:00Z"]
    behind, present, later, long = browse(
        sites["outage"], "lanes", path="incidents/rpc.html", instants=instants
    )
    built = 38 * 60  # from the start to the newest update
    assert [bar["covered"] for bar in behind["bars"]] == [built, built]
    for shown, seconds in ((present, 50 * 60), (later, 80 * 60), (long, 48 * 3600)):
        public, socket = shown["bars"]
        assert public == {"covered": seconds, "parts": [[0, seconds]]}
        assert socket == {"covered": seconds, "parts": [[0, 960], [960, seconds - 960]]}
        assert not shown["overlap"]
        assert shown["complaints"] == []
    assert present["ends"] == ["22 Nov 2026, 13:42", "14:32 UTC"]
    assert present["marks"] == [["14:00", 0.36], ["14:10", 0.56], ["14:20", 0.76]]
    assert later["ends"][1] == "15:02 UTC"
    assert later["marks"] == [["14:00", 0.225], ["14:30", 0.6]]
    assert long["ends"][1] == "24 Nov 2026, 13:42 UTC"
    assert long["marks"] == [["23 Nov", 0.215], ["12:00", 0.465], ["24 Nov", 0.715]]


def test_incident_timeline_shows_round_local_times(sites: dict[str, Path]) -> None:
    """Where the ends leave no room, as on a phone, there are fewer."""
    question = {"path": "incidents/rpc.html", "instants": [NOW], "timezoneId": "Asia/Kathmandu"}  # 5:45 ahead
    [desk] = browse(sites["outage"], "lanes", **question)
    [phone] = browse(sites["outage"], "lanes", width=320, **question)
    assert [text for text, _ in desk["marks"]] == ["19:40", "19:50", "20:00"]
    assert len(phone["marks"]) < 3
    assert not phone["overlap"]


def test_hebrew_pages_run_right_to_left(sites: dict[str, Path]) -> None:
    pages = [page for page in sites["hebrew"].rglob("*.html") if "_epochs" not in page.parts]
    assert len(pages) > 5
    for page in pages:
        assert '<html lang="he" dir="rtl">' in page.read_text("utf-8"), page


def test_hebrew_page_keeps_english_full_stops(sites: dict[str, Path]) -> None:
    """Texts that the site's language lacks are English, on pages from right to left."""
    [found] = browse(sites["hebrew"], "full_stops", paths=["api.html"]).values()
    assert found["checked"] > 20
    assert found["wrong"] == []


@pytest.mark.parametrize("name", SITES)
def test_pages_fit_narrow_windows(sites: dict[str, Path], name: str) -> None:
    pages = ["index.html", "uptime.html", "history.html"]
    pages += [path.relative_to(sites[name]).as_posix() for path in sites[name].glob("incidents/*.html")]
    for page in pages:
        places = browse(sites[name], "places", path=page, now=NOW, widths=[320, 390], selectors=[])
        assert {width: place["wider"] for width, place in places.items()} == {"320": 0, "390": 0}, page
