"""The command lines of the manual's section "Publish an outage tonight": each host has one, and what they run works."""

import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from statuary.cli.main import command as statuary
from statuary.extensions.hosting import commands as hosting
from statuary.extensions.hosting.hosts import HOSTS
from statuary.extensions.hosting.installation import Installation
from support.json_server import serve_json
from support.requirements import CHECKOUT

PAGE = (CHECKOUT / "content/pages/manual/deploy/index.md").read_text("utf-8")
SECTION = PAGE.partition("\n## Publish an outage tonight\n")[2].partition("\n## ")[0]
FIRST, OLD, LATER = re.findall(r"```sh account\n(.+)\n```", SECTION)
LINES = {
    name.lower().replace(" workers", "").replace(" ", "-"): line
    for name, line in re.findall(r"^\| ([\w ]+) \| `(.+)` \|$", SECTION, re.MULTILINE)
}
SAVED = json.loads((CHECKOUT / "tests/packaging/old_statuspage.json").read_text("utf-8"))


def type_line(line: str) -> None:
    """Run what a line runs of statuary, and what it writes; uploads and installations are left out."""
    for part in line.split(" && "):
        if part.startswith("echo "):
            text, _, file = part.partition(" >> ")
            with Path(file).open("a", encoding="utf-8") as opened:
                opened.write(shlex.split(text)[1] + "\n")
        elif part.startswith("statuary ") and "s3://" not in part:
            result = CliRunner().invoke(statuary, shlex.split(part)[1:])
            assert result.exit_code == 0, f"{part}\n{result.output}"


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(hosting, "detect_installation", lambda _: Installation("statuary"))
    return tmp_path


def test_every_host_has_outage_command_line():
    assert set(LINES) == set(HOSTS)


@pytest.mark.slow
@pytest.mark.parametrize("host", HOSTS)
def test_outage_command_line_publishes_incident(host, project):
    type_line(f"{FIRST} && {LINES[host]}")
    assert "The RPC is down" in (project / "build/index.html").read_text("utf-8")


@pytest.mark.slow
def test_statuspage_migration_command_line_keeps_data(project):
    with serve_json({f"/api/v2/{name}.json": document for name, document in SAVED.items()}) as old:
        type_line(OLD.replace("https://status.example.org", old.url))
    summary = json.loads((project / "build/api/v2/summary.json").read_bytes())
    assert summary["page"] == SAVED["summary"]["page"] | {
        "url": "https://status2.example.org",
        "updated_at": summary["page"]["updated_at"],
    }
    assert [one["name"] for one in summary["incidents"]] == ["The RPC is down"]
    assert [one["status"] for one in summary["components"]] == ["major_outage"]


@pytest.mark.slow
def test_incident_update_command_line_rebuilds_site(project):
    type_line(f"{FIRST} && {LATER}")
    assert "A disk is full" in (project / "build/index.html").read_text("utf-8")
