"""The documents of a published folder that has no manifest: what its ledger says is the site's, else all files."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from statuary.documents.document import Document
from statuary.domain.primitives import instant_text
from statuary.publishing.ledger_reading import listed, look_up_note
from statuary.publishing.refused import PublishingRefused
from statuary.publishing.sites.folder_site import FolderSite, ledger_of
from statuary.publishing.sites.served_as import media_type_of
from statuary.publishing.snapshots.manifest import UTC, Origin


class Notes(NamedTuple):
    """What a build noted of itself in the folder that it published into.

    Attributes:
        instant: the instant that the site tells, as text; empty if there is no note.
        revision: the revision of the content.
        statuary: the version that built it.
    """

    instant: str = ""
    revision: str = ""
    statuary: str = ""


def notes_of(root: Path) -> Notes:
    """Return what the last build noted of itself in a folder."""
    ledger = ledger_of(root)
    if ledger is None:
        return Notes()
    return Notes(**{name: look_up_note(ledger, name) or "" for name in ("instant", "revision", "statuary")})


def notes_for(origin: Origin) -> dict[str, str]:
    """Return what to note of a site in the folder that it is published into."""
    return {
        "instant": instant_text(origin.instant, UTC),
        "revision": origin.revision,
        "statuary": origin.statuary,
    }


def folder_documents(root: Path) -> Iterator[Document]:
    """Yield the documents of a folder, each name by itself.

    Raises:
        PublishingRefused: if a file that the ledger names is gone, or something is neither file nor folder.
    """
    ledger = ledger_of(root)
    with FolderSite(root) as site:
        for path in listed(ledger) if ledger else site.paths():
            body = site.read(path)
            if body is None:
                raise PublishingRefused(f"{path} is missing in {root}", "build the site again")
            yield Document(path=path, body=body, media_type=media_type_of(path))
