"""Whatever is wrong with the log, the status is published, and the exit code, the pages and `log verify` say what is wrong."""

import json

import pytest

from statuary.extensions.log.notes import PrivateKey
from support.logs import ORIGIN, built, checked, log_failure, log_of, logged, run_with
from support.sites import INCIDENT, write_files

pytestmark = pytest.mark.slow

LATER, LATEST = "2026-11-21T12:00:00Z", "2026-11-22T12:00:00Z"
NEWS = {"incidents/slow.yaml": INCIDENT.replace("Slow", "Outage")}


def fault_of(site):
    return json.loads((site / "log/fault.json").read_bytes())


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"init_log": True}, "the log already has 7 entries"),
        ({"key": PrivateKey(ORIGIN, bytes(32))}, "the log of the site"),
        ({"elsewhere": "nowhere"}, "the log is missing"),
        (
            {"now": "2026-11-15T12:00:00Z"},
            "the clock says 2026-11-15T12:00:00.000Z, but the last log entry is dated",
        ),
    ],
)
def test_log_fault_file_omits_private_paths(tmp_path, content, site, options, reason):
    write_files(content, NEWS)
    options = {"now": LATER} | options
    if "elsewhere" in options:
        options["elsewhere"] = tmp_path / "private" / options["elsewhere"]
    head = log_of(site).head
    log_failure(content, site, **options)
    fault = fault_of(site)
    assert fault["reason"].startswith(reason)
    assert fault["at"] == options["now"].replace("Z", ".000Z")
    assert str(tmp_path) not in json.dumps(fault)
    assert "Outage" in (site / "incidents/slow.json").read_text()
    assert log_of(site).head == head
    found = checked(site)
    assert (
        f"the site says that the run of {fault['at']} could not extend the log: {fault['reason']}"
        in found.problems
    )
    assert "log/fault.json" not in found.uncovered
    # the next build that can appends what is missing, and says nothing of a fault
    logged(content, site, LATEST)
    assert not (site / "log/fault.json").exists()
    assert checked(site).problems == []


@pytest.mark.slow
def test_missing_log_writes_only_fault_file(tmp_path, content):
    out = tmp_path / "out"
    log_failure(content, out)
    assert fault_of(out)["reason"].startswith("no log was found to continue")
    assert [path.name for path in (out / "log").iterdir()] == ["fault.json"]
    logged(content, out, LATER, init_log=True)
    assert not (out / "log/fault.json").exists()


def test_log_fault_file_omits_key_path(tmp_path, content, site):
    write_files(content, NEWS)
    built(content, site, LATER, run_with(key_file=tmp_path / "keys/secret"))
    assert fault_of(site)["reason"] == "its key or its files cannot be read"


@pytest.mark.slow
def test_missing_log_key_writes_no_fault(content, site):
    write_files(content, NEWS)
    built(content, site, LATER, run_with(key=None))
    assert not (site / "log/fault.json").exists()


def test_second_log_fault_replaces_first(tmp_path, content, site):
    """A site that loses its contracts is built whole, which keeps the files of a failed log: also the first fault."""
    log_failure(content, site, LATER, elsewhere=tmp_path / "nowhere")
    first = fault_of(site)["reason"]
    write_files(content, NEWS)
    for file in content.rglob("contracts/*/*.json"):
        file.unlink()
    log_failure(content, site, LATEST, init_log=True)
    assert fault_of(site)["reason"] != first
    assert "Outage" in (site / "incidents/slow.json").read_text()
