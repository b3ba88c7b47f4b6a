"""Where a site in a folder comes from: noted by the build that published it, or by `statuary publish`."""

from pathlib import Path

from statuary.domain.primitives import format_instant, parse_instant
from statuary.publishing.folder_reader import find_ledger
from statuary.publishing.ledger.read_ledger import read_note
from statuary.snapshots.manifest import UTC, SiteOrigin


def build_notes(origin: SiteOrigin) -> dict[str, str]:
    """Return what to note of a site in the folder that it is published into."""
    return {
        "instant": format_instant(origin.instant, UTC),
        "revision": origin.revision,
        "statuary": origin.statuary,
    }


def noted_origin(root: Path) -> SiteOrigin | None:
    """Return where the site in a folder comes from; None if nothing is noted there."""
    ledger = find_ledger(root)
    if ledger is None:
        return None
    instant, revision, version = (
        read_note(ledger, name) or "" for name in ("instant", "revision", "statuary")
    )
    return SiteOrigin(parse_instant(instant), revision, version) if instant else None
