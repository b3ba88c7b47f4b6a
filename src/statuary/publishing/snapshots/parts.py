"""The list of documents, cut into parts.

A part ends after a path whose SHA-256 ends in nine zero bits: after every 512th on average. Since each path alone
decides, a document that comes or goes changes the one part that it is in, and a difference between
two snapshots stays small.
"""

from collections.abc import Iterable, Iterator
from hashlib import sha256

from statuary.publishing.snapshots.manifest import Entry, Manifest, Origin, Part, encode_entry

USUAL_LENGTH = 512
"""Lines of a part on average; a power of two."""

LONGEST = 4 * USUAL_LENGTH
"""Lines after which a part ends in any case."""


def ends_part(path: str) -> bool:
    """Say whether a part ends after a path."""
    return int.from_bytes(sha256(path.encode()).digest()[-2:], "big") % USUAL_LENGTH == 0


def cut(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """Yield the entries, which come in the order of their paths, in parts."""
    part: list[Entry] = []
    for entry in entries:
        part.append(entry)
        if ends_part(entry.path) or len(part) == LONGEST:
            yield part
            part = []
    if part:
        yield part


def encode_part(entries: list[Entry]) -> tuple[Part, bytes]:
    """Return a part and the bytes of its lines."""
    lines = bytearray()
    for entry in entries:
        lines += encode_entry(entry)
    text = bytes(lines)
    digest = sha256(text).hexdigest()
    return Part(sha256=digest, first=entries[0].path, documents=len(entries), size=len(text)), text


class Tally:
    """Counts what goes into a manifest, while the parts are made."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.names = 0
        self.size = 0

    def add(self, entries: list[Entry]) -> tuple[Part, bytes]:
        """Count a part; return it with the bytes of its lines."""
        part, text = encode_part(entries)
        self.parts.append(part)
        self.names += sum(len(entry.names) for entry in entries)
        self.size += sum(entry.size for entry in entries)
        return part, text

    def manifest(self, origin: Origin) -> Manifest:
        """Return the manifest of all parts."""
        documents = sum(part.documents for part in self.parts)
        return Manifest(
            origin=origin, documents=documents, names=self.names, size=self.size, parts=tuple(self.parts)
        )
