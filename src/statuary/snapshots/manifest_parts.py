"""The list of documents, cut into parts.

A part ends after a path whose SHA-256 ends in nine zero bits: after every 512th on average. Since each path alone
decides, a document that comes or goes changes the one part that it is in, and a difference between
two snapshots stays small.
"""

from collections.abc import Iterable, Iterator
from hashlib import sha256

from statuary.snapshots.manifest import Manifest, ManifestEntry, ManifestPart, SiteOrigin, encode_entry

MEAN_PART_LENGTH = 512
"""Lines of a part on average; a power of two."""

MAX_PART_LENGTH = 4 * MEAN_PART_LENGTH
"""Lines after which a part ends in any case."""


def ends_part(path: str) -> bool:
    """Say whether a part ends after a path."""
    return int.from_bytes(sha256(path.encode()).digest()[-2:], "big") % MEAN_PART_LENGTH == 0


def split_into_parts(entries: Iterable[ManifestEntry]) -> Iterator[list[ManifestEntry]]:
    """Yield the entries, which come in the order of their paths, in parts."""
    part: list[ManifestEntry] = []
    for entry in entries:
        part.append(entry)
        if ends_part(entry.path) or len(part) == MAX_PART_LENGTH:
            yield part
            part = []
    if part:
        yield part


def encode_part(entries: list[ManifestEntry]) -> tuple[ManifestPart, bytes]:
    """Return a part and the bytes of its lines."""
    lines = bytearray()
    for entry in entries:
        lines += encode_entry(entry)
    text = bytes(lines)
    digest = sha256(text).hexdigest()
    return ManifestPart(sha256=digest, first=entries[0].path, documents=len(entries), size=len(text)), text


class ManifestBuilder:
    """Counts what goes into a manifest, while the parts are made."""

    def __init__(self) -> None:
        self.parts: list[ManifestPart] = []
        self.names = 0
        self.size = 0

    def add(self, entries: list[ManifestEntry]) -> tuple[ManifestPart, bytes]:
        """Count a part; return it with the bytes of its lines."""
        part, text = encode_part(entries)
        self.parts.append(part)
        self.names += sum(len(entry.names) for entry in entries)
        self.size += sum(entry.size for entry in entries)
        return part, text

    def manifest(self, origin: SiteOrigin) -> Manifest:
        """Return the manifest of all parts."""
        documents = sum(part.documents for part in self.parts)
        return Manifest(
            origin=origin, documents=documents, names=self.names, size=self.size, parts=tuple(self.parts)
        )
