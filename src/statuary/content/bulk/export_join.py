"""First stage of reading an export: joins its keys, and sorts its wide rows into buckets.

The SQL engine joins the keys of all matches in narrow tables. Then each wide table is read once, and every row goes
into the buckets whose records need it. The narrow side of that join is in memory, in as many passes as the memory
limit takes; wide values are never kept.
"""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from statuary.content.bulk.bucket_files import BucketWriter
from statuary.content.bulk.export_queries import NEEDS, BucketQuery, bucket_queries
from statuary.content.bulk.export_tables import JoinLimits, check_sizes, connect, open_tables, tables_of
from statuary.content.unreadable import UnreadableError
from statuary.domain.catalogue import BulkSource
from statuary.domain.findings import Finding, Severity
from statuary.domain.limits import MAX_EXPORT_EXPANSION, MIN_DISK

CONTRACTS_OF_A_BUCKET = 8192
"""About a hundred megabytes of records."""

MOST_BUCKETS = 256
"""All of them are open at the same time."""

NEED_SIZE = 256
"""Bytes of memory for a row of the narrow side: a generous estimate."""

SHARE = 4
"""The narrow side takes at most this part of the memory; the wide side needs the rest."""

OVERLAP = 16
"""Rows that one match may join: ids are unique, but the files of an export may overlap."""

ROWS_AT_A_TIME = 256
"""Rows fetched at a time: of the widest table, about ten megabytes."""


class ExportBucket(NamedTuple):
    """Some contracts of an export, with all rows of their records."""

    path: str  # the export, relative to the content folder, or a URL
    scratch_dir: Path  # the folder of the bucket's file
    number: int
    contracts: int
    # whether the export has tables of signatures; else they are derived from the ABI
    has_signatures: bool = True


class ExportJoin(NamedTuple):
    """The buckets of an export in order of their numbers, and what is wrong with the export as a whole."""

    buckets: tuple[ExportBucket, ...]
    findings: tuple[Finding, ...]


def join_export(
    root: Path, source: BulkSource, *, chains: Collection[str], scratch_dir: Path, limits: JoinLimits
) -> ExportJoin:
    """Join an export's tables into buckets.

    Args:
        chains: the ids of the site's chains; matches on others are left out.
        scratch_dir: an empty folder, which must exist as long as buckets are read.

    Raises:
        UnreadableError: if tables are missing or cannot be read, or memory or disk is too small.
    """
    tables = tables_of(source.files)
    connection = connect(limits, scratch_dir / "scratch", scratch_dir / "join.duckdb")
    try:
        open_tables(connection, root, tables)
        size = check_sizes(connection, root, tables)
        connection.execute(f"SET max_temp_directory_size = '{MIN_DISK + MAX_EXPORT_EXPANSION * size}B'")
        buckets, dangling = _join_keys(connection, chains)
        counts = connection.execute("SELECT bucket, count(*) FROM keys GROUP BY ALL ORDER BY ALL").fetchall()
        with BucketWriter(scratch_dir, buckets, MIN_DISK + MAX_EXPORT_EXPANSION * size) as bench:
            _fill(connection, tables, bench, limits)
    except UnreadableError:
        raise
    except Exception as error:  # noqa: BLE001 - the errors of duckdb, which is optional
        raise UnreadableError(
            f"cannot join the export: {str(error)[:500]}",
            "if memory is too small, raise `contracts: {join_memory_mib: ...}` in site.yaml",
            rule="whole-export",
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
                contracts=contracts,
                has_signatures={"signatures", "compiled_contracts_signatures"} <= tables.keys(),
            )
            for number, contracts in counts
        ),
        findings=(_dangling(source.path, dangling),) if dangling else (),
    )


NEWEST = """
CREATE TABLE newest AS
SELECT id AS match_id, verified_contract_id, creation_match, runtime_match, created_at, updated_at,
    filename AS file, file_row_number AS file_row
FROM sourcify_matches
QUALIFY row_number() OVER (PARTITION BY id ORDER BY updated_at DESC, filename DESC, file_row_number DESC) = 1
"""
"""A match is exported again whenever it changes; its newest row counts."""

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
"""One match for each contract, the newest: a contract may be deployed to its address more than once."""


def _join_keys(connection: Any, chains: Collection[str]) -> tuple[int, int]:
    """Create the table of keys; return the number of buckets, and of matches whose rows are missing."""
    connection.execute(NEWEST)
    (newest,) = connection.execute("SELECT count(*) FROM newest").fetchone()
    connection.execute(
        f"CREATE TABLE joined AS {JOINED} LIMIT {OVERLAP * newest + 1}", {"chains": list(chains)}
    )
    matches, dangling = connection.execute("SELECT count(*), count_if(dangles) FROM joined").fetchone()
    if matches > OVERLAP * newest:
        raise UnreadableError("the export repeats ids", "download its files again", rule="whole-export")
    buckets = min(MOST_BUCKETS, 1 + matches // CONTRACTS_OF_A_BUCKET)
    connection.execute(KEYS, {"buckets": buckets})
    connection.execute("DROP TABLE newest; DROP TABLE joined")
    return buckets, int(dangling)


def _dangling(path: str, count: int) -> Finding:
    return Finding(
        rule="whole-export",
        severity=Severity.WARNING,
        path=path,
        message=f"{count:,} matches refer to rows that the export does not have; they are left out",
        hint="download all files of one export",
    )


def _fill(connection: Any, tables: Mapping[str, list[str]], bench: BucketWriter, limits: JoinLimits) -> None:
    """Add to each bucket all rows that its records need."""
    for name, query in NEEDS:
        connection.execute(f"CREATE TABLE {name} AS {query}")
    # keep the right side of each join in memory: the narrow one, not the one that the engine would choose
    connection.execute("SET disabled_optimizers = 'join_order,build_side_probe_side'")
    for wide in bucket_queries(connection, tables):
        for needed in _passes(connection, wide, limits):
            cursor = connection.execute(wide.query.format(needed=needed))
            while rows := cursor.fetchmany(ROWS_AT_A_TIME):
                bench.add(wide.name, rows)


def _passes(connection: Any, wide: BucketQuery, limits: JoinLimits) -> list[str]:
    """Return the narrow side of a join, in as many parts as it takes for each to fit into memory."""
    if not wide.needed:
        return [""]
    (rows,) = connection.execute(f"SELECT count(*) FROM {wide.needed}").fetchone()
    passes = 1 + rows * NEED_SIZE * SHARE // limits.memory
    return [
        f"(SELECT * FROM {wide.needed} WHERE hash({wide.key}) % {passes} = {number}) AS needed"
        for number in range(passes)
    ]
