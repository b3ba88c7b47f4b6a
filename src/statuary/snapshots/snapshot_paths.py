"""The names that a snapshot gives its own members, and which names its documents may have."""

import re
import unicodedata

from statuary.publishing.errors import PublishingError
from statuary.publishing.folder_reader import PUBLISHED_HIDDEN_NAMES
from statuary.publishing.safe_path import OWN_FOLDER, checked_path
from statuary.snapshots.errors import DamagedSnapshotError

FOLDER = "snapshot"
"""The folder of a snapshot's own members."""

MANIFEST = f"{FOLDER}/manifest.json"
SIGNATURE = f"{MANIFEST}.minisig"
INDEX = f"{FOLDER}/index"
PARTS = f"{FOLDER}/parts/"
DELTA = f"{FOLDER}/delta.json"


NAME = "[0-9A-Za-z_](?:[0-9A-Za-z_.-]{0,100}[0-9A-Za-z_-])?"
PLAIN_PATH = re.compile(f"(?:{NAME}/){{0,10}}{NAME}")
"""Paths that need no closer look; nearly all are such, and there may be millions."""


def part_path(digest: str) -> str:
    """Return the path of a part of the manifest by its SHA-256."""
    return f"{PARTS}{digest}.jsonl"


def is_snapshot_path(path: str) -> bool:
    """Say whether a path is one of a snapshot's own, and so none of a document."""
    return path in (MANIFEST, SIGNATURE, INDEX, DELTA) or path.startswith(PARTS)


def fold_case(path: str) -> str:
    """Return what two names must differ in to be two files on every file system.

    Windows and macOS ignore case, macOS also how a letter's accents are composed.
    """
    if path.isascii():
        return path.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def document_path(path: str) -> str:
    """Return a path if a document of a snapshot may have it.

    Raises:
        SnapshotDamaged: if it could leave the site, is hidden, is read otherwise on some system, or is in the
            snapshot's own folder.
    """
    if PLAIN_PATH.fullmatch(path) and not fold_case(path).startswith(FOLDER):
        return path
    try:
        checked_path(path)
        path.encode("utf-8")
    except (PublishingError, UnicodeEncodeError):
        raise DamagedSnapshotError(f"{path!r} is not a path inside a site") from None
    names = path.split("/")
    if fold_case(names[0]) in (OWN_FOLDER, FOLDER) or any(map(_is_unwanted, names)):
        raise DamagedSnapshotError(f"{path!r} is not a path that a site's document may have")
    return path


def _is_unwanted(name: str) -> bool:
    """Say whether a name is hidden, or one that Windows reads as another (it drops dots and spaces at the end)."""
    return (name.startswith(".") and name not in PUBLISHED_HIDDEN_NAMES) or name.endswith((".", " "))
