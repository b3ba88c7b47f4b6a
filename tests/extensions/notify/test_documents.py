"""`notifications/<id>.json`: the message of each update, at every instant, and nothing of it without the key."""

import json
from pathlib import Path

import pytest

from statuary.base.primitives import format_utc_shortest, parse_instant
from statuary.engine.read_content import read_content
from statuary.engine.tick import tick
from statuary.extensions.notify.documents import NOTIFICATION, NotifySection
from statuary.extensions.notify.events import RECORD_EVENTS, list_events_between
from statuary.extensions.notify.settings import NotifySettings, NotifySource
from statuary.status.model.timeline import build_timeline
from support.sites import SITE, build, built_files, files_in, small_site, write_files
from support.status_site import catalogue_of

ON = "notify: {messages: true}\n"


@pytest.fixture
def content(tmp_path: Path) -> Path:
    return write_files(small_site(tmp_path), {"site.yaml": SITE + ON})


def messages(files: dict[str, bytes]) -> dict[str, dict[str, object]]:
    return {path: json.loads(body) for path, body in files.items() if path.startswith("notifications/")}


@pytest.mark.slow
def test_every_incident_update_has_message_document(content, tmp_path):
    files = built_files(content, tmp_path / "site")
    found = sorted(messages(files).values(), key=lambda one: one["published_at"])
    assert [(one["event"], one["subject"]) for one in found] == [
        ("scheduled", "Scheduled: Upgrade"),
        ("opened", "Investigating: Slow answers"),
        ("resolved", "Resolved: Slow answers"),
    ]
    assert found[1] == {
        "id": found[1]["id"],
        "event": "opened",
        "published_at": "2026-11-02T10:00:00Z",
        "incident_id": "slow",
        "components": ["rpc"],
        "url": f"https://status.plinth.example/incidents/slow#update-{found[1]['id']}",
        "subject": "Investigating: Slow answers",
        "text": "We are looking into it.\n\nAffects: Public RPC (degraded performance)",
        "html": "<p>We are looking into it.</p><p>Affects: Public RPC (degraded performance)</p>",
    }
    updates = json.loads(files["incidents/slow.json"])["incident"]["incident_updates"]
    assert {update["id"] for update in updates} == {one["id"] for one in found[1:]}


@pytest.mark.slow
def test_disabling_messages_removes_message_documents(content, tmp_path):
    plain = write_files(small_site(tmp_path / "plain"), {})
    without = built_files(plain, tmp_path / "a")
    assert messages(built_files(content, tmp_path / "b"))
    write_files(content, {"site.yaml": SITE})
    assert built_files(content, tmp_path / "b") == without
    assert not (tmp_path / "b/notifications").exists()


@pytest.mark.slow
def test_tick_adds_reminder_and_start_messages(content, tmp_path):
    ticked = tmp_path / "ticked"
    build(content, ticked, "2026-11-20T12:00:00Z")
    for now in ("2026-11-21T21:30:00Z", "2026-11-21T22:30:00Z"):
        tick(ticked, parse_instant(now))
        built = messages(built_files(content, tmp_path / f"built-{now[11:13]}", now))
        assert messages(files_in(ticked)) == built
    assert {one["event"] for one in built.values()} == {
        "scheduled",
        "reminder",
        "started",
        "opened",
        "resolved",
    }


@pytest.mark.slow
def test_edited_update_keeps_message_id(content, tmp_path):
    before = messages(built_files(content, tmp_path / "site"))
    slow = (content / "incidents/slow.yaml").read_text()
    write_files(content, {"incidents/slow.yaml": slow.replace("looking into it", "still looking")})
    after = messages(built_files(content, tmp_path / "site"))
    assert before.keys() == after.keys()
    assert sum(before[path] != after[path] for path in after) == 1
    assert after == messages(built_files(content, tmp_path / "fresh"))


@pytest.mark.slow
def test_message_html_removes_unsafe_markup(content, tmp_path):
    slow = (content / "incidents/slow.yaml").read_text()
    hostile = "'<script>alert(1)</script> <strong>bold</strong> <a href=\"javascript:alert(1)\">x</a> <img src=x onerror=alert(1)>'"
    write_files(content, {"incidents/slow.yaml": slow.replace("We are looking into it.", hostile)})
    html = " ".join(str(one["html"]) for one in messages(built_files(content, tmp_path / "site")).values())
    assert "<strong>bold</strong>" in html
    assert "<script" not in html
    assert "<img" not in html
    assert 'href="javascript' not in html


@pytest.mark.slow
def test_backfilled_updates_have_no_message(content, tmp_path):
    slow = (content / "incidents/slow.yaml").read_text()
    write_files(content, {"incidents/slow.yaml": slow + "    deliver_notifications: false\n"})
    found = messages(built_files(content, tmp_path / "site"))
    assert {one["event"] for one in found.values()} == {"scheduled", "opened"}
    backfilled = slow.replace("components:\n  rpc: degraded_performance\n", "backfilled: true\n")
    write_files(content, {"incidents/slow.yaml": backfilled})
    found = messages(built_files(content, tmp_path / "site"))
    assert {one["event"] for one in found.values()} == {"scheduled"}


def test_latest_and_open_incidents_have_messages():
    """Of sixty incidents those have messages that feeds list: the latest 25, and every one that is not over."""
    update = "updates: [{{at: 2026-01-01T{hour:02}:{minute:02}:00Z, status: {status}}}]"
    incidents = {
        f"i{number}": f"name: I{number}\n"
        + update.format(
            hour=number // 6, minute=number % 6 * 10, status="investigating" if number == 3 else "resolved"
        )
        for number in range(60)
    }
    end = parse_instant("2026-02-01T00:00:00Z")
    timeline = build_timeline(catalogue_of(incidents=incidents), end)
    family = NotifySection(NotifySettings(messages=True))
    paths = [document.path for document in family.documents_at(timeline, end, None)(end)]
    events = [
        e
        for e in list_events_between(timeline, parse_instant("2025-01-01T00:00:00Z"), end)
        if e.kind in RECORD_EVENTS
    ]
    latest = {NOTIFICATION.path(update_id=event.id) for event in events[-25:]}
    open_one = NOTIFICATION.path(
        update_id=next(e.id for e in events if format_utc_shortest(e.at) == "2026-01-01T00:30:00Z")
    )
    assert set(paths) == latest | {open_one}
    assert len(paths) == len(set(paths)) == 26


@pytest.mark.parametrize("written", ["notify: {}\n", "notify: {channels: []}\n"])
def test_empty_notify_section_is_rejected(content, written):
    write_files(content, {"site.yaml": SITE + written})
    assert [finding.message for finding in read_content(content).findings] == [
        "`notify` has no effect: nothing is sent or published"
    ]


@pytest.mark.slow
def test_subscribe_panel_links_sign_up_page(tmp_path):
    address = "https://lists.example.org/subscription/form?next=%2F"
    content = write_files(
        small_site(tmp_path),
        {"site.yaml": f"{SITE}languages: [en, de]\nnotify: {{sign_up: '{address}'}}\n"},
    )
    files = built_files(content, tmp_path / "site")
    for path, name in (("index.html", "Sign up"), ("de/index.html", "Anmelden"), ("uptime.html", "Sign up")):
        assert f'<a href="{address}">{name}</a>' in files[path].decode()


@pytest.mark.parametrize(
    "address", ["lists.example.org", "http://lists.example.org", "javascript:alert(1)", "https://["]
)
def test_invalid_sign_up_url_is_rejected(address):
    with pytest.raises(ValueError, match="is not an https address"):
        NotifySource(sign_up=address)
