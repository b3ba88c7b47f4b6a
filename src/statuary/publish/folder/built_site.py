"""The origin of a folder's site: its build and content.

A damaged ledger counts as none: the manifest then says what the folder has.
"""

from contextlib import suppress
from pathlib import Path

from statuary.base.files import MANIFEST
from statuary.base.primitives import parse_instant
from statuary.publish.folder.reader import FolderReader, find_ledger
from statuary.publish.ledger.damage import DamagedLedgerError
from statuary.publish.ledger.ledger import OWN_MANIFEST
from statuary.publish.ledger.read import read_ledger_listing, read_ledger_meta
from statuary.publish.listing import DamagedSnapshotError
from statuary.publish.manifest import is_listed, manifest_digest, parse_manifest
from statuary.publish.origin import SiteOrigin
from statuary.system.files import read_file


def is_built_site(root: Path) -> bool:
    """Return whether a folder has a site that statuary built there.

    Such a folder contains the ledger, a database of what was published, so readers skip the check that a copied
    site needs.
    """
    ledger, file = find_ledger(root), root / MANIFEST
    if ledger is None or not file.is_file():
        return False
    noted_digest = None
    with suppress(DamagedLedgerError):
        noted_digest = read_ledger_meta(ledger, OWN_MANIFEST)
    return noted_digest == manifest_digest(read_file(file))


def has_intact_listing(root: Path) -> bool:
    """Return whether the database of published files is complete.

    Its number of files is compared with that in the manifest, the published list of files.

    Args:
        root: the folder of the site.
    """
    ledger = find_ledger(root)
    text = FolderReader(root).read(MANIFEST)
    if ledger is None or text is None or not is_built_site(root):
        return False
    with suppress(DamagedLedgerError, DamagedSnapshotError):
        names = (name for entry in read_ledger_listing(ledger) for name in entry.names)
        return sum(map(is_listed, names)) == parse_manifest(text).names
    return False


def recorded_origin(root: Path) -> SiteOrigin | None:
    """Return the time, revision and version of a site's build.

    The ledger (the build's database) records them; without a ledger, the manifest does.

    Args:
        root: the folder of the site.

    Returns:
        The origin, or None if the file does not record it.
    """
    ledger = find_ledger(root)
    if ledger is not None:
        with suppress(DamagedLedgerError):
            instant, revision, version = (
                read_ledger_meta(ledger, name) or "" for name in ("instant", "revision", "statuary")
            )
            return SiteOrigin(parse_instant(instant), revision, version) if instant else None
    text = FolderReader(root).read(MANIFEST) if root.is_dir() else None
    with suppress(DamagedSnapshotError):
        return None if text is None else parse_manifest(text).origin
    return None
