"""Small sites as documents, and the snapshots made of them."""

from collections.abc import Iterable
from pathlib import Path

from statuary.base.primitives import checksum_address, keccak256, parse_instant
from statuary.extensions.snapshots.snapshot_reader import iter_snapshot_documents, read_snapshot
from statuary.extensions.snapshots.snapshot_target import SnapshotTarget
from statuary.publish.folder.folder_target import FolderTarget
from statuary.publish.folder.reader import folder_documents
from statuary.publish.origin import SiteOrigin
from statuary.site.document import Document

ORIGIN = SiteOrigin(instant=parse_instant("2026-11-20T12:00:00Z"), revision="c0ffee", statuary="0.1.0")


def contract(number: int, chain: int = 1, body: bytes | None = None) -> Document:
    """Return a document that two forms of an address share."""
    address = checksum_address("0x" + keccak256(b"%d" % number).hex()[:40])
    return Document(
        path=f"v2/contract/{chain}/{address}",
        aliases=(f"v2/contract/{chain}/{address.lower()}",),
        body=body or b'{"chainId":"%d","address":"%s","abi":[]}' % (chain, address.encode()),
    )


def status(text: bytes = b"none") -> Document:
    """Return a document with one name."""
    return Document(path="api/v2/status.json", body=b'{"status":{"indicator":"%s"}}' % text)


def small_documents() -> list[Document]:
    """Return documents of several kinds: aliases, a name that is not ASCII, an empty body, a body that cannot shrink."""
    return [
        contract(1),
        contract(2, chain=8453),
        status(),
        Document(path="assets/größe.txt", body=b"", media_type="text/plain; charset=utf-8"),
        Document(
            path="assets/noise.js", body=keccak256(b"noise"), media_type="text/javascript; charset=utf-8"
        ),
        Document(path="index.html", body=b"<p>" * 40, media_type="text/html; charset=utf-8"),
    ]


def tiny_documents() -> list[Document]:
    """Return a minimal set of every kind: aliases, a body that compresses and one that does not."""
    return [contract(1), status(b"none " * 30)]


def made(out: Path, documents: Iterable[Document], *, origin: SiteOrigin = ORIGIN, **options: object) -> Path:
    """Make a snapshot of documents and return its file."""
    with SnapshotTarget(out, origin, **options) as publication:  # type: ignore[arg-type]
        publication.add(documents)
        publication.apply()
    return out


def published(documents: Iterable[Document], folder: Path) -> Path:
    """Publish documents into a folder and return it."""
    with FolderTarget(folder) as publication:
        publication.add(documents)
        publication.apply()
    return folder


def mirrored(snapshot: Path, folder: Path) -> Path:
    """Publish a snapshot into a folder and return it."""
    with read_snapshot(str(snapshot)) as opened:
        return published(iter_snapshot_documents(opened), folder)


def made_of_folder(out: Path, folder: Path) -> Path:
    """Make a snapshot of a folder without a manifest and return its file."""
    return made(out, folder_documents(folder))
