"""A build of the same status renders nothing, and its bytes are those of a new site."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from statuary.base.primitives import parse_instant
from statuary.base.progress import NoProgress
from statuary.engine.build import build_site
from statuary.engine.tick import tick
from statuary.publish.folder.folder_target import FolderTarget
from statuary.status.api.documents import StatusDocuments
from statuary.status.feeds.feed_documents import FeedDocuments
from statuary.status.pages.pages import StatusPages
from statuary.status.site_status import SiteStatus
from statuary.status.sources import incident_source
from support.sites import (
    COMPONENTS,
    INCIDENT,
    MAINTENANCE,
    SITE,
    as_another_version,
    built_files,
    files_in,
    path_of,
    record_of,
    write_files,
)
from support.tiers import few_by_default

MORNING, LATER = "2026-11-21T10:00:00Z", "2026-11-21T11:00:00Z"
IN_MAINTENANCE, TOMORROW = "2026-11-21T22:10:00Z", "2026-11-22T11:00:00Z"
OUTAGE = INCIDENT.replace("degraded_performance", "major_outage").partition("  - at: 2026-11-02T11")[0]


@pytest.fixture
def content(tmp_path) -> Path:
    files = {"components.yaml": COMPONENTS, "incidents/slow.yaml": INCIDENT, "site.yaml": SITE}
    return write_files(tmp_path / "content", {**files, "maintenances/upgrade.yaml": MAINTENANCE})


@pytest.fixture
def rendered(monkeypatch) -> list[str]:
    """The paths of the timed documents that were rendered."""
    paths: list[str] = []

    def noting(documents_from):
        def made_from(self, start):
            made = documents_from(self, start)

            def at(instant):
                documents = list(made(instant))
                paths.extend(one.path for one in documents)
                return documents

            return at

        return made_from

    for kind in (StatusDocuments, FeedDocuments, StatusPages):
        monkeypatch.setattr(kind, "documents_from", noting(kind.documents_from))
    return paths


def build(content: Path, out: Path, now: str = MORNING, *, verify: bool = False) -> dict[str, bytes]:
    return built_files(content, out, now, verify=verify)


@pytest.mark.parametrize(
    "theme", few_by_default([{}, {"theme/templates/status.html": '{% extends "package/status.html" %}'}], 1)
)
def test_unchanged_status_build_writes_no_file(content, tmp_path, rendered, theme):
    out = tmp_path / "out"
    write_files(content, theme)
    build(content, out)
    rendered.clear()
    before = {path: (out / path).stat() for path in files_in(out)}
    with FolderTarget(out) as target:
        result = build_site(content, target, parse_instant(LATER), NoProgress())
    assert (result.applied, result.plan.is_empty) == (True, True)
    assert bool(rendered) == bool(theme)  # a template of the site's own is rendered to check it
    assert {path: (out / path).stat() for path in files_in(out)} == before


@pytest.mark.slow
def test_only_changed_incidents_are_parsed(content, tmp_path, monkeypatch):
    out, paths, real = tmp_path / "out", [], incident_source.incident_from_source
    monkeypatch.setattr(incident_source, "incident_from_source", lambda *of: paths.append(of[2]) or real(*of))
    write_files(content, {"incidents/other.yaml": INCIDENT.replace("Slow", "Other")})

    def parsed(*, verify: bool = False) -> list[str]:
        paths.clear()
        build(content, out, verify=verify)
        return sorted(paths)

    every = ["incidents/other.yaml", "incidents/slow.yaml"]
    assert parsed() == every
    os.utime(content / "incidents/slow.yaml", (0, 0))  # as a fresh checkout has other times
    assert parsed() == []
    write_files(content, {"incidents/slow.yaml": INCIDENT.replace("Slow", "Slower")})
    assert parsed() == ["incidents/slow.yaml"]
    assert parsed(verify=True) == every
    assert parsed() == []


@pytest.mark.parametrize("when", few_by_default([MORNING, TOMORROW], 1))
def test_build_at_earlier_time_undoes_ticks(content, tmp_path, when):
    """A document is kept only while no later run has written it, whatever its bytes are now."""
    out = tmp_path / "out"
    whole = build(content, out)
    tick(out, parse_instant(TOMORROW))
    tick(out, parse_instant(when))
    build(content, out)
    assert build(content, out) == whole


@pytest.mark.parametrize(
    ("nows", "kept"),
    few_by_default(
        [
            ([MORNING, IN_MAINTENANCE, "2026-11-21T22:20:00Z", "2026-11-21T23:00:00Z"], "rrkr"),
            ([MORNING, MORNING, LATER], "rkk"),
            ([MORNING, TOMORROW, "2027-01-10T12:00:00Z", MORNING], "rrrr"),
        ],
        1,
    ),
)
@pytest.mark.parametrize(
    "settings", few_by_default(["", "pages: {status: false}\n", "hosting: {precompressed: [gz]}\n"], 1)
)
def test_successive_status_builds_equal_fresh_build(content, rendered, nows, kept, settings):
    write_files(content, {"site.yaml": SITE + settings})
    for number, (now, is_kept) in enumerate(zip(nows, kept, strict=True)):
        rendered.clear()
        found = build(content, content.parent / "out", now)
        assert bool(rendered) == (is_kept == "r")
        assert found == build(content, content.parent / f"anew{number}", now)


CHANGES: dict[str, dict[str, str | bytes | None]] = {
    "incident": {"incidents/slow.yaml": INCIDENT.replace("Slow", "Slower")},
    "maintenance": {"maintenances/upgrade.yaml": None},
    "template": {"theme/templates/status.html": "<!doctype html><title>{{ view.description }}</title>"},
    "style": {"theme/style.css": "body { color: teal }"},
    "limit on epochs": {"site.yaml": SITE.replace("horizon_days: 2", "max_epochs: 1")},
}


@pytest.mark.parametrize("change", few_by_default(CHANGES, 1))
def test_changed_status_content_is_rendered_again(content, tmp_path, rendered, change):
    build(content, tmp_path / "out")
    write_files(content, CHANGES[change])
    rendered.clear()
    build(content, tmp_path / "out")
    assert rendered
    assert build(content, tmp_path / "out", LATER) == build(content, tmp_path / "anew", LATER)


def test_contract_change_renders_no_status(content, tmp_path, rendered):
    write_files(content, {path_of(3): record_of(3)})
    build(content, tmp_path / "out")
    write_files(content, {path_of(4): record_of(4)})
    rendered.clear()
    found = build(content, tmp_path / "out", LATER)
    assert not rendered
    assert found == build(content, tmp_path / "anew", LATER)


@pytest.mark.slow
def test_ongoing_outage_updates_uptime(content, tmp_path):
    write_files(content, {"incidents/slow.yaml": OUTAGE})
    build(content, tmp_path / "out")
    assert build(content, tmp_path / "out", LATER) == build(content, tmp_path / "anew", LATER)


def test_build_after_tick_renders_status(content, tmp_path):
    whole = build(content, tmp_path / "out")
    tick(tmp_path / "out", parse_instant(TOMORROW))
    assert files_in(tmp_path / "out") != whole
    assert build(content, tmp_path / "out") == whole


@pytest.mark.slow
def test_tick_after_cached_status_equals_build(content, tmp_path):
    build(content, tmp_path / "out")
    for site in ("out", "anew"):
        build(content, tmp_path / site, LATER)
        tick(tmp_path / site, parse_instant(IN_MAINTENANCE))
    assert files_in(tmp_path / "out") == files_in(tmp_path / "anew")


@pytest.mark.parametrize("harm", ["removed", "other bytes", "verified"])
@pytest.mark.parametrize(
    "path",
    few_by_default(["api/v2/summary.json", "index.html", "api/v2/_epochs/index.json", "changes.json"], 1),
)
def test_damaged_status_document_is_rebuilt(content, tmp_path, harm, path):
    whole = build(content, tmp_path / "out")
    file = tmp_path / "out" / path
    times = file.stat()
    if harm == "removed":
        file.unlink()
    else:
        file.write_bytes(b"?" * times.st_size)
    if harm == "verified":
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert build(content, tmp_path / "out", verify=harm == "verified") == whole


def test_new_statuary_version_renders_status_again(content, tmp_path, rendered, monkeypatch):
    build(content, tmp_path / "out")
    rendered.clear()
    as_another_version(monkeypatch)
    build(content, tmp_path / "out")
    assert rendered


KEYS = ("rpc", "blocks", "explorer")
STATUSES = ("operational", "degraded_performance", "partial_outage", "major_outage")


def random_incident(random: Random, now: datetime) -> str:
    """Return an incident of up to three years ago, or one that is open, or one whose postmortem is still to come."""
    at = now - timedelta(
        days=random.choice((1, 20, 80, 95, 130, 400, 1000)), minutes=random.randrange(10_000)
    )
    ends = random.choice((["resolved"], ["resolved"], ["monitoring", "resolved"], []))
    lines = [f"name: Incident {random.randrange(10_000)}", "components:"]
    lines += [f"  {random.choice(KEYS)}: {random.choice(STATUSES)}", "updates:"]
    for step, name in enumerate(["investigating", *ends]):
        at += timedelta(minutes=random.randrange(50, 500) if step else 0)
        lines.append(
            f"  - {{at: {at:%Y-%m-%dT%H:%M:%SZ}, status: {name}, body: Text {random.randrange(99)}.}}"
        )
    if ends and random.random() < 0.3:
        published = random.choice((at, now + timedelta(days=2)))
        lines.append(f"postmortem: {{published_at: {published:%Y-%m-%dT%H:%M:%SZ}, body: Why.}}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", few_by_default(range(20), 0))
def test_random_incident_edits_equal_fresh_build(content, tmp_path, seed):
    random, now = Random(seed), datetime(2026, 12, 1, 10, tzinfo=UTC)
    write_files(
        content, {f"incidents/i{number:02}.yaml": random_incident(random, now) for number in range(12)}
    )
    for step in range(4):
        edited = f"incidents/i{random.randrange(15):02}.yaml"
        is_kept = random.random() < 0.8 or step < 2 or not (content / edited).exists()
        text = random_incident(random, now) if is_kept else None
        write_files(content, {edited: text})
        now += timedelta(hours=random.choice((0, 0, 1, 30)))
        found, anew = (
            build(content, tmp_path / out, f"{now:%Y-%m-%dT%H:%M:%SZ}") for out in ("out", f"anew{step}")
        )
        differing = {path for path in found.keys() | anew.keys() if found.get(path) != anew.get(path)}
        assert differing <= {"changes.json"}, edited


@pytest.mark.slow
def test_old_incident_edit_writes_affected_documents(content, tmp_path, rendered):
    old = INCIDENT.replace("2026-11", "2025-02")
    listed = {f"incidents/i{number}.yaml": INCIDENT.replace("2026-11", "2026-06") for number in range(60)}
    write_files(
        content, {"incidents/old.yaml": old, "incidents/older.yaml": old.replace("2025", "2024")} | listed
    )
    before = build(content, tmp_path / "out")
    write_files(content, {"incidents/old.yaml": old.replace("Slow", "Slower")})
    rendered.clear()
    after = build(content, tmp_path / "out")
    assert {path for path in after if after[path] != before[path]} == {
        "api/v2/history/2025-02.json",
        "history/2025-q1.html",
        "incidents/old.html",
        "incidents/old.json",
    }
    assert not rendered


def test_edited_incident_rebuilds_no_other_incident(content, tmp_path, monkeypatch):
    old = INCIDENT.replace("2026-11", "2025-02")
    write_files(content, {f"incidents/old{number}.yaml": old for number in range(3)})
    build(content, tmp_path / "out")
    made = []
    record_documents = SiteStatus.record_documents

    def documents_of(self, record):
        made.append(record.incident.id)
        return record_documents(self, record)

    monkeypatch.setattr(SiteStatus, "record_documents", documents_of)
    write_files(content, {"incidents/old1.yaml": old.replace("Slow", "Slower")})
    build(content, tmp_path / "out")
    assert made == ["old1"]
