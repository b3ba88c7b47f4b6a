"""Join the tables of a Sourcify export within a memory limit.

A bucket is a small SQLite file. All deployments of a compilation are in one bucket: Sourcify has 8.5 of them
on average, and their common data is written and read once. Any worker that sees the file reads it in little
memory, without the SQL engine.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing
from pathlib import Path, PurePosixPath
from typing import NamedTuple, Protocol, Self

from statuary.base.findings import Finding, Severity
from statuary.base.optional import MissingExtraError, import_optional
from statuary.contracts.sources.contract_source import BulkSource
from statuary.extensions.bulk.export_records import ExportBucket, Row, bucket_database_path
from statuary.extensions.bulk.limits import MAX_EXPORT_EXPANSION, MAX_ROWS_PER_BYTE, MIN_DISK, MIN_ROWS
from statuary.extensions.object_stores.remote_objects import fetch_object_size
from statuary.source.remote_files import is_remote
from statuary.source.unreadable import UnreadableError
from statuary.system.databases import Database, open_database, open_duckdb

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
"""Settings without a journal, since an unfinished bucket is deleted."""


class BucketWriter:
    """Divides the contracts of a Sourcify export among SQLite databases.

    Each database (a bucket) can then be read by another worker. Use the writer as a context manager.
    """

    def __init__(self, folder: Path, bucket_count: int, max_bytes: int) -> None:
        """Create the empty databases.

        Args:
            folder: the folder of the databases.
            bucket_count: the number of databases.
            max_bytes: the number of bytes that the strings and blobs in all databases may have together.
        """
        self.bytes_left = max_bytes
        schema = "".join(f"CREATE TABLE {name} ({columns});" for name, columns in TABLES.items())
        self.buckets: list[Database] = []
        with ExitStack() as stack:
            for number in range(bucket_count):
                bucket = open_database(bucket_database_path(folder, number))
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

    def add(self, table: str, rows: Iterable[Row]) -> None:
        """Insert rows into a table of the databases.

        Args:
            table: the name of the table.
            rows: the rows; the first value of each is the number of the database.

        Raises:
            UnreadableError: if the rows of all tables have more than `max_bytes` together.
        """
        by_bucket: dict[int, list[Row]] = {}
        for number, *values in rows:
            self.bytes_left -= sum(len(value) for value in values if isinstance(value, (str, bytes)))
            by_bucket.setdefault(number, []).append(tuple(values))
        if self.bytes_left < 0:
            raise UnreadableError(
                "the rows of the export take too much memory when they are decompressed",
                "download the files of the export again",
                rule="damaged-export",
            )
        marks = ", ".join("?" * (TABLES[table].count(",") + 1))
        for number, values in by_bucket.items():
            self.buckets[number].executemany(f"INSERT INTO {table} VALUES ({marks})", values)


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
"""Tables that some exports lack: older ones have metadata in `sourcify_matches`; the ABI has the signatures."""

RANGE = re.compile(r"_\d+_\d+(_[a-z]+)?$")
"""The end of a file name after the table: the first row, the end, and in older exports the compression."""


class JoinLimits(NamedTuple):
    """The memory in bytes, and the threads, that DuckDB may use."""

    memory: int = 1 << 30  # bytes of the process; the SQL engine spills the rest to disk
    threads: int = 2


OVERHEAD = 224 << 20
"""Bytes of memory that the engine does not count: code, rows in transit, and unused memory of the allocator."""


def table_name_of_file(file_path: str) -> str:
    """Return the table to which a Parquet file of Sourcify's export belongs.

    For example, `code_0_10000.parquet` belongs to the table `code`.
    """
    return RANGE.sub("", PurePosixPath(file_path).name.removesuffix(".parquet"))


def group_files_by_table(file_paths: Iterable[str]) -> dict[str, list[str]]:
    """Group the Parquet files of Sourcify's export by table, in order.

    Args:
        file_paths: the paths of the files; files of tables that are not needed are left out.

    Raises:
        UnreadableError: if a table that every record needs is missing.
    """
    tables: dict[str, list[str]] = {}
    for file in sorted(file_paths, key=lambda path: (_first_row_number(path), path)):
        tables.setdefault(table_name_of_file(file), []).append(file)
    missing_tables = [name for name in NEEDED if name not in tables]
    if missing_tables:
        raise UnreadableError(
            f"the export has no table {', '.join(missing_tables)}",
            f"add its files, such as {missing_tables[0]}_0_10000.parquet",
            rule="damaged-export",
        )
    return {name: tables[name] for name in (*NEEDED, *OPTIONAL) if name in tables}


def _first_row_number(file_path: str) -> int:
    numbers = re.findall(r"_(\d+)_\d+", PurePosixPath(file_path).name)
    return int(numbers[-1]) if numbers else 0


class _DuckDBConnection(Protocol):
    def execute(self, query: str, parameters: Mapping[str, object] | None = None) -> Self: ...
    def fetchone(self) -> Row: ...
    def fetchmany(self, size: int) -> list[Row]: ...
    def fetchall(self) -> list[Row]: ...
    def register_filesystem(self, filesystem: object) -> None: ...
    def close(self) -> None: ...


def connect_to_duckdb(limits: JoinLimits, scratch: Path, database: Path | None = None) -> _DuckDBConnection:
    """Open a DuckDB database with limits on memory and threads.

    Args:
        limits: the limits on memory and threads.
        scratch: the folder for data that does not fit into memory.
        database: the file of the database; None for a database in memory.

    Raises:
        UnreadableError: if DuckDB is not installed.
    """
    try:
        engine: _DuckDBConnection = open_duckdb(
            database, scratch=scratch, memory=limits.memory - OVERHEAD, threads=limits.threads
        )
    except MissingExtraError as error:
        raise UnreadableError(str(error), error.hint) from None
    return engine


def define_table_views(
    connection: _DuckDBConnection, root: Path, files_by_table: Mapping[str, list[str]]
) -> None:
    """Define a DuckDB view for each table of Sourcify's export.

    A view reads all Parquet files of the table. It also has the columns `filename` and `file_row_number`.

    Args:
        connection: the DuckDB database.
        root: the content folder.
    """
    for name, files in files_by_table.items():
        locations = [file if is_remote(file) else f"{root}/{file}" for file in files]
        define_view(
            connection, name, locations, "filename = true, file_row_number = true, hive_partitioning = false"
        )


def check_table_sizes(
    connection: _DuckDBConnection, root: Path, files_by_table: Mapping[str, list[str]]
) -> int:
    """Refuse an export in which a table has implausibly many rows.

    A small file can claim billions of rows, which would exhaust the memory.

    Args:
        connection: the DuckDB database.
        root: the content folder.

    Returns:
        The size of all files in bytes.

    Raises:
        UnreadableError: if a table has too many rows for the size of its files.
    """
    total = 0
    for name, files in files_by_table.items():
        size = sum(
            fetch_object_size(file) if is_remote(file) else (root / file).stat().st_size for file in files
        )
        paths = ", ".join(_quote_for_sql(file if is_remote(file) else f"{root}/{file}") for file in files)
        query = f"SELECT sum(num_rows) FROM parquet_file_metadata([{paths}])"
        (rows,) = connection.execute(query).fetchone()
        if rows > MIN_ROWS + MAX_ROWS_PER_BYTE * size:
            message = f"table {name} has {rows:,} rows in {size:,} bytes, more than a real export"
            raise UnreadableError(message, "download the files of the export again", rule="damaged-export")
        total += size
    return total


def define_view(
    connection: _DuckDBConnection, view_name: str, files: Iterable[str], sql_options: str
) -> None:
    """Define a DuckDB view of Parquet files with possibly different columns.

    Args:
        connection: the DuckDB database.
        files: the paths or URLs of the files.
        sql_options: more arguments of DuckDB's function `read_parquet`, as SQL.
    """
    file_list = ", ".join(map(_quote_for_sql, files))
    query = f"SELECT * FROM read_parquet([{file_list}], union_by_name = true, {sql_options})"
    connection.execute(f"CREATE VIEW {view_name} AS {query}")


def _enable_object_stores(connection: _DuckDBConnection, files_by_table: Mapping[str, list[str]]) -> bool:
    """Let DuckDB read object stores.

    Returns:
        Whether a file of the export is in one.

    Raises:
        UnreadableError: if the library for them is not installed.
    """
    remote_files = [file for files in files_by_table.values() for file in files if is_remote(file)]
    if not remote_files:
        return False
    try:
        filesystem = import_optional(
            "obstore.fsspec", extra="s3", purpose="an export in an object store"
        ).FsspecStore
    except MissingExtraError as error:
        raise UnreadableError(str(error), error.hint) from None
    for scheme in {file.partition("://")[0] for file in remote_files}:
        connection.register_filesystem(filesystem(scheme))
    return True


def _quote_for_sql(path: str) -> str:
    """Quote a path for SQL, with wildcards escaped."""
    return "'" + re.sub(r"([\[*?])", r"[\1]", path).replace("'", "''") + "'"


def has_column(connection: _DuckDBConnection, table: str, column: str) -> bool:
    """Return whether a table of Sourcify's export has a column."""
    return any(row[0] == column for row in connection.execute(f"DESCRIBE {table}").fetchall())


NEEDS = (
    ("needed_matches", "SELECT bucket, match_id, verified_contract_id, file, file_row FROM keys"),
    ("needed_compilations", "SELECT DISTINCT bucket, compilation_id FROM keys"),
    (
        "needed_code",
        """SELECT DISTINCT bucket, code_hash FROM (SELECT bucket, unnest([onchain_creation, onchain_runtime,
        recompiled_creation, recompiled_runtime]) AS code_hash FROM keys) WHERE code_hash IS NOT NULL""",
    ),
    (
        "source_paths",
        r"""SELECT bucket, compilation_id, path, source_hash, file_row_number AS row_place,
        COALESCE(TRY_CAST(regexp_extract(filename, '_(\d+)_\d+[^/]*$', 1) AS BIGINT), 0) AS file_place
        FROM compiled_contracts_sources JOIN needed_compilations USING (compilation_id)""",
    ),
    ("needed_sources", "SELECT DISTINCT bucket, source_hash FROM source_paths"),
)
"""Tables of keys, in order of creation. Sources keep the order of the export, which is the order in which they were
inserted, and the one in which the server serves them."""


class BucketQuery(NamedTuple):
    """An SQL query whose rows are divided among the buckets (databases)."""

    name: str
    query: str
    """The SQL, in which `{needed}` stands for the table `needed` or a part of it.

    The first column of the result is the number of the bucket.
    """
    needed: str = ""  # the table of keys on the narrow side; empty if the query has no join
    key: str = ""  # the key column of the narrow side


def make_bucket_queries(
    connection: _DuckDBConnection, files_by_table: Mapping[str, list[str]]
) -> Iterator[BucketQuery]:
    """Yield the SQL queries that divide an export among buckets.

    A bucket is a small database for one worker. The first column of a result is its number.

    Args:
        connection: the DuckDB database.
        files_by_table: the files of each table, some of which are optional.
    """
    moment = "strftime(CAST(created_at AS TIMESTAMP), '%Y-%m-%dT%H:%M:%SZ')"
    yield BucketQuery(
        "matches", f"SELECT bucket, {TABLES['matches'].replace('verified_at', moment)} FROM keys"
    )
    yield _make_match_query(
        "steps",
        "creation_transformations, creation_values, runtime_transformations, runtime_values",
        "verified_contracts JOIN {needed} ON needed.verified_contract_id = id",
    )
    if has_column(connection, "sourcify_matches", "metadata"):
        on = "needed.file = filename AND needed.file_row = file_row_number"
        yield _make_match_query("match_metadata", "metadata", f"sourcify_matches JOIN {{needed}} ON {on}")
    yield from _make_compilation_queries(connection, files_by_table)
    yield BucketQuery(
        "code",
        "SELECT bucket, code_hash, code FROM code JOIN {needed} USING (code_hash)",
        "needed_code",
        "code_hash",
    )
    yield BucketQuery("paths", f"SELECT bucket, {TABLES['paths']} FROM source_paths")
    query = "SELECT bucket, source_hash, content FROM sources JOIN {needed} USING (source_hash)"
    yield BucketQuery("sources", query, "needed_sources", "source_hash")


def _make_match_query(table_name: str, columns: str, joined_tables: str) -> BucketQuery:
    query = f"SELECT bucket, match_id, {columns} FROM {joined_tables}"
    return BucketQuery(table_name, query, "needed_matches", "match_id")


def _make_compilation_queries(
    connection: _DuckDBConnection, files_by_table: Mapping[str, list[str]]
) -> Iterator[BucketQuery]:
    additional = has_column(connection, "compiled_contracts", "additional_input")
    columns = (
        TABLES["compilations"] if additional else TABLES["compilations"].replace("additional_input", "NULL")
    )
    queries = {
        "compilations": f"SELECT bucket, {columns} FROM"
        " (SELECT *, id AS compilation_id FROM compiled_contracts) JOIN {needed} USING (compilation_id)"
    }
    if "compiled_contracts_metadata" in files_by_table:
        queries["metadata"] = (
            "SELECT bucket, compilation_id, metadata"
            " FROM compiled_contracts_metadata JOIN {needed} USING (compilation_id)"
        )
    if {"signatures", "compiled_contracts_signatures"} <= files_by_table.keys():
        queries["signatures"] = (
            "SELECT bucket, compilation_id, signature_type, signature, signature_hash_4, signature_hash_32"
            " FROM compiled_contracts_signatures JOIN {needed} USING (compilation_id)"
            " JOIN signatures USING (signature_hash_32)"
        )
    for name, query in queries.items():
        yield BucketQuery(name, query, "needed_compilations", "compilation_id")


CONTRACTS_OF_A_BUCKET = 8192
"""Contracts of a bucket, which are about a hundred megabytes of records."""

MOST_BUCKETS = 256
"""Limit for buckets, since all are open at the same time."""

NEED_SIZE = 256
"""Bytes of memory for a row on the narrow side of a join: a generous estimate."""

SHARE = 4
"""The narrow side takes at most one part in this many of the memory; the wide side needs the rest."""

OVERLAP = 16
"""Rows that one match may join on average: ids are unique, but the files of an export may overlap."""

ROWS_AT_A_TIME = 256
"""Rows fetched at a time: of the widest table, about ten megabytes."""


class ExportJoin(NamedTuple):
    """The databases of contracts made from an export, and errors or warnings."""

    buckets: tuple[ExportBucket, ...]
    findings: tuple[Finding, ...]


def join_export(
    root: Path, source: BulkSource, *, chain_ids: Collection[str], scratch_dir: Path, limits: JoinLimits
) -> ExportJoin:
    """Join the tables of Sourcify's export into contracts.

    The contracts are divided among SQLite databases, which can be read independently.

    Args:
        root: the content folder.
        source: the export, as site.yaml names it.
        chain_ids: the ids of the site's chains; contracts on other chains are skipped.
        scratch_dir: an empty folder for the databases, which must exist as long as they are read.
        limits: the limits on memory and threads.

    Raises:
        UnreadableError: if tables are missing or cannot be read, or memory or disk space is too small.
    """
    tables = group_files_by_table(source.files)
    connection = connect_to_duckdb(limits, scratch_dir / "scratch", scratch_dir / "join.duckdb")
    has_remote_files = False
    try:
        has_remote_files = _enable_object_stores(connection, tables)
        size = check_table_sizes(connection, root, tables)
        define_table_views(connection, root, tables)
        connection.execute(f"SET max_temp_directory_size = '{MIN_DISK + MAX_EXPORT_EXPANSION * size}B'")
        buckets, dangling = _create_join_keys(connection, chain_ids)
        counts = connection.execute("SELECT bucket, count(*) FROM keys GROUP BY ALL ORDER BY ALL").fetchall()
        with BucketWriter(scratch_dir, buckets, MIN_DISK + MAX_EXPORT_EXPANSION * size) as bench:
            _fill_buckets(connection, tables, bench, limits)
    except UnreadableError:
        raise
    except Exception as error:  # noqa: BLE001 - the errors of duckdb, which is optional
        # Do not print DuckDB's message for a remote file, because it may contain secrets such as the address
        # of the object store.
        reason = "its store failed, or a file is damaged" if has_remote_files else str(error)[:500]
        raise UnreadableError(
            f"cannot join the export: {reason}",
            "if memory is too small, raise `contracts: {join_memory_mib: ...}` in site.yaml",
            rule="damaged-export",
        ) from None
    finally:
        connection.close()
    (scratch_dir / "join.duckdb").unlink()
    return ExportJoin(
        buckets=tuple(
            ExportBucket(
                path=source.path,
                scratch_dir=scratch_dir,
                number=number,
                matches=matches,
                has_signatures={"signatures", "compiled_contracts_signatures"} <= tables.keys(),
            )
            for number, matches in counts
        ),
        findings=(_dangling_rows_finding(source.path, dangling),) if dangling else (),
    )


NEWEST = """
CREATE TABLE newest AS
SELECT id AS match_id, verified_contract_id, creation_match, runtime_match, created_at, updated_at,
    filename AS file, file_row_number AS file_row
FROM sourcify_matches
QUALIFY row_number() OVER (PARTITION BY id ORDER BY updated_at DESC, filename DESC, file_row_number DESC) = 1
"""
"""The newest row of each match: a match is exported again whenever it changes."""

JOINED = """
SELECT m.*, v.compilation_id, v.deployment_id, d.chain_id, d.address, d.transaction_hash,
    d.block_number, d.transaction_index, d.deployer,
    o.creation_code_hash AS onchain_creation, o.runtime_code_hash AS onchain_runtime,
    c.creation_code_hash AS recompiled_creation, c.runtime_code_hash AS recompiled_runtime,
    o.id IS NULL OR c.id IS NULL AS dangles
FROM newest m
LEFT JOIN verified_contracts v ON v.id = m.verified_contract_id
LEFT JOIN contract_deployments d ON d.id = v.deployment_id
LEFT JOIN contracts o ON o.id = d.contract_id
LEFT JOIN compiled_contracts c ON c.id = v.compilation_id
WHERE d.chain_id IS NULL OR CAST(d.chain_id AS VARCHAR) IN (SELECT unnest($chains))
"""

KEYS = """
CREATE TABLE keys AS
SELECT *, CAST(('0x' || left(md5(CAST(compilation_id AS VARCHAR)), 8)) AS BIGINT) % $buckets AS bucket
FROM joined WHERE NOT dangles
QUALIFY row_number() OVER (PARTITION BY chain_id, address ORDER BY updated_at DESC, match_id DESC) = 1
"""
"""The newest match at each address, to which contracts may be deployed more than once."""


class _JoinedKeys(NamedTuple):
    buckets: int
    dangling: int  # skipped matches, since rows that they refer to are missing


def _create_join_keys(connection: _DuckDBConnection, chain_ids: Collection[str]) -> _JoinedKeys:
    connection.execute(NEWEST)
    (newest,) = connection.execute("SELECT count(*) FROM newest").fetchone()
    connection.execute(
        f"CREATE TABLE joined AS {JOINED} LIMIT {OVERLAP * newest + 1}", {"chains": list(chain_ids)}
    )
    matches, dangling = connection.execute("SELECT count(*), count_if(dangles) FROM joined").fetchone()
    if matches > OVERLAP * newest:
        raise UnreadableError(
            "a table of the export has two rows with the same id",
            "download the files of the export again",
            rule="damaged-export",
        )
    buckets = min(MOST_BUCKETS, 1 + matches // CONTRACTS_OF_A_BUCKET)
    connection.execute(KEYS, {"buckets": buckets})
    connection.execute("DROP TABLE newest; DROP TABLE joined")
    return _JoinedKeys(buckets, int(dangling))


def _dangling_rows_finding(path: str, count: int) -> Finding:
    return Finding(
        rule="damaged-export",
        severity=Severity.WARNING,
        path=path,
        message=f"{count:,} matches are skipped, because they refer to rows that the export does not have",
        hint="download all files of one export",
    )


def _fill_buckets(
    connection: _DuckDBConnection,
    files_by_table: Mapping[str, list[str]],
    bucket_writer: BucketWriter,
    limits: JoinLimits,
) -> None:
    for name, query in NEEDS:
        connection.execute(f"CREATE TABLE {name} AS {query}")
    # DuckDB keeps the right table of a join in memory, and its optimizer may swap the tables. Turn that off:
    # here the right table has few columns, and the left one may be larger than the memory.
    connection.execute("SET disabled_optimizers = 'join_order,build_side_probe_side'")
    for wide in make_bucket_queries(connection, files_by_table):
        for needed in _divide_into_passes(connection, wide, limits):
            cursor = connection.execute(wide.query.format(needed=needed))
            while rows := cursor.fetchmany(ROWS_AT_A_TIME):
                bucket_writer.add(wide.name, rows)


def _divide_into_passes(
    connection: _DuckDBConnection, bucket_query: BucketQuery, limits: JoinLimits
) -> list[str]:
    """Divide a join with a table of keys into passes that fit into memory.

    Returns:
        For each pass, the SQL that selects its keys, to insert at `{needed}` in the query. One empty string for a query
        without a join.
    """
    if not bucket_query.needed:
        return [""]
    (rows,) = connection.execute(f"SELECT count(*) FROM {bucket_query.needed}").fetchone()
    passes = 1 + rows * NEED_SIZE * SHARE // limits.memory
    return [
        f"(SELECT * FROM {bucket_query.needed} WHERE hash({bucket_query.key}) % {passes} = {number}) AS needed"
        for number in range(passes)
    ]
