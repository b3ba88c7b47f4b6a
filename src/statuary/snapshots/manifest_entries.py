"""The documents that a manifest lists, read part by part and held to its own word."""

from collections.abc import Callable, Iterator

from statuary.publishing.snapshot_paths import MANIFEST
from statuary.snapshots.document_names import NameTable
from statuary.snapshots.errors import DamagedSnapshotError
from statuary.snapshots.manifest import Manifest, ManifestEntry, parse_manifest, parse_part

ReadPath = Callable[[str], bytes | None]
"""Returns the bytes at a path, or None."""

EntriesFactory = Callable[[], Iterator[ManifestEntry]]
"""Yields the entries of a manifest from the first on, whenever it is called."""


def read_entries(manifest: Manifest, read: ReadPath) -> Iterator[ManifestEntry]:
    """Yield the entries of a manifest, in the order of their paths.

    Args:
        manifest: what lists them.
        read: gives the parts, by their paths.

    Raises:
        SnapshotDamaged: if a part is missing or damaged, paths are not in order or clash, or the counts are not
            those of the manifest.
    """
    last = ""
    documents = names = size = 0
    with NameTable() as table:
        for part in manifest.parts:
            text = read(part.path)
            if text is None:
                raise DamagedSnapshotError(f"{part.path} is missing")
            for entry in parse_part(text, part):
                if entry.path <= last:
                    raise DamagedSnapshotError(f"{entry.path} comes twice in the manifest, or out of order")
                table.claim(entry.path)
                last = entry.path
                documents, names, size = documents + 1, names + len(entry.names), size + entry.size
                yield entry
    if (documents, names, size) != (manifest.documents, manifest.names, manifest.size):
        raise DamagedSnapshotError(f"{MANIFEST} counts other documents than it lists")


def read_paths(manifest_text: bytes, read: ReadPath) -> Iterator[str]:
    """Yield every name of every document that a manifest lists.

    Raises:
        SnapshotDamaged: as `read_entries` and `parse_manifest` do.
    """
    for entry in read_entries(parse_manifest(manifest_text), read):
        yield from entry.names
