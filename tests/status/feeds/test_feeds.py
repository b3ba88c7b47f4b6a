"""Feeds: parsers and specifications accept them, and ids stay while content is edited."""

import json
from dataclasses import replace
from time import struct_time
from xml.etree import ElementTree as ET

import feedparser
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statuary.site.url_table import match_url
from statuary.status.feeds.feed_documents import FeedDocuments
from statuary.status.model.timeline import build_timeline, transitions_between
from support.feed_rules import ATOM, atom_faults, html_faults, json_feed_faults, rss_faults
from support.random_runs import times
from support.status_site import at, catalogue, feed_documents, incident, maintenance

NOW = at("2026-11-20T12:00")


def bodies(status, moment=NOW):
    return {document.path: document.body for document in feed_documents(status, moment)}


def faults(documents):
    """Return what specifications forbid in any feed of a site."""
    found = []
    for path, body in documents.items():
        check = {"atom": atom_faults, "rss": rss_faults}.get(path.rpartition(".")[2])
        if path == "feed.json":
            check = json_feed_faults
        if check is not None:
            found += [f"{path}: {fault}" for fault in check(body)]
    return found + [fault for html in contents(documents) for fault in html_faults(html)]


def contents(documents):
    for path, body in documents.items():
        if path.endswith(".atom"):
            yield from (element.text for element in ET.fromstring(body).iter(f"{ATOM}content"))
        elif path.endswith(".rss"):
            yield from (item.findtext("description") for item in ET.fromstring(body).iter("item"))
    yield from (item["content_html"] for item in json.loads(documents["feed.json"])["items"])


@pytest.fixture(scope="module")
def documents():
    return bodies(catalogue({"slow": incident()}, {"upgrade": maintenance()}))


def test_feed_headers_match_url_table():
    documents = feed_documents(catalogue({"slow": incident()}), NOW)
    assert documents
    for document in documents:
        url, _ = match_url(document.path)
        assert (document.media_type, document.cache) == (url.media_type, url.cache)


def test_feeds_have_no_lint_errors(documents):
    assert faults(documents) == []


def test_page_without_incidents_has_feeds():
    empty = bodies(catalogue())
    assert faults(empty) == []
    assert feedparser.parse(empty["history.atom"]).entries == []
    assert feedparser.parse(empty["history.atom"]).feed.updated == "2026-01-01T01:00:00+01:00"


@pytest.mark.parametrize(("path", "version"), [("history.atom", "atom10"), ("history.rss", "rss20")])
def test_feedparser_reads_feed(documents, path, version):
    feed = feedparser.parse(documents[path])

    assert (feed.bozo, feed.version) == (False, version)
    assert feed.feed.title == "Plinth Status - Incident History"
    assert feed.feed.link == "https://status.plinth.example"
    assert {"rel": "self", "href": f"https://status.plinth.example/{path}"}.items() <= next(
        link for link in feed.feed.links if link.rel == "self"
    ).items()
    upgrade, slow = feed.entries
    assert (upgrade.title, slow.title) == ("Upgrade", "Slow answers")
    assert slow.link == "https://status.plinth.example/incidents/slow"
    # the newest update, and the window's start
    assert slow.published_parsed == struct_time((2026, 11, 2, 12, 0, 0, 0, 306, 0))
    assert upgrade.published_parsed == struct_time((2026, 12, 1, 22, 0, 0, 1, 335, 0))


def test_feed_times_use_page_timezone(documents):
    winter = ET.fromstring(documents["history.atom"]).findall(f"{ATOM}entry/{ATOM}published")[0].text
    assert winter == "2026-12-01T23:00:00+01:00"
    assert b"<pubDate>Tue, 01 Dec 2026 23:00:00 +0100</pubDate>" in documents["history.rss"]
    summer = bodies(
        catalogue({"s": incident(updates=[{"at": "2026-07-01T10:00:00Z", "status": "resolved"}])})
    )
    assert b"<published>2026-07-01T12:00:00+02:00</published>" in summer["history.atom"]
    assert b", <var data-var='time'>12:00</var> CEST" in html_of(summer)


def html_of(documents):
    return "\n".join(contents(documents)).encode()


def test_repeated_incident_status_is_labelled_update(documents):
    item = json.loads(documents["feed.json"])["items"][1]
    small = "<small>Nov <var data-var='date'> 2</var>, <var data-var='time'>{}</var> CET</small>"
    assert item["content_html"] == " ".join(
        f"<p>{small.format(time)}<br><strong>{label}</strong> - {text}</p>"
        for time, label, text in (
            ("13:00", "Resolved", "It is over."),
            ("11:30", "Update", "Still looking."),
            ("11:00", "Investigating", "We are looking into it."),
        )
    )
    assert item["tags"] == ["Public RPC"]


def test_maintenance_window_text_matches_statuspage(documents):
    def window(**changed):
        site = bodies(catalogue(maintenances={"w": maintenance(**changed)}))
        return json.loads(site["feed.json"])["items"][0]["content_html"].partition("</p>")[0]

    day, time = "<var data-var='date'>{}</var>", "<var data-var='time'>{}</var>"
    assert window(scheduled_until="2026-12-01T22:45:00Z") == (
        f"<p><strong>THIS IS A SCHEDULED EVENT Dec {day.format(1)}, {time.format('23:00')}"
        f" - {time.format('23:45')} CET</strong>"
    )
    assert window(scheduled_until="2026-12-02T01:00:00Z") == (
        f"<p><strong>THIS IS A SCHEDULED EVENT Dec {day.format(1)}, {time.format('23:00')} CET &nbsp;-&nbsp;"
        f" Dec {day.format(2)}, {time.format('02:00')} CET</strong>"
    )


def test_components_and_groups_have_feeds(documents):
    def titles(component):
        return [
            entry.title
            for entry in feedparser.parse(documents[f"components/{component}/history.atom"]).entries
        ]

    assert titles("rpc") == titles("network") == ["Upgrade", "Slow answers"]
    assert titles("blocks") == titles("explorer") == []
    feed = feedparser.parse(documents["components/rpc/history.atom"])
    assert feed.feed.title == "Plinth Status - Incident History of Public RPC"
    assert feed.feed.id == "tag:plinthpage01,2005:/components/rpc/history"


def test_removed_components_have_no_feed():
    gone = bodies(catalogue({"slow": incident()}, components={"rpc": {"name": "RPC", "removed": True}}))
    assert not any(path.startswith("components/") for path in gone)
    assert json.loads(gone["feed.json"])["items"][0]["tags"] == []


def test_feed_contains_latest_and_open_incidents():
    def on(day, status):
        return incident(updates=[{"at": f"2026-10-{day:02}T10:00:00Z", "status": status}])

    incidents = {f"i{day:02}": on(day, "resolved") for day in range(2, 31)} | {"old": on(1, "investigating")}
    items = json.loads(bodies(catalogue(incidents))["feed.json"])["items"]
    names = [item["url"].rpartition("/")[2] for item in items]
    assert names == [*(f"i{day:02}" for day in range(30, 5, -1)), "old"]


def ids(documents):
    """Return what readers know entries by."""
    return {
        **{
            path: [entry.id for entry in feedparser.parse(body).entries]
            for path, body in documents.items()
            if path.endswith((".atom", ".rss"))
        },
        "feed.json": [item["id"] for item in json.loads(documents["feed.json"])["items"]],
    }


def test_feed_entry_ids_survive_edits(documents):
    before = ids(documents)
    assert before["history.atom"] == [
        "tag:plinthpage01,2005:Incident/upgrade",
        "tag:plinthpage01,2005:Incident/slow",
    ]
    assert before["history.rss"] == before["history.atom"]
    edited = incident(
        name="Another name", impact_override="critical", components={"explorer": "major_outage"}
    )
    edited["updates"][2] |= {"body": "Another text.", "updated_at": "2026-11-03T00:00:00Z"}
    edited["updates"].append({"at": "2026-11-04T00:00:00Z", "status": "resolved", "body": "Added later."})
    moved = maintenance(
        name="Moved", scheduled_for="2026-12-05T22:00:00Z", scheduled_until="2026-12-06T00:00:00Z"
    )
    after = ids(bodies(catalogue({"slow": edited}, {"upgrade": moved})))

    for path in ("history.atom", "history.rss", "feed.json"):
        assert after[path] == before[path]
    assert after["components/explorer/history.atom"] == before["history.atom"][1:]


def test_feed_entry_ids_survive_url_change(documents):
    moved = catalogue(
        {"slow": incident()}, {"upgrade": maintenance()}, page={"url": "https://up.example.net/s"}
    )

    after = bodies(moved)

    assert ids(after) == ids(documents)
    for path in ("history.atom", "components/rpc/history.atom"):
        assert feedparser.parse(after[path]).feed.id == feedparser.parse(documents[path]).feed.id


def test_feed_host_setting_keeps_entry_ids():
    imported = catalogue({"slow": incident()}, page={"feed_host": "www.githubstatus.com"})

    assert ids(bodies(imported))["history.atom"] == ["tag:www.githubstatus.com,2005:Incident/slow"]


def test_edited_update_changes_only_entry_updated(documents):
    edited = incident()
    edited["updates"][0] |= {"body": "Corrected.", "updated_at": "2026-11-03T09:00:00Z"}
    entry = feedparser.parse(bodies(catalogue({"slow": edited}))["history.atom"]).entries[0]
    before = feedparser.parse(documents["history.atom"]).entries[1]
    assert (before.published, before.updated) == ("2026-11-02T13:00:00+01:00",) * 2
    assert (entry.published, entry.updated) == ("2026-11-02T13:00:00+01:00", "2026-11-03T10:00:00+01:00")


def test_feed_bytes_are_independent_of_clock():
    contents = ({"slow": incident()}, {"upgrade": maintenance()})
    assert bodies(catalogue(*contents)) == bodies(catalogue(*contents))
    # the clock is not content
    assert bodies(catalogue(*contents), at("2026-11-20T12:00")) == bodies(
        catalogue(*contents), at("2026-11-30T23:59")
    )


def test_feed_order_does_not_change_bytes():
    status = catalogue(
        {"slow": incident(), "fast": incident(components={"blocks": "major_outage"}, name="Fast")},
        {"upgrade": maintenance(), "off": maintenance(cancelled_at="2026-11-25T00:00:00Z")},
    )
    end = at("2027-01-01T00:00")
    timeline = build_timeline(status, end)
    site = FeedDocuments(timeline)
    instants = transitions_between(timeline, at("2026-10-01T00:00"), end)
    assert len(instants) == 8
    for moment in (*instants, *reversed(instants)):
        assert {d.path: d.body for d in site.documents_at(moment)} == bodies(status, moment)


def test_unpublished_incidents_are_not_in_feeds():
    hidden = catalogue(
        {"draft": incident(draft=True), "later": incident(publish_at="2026-12-24T00:00:00Z")},
        {"secret": maintenance(draft=True)},
    )
    texts = bodies(hidden).values()
    assert texts
    assert all(b"Slow answers" not in body and b"Upgrade" not in body for body in texts)


HOSTILE = (
    "<script>alert(1)</script>",
    "]]><script>",
    "</title><img src=x onerror=alert(1)>",
    "\"><svg onload='x'>",
    "&lt;b&gt; & &amp;amp;",
    "line\r\nBEGIN:VEVENT\nend",
    "nul\x00 vt\x0b esc\x1b nel\x85 ls\u2028 ps\u2029 bom\ufeff ffff\uffff",
    'back\\slash; comma, colon: quote"',
    "مرحبا \u202egnp.exe 区块 🚀👩‍🚀",
    "x" * 255,
)


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE)
def test_feeds_escape_markup_in_names(text):
    components = {
        "c": {"name": text, "description": text},
        "g": {"name": text, "components": {"d": {"name": text}}},
    }
    record = incident(name=text, components={"c": "major_outage", "d": None})
    record["updates"][0]["body"] = text
    site = bodies(
        catalogue({"i": record}, {"m": maintenance(name=text, body=text, components=["d"])},
                  page={"name": text}, components=components)
    )  # fmt: skip
    assert faults(site) == []
    atom = feedparser.parse(site["history.atom"])
    assert not atom.bozo
    for path in ("history.rss", "components/g/history.atom"):
        assert not feedparser.parse(site[path]).bozo
    for path, body in site.items():
        if path.endswith((".atom", ".rss", ".svg")):
            assert not any(tag in body for tag in (b"<script", b"<img", b"<svg o"))
    title = ET.fromstring(site["history.atom"]).find(f"{ATOM}entry/{ATOM}title").text
    assert title == json.loads(site["feed.json"])["items"][0]["title"]
    assert title == ET.fromstring(site["history.rss"]).findtext("channel/item/title")


def test_feeds_escape_markup_in_page_url():
    hostile = catalogue({"slow": incident()}, page={"url": 'https://a.example/\x01"><script>&'})
    site = bodies(hostile)
    assert faults(site) == []
    assert ET.fromstring(site["history.rss"]).findtext("channel/link") == 'https://a.example/"><script>&'


SAMPLE = catalogue({"slow": incident()})


@pytest.mark.slow
@settings(max_examples=times(40))
@given(name=st.text(min_size=1, max_size=60), body=st.text(max_size=200))
def test_arbitrary_incident_text_gives_valid_feeds(name, body):
    slow = SAMPLE.incidents[0]
    output = tuple(replace(update, body=body) for update in slow.updates)
    changed = replace(SAMPLE, incidents=(replace(slow, name=name, updates=output),))
    assert faults(bodies(changed)) == []
