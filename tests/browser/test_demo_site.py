"""The demo network's site in a real browser: every kind of page, with and without what readers may lack."""

import json
import shutil
from base64 import b64decode
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest

from statuary.contracts.model.proof import Proof
from statuary.contracts.pages.sources import highlighter
from support.browser import LOOKS, browse, build, html_complaints
from support.contracts import made_record
from support.hostile_records import RECORD_SINKS
from support.pages import page_of
from support.random_runs import IS_LARGE
from support.requirements import CHECKOUT
from support.shared_folders import built_once
from support.sites import SMALL_SITE, write_files

pytestmark = pytest.mark.slow

NOW = "2026-11-20T12:00:00Z"
STAKING = "contracts/748463/0xEA6137d406d443D5727564D1b014307C88e076b8.html"
CLONE = "contracts/748463/0x0217960F13aFc1c77313E1158139960f9831FF0c.html"
PRICE_FEED = "contracts/748463/0xDD575053eB7Ebbf2F80354A467BA31AAE361a53F.html"

KINDS = [
    "index.html",
    "uptime.html",
    "history.html",
    "history/2026-q3.html",
    "incidents/2026-09-03-empty-blocks.html",
    "incidents/2026-11-26-archive-disks.html",
    "contracts/index.html?q=sta",
    "contracts/748463/index.html",
    STAKING,
    CLONE,
    PRICE_FEED,
    "api.html",
    "pages/manual/index.html",
    "pages/manual/content-reference/site.html",
    "contract.html",
    "404.html",
]
"""A page of every kind."""


SOURCES = {
    path.relative_to(CHECKOUT / "tests/demo_network/contracts").as_posix(): language
    for suffix, language in {"sol": "Solidity", "vy": "Vyper", "yul": "Yul"}.items()
    for path in sorted((CHECKOUT / "tests/demo_network/contracts").rglob(f"*.{suffix}"))[:2]
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_once(tmp_path_factory, CHECKOUT / "content", NOW)


@pytest.mark.parametrize("width", sorted({look["width"] for look in LOOKS}))
def test_every_page_type_is_accessible(site: Path, width: int) -> None:
    """A page is loaded once for all of it, in both schemes.

    Of elements that are made alike axe-core looks at three, in half of the time; in a large run at all.
    """
    found = browse(site, "accessibility", paths=KINDS, widths=[width], now=NOW, whole=IS_LARGE)
    assert found["broken"] == [], "accessible, within the window, and without complaints of the console"
    assert found["shifted"] == [], "nothing moves when scripts run"
    assert found["acted"] == [], "pages run no inline scripts and contact no other host"


def test_manual_pages_fit_without_splitting_words(site: Path) -> None:
    """The pages of commands are made alike, so those of builds and of the longest options stand for them."""
    pages = [page.relative_to(site).as_posix() for page in sorted((site / "pages/manual").rglob("*.html"))]
    pages = [
        page
        for page in pages
        if ("/command-reference/" not in page or page.endswith(("/build.html", "/incident-open.html")))
        and 'http-equiv="refresh"' not in (site / page).read_text("utf-8")
    ]
    assert len(pages) > 30
    looks = [{"width": width, "height": 900} for width in (390, 1280)]
    taken = browse(site, "widths", paths=pages, looks=looks)
    assert [page for page in taken if page["wider"] or page["split"]] == []


def test_every_page_is_valid_html(site: Path) -> None:
    assert html_complaints(site) == []


def test_open_incident_page_shows_later_transitions(site: Path) -> None:
    passed = browse(
        site,
        "transition",
        path="incidents/2026-11-20-relayer-keys.html",
        **{"from": NOW},
        steps=[{"at": "2026-11-21T18:00:02Z"}],
    )
    before, after = (output["text"].partition("Transparency log proof")[0] for output in passed["texts"])
    assert len(after) > len(before)


def test_status_page_without_builds_becomes_stale(site: Path) -> None:
    passed = browse(
        site,
        "transition",
        path="index.html",
        **{"from": NOW},
        steps=[{"at": "2026-12-24T12:00:00Z"}, {"at": "2026-12-26T12:00:00Z"}],
    )
    fresh, still_right, stale = passed["texts"]
    assert fresh["stale"] == still_right["stale"] == ""
    assert "may be out of date" in stale["stale"]
    assert "26 Dec 2026, 00:00" in stale["stale"]


WALKED = {1280: [*KINDS, "contracts/index.html?q=transfer"], 390: [KINDS[0], KINDS[4], STAKING, KINDS[12]]}
"""Every kind of page at a desk, and on a small screen those with another order of parts."""


@pytest.mark.parametrize("width", WALKED)
def test_pages_are_usable_by_keyboard(site: Path, width: int) -> None:
    """Tab reaches every control in its order and goes back, each stop is seen, and Enter opens and closes what opens."""
    for path, walk in browse(site, "walk", paths=WALKED[width], width=width, now=NOW).items():
        assert walk.pop("controls") > 10, path
        good = {"unreached": [], "inOrder": True, "leaves": True, "unseen": [], "stuck": []}
        assert walk == good, path


def test_keyboard_traps_are_detected(tmp_path: Path) -> None:
    page = """<!DOCTYPE html><html lang="en"><title>Traps</title><main>
        <style>:focus { outline: 2px solid } .dim:focus { outline: none }</style>
        <a href="#a">first</a> <a class="dim" href="#b">unseen</a> <a href="#c" tabindex="3">early</a>
        <details><summary id="s">shut</summary>text</details> <button id="trap">trap</button> <a href="#d">beyond</a></main>
        <script>document.getElementById("trap").onkeydown = (event) => event.preventDefault();
        document.getElementById("s").onkeydown = (event) => { if (event.key === "Enter") event.preventDefault(); };</script>"""
    (tmp_path / "traps.html").write_text(page, "utf-8")
    walk = browse(tmp_path, "walk", paths=["traps.html"], width=1280)["traps.html"]
    assert walk == {
        "controls": 6,
        "unreached": ["a beyond"],
        "inOrder": False,
        "leaves": False,
        "unseen": ["a unseen"],
        "stuck": ["shut"],
    }


def test_tab_key_visits_controls_in_order(site: Path) -> None:
    walked = browse(site, "keyboard", path="index.html", stops=80)
    names = [stop["name"] for stop in walked]
    assert names[:7] == [
        "Skip to content",
        "Plinth",
        "Status",
        "Contracts",
        "API",
        "Manual",
        "Search contracts",
    ]
    in_order = ["Subscribe", "Now", "Faucet says yes and sends nothing", "Bridge, day by day", "Calendar"]
    places = [names.index(name) for name in in_order]
    assert places == sorted(places)
    assert all(stop["outlined"] and stop["inView"] for stop in walked)


def test_tab_key_skips_source_line_numbers(site: Path) -> None:
    walked = browse(site, "keyboard", path=STAKING, stops=120)
    names = [stop["name"] for stop in walked]
    assert len(walked) < 100, "every function has one stop, its line to copy"
    assert not [name for name in names if name.isdecimal()], "the lines of the sources must not be stops"
    assert all(stop["outlined"] and stop["inView"] for stop in walked)
    assert any(name.startswith("RewardSchedule.sol") for name in names), (
        "the tree of files, each with its lines"
    )
    assert any(name.startswith("contracts/staking/Staking.sol") for name in names)


def test_first_tab_stop_skips_to_content(site: Path) -> None:
    skipped = browse(site, "skip_link", path="index.html")
    assert skipped == {"first": "Skip to content", "reached": "main", "inside": True}


def test_keyboard_opens_details_elements(site: Path) -> None:
    toggled = browse(site, "disclosure", path="uptime.html", selector="details")
    assert len(toggled) > 10
    assert all(toggled)


def test_pages_are_readable_without_scripts(site: Path) -> None:
    shown = browse(site, "without_script", paths=["index.html", "contracts/index.html", STAKING])
    status = shown["index.html"]
    assert "22:00 \N{EN DASH} 27 Nov, 04:00 CET (6\xa0h)" in status
    assert "Until 21 Nov, 19:00 CET" in status
    assert "99.98%" in status
    assert "Search needs JavaScript" in shown["contracts/index.html"]
    assert "AuctionRoom" in shown["contracts/index.html"]
    assert "function stake" in shown[STAKING]
    assert "Download" not in shown[STAKING], "a button that cannot work must not be shown"


def test_printed_page_expands_details_hides_navigation(site: Path) -> None:
    printed = browse(
        site, "printed", path="index.html", folded=".more:not([open]) li", useless=".masthead nav"
    )
    assert printed["folded"] > 10
    assert not printed["useless"]
    assert printed["background"] == "rgb(255, 255, 255)"
    assert printed["bytes"] > 10_000


def test_search_finds_contracts_by_address_selector(site: Path) -> None:
    queries = {
        "pedestal hall": "PedestalHall",
        "Stak": "Staking",
        "0xEA6137d406d443D5727564D1b014307C88e076b8": "Staking",
        "0xea6137": "Staking",
        "EA6137": "Staking",
        "Stakign": "Staking",
        "stakin": "Staking",
        "Stacking": "Staking",
        "vyper": "Endowment",
        "0x26476204": "Staking",
        "stake(address)": "Staking",
        "error MoreThanStaked(uint, uint)": "Staking",
        "MoreThanStaked": "Staking",
        "error more_than": "Staking",
        "demo network": "Plinth, a demo network",
        "0x5dac0c1b1112564a045ba943c9d50270893e8e826c49be8e7073adc713ab7bd7": "Staking",
    }
    found = browse(site, "search", queries=[*queries, "nothing of the kind", "a"])
    assert found["complaints"] == []
    for query, name in queries.items():
        assert name in found["answers"][query]["names"], query
    assert [text.strip() for text in found["answers"]["MoreThanStaked"]["because"]] == ["MoreThanStaked"]
    assert found["answers"]["nothing of the kind"]["found"] == "No contracts found."
    assert found["answers"]["a"]["names"] == []
    link = found["answers"]["Stak"]["hrefs"][0].removeprefix(found["base"])
    assert (site / link).is_file()
    assert found["answers"]["Stak"]["url"] == "contracts/index.html?q=Stak"


def test_contract_page_offers_abi_and_sources(site: Path) -> None:
    taken = browse(site, "taken", path=STAKING)
    record = json.loads(
        (site / STAKING.replace("contracts/", "v2/contract/").removesuffix(".html")).read_bytes()
    )
    assert taken["complaints"] == []
    assert json.loads(taken["copied"]) == record["abi"]
    assert taken["name"] == f"{record['address']}.zip"
    with ZipFile(BytesIO(b64decode(taken["archive"]))) as archive:
        assert archive.testzip() is None
        sources = {name: archive.read(name).decode() for name in archive.namelist()}
    assert sources == {path: source["content"] for path, source in record["sources"].items()}


def test_search_filters_by_query_and_keyboard(site: Path) -> None:
    asked = ["?language=Vyper", "?proxy=yes", "?q=sta&language=Vyper", "?q=sta&proxy=no", "?language=Cobol"]
    keys = ["/", "Tab", "Tab", "V", "Shift+Tab", "Shift+Tab", "ArrowDown", "ArrowDown", "ArrowUp", "Escape"]
    output = browse(site, "filters", addresses=asked, keys=keys)
    records = [
        json.loads(file.read_bytes()) for file in site.glob("v2/contract/748463/0x*") if file.is_file()
    ]
    of = {record["address"]: record for record in records}.values()
    vyper = sorted(r["compilation"]["name"] for r in of if r["compilation"]["language"] == "Vyper")
    proxies = sorted(r["compilation"]["name"] for r in of if r["proxyResolution"].get("isProxy"))
    answers = output["answers"]
    assert sorted(answers["?language=Vyper"]["names"]) == vyper != []
    assert answers["?language=Vyper"]["found"] == f"{len(vyper)} results"
    assert sorted(answers["?proxy=yes"]["names"]) == proxies != []
    assert answers["?q=sta&language=Vyper"]["found"] == "No contracts found."
    assert "Staking" in answers["?q=sta&proxy=no"]["names"]
    assert answers["?language=Cobol"]["names"] == [], "what no contract has is no filter"
    first, second = output["last"]["names"][:2]
    assert output["focused"] == [
        "field=", "Search", "language=", "language=Vyper", "Search", "field=", first, second, first, "field="
    ]  # fmt: skip
    assert output["last"]["url"] == "contracts/index.html?language=Vyper"
    assert output["complaints"] == []


def test_chain_list_is_searched_in_place(site: Path, tmp_path: Path) -> None:
    """The list gives way to the contracts of its chain while there is something to look for, with their kinds."""
    of_chain = sorted(
        record["compilation"]["name"]
        for file in (site / "v2/contract/748463").glob("0x*")
        if file.is_file() and (record := json.loads(file.read_bytes()))["address"] == file.name
        if record["compilation"]["language"] == "Solidity"
    )
    start, asked = "contracts/748463/index.html", ["", "?language=Solidity", "?q=st"]
    keys = ["/", "Tab", "Tab", "S", "Tab", "Shift+Tab", "Shift+Tab", "Shift+Tab", "ArrowDown"]
    output = browse(site, "filters", start=start, addresses=asked, keys=keys)
    assert output["complaints"] == []
    nothing, filtered, typed = output["answers"].values()
    assert (nothing["lists"], nothing["names"]) == (1, [])
    assert sorted(filtered["names"]) == of_chain != []
    assert (filtered["found"], filtered["lists"]) == (f"{len(of_chain)} results", 0)
    assert filtered["kinds"] == [], "one kind needs no heading"
    assert output["last"]["url"] == f"{start}?language=Solidity"
    assert output["focused"][3] == "language=Solidity"
    assert output["focused"][-1] in of_chain, "from the field to the first result"
    kinds = [kind.partition(": ") for kind in typed["kinds"]]
    assert [kind[0] for kind in kinds] == ["By name", "By function, event or error"]
    assert sum(int(kind[2]) for kind in kinds) == len(typed["names"])
    other = shutil.copytree(site, tmp_path / "site")
    page = other / start
    page.write_text(page.read_text("utf-8").replace('data-chain="748463"', 'data-chain="1"'), "utf-8")
    empty = browse(other, "filters", start=start, addresses=asked, keys=[])["answers"]
    assert {answer["found"] for answer in list(empty.values())[1:]} == {"No contracts found."}


def test_slash_key_focuses_search_field(site: Path) -> None:
    """In the manual to its own, elsewhere to that of contracts; never into the files of a contract."""
    manual = "pages/manual/index.html"
    reached = browse(site, "slash", paths=["index.html", STAKING, "contracts/index.html", manual])
    assert {path: place["page"].partition("#")[0] for path, place in reached.items()} == {
        "index.html": "contracts/index.html",
        STAKING: "contracts/index.html",
        "contracts/index.html": "contracts/index.html",
        manual: manual,
    }
    assert reached[manual]["field"] == "Search the docs"
    assert {place["field"] for path, place in reached.items() if path != manual} == {"query"}
    folded = browse(site, "slash", paths=[manual], width=390)
    assert folded[manual]["field"] == "Search the docs"


def test_manual_search_leads_to_page(site: Path) -> None:
    found = browse(
        site, "finder", path="pages/manual/index.html", question="how do i close an incident", now=NOW
    )
    assert found["complaints"] == []
    assert len(found["hrefs"]) == 12
    assert found["reached"] == found["hrefs"][0]
    assert "pages/manual/incidents.html" in {href.partition("#")[0] for href in found["hrefs"][:3]}


def test_status_page_stays_within_transfer_budget(site: Path) -> None:
    transferred = browse(site, "transfer", path="index.html")
    sizes = {request["url"]: request["bytes"] for request in transferred["requests"]}
    page = {url: size for url, size in sizes.items() if not url.startswith("api/")}
    assert sum(page.values()) < 60_000, page
    assert transferred["blocking"] == ["assets/statuary.css", "assets/statuary.js"], (
        "the first paint needs the style, and the times in the reader's zone, so that nothing moves later"
    )


def test_times_appear_in_reader_timezone(site: Path) -> None:
    zones = {"America/New_York": "09:14 GMT-4", "Europe/Zurich": "15:14 CEST"}
    for zone, text in zones.items():
        output = browse(
            site,
            "times",
            path="incidents/2026-09-03-empty-blocks.html",
            timezoneId=zone,
            now="2026-11-20T12:00:00Z",
            selector=".stamp time",
        )
        assert output[-1]["datetime"] == output[-2]["datetime"] == "2026-09-03T15:14:00+02:00"
        assert [output[-2]["text"], output[-1]["text"]] == [text, "3 Sep 2026"]
        assert "Thursday" in output[-1]["exact"], "the exact time shows under the pointer"
        assert "2026" in output[-1]["exact"]
    near = browse(
        site,
        "times",
        path="incidents/2026-11-20-faucet-without-coins.html",
        timezoneId="Asia/Tokyo",
        now="2026-11-20T12:30:00Z",
        selector=".stamp time",
    )
    assert [near[-2]["text"], near[-1]["text"]] == ["17:15 GMT+9", "20 Nov 2026"]
    assert near[-1]["beside"] == "(4\xa0h\xa015\xa0min ago)"
    opened = browse(
        site,
        "times",
        path="incidents/2026-11-20-faucet-without-coins.html",
        timezoneId="Asia/Tokyo",
        now="2026-11-20T09:40:00Z",
        selector=".title time",
    )
    assert opened[0]["beside"] == ", 1\xa0h\xa025\xa0min so far"


def test_uptime_bars_support_keyboard_and_pointer(site: Path) -> None:
    output = browse(site, "bars", path="index.html", name="Block production, day by day", now=NOW, back=78)
    assert output["role"] == "slider"
    assert output["today"].startswith("Friday")
    assert "No downtime" in output["today"]
    assert output["trouble"].startswith("Thursday")
    assert "Major outage" in output["trouble"]
    assert output["href"].endswith("incidents/2026-09-03-empty-blocks.html")
    assert output["pointed"] != ""


def test_opened_dependency_source_is_highlighted(site: Path) -> None:
    opened = browse(site, "sources", path=f"{STAKING}#s2-12")
    assert opened["before"] == 0
    assert opened["coloured"] > 20
    assert opened["line"] == "12"
    assert opened["open"] == ["s2"], "one file is shown"
    assert opened["found"] > 3, "the lines of all files that have the text"
    assert opened["hit"] != "", "a line of them is shown"
    assert "uint256" in opened["copied"]
    assert not opened["copied"].startswith("1")


def test_browser_syntax_highlighting_matches_build(site: Path) -> None:
    folder = CHECKOUT / "tests/demo_network/contracts"
    sources = [
        ((folder / path).read_text("utf-8").rstrip("\n"), language) for path, language in SOURCES.items()
    ]
    assert {language for _, language in sources} == {"Solidity", "Vyper", "Yul"}
    here = [
        [list(piece) for piece in highlighter(language).highlight(text)]  # type: ignore[union-attr]
        for text, language in sources
    ]
    assert browse(site, "colours", sources=sources) == here


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site whose every text tries to act, and one page for each place of a record where a text can stand."""
    blow = '"><script>acted.push(1)</script><img src=x onerror=acted.push(2)><svg onload=acted.push(3)>'
    text = "'" + blow.replace("'", "''") + "'"
    files: dict[str, str | bytes | None] = {
        path: body.replace("Public RPC", text)
        .replace("Slow answers", text)
        .replace("name: Upgrade", f"name: {text}")
        for path, body in SMALL_SITE.items()
    }
    files["incidents/slow.yaml"] = str(files["incidents/slow.yaml"]).replace("We are looking into it.", text)
    root = tmp_path_factory.mktemp("hostile")
    site = build(write_files(root / "content", files), root / "site", NOW)
    for place, (name, damage) in enumerate(RECORD_SINKS.items()):
        record = made_record("everything")
        damage(record, blow)
        page = site / f"contracts/31337/{place}.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(page_of(record, Proof(results=())), encoding="utf-8")
        assert name
    return site


def test_browser_never_executes_markup_in_content(hostile: Path) -> None:
    pages = [path.relative_to(hostile).as_posix() for path in sorted(hostile.rglob("*.html"))]
    assert len(pages) > 30
    # reference.html leads to api.html at once
    paths = [path for path in pages if "_epochs" not in path and path != "reference.html"]
    assert browse(hostile, "inert", paths=paths) == []


def test_proxy_page_compares_selected_implementations(site: Path) -> None:
    proxy, edition = (
        "0x0217960F13aFc1c77313E1158139960f9831FF0c",
        "0x04F317c09B2c9E32D0Ce6Dd2F9bcf05dF6753678",
    )
    record = json.loads((site / f"v2/contract/748463/{edition}").read_bytes())
    path = next(iter(record["sources"]))
    lines = record["sources"][path]["content"].split("\n")
    layout = {
        "storage": [{"label": "paid", "slot": "2", "offset": 0, "type": "u"}],
        "types": {"u": {"label": "uint256"}},
    }
    changed = {
        **record,
        "abi": [{**item, "stateMutability": "pure"} for item in record["abi"] if item["type"] == "function"][
            1:
        ],
        "sources": {path: {"content": "\n".join([*lines[:4], "// \u202enew", *lines[5:]])}},
        "storageLayout": layout,
    }
    moved = {**changed, "storageLayout": {**layout, "storage": [{**layout["storage"][0], "slot": "3"}]}}
    large = {**record, "sources": {"x": {"content": "\n".join(map(str, range(9_000)))}}}
    addresses = [f"0x{digit * 40}" for digit in "123"]
    pairs = [
        [edition, edition],
        [edition, addresses[0]],
        addresses[:2],
        [edition, addresses[2]],
        [f"0x{'9' * 40}", edition],
    ]
    made = dict(zip(addresses, (changed, moved, large), strict=True))
    found = browse(site, "compare", path=f"contracts/748463/{proxy}.html", pairs=pairs, records=made)
    same, other, later, long, unread = found["shown"]
    assert (same["added"], same["removed"]) == (0, 0)
    first = next(item for item in record["abi"] if item["type"] == "function")
    assert f"- function {first['name']}(" in other["parts"][0]
    assert " pure" in other["parts"][0]
    assert f"=== {path}\n@@ 2 → 2 @@\n" in other["parts"][2]
    assert f"\n-{lines[4]}\n+// \\u{{202e}}new\n" in other["parts"][2]
    assert later["parts"] == [
        "No difference.\n",
        "- paid: slot 2, byte 0, uint256\n+ paid: slot 3, byte 0, uint256\n",
        "No difference.\n",
    ]
    assert len(long["parts"][2].splitlines()) == 2_001
    assert long["parts"][2].splitlines()[-1].startswith("… and ")
    assert unread["status"].startswith("Cannot read a record: 404 ")
    assert len(found["complaints"]) == 1  # the browser itself notes the 404


def test_browser_recovers_after_timed_out_task(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("support.browser.TIMEOUT", 0)
    with pytest.raises(AssertionError, match="takes longer than 0 s"):
        browse(site, "skip_link", path="index.html")
    monkeypatch.undo()
    assert "shown" in browse(site, "viewer_inert", paths=["contract.html"])
