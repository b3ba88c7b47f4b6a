"""The values of content files in the last build, so that a build reads only the files that changed."""

import sqlite3
from hashlib import sha256
from typing import NamedTuple, TypeVar

from typing_extensions import override

from statuary.base.findings import Finding
from statuary.publish.fingerprint import digest_of, program_fingerprint
from statuary.publish.ledger.ledger import Ledger, LedgerTable
from statuary.publish.ledger.stored_values import decode_value, encode_value
from statuary.source.content_files import Load
from statuary.source.source_files import ReadFile, SourceFile
from statuary.source.unreadable import UnreadableError

Value = TypeVar("Value")


class _StoredValue(NamedTuple):
    """A row of the table."""

    name: str
    checksum: bytes  # of the program, the file, the other inputs, and the value
    value: bytes


class KnownFiles(LedgerTable):
    """A table of the values that builds have made from content files without faults.

    A stored value is used again only if its file has the same bytes, everything else that it depends on is equal,
    and the program is the same.
    """

    def __init__(self, ledger: Ledger, connection: sqlite3.Connection) -> None:
        super().__init__(ledger, connection)
        connection.execute(
            "CREATE TABLE IF NOT EXISTS main.known_files"
            " (name TEXT PRIMARY KEY, checksum BLOB NOT NULL, value BLOB NOT NULL) WITHOUT ROWID"
        )
        rows = connection.execute(
            "SELECT name, checksum, value FROM main.known_files"
            " WHERE typeof(checksum) = 'blob' AND typeof(value) = 'blob'"  # else the ledger is damaged
        )
        self._known = {row.name: row for row in map(_StoredValue._make, rows)}
        self._program = program_fingerprint().encode()
        # The digests of the file and the inputs of each value that this build uses.
        self._digests: dict[str, bytes] = {}
        self._changed: list[_StoredValue] = []

    def find(self, name: str, body: bytes, kind: type[Value], *inputs: object) -> Value | None:
        """Return the stored value of a file, unless the file has changed.

        Args:
            name: the path of the file, or another name of the value.
            body: the bytes of the file now.
            kind: the type of the value.
            inputs: everything else that the value depends on, such as the settings of the page.

        Returns:
            The value, or None if it is not stored, or the file, the inputs or the program have changed since.
        """
        inputs_digest = digest_of(*inputs).encode() if inputs else b""
        digest = self._digests[name] = sha256(inputs_digest + body).digest()
        stored = self._known.get(name)
        if stored is None or stored.checksum != self._checksum(digest, stored.value):
            return None
        try:
            return decode_value(kind, stored.value)
        except LookupError:  # this machine has no data of a time zone
            return None

    def only_changed(self, load: Load[Value], kind: type[Value], *inputs: object) -> Load[Value]:
        """Return a function that calls another one only for files that changed since the last build.

        Args:
            load: reads a file; its value is stored unless it finds a fault.
            kind: the type of the value.
            inputs: everything else that the value depends on.
        """

        def load_changed(file: SourceFile, *, limit: int, findings: list[Finding]) -> Value | None:
            try:
                body = file.load_bytes(limit)
            except UnreadableError as error:
                findings.append(error.to_finding(file.path))
                return None
            value = self.find(file.path, body, kind, *inputs)
            if value is None:
                earlier = len(findings)
                value = load(ReadFile(file.root, file.path, body), limit=limit, findings=findings)
                if value is not None and len(findings) == earlier:
                    self.add(file.path, value)
            return value

        return load_changed

    def add(self, name: str, value: object) -> None:
        """Store the value that was read from a changed file.

        A value with translated texts is not stored, so every build reads its file again.
        """
        try:
            encoded = encode_value(value)
        except TypeError:
            del self._digests[name]
        else:
            checksum = self._checksum(self._digests[name], encoded)
            self._changed.append(_StoredValue(name, checksum, encoded))

    def _checksum(self, digest: bytes, value: bytes) -> bytes:
        return sha256(self._program + digest + value).digest()

    @override
    def save(self) -> None:
        gone = self._known.keys() - self._digests.keys()
        self.connection.executemany("DELETE FROM main.known_files WHERE name = ?", ((name,) for name in gone))
        self.connection.executemany("INSERT OR REPLACE INTO main.known_files VALUES (?,?,?)", self._changed)
