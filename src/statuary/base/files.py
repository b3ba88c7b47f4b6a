"""Paths inside the site, errors of publishing, and transactions of SQLite."""

import sqlite3
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from statuary.base.budget import INTERRUPTIONS
from statuary.base.errors import StatuaryError
from statuary.base.reserved_names import is_reserved_name

FOLDER = "snapshot"
"""The folder of a snapshot's own members."""

MANIFEST = f"{FOLDER}/manifest.json"
SIGNATURE = f"{MANIFEST}.minisig"
PARTS = f"{FOLDER}/parts/"


def manifest_part_path(digest: str) -> str:
    """Return the path of a part of the manifest, the list of a site's files.

    Args:
        digest: the SHA-256 of the part, as hex.
    """
    return f"{PARTS}{digest}.jsonl"


def is_manifest_path(path: str) -> bool:
    """Return whether a path belongs to the manifest, the list of a site's files.

    The manifest consists of its main file, its signature, and its parts.
    """
    return path in (MANIFEST, SIGNATURE) or path.startswith(PARTS)


class PublishingError(StatuaryError):
    """A target cannot accept or store the site."""


TARGET_ERRORS = (*INTERRUPTIONS, PublishingError, OSError, sqlite3.Error)
"""Exceptions that targets raise, and interruptions. Contracts and status let them end the build."""


def describe_folder_overlap(content: Path, out: Path, name: str) -> str:
    """Describe the overlap of a site's folder and its content folder.

    Args:
        content: the content folder.
        out: the folder of the site.
        name: the name of the site's folder in the message, such as `--out`.

    Returns:
        A clause for an error message; empty if neither folder is inside the other.
    """
    inside, outside = out.resolve(), content.resolve()
    if inside == outside or inside.is_relative_to(outside):
        return f"{name} {out} is inside the content folder {content}"
    return f"the content folder {content} is inside {name} {out}" if outside.is_relative_to(inside) else ""


OWN_FOLDER = ".statuary"
"""The folder in a target for statuary's own files; it is never published."""

LEDGER = f"{OWN_FOLDER}/ledger.sqlite3"
"""The path of the ledger in a target."""

LONGEST_NAME = 255
"""Bytes of one name on the file systems in use."""

LONGEST_PATH = 200
"""Characters of a path. Windows allows 260, including the site's folder and the staging folder."""


def require_safe_path(path: str) -> str:
    """Check that a path is safe in a site, and return it.

    Raises:
        PublishingError: if the path is absolute, contains `..`, is too long, is inside statuary's own folder,
            or has an empty, over-long or unprintable name, or a name that Windows reserves.
    """
    if path in KNOWN_SAFE:
        return path
    names = path.split("/")
    if names[0] == OWN_FOLDER or any(map(_is_unsafe_name, names)):
        raise PublishingError(f"{path!r} is not a path inside the site", "this is a bug; please report it")
    if len(path) > LONGEST_PATH:
        raise PublishingError(
            f"{path!r} has {len(path)} characters; Windows allows at most {LONGEST_PATH}",
            "shorten it",
        )
    return path


def _is_unsafe_name(name: str) -> bool:
    return (
        name in ("", ".", "..")
        or is_reserved_name(name)
        or not name.isprintable()
        or len(name.encode("utf-8", "surrogatepass")) > LONGEST_NAME
    )


KNOWN_SAFE = frozenset({"chains", "index.html"})


def ignores_case(root: Path) -> bool:
    """Return whether a published site's file system ignores case in file names.

    Args:
        root: the folder of the site, which must contain statuary's own folder.
    """
    return (root / OWN_FOLDER.upper()).exists()


def fold_case(path: str) -> str:
    """Return a path as case-insensitive file systems compare it.

    If two paths give the same result, they are one file on Windows or macOS. macOS also ignores how accents are
    composed.
    """
    if path.isascii():
        return path.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Run a `with` block as one SQLite transaction.

    One transaction for many statements is much faster than one for each. An exception in the block rolls
    the transaction back.
    """
    connection.execute("BEGIN")
    try:
        yield
    except BaseException:
        if connection.in_transaction:  # a disk error may have ended the transaction already
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
