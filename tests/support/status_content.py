"""The sample site's status side as mappings, for tests to change, and its catalogue."""

from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from statuary.domain.primitives import parse_instant
from support import sites
from support.statuspage_captures import read_status

PAGE = yaml.safe_load(sites.SITE)["page"] | {
    "time_zone": "Europe/Zurich",
    "created_at": "2026-01-01T00:00:00Z",
}
COMPONENTS = yaml.safe_load(sites.COMPONENTS)["components"]


def incident(**changed):
    """Return an incident of 2 November 2026, 10:00 to 12:00 UTC."""
    return {
        "name": "Slow answers",
        "components": {"rpc": "partial_outage"},
        "updates": [
            {"at": "2026-11-02T10:00:00Z", "status": "investigating", "body": "We are looking into it."},
            {"at": "2026-11-02T10:30:00Z", "status": "investigating", "body": "Still looking."},
            {"at": "2026-11-02T12:00:00Z", "status": "resolved", "body": "It is over."},
        ],
    } | changed


def maintenance(**changed):
    """Return a maintenance of 1 December 2026, 22:00 to 23:00 UTC, announced a month before."""
    return yaml.load(sites.MAINTENANCE, yaml.BaseLoader) | changed


def catalogue(incidents=None, maintenances=None, *, page=None, components=None):
    """Return the catalogue of a page with these incidents and maintenances, by id."""
    with TemporaryDirectory() as folder:
        root = Path(folder)
        _write(root / "site.yaml", {"page": PAGE | (page or {})})
        _write(root / "components.yaml", {"components": components or COMPONENTS})
        for name, records in (("incidents", incidents), ("maintenances", maintenances)):
            for record_id, record in (records or {}).items():
                _write(root / name / f"{record_id}.yaml", record)
        return read_status(root)


def at(text):
    """Return an instant; of a text without a time zone, in UTC."""
    return parse_instant(text if text[-1] == "Z" else f"{text}Z")


def _write(path, source):
    path.parent.mkdir(exist_ok=True)
    path.write_text(yaml.safe_dump(source, sort_keys=False, allow_unicode=True), "utf-8")
