"""Real captures of Statuspage documents, and their translation into a content folder.

What the public API serves is written down as an author (or an import) would: one file of components, one
file for each incident and maintenance. Nothing of the captures is part of the project; they lie in the
folder `../shared/data/statuspage` beside the checkout.
"""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from statuary.base.primitives import Instant, to_instant
from statuary.engine.read_content import read_content
from statuary.status.model.records import StatusCatalogue, StatusContent
from support.requirements import CHECKOUT, require_folder

Members = dict[str, Any]

FOLDER = CHECKOUT.parent / "shared" / "data" / "statuspage"

NOW = to_instant(datetime(2030, 1, 1, tzinfo=UTC))
"""Later than every capture: all that they hold has been said."""

BY_HAND = {
    "scheduled_remind_prior": False,
    "scheduled_auto_in_progress": False,
    "scheduled_auto_completed": False,
}
"""A captured maintenance did what it did; its flags are not public, and nothing more is to happen."""


def captures() -> Path:
    """Return the folder of captures, or skip the test."""
    return require_folder(
        FOLDER, what="the folder of Statuspage captures", install="place it beside the checkout"
    )


def capture(name: str) -> Any:
    """Return what a capture holds."""
    return json.loads((captures() / name).read_text("utf-8"))


def captured_lines(name: str) -> list[Any]:
    """Return what each line of a capture holds."""
    return [json.loads(line) for line in (captures() / name).read_text("utf-8").splitlines()]


def write_content(
    folder: Path,
    page: Members,
    components: Iterable[Members],
    incidents: Iterable[Members] = (),
    maintenances: Iterable[Members] = (),
) -> None:
    """Write a content folder with the content of captured objects."""
    known = {component["id"]: component for component in components}
    for record in (*incidents, *maintenances):
        for component in named_components(record):
            known.setdefault(component["id"], component)
    _write(
        folder / "site.yaml",
        {"page": {key: page[key] for key in ("id", "name", "url", "time_zone", "updated_at")}},
    )
    _write(folder / "components.yaml", {"components": components_source(known.values())})
    for incident in incidents:
        _write(folder / "incidents" / f"{incident['id']}.yaml", incident_source(incident))
    for maintenance in maintenances:
        # JSON is a source format as well
        _write(folder / "maintenances" / f"{maintenance['id']}.json", maintenance_source(maintenance))


def read_status(folder: Path) -> StatusCatalogue:
    """Return the status side of a content folder that has nothing wrong with it."""
    reading = read_content(folder)
    assert reading.findings == []
    assert reading.site is not None
    return reading.site.content_of(StatusContent).catalogue


def named_components(record: Members) -> Iterable[Members]:
    """Yield the components that a captured incident names; those that have left the page as removed ones."""
    yield from record["components"]
    present = {component["id"] for component in record["components"]}
    for update in record["incident_updates"]:
        for affected in update["affected_components"] or ():
            if affected["code"] not in present:
                yield {"id": affected["code"], "name": affected["name"], "removed": True}


def components_source(components: Iterable[Members]) -> Members:
    """Return the `components.yaml` of captured components."""
    components = list(components)
    source = {c["id"]: component_source(c) for c in components if not c.get("group_id")}
    groups = {component["id"] for component in components}
    for component in components:
        group = component.get("group_id")
        if group in groups:
            source[group].setdefault("components", {})[component["id"]] = component_source(component)
        elif group:
            # a capture that was trimmed has lost the group: it is put back without a name of its own
            source.setdefault(group, {"name": group, "removed": True, "components": {}})
            source[group]["components"][component["id"]] = component_source(component)
    return source


def component_source(component: Members) -> Members:
    """Return what an author writes of one captured component; its status since its last change."""
    kept = (
        "name",
        "description",
        "position",
        "showcase",
        "start_date",
        "only_show_if_degraded",
        "created_at",
    )
    source = {key: component[key] for key in kept if component.get(key) is not None}
    if component.get("removed"):
        source["removed"] = True
    if "updated_at" in component:
        source["updated_at"] = component["updated_at"]
        if not component["group"]:
            source["history"] = [{"at": component["updated_at"], "status": component["status"]}]
    return source


def incident_source(incident: Members) -> Members:
    """Return what an import writes of a captured incident."""
    source = _record_source(incident)
    source["impact_override"] = incident["impact"]
    if incident.get("reminder_intervals", "absent") is not None:
        source["reminder_intervals"] = incident.get("reminder_intervals", "absent")
    if incident["components"]:
        source["components"] = {component["id"]: None for component in incident["components"]}
    return source


def maintenance_source(maintenance: Members) -> Members:
    """Return what an import writes of a captured maintenance."""
    return _record_source(maintenance) | {
        "impact_override": maintenance["impact"],
        "scheduled_for": maintenance["scheduled_for"],
        "scheduled_until": maintenance["scheduled_until"],
        "components": [component["id"] for component in maintenance["components"]],
        **BY_HAND,
    }


def _record_source(record: Members) -> Members:
    kept = ("name", "created_at", "started_at", "updated_at", "shortlink")
    updates = sorted(record["incident_updates"], key=lambda update: instant_of(update["display_at"]))
    return {key: record[key] for key in kept} | {"updates": [update_source(update) for update in updates]}


def update_source(update: Members) -> Members:
    """Return what an import writes of a captured update."""
    source = {
        "at": update["display_at"],
        "status": update["status"],
        "body": update["body"],
        "affected_components": update["affected_components"],
        "id": update["id"],
        "created_at": update["created_at"],
        "updated_at": update["updated_at"],
        "deliver_notifications": update["deliver_notifications"],
    }
    return source | {key: update[key] for key in ("custom_tweet", "tweet_id") if update[key] is not None}


def instant_of(text: str) -> Instant:
    """Return the instant that a captured text names."""
    return to_instant(datetime.fromisoformat(text))


DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def _write(path: Path, source: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    as_json = path.suffix == ".json"
    text = (
        json.dumps(source)
        if as_json
        else yaml.dump(source, Dumper=DUMPER, sort_keys=False, allow_unicode=True)
    )
    path.write_text(text, "utf-8")
