"""Errors in the settings of an extension: the status is published without it, or all of it stays."""

import json
from contextlib import chdir

import pytest
from click.testing import CliRunner

from statuary.cli.main import command
from statuary.engine.read_content import read_content
from statuary.registry import EXTENSIONS, load
from support.sites import write_files

PAGE = "page: {name: Demo, url: https://status.example.org, created_at: 2020-01-01T00:00:00Z}\n"
COMPONENTS = "components: {rpc: {name: RPC}}\n"
OUTAGE = """\
name: Outage
components: {rpc: major_outage}
updates: [{at: 2026-11-10T11:00:00Z, status: investigating}]
"""
KEYS = [row.name for row in EXTENSIONS if row.section and load(row.section).source() is not None]
ALONE = {"alerts", "cards", "clear_signing", "embed", "instatus", "metrics", "notify", "prometheus"}
"""The extensions that the status does without."""


@pytest.mark.parametrize("key", KEYS)
def test_error_leaves_out_lone_extension(tmp_path, key):
    write_files(tmp_path, {"site.yaml": f"{PAGE}{key}: {{nonsense: 1}}\n", "components.yaml": COMPONENTS})
    site, findings = read_content(tmp_path)
    assert any(finding.pointer[:1] == (key,) and finding.path == "site.yaml" for finding in findings)
    assert (None if site is None else site.faulty_keys) == ({key} if key in ALONE else None)


def run(folder, *arguments, code=0):
    with chdir(folder):
        done = CliRunner().invoke(command, [*arguments, "--now", "2026-11-10T12:00:00Z"])
    assert done.exit_code == code, done.output
    return done.output


@pytest.mark.slow
@pytest.mark.parametrize("key", ["instatus", "prometheus"])
def test_documents_stay_while_settings_have_error(tmp_path, key):
    content = write_files(
        tmp_path / "content", {"site.yaml": f"{PAGE}{key}: true\n", "components.yaml": COMPONENTS}
    )
    run(tmp_path, "build")
    path = tmp_path / "build" / {"instatus": "summary.json", "prometheus": "metrics.txt"}[key]
    before = path.read_bytes()
    write_files(content, {"site.yaml": f"{PAGE}{key}: many\n", "incidents/outage.yaml": OUTAGE})
    output = run(tmp_path, "build", code=4)
    assert f"this build skips `{key}` and keeps what it has published" in output
    assert f"published with faults in site.yaml: {key}" in output
    (incident,) = json.loads((tmp_path / "build/api/v2/summary.json").read_bytes())["incidents"]
    assert (incident["id"], path.read_bytes()) == ("outage", before)
    assert "nothing was published" in run(tmp_path, "build", "--strict", code=1)
    assert "site.yaml" in run(tmp_path, "check", code=1)
