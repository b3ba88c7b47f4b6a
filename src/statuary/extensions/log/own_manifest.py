"""Check the manifest that a site has beside its log.

The documents of the manifest are compared with those in the log. The manifest's instant and revision are not covered.
"""

from collections.abc import Iterable, Iterator
from hashlib import sha256

from statuary.base.files import MANIFEST, SIGNATURE
from statuary.base.primitives import format_utc
from statuary.extensions.log.merkle import ReadPath
from statuary.extensions.snapshots.site_reader import ManifestIndex
from statuary.publish.listing import DamagedSnapshotError, Entry
from statuary.publish.manifest import is_listed, parse_manifest, read_entries
from statuary.system.databases import open_temporary_database

SCHEMA = """
CREATE TABLE stated (name TEXT PRIMARY KEY, sha256 TEXT) WITHOUT ROWID;
CREATE TABLE found (name TEXT PRIMARY KEY, sha256 TEXT) WITHOUT ROWID;
"""


def find_manifest_entries(index: ManifestIndex, paths: Iterable[str]) -> Iterator[Entry]:
    """Find files in a site's manifest, the list of its files.

    The manifest is divided into parts, and only the necessary parts are read. One entry can have several paths;
    it is yielded once.

    Args:
        index: the manifest.
        paths: the paths to find.

    Raises:
        DamagedSnapshotError: if a part of the manifest is missing or damaged.
    """
    yield from {entry.path: entry for path in paths if (entry := index.find(path)) is not None}.values()


class OwnManifest:
    """Compares a site's files with its manifest, the list of all files.

    Both lists are in a temporary database.
    """

    def __init__(self, read_path: ReadPath) -> None:
        """Create an empty comparison; `load_digests` reads the manifest."""
        self.fault = ""  # why the file is not a manifest; empty if it is one
        self.instant = ""  # the instant that the manifest states
        self.read_path = read_path
        self.table = open_temporary_database(SCHEMA)
        self.paths = {MANIFEST, SIGNATURE}  # the paths of the manifest itself

    def load_digests(self, paths: Iterable[str] | None) -> None:
        """Read the digests of a site's files from its manifest.

        Call this method once.

        Args:
            paths: the files to read the digests of; None for all files.
        """
        text = self.read_path(MANIFEST)
        if text is None:
            self.fault = f"{MANIFEST} is missing"
            return
        try:
            manifest = parse_manifest(text)
            self.instant = format_utc(manifest.origin.instant)
            self.paths |= {part.path for part in manifest.parts}
            entries = (
                read_entries(manifest, self.read_path)
                if paths is None
                else find_manifest_entries(ManifestIndex(text, self.read_path), paths)
            )
            for entry in entries:
                rows = ((name, entry.sha256) for name in entry.names)
                self.table.executemany("INSERT OR REPLACE INTO stated VALUES (?,?)", rows)
        except DamagedSnapshotError as error:
            self.fault = str(error)

    def close(self) -> None:
        """Delete the temporary database."""
        self.table.close()

    def matches_listed_digest(self, path: str, content: bytes | None) -> bool:
        """Return whether a file equals its entry in the site's file list.

        If both the file and its entry are missing, the result is True.

        Args:
            path: the path of the file.
            content: the bytes of the file; None if the file is missing.
        """
        row = self.table.execute("SELECT sha256 FROM stated WHERE name = ?", (path,)).fetchone()
        if row is None:
            return content is None and not self.fault
        return content is not None and row[0] == sha256(content).hexdigest()

    def record_file_digest(self, path: str, content: bytes | None) -> None:
        """Store the digest of a file, for `describe_differences`.

        Args:
            path: the path of the file.
            content: the bytes of the file; None if the file is missing.
        """
        digest = "" if content is None else sha256(content).hexdigest()
        self.table.execute("INSERT OR REPLACE INTO found VALUES (?,?)", (path, digest))

    def describe_differences(self) -> Iterator[str]:
        """Yield a sentence for each difference between a site and its manifest.

        Listed files that were not passed to `record_file_digest` are read from the site.
        """
        if self.fault:
            yield self.fault if self.fault.startswith(MANIFEST) else f"{MANIFEST}: {self.fault}"
            return
        query = "SELECT name FROM stated WHERE name NOT IN (SELECT name FROM found)"
        for (name,) in self.table.execute(query).fetchall():
            self.record_file_digest(name, self.read_path(name))
        differing = (
            "SELECT name, sha256, (SELECT sha256 FROM found WHERE name = stated.name) FROM stated"
            " WHERE sha256 != (SELECT sha256 FROM found WHERE name = stated.name) ORDER BY name"
        )
        for name, stated, found in self.table.execute(differing):
            what = f"has the SHA-256 {found}" if found else "is missing"
            yield f"{name} {what}; {MANIFEST} states {stated}"
        omitted = "SELECT name FROM found WHERE sha256 != '' AND name NOT IN (SELECT name FROM stated) ORDER BY name"
        for (name,) in self.table.execute(omitted):
            if is_listed(name):
                yield f"{name} is not in {MANIFEST}"

    def is_manifest_file(self, path: str) -> bool:
        """Return whether a path belongs to the list of the site's files.

        The list's signature and its parts are included.
        """
        return path in self.paths
