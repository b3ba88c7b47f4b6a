"""The origin of a site in a folder, recorded by the build or by `statuary publish`."""

from pathlib import Path

from statuary.domain.primitives import format_instant, parse_instant
from statuary.publishing.folder_reader import find_ledger
from statuary.publishing.ledger.read_ledger import read_note
from statuary.snapshots.manifest import UTC, SiteOrigin


def build_notes(origin: SiteOrigin) -> dict[str, str]:
    """Return the notes about a site for the ledger of its folder."""
    return {
        "instant": format_instant(origin.instant, UTC),
        "revision": origin.revision,
        "statuary": origin.statuary,
    }


def noted_origin(root: Path) -> SiteOrigin | None:
    """Return the origin of the site in a folder; None if it is not recorded."""
    ledger = find_ledger(root)
    if ledger is None:
        return None
    instant, revision, version = (
        read_note(ledger, name) or "" for name in ("instant", "revision", "statuary")
    )
    return SiteOrigin(parse_instant(instant), revision, version) if instant else None
