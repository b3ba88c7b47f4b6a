"""The documents of a published folder that has no manifest: what its ledger says is the site's, else all files."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from statuary.documents.document import Document
from statuary.domain.primitives import format_instant
from statuary.publishing.errors import PublishingError
from statuary.publishing.folder_reader import FolderReader, find_ledger
from statuary.publishing.ledger.read_ledger import read_note, read_paths
from statuary.publishing.response_headers import media_type_of
from statuary.snapshots.manifest import UTC, SiteOrigin


class BuildNotes(NamedTuple):
    """What a build noted of itself in the folder that it published into.

    Attributes:
        instant: the instant that the site tells, as text; empty if there is no note.
        revision: the revision of the content.
        statuary: the version that built it.
    """

    instant: str = ""
    revision: str = ""
    statuary: str = ""


def read_build_notes(root: Path) -> BuildNotes:
    """Return what the last build noted of itself in a folder."""
    ledger = find_ledger(root)
    if ledger is None:
        return BuildNotes()
    return BuildNotes(**{name: read_note(ledger, name) or "" for name in ("instant", "revision", "statuary")})


def build_notes(origin: SiteOrigin) -> dict[str, str]:
    """Return what to note of a site in the folder that it is published into."""
    return {
        "instant": format_instant(origin.instant, UTC),
        "revision": origin.revision,
        "statuary": origin.statuary,
    }


def folder_documents(root: Path) -> Iterator[Document]:
    """Yield the documents of a folder, each name by itself.

    Raises:
        PublishingRefused: if a file that the ledger names is gone, or something is neither file nor folder.
    """
    ledger = find_ledger(root)
    with FolderReader(root) as site:
        for path in read_paths(ledger) if ledger else site.paths():
            body = site.read(path)
            if body is None:
                raise PublishingError(f"{path} is missing in {root}", "build the site again")
            yield Document(path=path, body=body, media_type=media_type_of(path))
