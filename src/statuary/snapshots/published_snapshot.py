"""A snapshot to be published as documents."""

from collections.abc import Iterator

from statuary.documents.document import Document
from statuary.publishing.response_headers import cache_of, media_type_of
from statuary.snapshots.snapshot_reader import SnapshotReader


def snapshot_documents(snapshot: SnapshotReader, *, with_manifest: bool = True) -> Iterator[Document]:
    """Yield a snapshot's documents, each verified, then verify the rest of the file.

    Args:
        with_manifest: also yield manifest, signature and parts, so that the target can be verified by itself.

    Raises:
        DamagedSnapshotError: if the snapshot is damaged; documents yielded before must not be published.
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
