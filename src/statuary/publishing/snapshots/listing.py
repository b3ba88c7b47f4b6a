"""The documents that a manifest lists, read part by part and held to its own word."""

from collections.abc import Callable, Iterator

from statuary.publishing.snapshots.damaged import SnapshotDamaged
from statuary.publishing.snapshots.manifest import Entry, Manifest, parse_manifest, parse_part
from statuary.publishing.snapshots.name_table import NameTable
from statuary.publishing.snapshots.names import MANIFEST

Read = Callable[[str], bytes | None]
"""Returns the bytes at a path, or None."""

Entries = Callable[[], Iterator[Entry]]
"""Yields the entries of a manifest from the first on, whenever it is called."""


def listed_entries(manifest: Manifest, read: Read) -> Iterator[Entry]:
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
                raise SnapshotDamaged(f"{part.path} is missing")
            for entry in parse_part(text, part):
                if entry.path <= last:
                    raise SnapshotDamaged(f"{entry.path} comes twice in the manifest, or out of order")
                table.claim(entry.path)
                last = entry.path
                documents, names, size = documents + 1, names + len(entry.names), size + entry.size
                yield entry
    if (documents, names, size) != (manifest.documents, manifest.names, manifest.size):
        raise SnapshotDamaged(f"{MANIFEST} counts other documents than it lists")


def listed_paths(manifest_text: bytes, read: Read) -> Iterator[str]:
    """Yield every name of every document that a manifest lists.

    Raises:
        SnapshotDamaged: as `listed_entries` and `parse_manifest` do.
    """
    for entry in listed_entries(parse_manifest(manifest_text), read):
        yield from entry.names
