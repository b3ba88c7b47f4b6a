"""A log that is turned off, turned on again, or that fails: one rule for sites with and without contracts."""

import os
import shutil
from pathlib import Path
from unittest.mock import patch

import pytest
from click.testing import CliRunner

from statuary.base.primitives import parse_instant
from statuary.cli.main import command
from statuary.engine.tick import TickResult, tick
from statuary.extensions.log.notes import PrivateKey
from support.logs import (
    KEY,
    LOGGED_SITE,
    ORIGIN,
    authored_entries_of,
    log_failure,
    log_of,
    logged,
    problems_of,
    run_with,
)
from support.sites import INCIDENT, SITE, files_in, path_of, record_of, write_files

pytestmark = pytest.mark.slow

NOON, AFTERNOON, EVENING = (f"2026-11-21T{hour}:00:00Z" for hour in (12, 15, 18))
TICK = "2026-11-21T22:00:00Z"
EDITED = INCIDENT.replace("We are looking into it.", "All is well.")
LOG = f"log:\n  origin: {ORIGIN}\n"
STATUS = SITE.partition("chains:")[0]

SITES = {
    "contract pages": (SITE, [1]),
    "contracts without pages": (f"{SITE}pages: {{contracts: 0, status: false}}\n", [1]),
    "status only": (STATUS, []),
}


@pytest.fixture(params=SITES)
def settings(request: pytest.FixtureRequest) -> str:
    return SITES[request.param][0]


@pytest.fixture
def content(request: pytest.FixtureRequest, tmp_path: Path, settings: str) -> Path:
    records = next(records for text, records in SITES.values() if text == settings)
    files = {path: text for path, text in LOGGED_SITE.items() if path != path_of(1)}
    files |= {path_of(number): record_of(number) for number in records} | {"site.yaml": settings + LOG}
    return write_files(tmp_path / "content", files)


FAULT = "log/fault.json"


def log_files(site: Path) -> dict[str, bytes]:
    return {path: body for path, body in files_in(site).items() if path.startswith("log/")}


def log_before_fault(site: Path) -> dict[str, bytes]:
    """Return the files of the log but the one that says what is wrong, which must be there."""
    files = log_files(site)
    assert files.pop(FAULT)
    return files


def ticked(site: Path, now: str = TICK) -> TickResult:
    with patch.dict(os.environ):
        return tick(site, parse_instant(now), run_with())


@pytest.mark.slow
def test_disabled_log_is_removed_by_build(content, site, settings):
    assert log_files(site)
    logged(write_files(content, {"site.yaml": settings}), site, NOON)
    assert log_files(site) == {}
    assert [path for path, body in files_in(site).items() if b"log/" in body and path.endswith(".html")] == []
    assert "assets/log.js" not in files_in(site)
    result = ticked(site)
    assert result.changed_paths
    assert (result.line, result.findings) == ("", [])
    assert log_files(site) == {}


@pytest.mark.slow
def test_reenabled_log_continues_published_log(tmp_path, content, site, settings):
    shutil.copytree(site, tmp_path / "published")
    head, count = log_of(site).head, len(authored_entries_of(site))
    logged(write_files(content, {"site.yaml": settings}), site, NOON)
    records = {path_of(2): record_of(2)} if "chains" in settings else {}
    logged(write_files(content, records | {"incidents/slow.yaml": EDITED}), site, AFTERNOON)
    write_files(content, {"site.yaml": settings + LOG})
    assert "the log is missing" in log_failure(content, site, AFTERNOON)
    assert log_before_fault(site) == {}
    assert b"All is well." in (site / "incidents/slow.json").read_bytes()
    logged(content, site, EVENING, elsewhere=tmp_path / "published")
    log_of(site).verify_extends(head, "what was published")
    assert "assets/log.js" in files_in(site)
    changes = [(entry.action.value, entry.subject.kind.value) for entry in authored_entries_of(site)[count:]]
    assert changes == [("add", "contract")] * len(records) + [("change", "update"), ("change", "incident")]
    assert problems_of(site) == []


@pytest.mark.slow
def test_log_failure_defers_log_entries(content, site, settings):
    before = log_files(site)
    size = len(authored_entries_of(site))
    records = {path_of(2): record_of(2)} if "chains" in settings else {}
    write_files(content, records | {"incidents/slow.yaml": EDITED})
    log_failure(content, site, NOON, key=PrivateKey(ORIGIN, bytes(32)))
    assert log_before_fault(site) == before
    logged(content, site, AFTERNOON)
    changes = [(entry.action.value, entry.subject.kind.value) for entry in authored_entries_of(site)[size:]]
    assert changes == [("add", "contract")] * len(records) + [("change", "update"), ("change", "incident")]
    assert problems_of(site) == []


def test_midway_log_failure_rolls_back(tmp_path):
    """A missing tile is noticed when a proof is made of it: tiles were offered and entries noted by then."""
    updates = "".join(
        f"  - {{at: 2026-11-02T{10 + one // 60:02}:{one % 60:02}:00Z, status: investigating, body: '{one}'}}\n"
        for one in range(300)
    )
    files = LOGGED_SITE | {"incidents/long.yaml": f"name: Long\nupdates:\n{updates}"}
    content, site = write_files(tmp_path / "content", files), tmp_path / "site"
    logged(content, site)
    tile, proof = site / "log/tile/0/000", site / "log/contracts/748463"
    body = tile.read_bytes()
    tile.unlink()
    shutil.rmtree(proof)
    before = log_files(site)
    renamed = LOGGED_SITE["site.yaml"].replace("name: Plinth", "name: Socle", 1)
    write_files(content, {"site.yaml": renamed, "incidents/slow.yaml": EDITED})
    assert log_failure(content, site, NOON)
    assert log_before_fault(site) == before
    assert b"Socle" in (site / "index.html").read_bytes()
    tile.write_bytes(body)
    renamed = LOGGED_SITE["site.yaml"].replace("name: Plinth", "name: Pedestal", 1)
    logged(write_files(content, {"site.yaml": renamed}), site, AFTERNOON)
    assert problems_of(site) == []


def test_build_and_tick_report_damaged_log(tmp_path, content, site, settings):
    def run(*arguments: str) -> str:
        done = CliRunner().invoke(
            command, [*arguments, "--out", str(site)], env={"STATUARY_LOG_KEY": KEY.text}
        )
        assert done.exit_code == 4, done.output
        return done.output

    (site / "log/checkpoint").write_bytes(b"nothing")
    write_files(content, {"incidents/slow.yaml": EDITED})
    output = run("build", "--content", str(content), "--now", NOON)
    line = settings.count("\n") + 1
    assert f"site.yaml:{line}:1: error: the log of {site}: " in output
    assert "[extension-error]" in output
    assert b"All is well." in (site / "incidents/slow.json").read_bytes()
    output = run("tick", "--now", TICK)
    assert f"error: the log of {site}: " in output
    assert "~ incidents/upgrade.json" in output
    assert (site / "log/checkpoint").read_bytes() == b"nothing"
