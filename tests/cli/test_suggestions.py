"""Every kind of name that people type: a misspelt one gets the nearest known one as a suggestion."""

import pytest
from click.testing import CliRunner

from statuary.cli.main import command
from support.sites import write_files

SITE = """page: {name: Example, url: https://status.example.org, time_zone: Etc/UTC}
notify: {channels: [{name: team, kind: slack, url_variable: URL}]}
"""
INCIDENT = """name: Slow
components: {rpc: degraded_performance}
updates: [{at: 2026-11-02T10:00:00Z, status: investigating, body: Slow.}]
"""
FILES = {
    "site.yaml": SITE,
    "components.yaml": "components: {rpc: {name: RPC}}\n",
    "incidents/slow.yaml": INCIDENT,
    "templates/outage.yaml": "name: Outage\n",
}

TYPED = {
    "command": ("buld", "build"),
    "command of a group": ("incident opne", "open"),
    "option": ("build --worker 2", "--workers"),
    "host": ("setup netlfy", "netlify"),
    "host of hosting": ("hosting ngnix", "nginx"),
    "kind of import": ("import sorcify x", "sourcify"),
    "kind of status page": ("init --content new --from statuspge x", "statuspage"),
    "kind of file": ("schema incidnt", "incident"),
    "schedule": ("next --as systmd", "systemd"),
    "format": ("check --format jsn", "json"),
    "rule": ("check --skip invalid-identifer", "invalid-identifier"),
    "component": ("component set rcp operational", "rpc"),
    "status of a component": ("component set rpc oprational", "operational"),
    "incident": ("incident update slwo --body x", "slow"),
    "template": ("incident open --template outge", "outage"),
    "channel": ("notify --test taem", "team"),
}
"""What is typed, and the suggested word."""

WRITTEN = {
    "key": ("site.yaml", "time_zone:", "time_zon:", "time_zone"),
    "section": ("site.yaml", "notify:", "notfy:", "notify"),
    "time zone": ("site.yaml", "Etc/UTC", "Europe/Zurih", "Europe/Zurich"),
    "language": ("site.yaml", "notify:", "pages: {language: dee}\nnotify:", "de"),
    "further language": ("site.yaml", "notify:", "languages: [en, jaa]\nnotify:", "ja"),
    "interface": ("site.yaml", "notify:", "apis: [signature]\nnotify:", "signatures"),
    "host": ("site.yaml", "notify:", "hosting: {files: [netlfy]}\nnotify:", "netlify"),
    "kind of channel": ("site.yaml", "slack", "slak", "slack"),
    "event": ("site.yaml", "kind: slack", "kind: slack, events: [opend]", "opened"),
    "key of an incident": ("incidents/slow.yaml", "components:", "component:", "components"),
    "component": ("incidents/slow.yaml", "rpc:", "rcp:", "rpc"),
    "status": ("incidents/slow.yaml", "investigating", "investigatng", "investigating"),
    "folder": ("incident/slow.yaml", "", INCIDENT, "incidents"),
    "file of a theme": ("theme/stlye.css", "", "b {}", "theme/style.css"),
    "text of pages": ("theme/texts/en.yaml", "", "section: {statsu: x}", "section.status"),
}
"""A file, its right text, the text instead, and the suggested word."""


@pytest.mark.parametrize("kind", TYPED)
def test_misspelt_argument_gets_suggestion(kind, tmp_path, monkeypatch):
    typed, suggested = TYPED[kind]
    write_files(tmp_path / "content", dict(FILES))
    monkeypatch.chdir(tmp_path)
    output = " ".join(CliRunner().invoke(command, typed.split()).output.split())
    _, found, rest = output.lower().partition("did you mean")
    assert (found, suggested in rest) == ("did you mean", True), output


@pytest.mark.parametrize("kind", WRITTEN)
def test_misspelt_name_in_content_gets_suggestion(kind, tmp_path):
    path, right, wrong, suggested = WRITTEN[kind]
    files = FILES | {path: FILES[path].replace(right, wrong, 1) if path in FILES else wrong}
    content = write_files(tmp_path / "content", files)
    output = CliRunner().invoke(command, ["check", "--content", str(content)]).output
    assert f"did you mean '{suggested}'?" in output
