"""The origin of a folder's site: a build or not, and of which content."""

from pathlib import Path

from statuary.base.files import MANIFEST
from statuary.base.primitives import parse_instant
from statuary.publish.folder.reader import find_ledger
from statuary.publish.ledger.ledger import OWN_MANIFEST
from statuary.publish.ledger.read import read_meta
from statuary.publish.manifest import manifest_digest
from statuary.publish.origin import SiteOrigin


def is_built(root: Path) -> bool:
    """Return whether a build or a tick made a folder's site, by its ledger.

    Such a folder is published by its ledger, which builds trust too, and read without checking its manifest
    as a snapshot's.
    """
    ledger, file = find_ledger(root), root / MANIFEST
    noted_digest = read_meta(ledger, OWN_MANIFEST) if ledger is not None and file.is_file() else None
    return noted_digest is not None and noted_digest == manifest_digest(file.read_bytes())


def recorded_origin(root: Path) -> SiteOrigin | None:
    """Return the recorded origin of a folder's site.

    Returns:
        The origin, or None if it is not recorded.
    """
    ledger = find_ledger(root)
    if ledger is None:
        return None
    instant, revision, version = (
        read_meta(ledger, name) or "" for name in ("instant", "revision", "statuary")
    )
    return SiteOrigin(parse_instant(instant), revision, version) if instant else None
