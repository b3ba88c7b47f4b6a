"""First stage of reading an export: join its keys, and sort its wide rows into buckets.

The keys of all matches are joined in narrow tables by the SQL engine. Then each wide table is read from its
beginning to its end, and every row goes into the buckets whose records need it. The narrow side of that join is
kept in memory, in as many passes as the cap makes necessary; wide values pass through and are kept nowhere.
"""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from statuary.content.bulk.bucket_files import BucketWriter
from statuary.content.bulk.export_queries import NEEDS, BucketQuery, bucket_queries
from statuary.content.bulk.export_tables import JoinLimits, connect, open_tables, tables_of
from statuary.content.unreadable import UnreadableError
from statuary.domain.catalogue import BulkSource
from statuary.domain.findings import Finding, Severity

CONTRACTS_OF_A_BUCKET = 8192
"""About a hundred megabytes of records."""

MOST_BUCKETS = 256
"""As many files are open at a time."""

NEED_SIZE = 256
"""Bytes of memory that the engine takes for a row of the narrow side, generously."""

SHARE = 4
"""The narrow side may take this part of the memory; the rest is for reading the wide one."""

ROWS_AT_A_TIME = 256
"""Rows taken from the engine at a time: of the widest, some ten megabytes."""


class ExportBucket(NamedTuple):
    """Some contracts of an export, with everything that their records are made of.

    Attributes:
        path: the export, relative to the content folder, or a URL.
        workbench: the folder that the first stage wrote into.
        number: which bucket of it.
        contracts: how many contracts it has.
        has_signatures: whether the export has tables of signatures; else they are made from the ABI.
    """

    path: str
    scratch_dir: Path
    number: int
    contracts: int
    has_signatures: bool = True


class ExportJoin(NamedTuple):
    """What the first stage gave.

    Attributes:
        buckets: in order of their numbers.
        findings: what is wrong with the export as a whole.
    """

    buckets: tuple[ExportBucket, ...]
    findings: tuple[Finding, ...]


def join_export(
    root: Path, source: BulkSource, *, chains: Collection[str], scratch_dir: Path, limits: JoinLimits
) -> ExportJoin:
    """Join an export's tables into buckets.

    Args:
        root: the content folder.
        source: the export.
        chains: ids of the chains that are wanted; matches on others are left out.
        workbench: an empty folder; it must stay as long as buckets are read.
        limits: what the join may take.

    Raises:
        Unreadable: if tables are missing or cannot be read, or memory or disk do not suffice.
    """
    tables = tables_of(source.files)
    connection = connect(limits, scratch_dir / "scratch", scratch_dir / "join.duckdb")
    try:
        open_tables(connection, root, tables)
        buckets, dangling = _join_keys(connection, chains)
        counts = connection.execute("SELECT bucket, count(*) FROM keys GROUP BY ALL ORDER BY ALL").fetchall()
        with BucketWriter(scratch_dir, buckets) as bench:
            _fill(connection, tables, bench, limits)
    except UnreadableError:
        raise
    except Exception as error:  # noqa: BLE001 - the engine's errors, whose library is imported only here
        raise UnreadableError(
            f"the export cannot be joined: {str(error)[:500]}",
            "if memory does not suffice, raise `contracts: {join_memory_mib: ...}` in site.yaml",
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
"""Matches are exported again whenever they change; the newest row of each is the match."""

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
"""One match for each contract: the newest, as an address may have been deployed to more than once."""


def _join_keys(connection: Any, chains: Collection[str]) -> tuple[int, int]:
    """Make the table of keys; return how many buckets to make, and how many matches lack rows."""
    connection.execute(NEWEST)
    connection.execute(f"CREATE TABLE joined AS {JOINED}", {"chains": list(chains)})
    matches, dangling = connection.execute("SELECT count(*), count_if(dangles) FROM joined").fetchone()
    buckets = min(MOST_BUCKETS, 1 + matches // CONTRACTS_OF_A_BUCKET)
    connection.execute(KEYS, {"buckets": buckets})
    connection.execute("DROP TABLE newest; DROP TABLE joined")
    return buckets, int(dangling)


def _dangling(path: str, count: int) -> Finding:
    return Finding(
        rule="whole-export",
        severity=Severity.WARNING,
        path=path,
        message=f"{count:,} matches name rows that the export does not have; they are left out",
        hint="take all files of one export",
    )


def _fill(connection: Any, tables: Mapping[str, list[str]], bench: BucketWriter, limits: JoinLimits) -> None:
    """Put everything that the records of each bucket need into it."""
    for name, query in NEEDS:
        connection.execute(f"CREATE TABLE {name} AS {query}")
    # what stands on the right of a join is kept in memory: the narrow side, not what the engine would choose
    connection.execute("SET disabled_optimizers = 'join_order,build_side_probe_side'")
    for wide in bucket_queries(connection, tables):
        for needed in _passes(connection, wide, limits):
            cursor = connection.execute(wide.query.format(needed=needed))
            while rows := cursor.fetchmany(ROWS_AT_A_TIME):
                bench.add(wide.name, rows)


def _passes(connection: Any, wide: BucketQuery, limits: JoinLimits) -> list[str]:
    """Return the narrow side of a join, in as many parts as make each fit into memory."""
    if not wide.needed:
        return [""]
    (rows,) = connection.execute(f"SELECT count(*) FROM {wide.needed}").fetchone()
    passes = 1 + rows * NEED_SIZE * SHARE // limits.memory
    return [
        f"(SELECT * FROM {wide.needed} WHERE hash({wide.key}) % {passes} = {number}) AS needed"
        for number in range(passes)
    ]
