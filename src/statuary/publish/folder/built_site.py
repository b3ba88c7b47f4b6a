"""What the ledger of a folder notes of its site: whether a build made it, and from what."""

from pathlib import Path

from statuary.base.files import MANIFEST
from statuary.base.primitives import parse_instant
from statuary.publish.folder.reader import find_ledger
from statuary.publish.ledger.ledger import OWN_MANIFEST
from statuary.publish.ledger.read import read_meta
from statuary.publish.manifest import manifest_digest
from statuary.publish.origin import SiteOrigin


def is_built(root: Path) -> bool:
    """Return whether a folder has the site of a build or a tick, by its ledger: its manifest is no snapshot's.

    Such a folder is published by its ledger, which a build trusts too, and read as it is.
    """
    ledger, file = find_ledger(root), root / MANIFEST
    noted_digest = read_meta(ledger, OWN_MANIFEST) if ledger is not None and file.is_file() else None
    return noted_digest is not None and noted_digest == manifest_digest(file.read_bytes())


def recorded_origin(root: Path) -> SiteOrigin | None:
    """Return the origin of the site in a folder; None if it is not recorded."""
    ledger = find_ledger(root)
    if ledger is None:
        return None
    instant, revision, version = (
        read_meta(ledger, name) or "" for name in ("instant", "revision", "statuary")
    )
    return SiteOrigin(parse_instant(instant), revision, version) if instant else None
