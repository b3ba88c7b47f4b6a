"""The rows of an export sorted into buckets, each a small SQLite file.

All deployments of a compilation are in one bucket: Sourcify has 8.5 of them on average, and what they share is
written and read once. Any worker that sees the file reads it in little memory, without the SQL engine.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, Self

from statuary.content.unreadable import UnreadableError

TABLES = {
    "matches": (
        "match_id, verified_at, file, file_row, creation_match, runtime_match, chain_id, address, transaction_hash,"
        " block_number, transaction_index, deployer, compilation_id, onchain_creation, onchain_runtime,"
        " recompiled_creation, recompiled_runtime"
    ),
    "steps": "match_id, creation_transformations, creation_values, runtime_transformations, runtime_values",
    "match_metadata": "match_id, metadata",
    "compilations": (
        "compilation_id, language, compiler, version, name, fully_qualified_name, compiler_settings,"
        " compilation_artifacts, creation_code_artifacts, runtime_code_artifacts, additional_input"
    ),
    "metadata": "compilation_id, metadata",
    "code": "code_hash, code",
    "paths": "compilation_id, file_place, row_place, path, source_hash",
    "sources": "source_hash, content",
    "signatures": "compilation_id, signature_type, signature, signature_hash_4, signature_hash_32",
}
"""The tables of a bucket and their columns; the first column is indexed."""

PRAGMAS = (
    "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-256;"
)
"""Without a journal: an unfinished bucket is thrown away."""


class BucketWriter:
    """Fills all buckets in one pass; a context manager that finishes them."""

    def __init__(self, folder: Path, buckets: int, limit: int) -> None:
        """Create empty buckets, which take at most `limit` bytes of values, in an empty folder."""
        self.left = limit
        schema = "".join(f"CREATE TABLE {name} ({columns});" for name, columns in TABLES.items())
        self.buckets: list[sqlite3.Connection] = []
        with ExitStack() as stack:
            for number in range(buckets):
                bucket = sqlite3.connect(bucket_file(folder, number), isolation_level=None)
                self.buckets.append(stack.enter_context(closing(bucket)))
                bucket.executescript(f"{PRAGMAS} BEGIN; {schema}")
            self._open = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._open:
            for bucket in self.buckets if kind is None else ():
                for name, columns in TABLES.items():
                    bucket.execute(f"CREATE INDEX by_{name} ON {name} ({columns.partition(',')[0]})")
                bucket.execute("COMMIT")

    def add(self, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Add rows to their buckets; the first value of a row is the number of its bucket."""
        by_bucket: dict[int, list[tuple[Any, ...]]] = {}
        for number, *values in rows:
            self.left -= sum(len(value) for value in values if isinstance(value, (str, bytes)))
            by_bucket.setdefault(number, []).append(tuple(values))
        if self.left < 0:
            raise UnreadableError(
                "the rows of the export expand too far", "download its files again", rule="whole-export"
            )
        marks = ", ".join("?" * (TABLES[table].count(",") + 1))
        for number, values in by_bucket.items():
            self.buckets[number].executemany(f"INSERT INTO {table} VALUES ({marks})", values)


def bucket_file(folder: Path, number: int) -> Path:
    """Return the path of a bucket."""
    return folder / f"bucket-{number}.sqlite3"


MATCHES = """
SELECT m.file, m.file_row, m.match_id, m.verified_at, m.chain_id, m.address,
    m.transaction_hash, m.block_number, m.transaction_index, m.deployer,
    m.creation_match, m.runtime_match, oc.code, o.code, rc.code, r.code,
    c.creation_code_artifacts, c.runtime_code_artifacts,
    s.creation_transformations, s.creation_values, s.runtime_transformations, s.runtime_values,
    c.language, c.compiler, c.version, c.name, c.fully_qualified_name, c.compiler_settings,
    c.compilation_artifacts, c.additional_input, COALESCE(d.metadata, e.metadata), m.compilation_id
FROM matches m
JOIN compilations c ON c.compilation_id = m.compilation_id
LEFT JOIN steps s ON s.match_id = m.match_id
LEFT JOIN metadata d ON d.compilation_id = m.compilation_id
LEFT JOIN match_metadata e ON e.match_id = m.match_id
LEFT JOIN code oc ON oc.code_hash = m.onchain_creation
LEFT JOIN code o ON o.code_hash = m.onchain_runtime
LEFT JOIN code rc ON rc.code_hash = m.recompiled_creation
LEFT JOIN code r ON r.code_hash = m.recompiled_runtime
WHERE m.rowid = ?
"""

ORDER = "SELECT rowid FROM matches ORDER BY chain_id, address"
"""Only narrow rows are sorted; the wide ones are looked up one by one."""

SOURCES = """
SELECT path, content FROM paths JOIN sources USING (source_hash)
WHERE compilation_id = ? ORDER BY file_place, row_place
"""

SIGNATURES = """
SELECT signature_type, signature, signature_hash_4, signature_hash_32 FROM signatures WHERE compilation_id = ?
"""


def read_rows(file: Path) -> Iterator[tuple[tuple[Any, ...], list[tuple[str, str]], list[tuple[Any, ...]]]]:
    """Yield the columns, sources and signatures of each match of a bucket, in order of chain and address."""
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as bucket:
        for (row,) in bucket.execute(ORDER):
            match = bucket.execute(MATCHES, (row,)).fetchone()
            compilation = match[-1:]
            sources = bucket.execute(SOURCES, compilation).fetchall()
            yield match[:-1], sources, bucket.execute(SIGNATURES, compilation).fetchall()
