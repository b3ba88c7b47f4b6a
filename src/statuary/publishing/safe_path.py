"""Paths that stay inside the site."""

import unicodedata

from statuary.publishing.errors import PublishingError

OWN_FOLDER = ".statuary"
"""The folder in a target that holds statuary's own files; it is never part of the site."""

LEDGER = f"{OWN_FOLDER}/ledger.sqlite3"
"""The ledger of a folder."""

LONGEST_NAME = 255
"""Bytes of one name on the file systems in use."""


def checked_path(path: str) -> str:
    """Return a path if it is relative, inside the site and outside statuary's own folder.

    Raises:
        PublishingError: if it is absolute, contains `..` or a backslash, or has an empty, hidden, over-long
            or unprintable name.
    """
    if path in KNOWN_SAFE:
        return path
    names = path.split("/")
    if names[0] == OWN_FOLDER or any(map(_is_unsafe, names)):
        raise PublishingError(f"{path!r} is not a path inside the site", "this is a bug; please report it")
    return path


def _is_unsafe(name: str) -> bool:
    return (
        name in ("", ".", "..")
        or "\\" in name
        or ":" in name
        or not name.isprintable()
        or len(name.encode("utf-8", "surrogatepass")) > LONGEST_NAME
    )


KNOWN_SAFE = frozenset({"chains", "index.html"})


def fold_case(path: str) -> str:
    """Return the form of a name that must differ for two files on every file system.

    Windows and macOS ignore case, and macOS the composition of accents.
    """
    if path.isascii():
        return path.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())
