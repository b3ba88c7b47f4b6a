"""The form for people without git: each of its actions, run step by step on a repository."""

from pathlib import Path

import pytest
import yaml

from statuary.extensions.setup.files import ACTIONS
from support.workflow_runs import Repository, github, set_up, write_files

SITE = """\
page:
  name: Demo
  url: https://status.example.org
  created_at: 2020-01-01T00:00:00Z
"""
COMPONENTS = """\
components:
  network:
    name: Network
    components:
      rpc: {name: Public RPC}
  explorer: {name: "Explorer: (new) \\"v2\\""}
"""
CONTENT = {"content/site.yaml": SITE, "content/components.yaml": COMPONENTS}
DEFAULTS = {
    "TITLE": "",
    "COMPONENT": "none",
    "COMPONENT_STATUS": "degraded_performance",
    "STATUS": "investigating",
    "MESSAGE": "",
    "START": "",
    "DURATION": "1h",
}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path, CONTENT)


@pytest.fixture
def form(tmp_path: Path) -> str:
    write_files(tmp_path / "form", CONTENT)
    set_up(tmp_path / "form", "github-pages")
    return (tmp_path / "form/.github/workflows/status-form.yml").read_text("utf-8")


def submit(repository, form, action, code=0, **fields):
    """Fill in the form and run its workflow; return what it prints and the branches that were built."""
    inputs = yaml.safe_load(form)[True]["workflow_dispatch"]["inputs"]  # YAML 1.1 reads `on` as true
    assert action in inputs["action"]["options"]
    chosen = {**DEFAULTS, **fields}
    assert chosen["COMPONENT"] in inputs["component"]["options"]
    with github(repository.bare) as api:
        said = repository.run(api, form, code=code, ACTION=action, **chosen)
        return said, api.builds


RPC, EXPLORER = "Public RPC (rpc)", 'Explorer: (new) "v2" (explorer)'


def test_status_form_lists_site_components(form):
    inputs = yaml.safe_load(form)[True]["workflow_dispatch"]["inputs"]
    assert inputs["component"]["options"] == ["none", RPC, EXPLORER]
    assert inputs["action"]["options"] == list(ACTIONS)
    assert len(inputs) <= 10, "GitHub's limit"


@pytest.mark.slow
def test_status_form_opens_updates_resolves_incident(repository, form):
    title = 'Slow "answers" $(touch gone) `id`; it\'s -- 100%'
    said, builds = submit(
        repository, form, "Open an incident", TITLE=title, COMPONENT=EXPLORER, MESSAGE="-x $HOME"
    )
    assert builds == ["main"]
    [(incident_id, incident)] = repository.incidents().items()
    assert (incident["name"], incident["components"]) == (title, {"explorer": "degraded_performance"})
    assert incident["updates"][0]["body"] == "-x $HOME"
    assert incident_id in said
    fields = {"COMPONENT": RPC, "COMPONENT_STATUS": "major_outage", "STATUS": "identified"}
    submit(repository, form, "Update an incident", TITLE="", **fields)
    submit(repository, form, "Resolve an incident", TITLE="2026", MESSAGE="Done.")
    [incident] = repository.incidents().values()
    statuses = [update["status"] for update in incident["updates"]]
    assert statuses == ["investigating", "identified", "resolved"]
    assert incident["updates"][1]["components"] == {"rpc": "major_outage"}
    assert incident["updates"][2]["body"] == "Done."
    log = repository.git("log", "-1", "--format=%an %ae", "main", at=repository.bare).strip()
    assert log == "ada ada@users.noreply.github.com"


@pytest.mark.slow
def test_status_form_schedules_maintenance(repository, form):
    fields = {"START": "2026-12-01T22:00:00Z", "DURATION": "90m", "COMPONENT": RPC}
    submit(repository, form, "Schedule maintenance", TITLE="RPC upgrade", **fields)
    shown = repository.git(
        "show", "main:content/maintenances/2026-12-01-rpc-upgrade.yaml", at=repository.bare
    )
    window = yaml.safe_load(shown)
    assert window["components"] == ["rpc"]
    assert window["name"] == "RPC upgrade"


WRONG_FIELDS = [
    ("Open an incident", {"TITLE": ""}, 2, "name"),
    ("Update an incident", {"TITLE": "none-such"}, 3, "none-such"),
    ("Schedule maintenance", {"TITLE": "Upgrade", "START": "tonight"}, 2, "'tonight'"),
]


@pytest.mark.slow
@pytest.mark.parametrize("case", WRONG_FIELDS, ids=lambda case: case[0])
def test_invalid_status_form_field_pushes_nothing(case, repository, form):
    action, fields, code, message = case
    before = repository.git("rev-parse", "main", at=repository.bare)
    said, builds = submit(repository, form, action, code=code, **fields)
    assert message in said
    assert builds == []
    assert repository.git("rev-parse", "main", at=repository.bare) == before
