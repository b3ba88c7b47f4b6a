"""Components with errors: left out, or as they were last published, without a build."""

import pytest

from statuary.base.primitives import parse_instant
from statuary.engine.read_content import read_content
from statuary.publish.target import StatelessTarget
from statuary.status.broken_records import exclude_faulty_content
from statuary.status.checks.status_checks import status_findings
from statuary.status.faulty_components import (
    find_faulty_components,
    keep_published_components,
    load_published_components,
    replace_faulty_components,
    store_published_components,
)
from statuary.status.model.records import StatusContent
from statuary.status.model.schedule import build_timeline_to_horizon
from support.sites import write_files

NOW = parse_instant("2026-11-10T12:00:00Z")
SITE = "page: {name: Demo, url: https://status.example.org, created_at: 2020-01-01T00:00:00Z}\n"
COMPONENTS = """\
components:
  rpc: {name: RPC, id: r-1}
  explorer: {name: Explorer}
  bridges:
    name: Bridges
    components:
      north: {name: North}
      south: {name: South}
"""
OUTAGE = """\
name: Outage
components: {rpc: major_outage, north: partial_outage}
updates: [{at: 2026-11-10T11:00:00Z, status: investigating}]
"""
ALL = ["rpc", "explorer", "bridges", "north", "south"]

BACKWARDS = (
    "{at: 2026-11-02T10:00:00Z, status: major_outage}, {at: 2026-11-01T10:00:00Z, status: operational}"
)

FILES = {
    "no YAML": "components: [",
    "a conflict of git": f"<<<<<<< HEAD\n{COMPONENTS}=======\n>>>>>>> b\n",
    "an empty file": "",
    "a list": "- rpc\n",
    "no components": "component: {}\n",
    "components as a list": "components: [rpc]\n",
    "another text encoding": "components: {rpc: {name: \udcff}}\n",
    "too many bytes": COMPONENTS + "# more\n" * 200_000,
    "no file": None,
}
"""Files of which nothing can be read."""

PARTS = {
    "a missing key": ("{name: RPC, id: r-1}", "{id: r-1}", ["rpc"]),
    "an unknown key": ("{name: Explorer}", "{name: Explorer, nam: E}", ["explorer"]),
    "no mapping": ("{name: Explorer}", "Explorer", ["explorer"]),
    "a wrong value": ("{name: North}", "{name: North, position: first}", ["north"]),
    "two faulty components": ("name: ", "nam: ", ALL),
    "a group with a status": ("name: Bridges", "name: Bridges\n    status: operational", ALL[2:]),
    "a group in a group": ("{name: South}", "{name: South, components: {}}", ["south"]),
    "both of a group": ("th: {name: ", "th: {nam: ", ALL[2:]),
    "an unknown key of the file": ("components:\n  rpc", "more: 1\ncomponents:\n  rpc", []),
    "a duplicate id": ("{name: Explorer}", "{name: Explorer, id: r-1}", ["explorer"]),
    "a duplicate key": ("explorer: {name: Explorer}", "south: {name: Explorer}", ["south"]),
    "an id with spaces": ("id: r-1", "id: r 1", ["rpc"]),
    "an empty group": ("      north: {name: North}\n      south: {name: South}\n", "      {}\n", ALL[2:]),
    "a history out of order": (
        "{name: North}",
        f"{{name: North, history: [{BACKWARDS}]}}",
        ["north"],
    ),
}
"""Changes of the file, and the components that cannot be used then."""


class Memory(StatelessTarget):
    """A target whose ledger notes one value."""

    note = ""

    @property
    def ledger(self):
        return self

    def get_meta(self, _name):
        return self.note

    def set_meta(self, values):
        (self.note,) = values.values()


def read(folder, components, **incidents):
    files = {f"incidents/{name}.yaml": text for name, text in ({"outage": OUTAGE} | incidents).items()}
    write_files(folder, {"site.yaml": SITE, **files})
    path = folder / "components.yaml"
    path.unlink(missing_ok=True)
    if components is not None:
        path.write_text(components, errors="surrogateescape")
    return read_content(folder)


def found_in(site):
    status = site.content_of(StatusContent)
    return list(status_findings(build_timeline_to_horizon(status.catalogue, NOW, status.settings), NOW))


def published(folder):
    """Return the components of a sound build, as the next one reads them in the ledger."""
    catalogue = read(folder, COMPONENTS).site.content_of(StatusContent).catalogue
    target = Memory.__new__(Memory)
    store_published_components(target, catalogue.components)
    assert load_published_components(target) == catalogue.components
    return load_published_components(target)


def repaired(site, last):
    """Return the catalogue as a build publishes it."""
    catalogue = site.content_of(StatusContent).catalogue
    if catalogue.faulty_parts:
        places = [part.pointer for part in catalogue.faulty_parts]
        catalogue = keep_published_components(catalogue, last, places).catalogue
    timeline = build_timeline_to_horizon(catalogue, NOW, site.content_of(StatusContent).settings)
    while faulty := find_faulty_components(status_findings(timeline, NOW), catalogue):
        catalogue = replace_faulty_components(catalogue, faulty, last).catalogue
        timeline = build_timeline_to_horizon(catalogue, NOW, site.content_of(StatusContent).settings)
    assert not [finding for finding in status_findings(timeline, NOW) if finding.severity == "error"]
    return catalogue


@pytest.mark.parametrize("name", FILES)
def test_unreadable_components_file_keeps_published_components(tmp_path, name):
    last = published(tmp_path)
    site, findings = read(tmp_path, FILES[name])
    assert {finding.path for finding in findings} == {"components.yaml"} == {*site.unread}
    assert repaired(site, last).components == last


@pytest.mark.parametrize("name", PARTS)
def test_faulty_component_keeps_published_version(tmp_path, name):
    old, new, _ = PARTS[name]
    last = published(tmp_path)
    site, _ = read(tmp_path, COMPONENTS.replace(old, new))
    kept = {component.id: component for component in repaired(site, last).components}
    assert kept.items() >= {c.id: c for c in last if (name, c.key) != ("a duplicate key", "explorer")}.items()


@pytest.mark.parametrize("name", PARTS)
def test_faulty_component_without_build_is_omitted(tmp_path, name):
    old, new, faulty = PARTS[name]
    last = published(tmp_path)
    site, findings = read(tmp_path, COMPONENTS.replace(old, new))
    positions = {component.key: component.position for component in last}
    sound, found = exclude_faulty_content(site, found_in)
    assert [f for f in (*findings, *found) if f.severity == "error" and f.path == "components.yaml"]
    catalogue = sound.content_of(StatusContent).catalogue
    if name == "a duplicate key":
        assert [component.key for component in catalogue.components] == ["rpc", "south", "bridges", "north"]
        return
    groups = {component.id: component for component in catalogue.components if component.group}
    assert {c.key: c.position for c in catalogue.components if not c.group or c.children} == {
        key: position for key, position in positions.items() if key not in faulty
    }
    for group in groups.values():
        members = [component.id for component in catalogue.components if component.group_id == group.id]
        assert list(group.children) == members
    # without its group, the file does not name `north` at all
    assert [record.id for record in catalogue.incidents] == ([] if name == "an empty group" else ["outage"])


def test_new_component_never_replaces_published_id(tmp_path):
    last = published(tmp_path)
    newcomer = COMPONENTS.replace("  rpc:", "  new: {name: New, id: r-1}\n  rpc:")
    catalogue = repaired(read(tmp_path, newcomer).site, last)
    assert [component.key for component in catalogue.components] == ALL


def test_moved_component_keeps_new_position(tmp_path):
    last = published(tmp_path)
    moved = COMPONENTS.replace("      north: {name: North}\n", "").replace("name: Bridges", "nam: Bridges")
    catalogue = repaired(read(tmp_path, f"{moved}  north: {{name: North}}\n").site, last)
    bridges = catalogue.components_by_name["bridges"]
    assert (catalogue.components_by_name["north"].group_id, bridges.children) == (None, ("south",))


def test_invalid_published_component_is_excluded(tmp_path):
    last = tuple(
        component._replace(id="no id") if component.key == "rpc" else component
        for component in published(tmp_path)
    )
    catalogue = repaired(read(tmp_path, COMPONENTS.replace("id: r-1", "id: r 1")).site, last)
    assert [component.key for component in catalogue.components] == ALL[1:]


def test_other_version_components_are_ignored():
    target = Memory.__new__(Memory)
    target.note = '[["rpc", 1]]'
    assert load_published_components(target) == ()


def test_unknown_component_beside_faulty_is_reported(tmp_path):
    site, _ = read(tmp_path, COMPONENTS.replace("name: RPC", "nam: RPC"), other=OUTAGE.replace("rpc", "rcp"))
    _, found = exclude_faulty_content(site, found_in)
    assert {(finding.rule, finding.path) for finding in found if finding.severity == "error"} == {
        ("unknown-component", "incidents/other.yaml")
    }


def test_only_component_with_error_stays_published(tmp_path):
    last = published(tmp_path)
    assert repaired(read(tmp_path, "components: {rpc: {}}\n").site, last).components == last
