"""The tables of an export, and the SQL engine that reads them within a memory limit."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from statuary.content.bulk.remote_objects import object_size
from statuary.content.remote_files import is_remote
from statuary.content.unreadable import UnreadableError
from statuary.domain.limits import MAX_ROWS_PER_BYTE, MIN_ROWS
from statuary.optional import MissingExtraError, optional

NEEDED = (
    "sourcify_matches",
    "verified_contracts",
    "contract_deployments",
    "contracts",
    "compiled_contracts",
    "code",
    "compiled_contracts_sources",
    "sources",
)
"""The tables that every record needs (MEASUREMENTS.md, exports)."""

OPTIONAL = ("compiled_contracts_metadata", "compiled_contracts_signatures", "signatures")
"""Tables that some exports lack: metadata was a column of `sourcify_matches`, and signatures follow from the ABI."""

RANGE = re.compile(r"_\d+_\d+(_[a-z]+)?$")
"""The end of a file name after the table: first row, end, and in older exports the compression."""


class JoinLimits(NamedTuple):
    """Limits of a join."""

    memory: int = 1 << 30  # bytes of the process; the SQL engine spills the rest to disk
    threads: int = 2


OVERHEAD = 224 << 20
"""Bytes of memory that the engine does not count: code, rows in transit, what the allocator keeps."""


def table_of(path: str) -> str:
    """Return the table that a file is a part of."""
    return RANGE.sub("", PurePosixPath(path).name.removesuffix(".parquet"))


def tables_of(files: Iterable[str]) -> dict[str, list[str]]:
    """Return the files of each known table, in order of their first rows.

    Raises:
        UnreadableError: if a table that every record needs is missing.
    """
    tables: dict[str, list[str]] = {}
    for file in sorted(files, key=_first_row):
        tables.setdefault(table_of(file), []).append(file)
    missing = [name for name in NEEDED if name not in tables]
    if missing:
        raise UnreadableError(
            f"the export has no table {', '.join(missing)}",
            f"add its files, such as {missing[0]}_0_10000.parquet",
            rule="whole-export",
        )
    return {name: tables[name] for name in (*NEEDED, *OPTIONAL) if name in tables}


def _first_row(path: str) -> tuple[int, str]:
    numbers = re.findall(r"_(\d+)_\d+", PurePosixPath(path).name)
    return int(numbers[-1]) if numbers else 0, path


def connect(limits: JoinLimits, scratch: Path, database: Path | None = None) -> Any:
    """Open the SQL engine.

    Args:
        database: a file for its tables; by default they are in memory.

    Raises:
        UnreadableError: if the library is not installed.
    """
    try:
        duckdb = optional("duckdb", extra="parquet", purpose="the tables of an export")
    except MissingExtraError as error:
        raise UnreadableError(str(error), error.hint) from None
    config = {
        "memory_limit": f"{limits.memory - OVERHEAD}B",
        "threads": limits.threads,
        "temp_directory": str(scratch),
        "preserve_insertion_order": False,
        "autoinstall_known_extensions": False,
    }
    return duckdb.connect(":memory:" if database is None else str(database), config=config)


def open_tables(connection: Any, root: Path, tables: Mapping[str, list[str]]) -> None:
    """Create a view of each table, with the further columns `filename` and `file_row_number`."""
    if any(is_remote(file) for files in tables.values() for file in files):
        _open_stores(connection, {file.partition("://")[0] for files in tables.values() for file in files})
    for name, files in tables.items():
        locations = [file if is_remote(file) else f"{root}/{file}" for file in files]
        view(
            connection, name, locations, "filename = true, file_row_number = true, hive_partitioning = false"
        )


def check_sizes(connection: Any, root: Path, tables: Mapping[str, list[str]]) -> int:
    """Return the bytes of all files, after comparing them with the number of rows.

    Raises:
        UnreadableError: if a table has more rows than a real one of its size.
    """
    total = 0
    for name, files in tables.items():
        size = sum(object_size(file) if is_remote(file) else (root / file).stat().st_size for file in files)
        paths = ", ".join(_literal(file if is_remote(file) else f"{root}/{file}") for file in files)
        query = f"SELECT sum(num_rows) FROM parquet_file_metadata([{paths}])"
        (rows,) = connection.execute(query).fetchone()
        if rows > MIN_ROWS + MAX_ROWS_PER_BYTE * size:
            message = f"table {name} has {rows:,} rows in {size:,} bytes, more than a real export"
            raise UnreadableError(message, "download its files again", rule="whole-export")
        total += size
    return total


def view(connection: Any, name: str, files: Iterable[str], options: str) -> None:
    """Create a view of Parquet files, which may differ in their columns."""
    listed = ", ".join(map(_literal, files))
    query = f"SELECT * FROM read_parquet([{listed}], union_by_name = true, {options})"
    connection.execute(f"CREATE VIEW {name} AS {query}")


def _open_stores(connection: Any, schemes: set[str]) -> None:
    """Register object stores with the engine."""
    try:
        filesystem = optional(
            "obstore.fsspec", extra="s3", purpose="an export in an object store"
        ).FsspecStore
    except MissingExtraError as error:
        raise UnreadableError(str(error), error.hint) from None
    for scheme in schemes:
        connection.register_filesystem(filesystem(scheme))


def _literal(path: str) -> str:
    """Return a path as an SQL text without wildcards."""
    return "'" + re.sub(r"([\[*?])", r"[\1]", path).replace("'", "''") + "'"


def has_column(connection: Any, table: str, column: str) -> bool:
    """Say whether a view has a column."""
    return any(row[0] == column for row in connection.execute(f"DESCRIBE {table}").fetchall())
