"""Upstream components: what other pages say, kept in a file, shown by builds, told to nobody, and overridden by a person."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from statuary.base.primitives import parse_instant
from statuary.cli.main import command
from statuary.engine.read_content import read_content
from statuary.extensions.notify.events import list_events_between
from statuary.extensions.upstream.state_file import FILE
from statuary.status.model.records import StatusContent
from statuary.status.model.schedule import build_timeline_to_horizon
from support.json_server import serve_json
from support.sites import SITE, build, built_files, files_in, small_site, write_files

STATUSPAGE = {
    "components": [
        {"id": "a1", "name": "Ethereum", "status": "major_outage"},
        {"id": "b2", "name": "Solana", "status": "operational"},
    ]
}
INSTATUS = {"components": [{"id": "c1", "name": "Sequencer", "status": "DEGRADEDPERFORMANCE"}]}
BETTERSTACK = {
    "data": {"id": "1", "type": "status_page"},
    "included": [
        {
            "id": "7",
            "type": "status_page_resource",
            "attributes": {"public_name": "API", "status": "maintenance"},
        }
    ],
}
PAGES = {
    "/api/v2/components.json": STATUSPAGE,
    "/in/v2/components.json": INSTATUS,
    "/better/index.json": BETTERSTACK,
}
OFF = {"incidents/slow.yaml": None, "maintenances/upgrade.yaml": None}


def upstream(url: str, *more: str) -> str:
    rows = [
        f"    rpc: {{url: {url}, component: Ethereum}}",
        f"    blocks: {{url: {url}/in, kind: instatus, component: sequencer}}",
        f"    explorer: {{url: {url}/better, kind: betterstack, component: '7'}}",
    ]
    return SITE + "upstream:\n  components:\n" + "\n".join([*rows, *more]) + "\n"


@pytest.fixture
def content(tmp_path: Path) -> Path:
    return write_files(small_site(tmp_path), OFF)


def run(content: Path, now: str = "2026-11-20T10:00:00Z", *options: str, code: int = 0) -> str:
    done = CliRunner().invoke(command, ["upstream", "--content", str(content), "--now", now, *options])
    assert done.exit_code == code, done.output
    return done.output


def statuses(files: dict[str, bytes]) -> dict[str, str]:
    return {row["id"]: row["status"] for row in json.loads(files["api/v2/components.json"])["components"]}


def test_upstream_reads_statuspage_instatus_and_betterstack(content, tmp_path):
    with serve_json(PAGES) as server:
        write_files(content, {"site.yaml": upstream(server.url)})
        said = run(content)
        again = run(content, "2026-11-20T10:05:00Z")
    assert "rpc: major_outage" in said
    assert "changed:" in said
    assert "changed:" not in again
    found = statuses(built_files(content, tmp_path / "site"))
    assert (found["rpc"], found["blocks"], found["explorer"]) == (
        "major_outage",
        "degraded_performance",
        "under_maintenance",
    )
    assert statuses(built_files(content, tmp_path / "before", "2026-11-20T09:59:00Z"))["rpc"] == "operational"


def test_recovered_component_keeps_earlier_outage(content, tmp_path):
    with serve_json(dict(PAGES)) as server:
        write_files(content, {"site.yaml": upstream(server.url)})
        run(content)
        well = {"components": [{"id": "a1", "name": "Ethereum", "status": "operational"}]}
        server.documents["/api/v2/components.json"] = well
        run(content, "2026-11-20T11:00:00Z")
    assert statuses(built_files(content, tmp_path / "site"))["rpc"] == "operational"
    assert statuses(built_files(content, tmp_path / "then", "2026-11-20T10:30:00Z"))["rpc"] == "major_outage"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"<!DOCTYPE html>", "does not send JSON"),
        ({"components": []}, "lists no components"),
        ({"components": [None, 7, {"name": ["x"]}]}, "has no component 'Ethereum'"),
        (
            {"components": [{"name": "Ethereum", "status": "on fire"}]},
            "the status 'on fire' for 'Ethereum'",
        ),
        (
            {"components": [{"name": "Ethereum", "status": "operational"}] * 2},
            "has 2 components named 'Ethereum'",
        ),
        ([], "lists no components"),
    ],
)
def test_unreadable_upstream_page_keeps_previous_status(content, tmp_path, answer, said):
    with serve_json(dict(PAGES)) as server:
        write_files(content, {"site.yaml": upstream(server.url)})
        run(content)
        before = (content / FILE).read_bytes()
        server.documents["/api/v2/components.json"] = answer
        assert said in run(content, "2026-11-20T11:00:00Z", code=1)
    assert (content / FILE).read_bytes() == before
    assert statuses(built_files(content, tmp_path / "site"))["rpc"] == "major_outage"


def test_failing_upstream_page_never_blocks_others(content):
    with serve_json({path: body for path, body in PAGES.items() if "better" not in path}) as server:
        write_files(content, {"site.yaml": upstream(server.url)})
        said = run(content, code=1)
    assert "rpc: major_outage" in said
    assert "has no index.json" in said
    assert "explorer" not in (content / FILE).read_text()


def test_upstream_status_changes_emit_no_notifications(content):
    with serve_json(PAGES) as server:
        write_files(content, {"site.yaml": upstream(server.url)})
        run(content)
    catalogue, _ = read_content(content)
    start, end = parse_instant("2026-11-20T00:00:00Z"), parse_instant("2026-11-21T00:00:00Z")
    timeline = build_timeline_to_horizon(
        catalogue.content_of(StatusContent).catalogue, end, catalogue.content_of(StatusContent).settings
    )
    assert timeline.status_histories["rpc"].at(end)[0] == "major_outage"
    assert list_events_between(timeline, start, end) == []
    write_files(
        content,
        {
            "incidents/own.yaml": "name: Ours\ncomponents: {rpc: partial_outage}\nupdates: [{at: 2026-11-20T12:00:00Z, status: investigating}]\n"
        },
    )
    catalogue, _ = read_content(content)
    timeline = build_timeline_to_horizon(
        catalogue.content_of(StatusContent).catalogue, end, catalogue.content_of(StatusContent).settings
    )
    assert [event.kind.value for event in list_events_between(timeline, start, end)] == [
        "opened",
        "component",
    ]


def test_override_applies_from_start_time(content, tmp_path):
    with serve_json(PAGES) as server:
        row = f"    rpc: {{url: {server.url}, component: Ethereum, override: {{status: operational, since: 2026-11-20T11:00:00Z}}}}"
        text = upstream(server.url)
        own = f"    rpc: {{url: {server.url}, component: Ethereum}}"
        write_files(content, {"site.yaml": text.replace(own, row)})
        run(content)
        run(content, "2026-11-20T11:30:00Z")
    assert statuses(built_files(content, tmp_path / "site"))["rpc"] == "operational"
    assert statuses(built_files(content, tmp_path / "then", "2026-11-20T10:30:00Z"))["rpc"] == "major_outage"
    write_files(content, {"site.yaml": text})
    assert statuses(built_files(content, tmp_path / "site"))["rpc"] == "major_outage"


@pytest.mark.slow
def test_disabled_upstream_does_not_change_documents(content, tmp_path):
    plain = built_files(content, tmp_path / "plain")
    with serve_json(PAGES) as server:
        write_files(content, {"site.yaml": upstream(server.url)})
        run(content)
    built_files(content, tmp_path / "site")
    write_files(content, {"site.yaml": SITE})
    assert built_files(content, tmp_path / "site") == plain


@pytest.mark.parametrize(
    "body",
    [
        "{",
        "[]",
        '{"components": {"rpc": [{"at": "yesterday", "status": "operational"}]}}',
        '{"components": {"rpc": [{"at": "2026-11-20T10:00:00Z", "status": "fire"}]}}',
        '{"components": []}',
    ],
)
def test_damaged_upstream_state_file_reports_warning(content, tmp_path, body):
    write_files(content, {"site.yaml": upstream("http://127.0.0.1:1"), FILE: body})
    result = build(content, tmp_path / "site")
    assert result.applied
    (finding,) = [one for one in result.checked.findings if one.rule == "upstream-unavailable"]
    assert ".upstream.json cannot be read" in finding.message
    assert statuses(files_in(tmp_path / "site"))["rpc"] == "operational"


def test_unknown_upstream_component_is_reported(content, tmp_path):
    write_files(
        content,
        {"site.yaml": upstream("http://127.0.0.1:1", "    nope: {url: http://127.0.0.1:1, component: X}")},
    )
    findings = build(content, tmp_path / "site").checked.findings
    (finding,) = [one for one in findings if one.rule == "upstream-unavailable"]
    assert "components.yaml has no component 'nope'" in finding.message


def test_upstream_dry_run_writes_no_file(content):
    with serve_json(PAGES) as server:
        write_files(content, {"site.yaml": upstream(server.url)})
        assert "rpc: major_outage" in run(content, "2026-11-20T10:00:00Z", "--dry-run")
    assert not (content / FILE).exists()


def test_instatus_documents_by_statuary_are_read(content, tmp_path):
    """The Instatus documents of one site are what the reader of another takes."""
    write_files(
        content,
        {
            "incidents/own.yaml": "name: Ours\ncomponents: {rpc: partial_outage}\nupdates: [{at: 2026-11-20T08:00:00Z, status: investigating}]\n"
        },
    )
    files = built_files(write_files(content, {"site.yaml": SITE + "instatus: true\n"}), tmp_path / "first")
    with serve_json({"/v2/components.json": files["v2/components.json"]}) as server:
        other = write_files(small_site(tmp_path / "other"), OFF)
        write_files(
            other,
            {
                "site.yaml": SITE
                + f"upstream: {{components: {{explorer: {{url: '{server.url}', kind: instatus, component: Public RPC}}}}}}\n"
            },
        )
        assert "explorer: partial_outage" in run(other)


def test_future_upstream_status_is_rejected(content):
    """A run with a wrong clock: without an error, every new status would be ignored until then."""
    with serve_json(PAGES) as server:
        write_files(content, {"site.yaml": upstream(server.url)})
        run(content, "2030-01-01T00:00:00Z")
        refused = run(content, "2026-11-20T10:00:00Z", code=3)
        assert "the last status of blocks is dated 2030-01-01T00:00:00Z" in refused
        assert "--allow-clock-rollback" in refused
        run(content, "2026-11-20T10:00:00Z", "--allow-clock-rollback")
        run(content, "2026-11-20T11:00:00Z")
    stored = json.loads((content / FILE).read_bytes())["components"]
    assert {row["at"] for rows in stored.values() for row in rows} == {"2026-11-20T10:00:00Z"}
