"""The queries for the rows of an export that each bucket needs."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from statuary.content.bulk.bucket_files import TABLES
from statuary.content.bulk.export_tables import has_column

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
    """The query for one table of the buckets."""

    name: str
    # its rows, each beginning with the number of the bucket; `{needed}` is the narrow side of the join
    query: str
    needed: str = ""  # the table of keys on the narrow side; empty if the query has no join
    key: str = ""  # the key column of the narrow side


def bucket_queries(connection: Any, tables: Mapping[str, list[str]]) -> Iterator[BucketQuery]:
    """Yield the queries for all tables of the buckets that the export has."""
    moment = "strftime(CAST(created_at AS TIMESTAMP), '%Y-%m-%dT%H:%M:%SZ')"
    yield BucketQuery(
        "matches", f"SELECT bucket, {TABLES['matches'].replace('verified_at', moment)} FROM keys"
    )
    yield _of_match(
        "steps",
        "creation_transformations, creation_values, runtime_transformations, runtime_values",
        "verified_contracts JOIN {needed} ON needed.verified_contract_id = id",
    )
    if has_column(connection, "sourcify_matches", "metadata"):
        on = "needed.file = filename AND needed.file_row = file_row_number"
        yield _of_match("match_metadata", "metadata", f"sourcify_matches JOIN {{needed}} ON {on}")
    yield from _of_compilation(connection, tables)
    yield BucketQuery(
        "code",
        "SELECT bucket, code_hash, code FROM code JOIN {needed} USING (code_hash)",
        "needed_code",
        "code_hash",
    )
    yield BucketQuery("paths", f"SELECT bucket, {TABLES['paths']} FROM source_paths")
    query = "SELECT bucket, source_hash, content FROM sources JOIN {needed} USING (source_hash)"
    yield BucketQuery("sources", query, "needed_sources", "source_hash")


def _of_match(name: str, columns: str, tables: str) -> BucketQuery:
    query = f"SELECT bucket, match_id, {columns} FROM {tables}"
    return BucketQuery(name, query, "needed_matches", "match_id")


def _of_compilation(connection: Any, tables: Mapping[str, list[str]]) -> Iterator[BucketQuery]:
    additional = has_column(connection, "compiled_contracts", "additional_input")
    columns = (
        TABLES["compilations"] if additional else TABLES["compilations"].replace("additional_input", "NULL")
    )
    queries = {
        "compilations": f"SELECT bucket, {columns} FROM"
        " (SELECT *, id AS compilation_id FROM compiled_contracts) JOIN {needed} USING (compilation_id)"
    }
    if "compiled_contracts_metadata" in tables:
        queries["metadata"] = (
            "SELECT bucket, compilation_id, metadata"
            " FROM compiled_contracts_metadata JOIN {needed} USING (compilation_id)"
        )
    if {"signatures", "compiled_contracts_signatures"} <= tables.keys():
        queries["signatures"] = (
            "SELECT bucket, compilation_id, signature_type, signature, signature_hash_4, signature_hash_32"
            " FROM compiled_contracts_signatures JOIN {needed} USING (compilation_id)"
            " JOIN signatures USING (signature_hash_32)"
        )
    for name, query in queries.items():
        yield BucketQuery(name, query, "needed_compilations", "compilation_id")
