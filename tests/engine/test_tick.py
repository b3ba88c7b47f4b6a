"""`tick` makes of a published site what a fresh build at the same instant would publish."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from shutil import copytree

import orjson
import pytest

from statuary.base.files import PublishingError, transaction
from statuary.base.primitives import Instant, parse_instant
from statuary.base.progress import NoProgress
from statuary.engine.build import build_site
from statuary.engine.tick import tick
from statuary.publish.folder.folder_target import FolderTarget
from statuary.status.api.epoch_index import read_epoch_index
from support.requirements import CHECKOUT
from support.sites import SITE, SMALL_SITE, files_in, small_site, write_files

START = parse_instant("2026-11-20T12:00:00Z")


def build(content: Path, out: Path, now: Instant) -> None:
    with FolderTarget(out) as publication:
        assert build_site(content, publication, now, NoProgress()).applied


def plain(out: Path) -> dict[str, bytes]:
    """Return the documents of the present.

    Not among them are the epochs, which depend on the build's instant, the changes, which depend on what
    the folder held before, the manifest, which lists these, and the pages, which say when they were built.
    """
    return {
        file.relative_to(out).as_posix(): file.read_bytes()
        for file in out.rglob("*")
        if file.is_file()
        and file.suffix != ".html"
        and not {".statuary", "_epochs", "changes.json", "snapshot"} & set(file.parts)
    }


def status_content(root: Path) -> Path:
    """Return the project's own content without its contracts, which keep no time."""
    files: dict[str, str | bytes | None] = {
        file.relative_to(CHECKOUT / "content").as_posix(): file.read_bytes()
        for file in (CHECKOUT / "content").rglob("*.yaml")
        if "contracts" not in file.parts
    }
    return write_files(root / "content", files)


def test_tick_without_ledger_writes_same_files(tmp_path: Path) -> None:
    """It knows the names of our files then, and no digests."""
    content = small_site(tmp_path)
    sites = tmp_path / "site", tmp_path / "other"
    for site in sites:
        build(content, site, START)
    since = read_epoch_index(sites[0]).instants[-1]
    (sites[0] / ".statuary/ledger.sqlite3").unlink()
    assert tick(sites[0], since).changed_paths == tick(sites[1], since).changed_paths
    assert plain(sites[0]) == plain(sites[1])


def test_failed_sqlite_transaction_raises_original_error() -> None:
    """So does SQLite where the disk fails; a rollback would then fail in its turn, and say that the ledger is damaged."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("CREATE TABLE t (x PRIMARY KEY)")
        connection.execute("INSERT INTO t VALUES (1)")
        with pytest.raises(sqlite3.IntegrityError), transaction(connection):
            connection.execute("INSERT OR ROLLBACK INTO t VALUES (1)")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content_below", "share"), [(small_site, 1), pytest.param(status_content, 6, marks=pytest.mark.slow)]
)
def test_each_tick_equals_fresh_build(
    tmp_path: Path, content_below: Callable[[Path], Path], share: int
) -> None:
    content = content_below(tmp_path)
    file = content / "site.yaml"
    file.write_text(file.read_text().replace("horizon_days: 2\n", "horizon_days: 12\n"))
    with (content / "site.yaml").open("a") as settings:
        settings.write("pages: {status: false}\n")  # they are not compared
    current_content = copytree(content, tmp_path / "current")
    file = current_content / "site.yaml"  # of the fresh builds only the present is compared
    without = file.read_text().replace("status:\n  horizon_days: 12\n", "")
    file.write_text(f"{without}status: {{horizon_days: 0}}\n")
    site = tmp_path / "site"
    due: Instant | None = START
    compared = 0
    while due is not None:  # a build publishes what the content dates ahead; ticks do the rest
        build(content, site, due)
        index = read_epoch_index(site)
        summary = None
        for number, since in enumerate(since for since in index.instants[1:] if since < index.build_due):
            tick(site, since)
            stored = index.document_at("api/v2/summary.json", since)
            changed, summary = stored != summary, stored
            if (
                changed or number % share == 0
            ):  # the others are midnights and hours of an outage: uptime alone
                fresh = tmp_path / f"fresh-{compared}"
                build(current_content, fresh, since)
                assert plain(site) == plain(fresh), since
                compared += 1
        due = index.next_build
    assert compared > 10


@pytest.mark.slow
def test_tick_to_earlier_time_restores_files(tmp_path: Path) -> None:
    days = SITE.replace("horizon_days: 2", "horizon_days: 8")
    content = write_files(tmp_path / "content", SMALL_SITE | {"site.yaml": days})
    site = tmp_path / "site"
    build(content, site, START)
    instants = read_epoch_index(site).instants
    assert instants[0] == parse_instant("2026-11-20T00:00:00Z")  # the last midnight
    seen = {}
    for instant in instants:
        tick(site, instant)
        seen[instant] = files_in(site)
    assert len(set(map(str, seen.values()))) > 10
    for instant in reversed(instants):
        tick(site, instant)
        assert files_in(site) == seen[instant], instant


def test_tick_writes_only_changed_files(tmp_path: Path) -> None:
    content = write_files(tmp_path / "content", dict(SMALL_SITE))
    build(content, tmp_path / "site", START)
    before = {path: os.lstat(tmp_path / "site" / path).st_mtime_ns for path in plain(tmp_path / "site")}
    begins = parse_instant("2026-11-21T22:00:00Z")
    changed = tick(tmp_path / "site", begins).changed_paths
    assert "api/v2/scheduled-maintenances/active.json" in changed
    after = {path: os.lstat(tmp_path / "site" / path).st_mtime_ns for path in plain(tmp_path / "site")}
    assert {path for path in before if before[path] != after[path]} | {"changes.json"} == {
        path for path in changed if not path.endswith(".html")
    }
    found = orjson.loads((tmp_path / "site/changes.json").read_bytes())
    assert "under_maintenance" in str(found)
    assert tick(tmp_path / "site", begins).changed_paths == []


def test_dry_run_lists_tick_changes(tmp_path: Path) -> None:
    content = write_files(tmp_path / "content", dict(SMALL_SITE))
    site = tmp_path / "site"
    build(content, site, START)
    before, since = files_in(site), read_epoch_index(site).instants[-1]
    shown = tick(site, since, dry_run=True).changed_paths
    assert files_in(site) == before
    assert tick(site, since).changed_paths == shown != []


def test_build_after_tick_equals_fresh_build(tmp_path: Path) -> None:
    content = write_files(tmp_path / "content", dict(SMALL_SITE))
    build(content, tmp_path / "site", START)
    tick(tmp_path / "site", parse_instant("2026-11-21T22:00:00Z"))
    build(content, tmp_path / "site", START)
    build(content, tmp_path / "fresh", START)
    assert plain(tmp_path / "site") == plain(tmp_path / "fresh")


def test_tick_before_build_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(PublishingError, match="cannot be read"):
        tick(tmp_path, START)
    build(write_files(tmp_path / "content", dict(SMALL_SITE)), tmp_path / "site", START)
    with pytest.raises(PublishingError, match="was built for"):
        tick(tmp_path / "site", parse_instant("2026-11-19T23:59:59Z"))


INCONSISTENT_VERSIONS = (
    '{"whole":[],"patched":[0]}',
    '{"whole":[1]}',
    '{"whole":[-1]}',
    '{"whole":[0],"again":{"0":1}}',
    '{"whole":[0],"again":{"7":0}}',
)
"""Of an index with one instant: a patch of nothing, and numbers of instants and files that it does not have."""


def test_tick_rejects_invalid_epoch_index(tmp_path: Path) -> None:
    whole = '{"until":"2026-11-20T12:00:00Z","instants":["2026-11-20T12:00:00Z"],"documents":{}}'
    assert read_epoch_index(write_files(tmp_path, {"api/v2/_epochs/index.json": whole})).documents == {}
    for text in (
        "{",
        "[]",
        '{"until":"x"}',
        whole.replace("2026-11-20", "2026-11-19", 1),
        whole.replace("{}", "[]"),
        whole.replace('["2026-11-20T12:00:00Z"]', "[]"),
        whole.replace("{}", '{"index.html":{"patched":[0]}}'),
        *(whole.replace("{}", f'{{"index.html":{versions}}}') for versions in INCONSISTENT_VERSIONS),
    ):
        file = write_files(tmp_path, {"api/v2/_epochs/index.json": text})
        with pytest.raises(PublishingError, match="not an epoch index"):
            read_epoch_index(file)
