"""The manifest of a built site, updated part by part.

It lists every file that web servers send. It has the place and the form of a snapshot's manifest
(`snapshot/manifest.json` and `snapshot/parts/`), so everything that reads published snapshots reads every
site: mirrors, `snapshot verify`, `open_snapshot`. A build knows the SHA-256 of its files from the ledger and
reads none of them. If files of a few parts differ, only those parts are made again, from their published
text.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from typing import NamedTuple

from statuary.base.files import MANIFEST, PARTS, SIGNATURE
from statuary.base.primitives import Instant
from statuary.publish.host_layout import cache_control_of, media_type_of
from statuary.publish.ledger.ledger import OWN_MANIFEST
from statuary.publish.ledger.schema import all_names
from statuary.publish.listing import (
    MAX_PART_LENGTH,
    DamagedSnapshotError,
    Entry,
    Part,
    ReadPath,
    encode_entry_line,
    encode_part_lines,
    ends_part,
    parse_entry_line,
    split_into_parts,
    split_trusted_part,
    trusted_line_path,
)
from statuary.publish.manifest import (
    Manifest,
    ManifestBuilder,
    encode_manifest,
    is_listed,
    manifest_digest,
    parse_manifest,
)
from statuary.publish.origin import SiteOrigin
from statuary.publish.target import BuildTarget
from statuary.site.document import Document
from statuary.version import VERSION

FullManifest = Callable[[BuildTarget, SiteOrigin], Manifest | None]
"""Makes the manifest of all added files and adds its parts, or returns None."""


def add_manifest(
    target: BuildTarget, instant: Instant, *, verify: bool, by_workers: FullManifest | None = None
) -> None:
    """Add the manifest, the list of all files of the site.

    Add all other documents first.

    Args:
        target: the site that is being built.
        instant: the time since which the site's status is the same. It is not the build's time, because builds
            of the same content must give the same manifest.
        verify: make the whole manifest anew, without trusting a published part.
        by_workers: makes a large manifest in worker processes; None makes it in this process.

    Raises:
        PublishingError: if the target does not accept the manifest.
    """
    origin = SiteOrigin(instant, "", VERSION)
    previous_manifest = None if verify else _previous_manifest(target)
    try:
        manifest = (
            _full_manifest(target, origin, by_workers)
            if previous_manifest is None
            else update_manifest(target, origin, previous_manifest, _default_listing(target))
        )
    except DamagedSnapshotError:
        if previous_manifest is None:
            raise
        manifest = _full_manifest(target, origin)  # a published part is damaged
    text = encode_manifest(manifest)
    target.add([_manifest_document(MANIFEST, text)])
    documents = target.ledger.documents
    part_paths = {part.path for part in manifest.parts}
    stale = (path for path in documents.paths_under(PARTS.rstrip("/")) if path not in part_paths)
    documents.remove_unless_added([SIGNATURE, *stale])
    target.ledger.set_meta({OWN_MANIFEST: manifest_digest(text)})


def _manifest_document(path: str, body: bytes) -> Document:
    """Return the document for the manifest, or for one of its parts.

    A part stays published when a later build does not add it.
    """
    return Document(
        path, body, media_type_of(path), cache=cache_control_of(path), persistent=path != MANIFEST
    )


def _previous_manifest(target: BuildTarget) -> Manifest | None:
    text = target.read_published(MANIFEST) if target.ledger.keeps_unreplaced else None
    is_own = text is not None and manifest_digest(text) == target.ledger.get_meta(OWN_MANIFEST)
    return parse_manifest(text) if text is not None and is_own else None


class ListedParts(NamedTuple):
    """Functions to make a manifest: which files it lists, and its documents."""

    is_listed: Callable[[str], bool]  # whether the manifest lists the file at a path
    document: Callable[[Part, bytes], Document]  # the document of a part
    read_path: ReadPath  # returns the published bytes of a part, given its path in the site


def _default_listing(target: BuildTarget) -> ListedParts:
    return ListedParts(
        is_listed, lambda part, text: _manifest_document(part.path, text), target.read_published
    )


def _full_manifest(
    target: BuildTarget, origin: SiteOrigin, by_workers: FullManifest | None = None
) -> Manifest:
    if by_workers is not None and (manifest := by_workers(target, origin)) is not None:
        return manifest
    return make_manifest_from_scratch(target, origin, _default_listing(target))


def make_manifest_from_scratch(target: BuildTarget, origin: SiteOrigin, listing: ListedParts) -> Manifest:
    """Make a manifest from scratch, and add all its parts.

    Args:
        target: the site that is being built.
        origin: the time and version that the manifest states.
        listing: selects the paths to list, and makes the documents of parts.
    """
    builder = ManifestBuilder()
    rows = (
        _listed_entry(target, *row) for row in target.ledger.new_site_files() if listing.is_listed(row[0])
    )
    for entries in split_into_parts(entry for entry in rows if entry is not None):
        part, text = builder.add(entries)
        target.add([listing.document(part, text)])
    return builder.manifest(origin)


def _listed_entry(target: BuildTarget, path: str, aliases: str, size: int, digest: bytes) -> Entry | None:
    """Return a file's entry in the manifest; read the file if needed.

    Returns:
        The entry, or None if the file does not exist.
    """
    entry = Entry(path, tuple(all_names(path, aliases)[1:]), size, digest.hex(), media_type_of(path))
    if digest:
        return entry
    body = target.read_published(path)
    return None if body is None else entry._replace(size=len(body), sha256=sha256(body).hexdigest())


def update_manifest(
    target: BuildTarget, origin: SiteOrigin, previous_manifest: Manifest, listing: ListedParts
) -> Manifest:
    """Update the last build's manifest: add only parts that changed.

    Args:
        target: the site that is being built.
        origin: the time and version that the new manifest states.
        previous_manifest: the manifest of the last build.
        listing: selects the paths to list, and reads and makes the documents of parts.

    Raises:
        DamagedSnapshotError: if a published part that must be read is missing or damaged.
    """
    changes = (
        (path, None if digest is None else _listed_entry(target, path, aliases, size, digest))
        for path, aliases, size, digest in target.ledger.files_changed_since_last_build()
        if listing.is_listed(path)
    )
    renewal = PartsUpdate(previous_manifest.parts, listing.read_path)
    parts = []
    for part, text in renewal.parts(changes):
        parts.append(part)
        if text is not None:
            target.add([listing.document(part, text)])
    documents = sum(part.documents for part in parts)
    names = previous_manifest.names + renewal.names
    size = previous_manifest.size + renewal.size
    return Manifest(origin, documents, names, size, tuple(parts))


class PartsUpdate:
    """Updates the parts of a manifest for changed files.

    The result is the same as if the manifest were made from scratch, but unchanged parts are not read. After a
    changed part, parts are read until an old and a new part end at the same path.
    """

    def __init__(self, previous_parts: Sequence[Part], read_path: ReadPath) -> None:
        self.previous_parts = previous_parts
        self.read_path = read_path
        self.names = 0  # the change of the number of names
        self.size = 0  # the change of the size of all documents, in bytes

    def parts(self, changes: Iterable[tuple[str, Entry | None]]) -> Iterator[tuple[Part, bytes | None]]:
        """Yield the parts of the new manifest, sorted by path.

        Args:
            changes: the paths that differ, sorted, each with its new entry, or None if it was removed.

        Yields:
            The part, and its bytes; None for an unchanged part.

        Raises:
            DamagedSnapshotError: if a part that is read is missing or damaged.
        """
        remaining_changes = list(changes)[::-1]
        open_part: list[bytes] = []
        ends = [*(part.first for part in self.previous_parts[1:]), None][: len(self.previous_parts)]
        for part, end in zip(self.previous_parts, ends, strict=True):
            part_changes = _take_changes_before(remaining_changes, end)
            if not part_changes and not open_part:
                yield part, None
                continue
            lines = split_trusted_part(self.read_path(part.path), part)
            last_lines = self._change_lines(lines, part_changes)
            yield from _add_lines_to_part(open_part, lines, last_lines)
        lines = []  # the last build had no part here
        last_lines = self._change_lines(lines, dict(remaining_changes))
        yield from _add_lines_to_part(open_part, lines, last_lines)
        if open_part:
            yield encode_part_lines(open_part)

    def _change_lines(self, lines: list[bytes], part_changes: dict[str, Entry | None]) -> set[bytes]:
        """Change the lines of a part, and return those after which a part ends.

        Only lines near a change are parsed, since of the others only the last can end a part.
        """
        path_of_line = cache(trusted_line_path)
        last_lines = {line for line in lines[-1:] if ends_part(path_of_line(line))}
        for path, new in part_changes.items():
            place = bisect_left(lines, path, key=path_of_line)
            if place < len(lines) and path_of_line(lines[place]) == path:
                self._count_entry(parse_entry_line(lines.pop(place)), -1)
            if new is not None:
                self._count_entry(new, 1)
                lines.insert(place, encode_entry_line(new))
                if ends_part(path):
                    last_lines.add(lines[place])
        return last_lines

    def _count_entry(self, entry: Entry, sign: int) -> None:
        self.names += sign * len(entry.names)
        self.size += sign * entry.size


def _take_changes_before(
    remaining_changes: list[tuple[str, Entry | None]], end: str | None
) -> dict[str, Entry | None]:
    """Remove and return the changes before a path.

    Args:
        remaining_changes: in reverse order, so that the first is last.
        end: the path; None for all changes.
    """
    part_changes = {}
    while remaining_changes and (end is None or remaining_changes[-1][0] < end):
        path, entry = remaining_changes.pop()
        part_changes[path] = entry
    return part_changes


def _add_lines_to_part(
    open_part: list[bytes], lines: list[bytes], last_lines: set[bytes]
) -> Iterator[tuple[Part, bytes]]:
    """Add lines to the open part of a manifest; yield each part that is full."""
    for line in lines:
        open_part.append(line)
        if line in last_lines or len(open_part) == MAX_PART_LENGTH:
            yield encode_part_lines(open_part)
            open_part.clear()
