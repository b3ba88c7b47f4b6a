"""The documents of a snapshot, to be published elsewhere."""

from collections.abc import Iterator

from statuary.documents.document import Document
from statuary.publishing.response_headers import cache_of, media_type_of
from statuary.snapshots.snapshot_reader import SnapshotReader


def snapshot_documents(snapshot: SnapshotReader, *, with_manifest: bool = True) -> Iterator[Document]:
    """Yield a snapshot's documents, verified one by one, and the end of the file after the last.

    Args:
        snapshot: an opened pass.
        with_manifest: yield manifest, signature and parts too, so that the place can be verified by itself.

    Raises:
        SnapshotDamaged: if the snapshot is not whole. What was yielded before must not be kept then.
    """
    for member in snapshot.own_members():
        if with_manifest:
            yield Document(
                path=member.path,
                body=member.body,
                media_type=media_type_of(member.path),
                cache=cache_of(member.path),
            )
    for entry, member in snapshot.listed_documents():
        yield Document(
            path=entry.path,
            body=member.body,
            media_type=entry.media_type,
            cache=cache_of(entry.path),
            aliases=entry.aliases,
        )
