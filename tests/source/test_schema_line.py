"""Files that commands write name their schema, which editors find."""

import pytest
from click.testing import CliRunner

from statuary.cli.main import command
from statuary.source.schema_line import with_schema_line

NOW = ("--now", "2026-11-02T10:00:00Z")


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments):
        done = CliRunner().invoke(command, arguments)
        assert done.exit_code == 0, done.output
        return done

    return invoke


def test_new_content_files_name_json_schema(run, tmp_path):
    content = tmp_path / "content"
    run("init", "--component", "rpc=RPC", *NOW)
    run("incident", "open", "--name", "Slow", "--component", "rpc=major_outage", *NOW)
    window = ["--scheduled-for", "2026-11-03T10:00:00Z", "--duration", "1h", "--component", "rpc"]
    run("maintenance", "schedule", "--name", "Upgrade", *window, *NOW)
    run("incident", "resolve", "slow", "--now", "2026-11-02T11:00:00Z")
    files = list(content.rglob("*.yaml"))
    assert len(files) == 4
    for file in files:
        lines = file.read_text().splitlines()
        marks = [line for line in lines if line.startswith("# yaml-language-server: $schema=")]
        assert marks == lines[:1]
        assert (file.parent / marks[0].partition("=")[2]).resolve().is_file()
    run("check", "--strict", "--now", "2026-11-02T12:00:00Z")


def test_content_without_schemas_omits_schema_line(tmp_path):
    assert with_schema_line(tmp_path, "incidents/a.yaml", "name: A\n") == "name: A\n"
    (tmp_path / ".schema").mkdir()
    (tmp_path / ".schema/incident.json").touch()
    assert with_schema_line(tmp_path, "contracts/1/0x0.json", "{}") == "{}"
    assert with_schema_line(tmp_path, "incidents/a.yaml", "n: 1\n").startswith("# yaml-language-server")


def test_schema_update_restores_schema_files(run, tmp_path):
    run("init", *NOW)
    schema = tmp_path / "content/.schema/incident.json"
    text = schema.read_text()
    schema.write_text("{}")
    run("schema", "--update")
    assert schema.read_text() == text
    refused = CliRunner().invoke(command, ["schema", "--update", "--content", "none"])
    assert (refused.exit_code, "there is no content folder 'none'" in refused.stderr) == (3, True)
