"""Values in content files that are refused: each with its rule, its place and what is wrong."""

from pathlib import Path

import pytest

from statuary.contracts.sources.contract_scan import list_external_files
from statuary.engine.read_content import read_content
from statuary.source.unreadable import UnreadableError
from support.sites import INCIDENT, MAINTENANCE, SITE, SMALL_SITE, write_files

RECURRING = MAINTENANCE + "recurrence:\n  rule: FREQ=WEEKLY;COUNT=4\n  time_zone: UTC\n"


def findings_of(root: Path, **files: str):
    return read_content(write_files(root / "content", SMALL_SITE | files)).findings


def page(line: str) -> dict[str, str]:
    return {"site.yaml": SITE.replace("status:\n", f"  {line}\nstatus:\n")}


REFUSED = {
    "feed host with a port": (
        page("feed_host: status.example.org:80"),
        "feed_host 'status.example.org:80' is not",
    ),
    "feed host with a path": (page("feed_host: a/b"), "feed_host 'a/b' is not a host name"),
    "body too long": (page(f"about: {'x' * 25_001}"), "has 25,001 characters, more than 25,000"),
    "host of the page": ({"site.yaml": SITE.replace("status.plinth.example", "-")}, "has no valid host"),
    "unknown status": (
        {"incidents/slow.yaml": INCIDENT.replace("degraded_performance", "degraded")},
        "unknown value 'degraded'",
    ),
    "recurring with a window's key": (
        {"maintenances/upgrade.yaml": RECURRING + "cancelled: true\n"},
        "cancelled",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_invalid_setting_is_reported_with_message(name: str, tmp_path: Path) -> None:
    files, message = REFUSED[name]
    found = findings_of(tmp_path, **files)
    assert any(message in finding.message for finding in found), [finding.message for finding in found]


def test_feed_host_setting_is_accepted(tmp_path: Path) -> None:
    assert findings_of(tmp_path, **page("feed_host: old.example.org")) == []


def test_records_folder_outside_content_is_read(tmp_path: Path) -> None:
    write_files(tmp_path, {"content/site.yaml": SITE, "elsewhere/1/a.json": "{}", "elsewhere/1/b.json": "{}"})
    found = list(list_external_files(tmp_path / "content", "../elsewhere/"))
    assert [(str(file.content_path), file.path) for file in found] == [
        ("contracts/1/a.json", "../elsewhere/1/a.json"),
        ("contracts/1/b.json", "../elsewhere/1/b.json"),
    ]


def test_missing_external_records_folder_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError):
        list(list_external_files(tmp_path, "../missing"))
