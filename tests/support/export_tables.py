"""The tables that Sourcify exports, made of records: the way back from what its server answers.

Columns, types and quirks are those of the real export: JSON as text in Python's spelling (SQL's null as the text
`null`), bytes as binary, naive times in UTC, booleans that are never null, matches in the order of `updated_at`
with every row that ever was.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from sha3 import keccak_256

COLUMNS = {
    "code": "code_hash BLOB, code BLOB, code_hash_keccak BLOB",
    "contracts": "id VARCHAR, creation_code_hash BLOB, runtime_code_hash BLOB",
    "contract_deployments": "id VARCHAR, chain_id BIGINT, address BLOB, transaction_hash BLOB, block_number BIGINT,"
    " transaction_index INTEGER, deployer BLOB, contract_id VARCHAR",
    "compiled_contracts": "id VARCHAR, compiler VARCHAR, version VARCHAR, language VARCHAR, name VARCHAR,"
    " fully_qualified_name VARCHAR, compiler_settings VARCHAR, compilation_artifacts VARCHAR,"
    " creation_code_hash BLOB, creation_code_artifacts VARCHAR, runtime_code_hash BLOB,"
    " runtime_code_artifacts VARCHAR, additional_input VARCHAR",
    "sources": "source_hash BLOB, source_hash_keccak BLOB, content VARCHAR",
    "compiled_contracts_sources": "id VARCHAR, compilation_id VARCHAR, source_hash BLOB, path VARCHAR",
    "verified_contracts": "id BIGINT, deployment_id VARCHAR, compilation_id VARCHAR, creation_match BOOLEAN,"
    " creation_values VARCHAR, creation_transformations VARCHAR, creation_metadata_match BOOLEAN,"
    " runtime_match BOOLEAN, runtime_values VARCHAR, runtime_transformations VARCHAR,"
    " runtime_metadata_match BOOLEAN",
    "sourcify_matches": "id BIGINT, verified_contract_id BIGINT, creation_match VARCHAR, runtime_match VARCHAR,"
    " metadata VARCHAR, created_at TIMESTAMP, updated_at TIMESTAMP",
    "compiled_contracts_metadata": "compilation_id VARCHAR, metadata VARCHAR",
    "signatures": "signature_hash_32 BLOB, signature_hash_4 BLOB, signature VARCHAR",
    "compiled_contracts_signatures": "id VARCHAR, compilation_id VARCHAR, signature_hash_32 BLOB,"
    " signature_type VARCHAR",
}
"""Columns of each table, in the order of the real schema; times and authors that nobody reads are left out."""

APPENDED = ("contract_deployments", "sourcify_matches", "verified_contracts")
"""Tables that get a row for each record; the others store a row once, known by its first column."""

LEVELS = {"exact_match": "perfect", "match": "partial", None: None}

Tables = dict[str, list[tuple[Any, ...]]]


def tables_of_records(records: Iterable[Mapping[str, Any]]) -> Tables:
    """Return the rows that these records are made of, in the order of the records."""
    tables: Tables = {name: [] for name in COLUMNS}
    seen: set[tuple[str, Any]] = set()
    for number, record in enumerate(records, start=1):
        for name, row in _rows(record, number):
            if name in APPENDED or (name, row[0]) not in seen:
                tables[name].append(row)
            seen.add((name, row[0]))
    return tables


def write_tables(
    folder: Path, tables: Tables, *, rows_of_a_file: int = 1_000_000, without: Iterable[str] = ()
) -> Path:
    """Write tables as Parquet files below a folder, named as the real ones are, and return it.

    Args:
        folder: where to.
        tables: the rows.
        rows_of_a_file: after how many rows another file begins.
        without: columns (`table.column`) or whole tables that the export does not have.
    """
    import duckdb

    connection = duckdb.connect(":memory:")
    for name, rows in tables.items():
        if name in without:
            continue
        (folder / name).mkdir(parents=True, exist_ok=True)
        connection.execute(f"CREATE TABLE {name} (place BIGINT, {COLUMNS[name]})")
        marks = ", ".join("?" * (len(COLUMNS[name].split(", ")) + 1))
        if rows:
            connection.executemany(
                f"INSERT INTO {name} VALUES ({marks})", [(place, *row) for place, row in enumerate(rows)]
            )
        left_out = ["place", *(one.partition(".")[2] for one in without if one.startswith(f"{name}."))]
        for start in range(0, max(len(rows), 1), rows_of_a_file):
            end = start + rows_of_a_file
            query = f"SELECT * EXCLUDE ({', '.join(left_out)}) FROM {name} WHERE place >= {start} AND place < {end} ORDER BY place"
            connection.execute(
                f"COPY ({query}) TO '{folder}/{name}/{name}_{start}_{end}.parquet' (FORMAT parquet, COMPRESSION zstd)"
            )
    return folder


def _rows(record: Mapping[str, Any], number: int) -> Iterable[tuple[str, tuple[Any, ...]]]:
    creation, runtime, deployment = (
        record["creationBytecode"],
        record["runtimeBytecode"],
        record["deployment"],
    )
    hashes = {}
    for side, bytecode in (("creation", creation), ("runtime", runtime)):
        for kind in ("onchain", "recompiled"):
            code = _bytes(bytecode[f"{kind}Bytecode"])
            hashes[kind, side] = None if code is None else hashlib.sha256(code).digest()
            if code is not None:
                yield "code", (hashes[kind, side], code, keccak_256(code).digest())
    contract = _id("contract", hashes["onchain", "creation"], hashes["onchain", "runtime"])
    yield "contracts", (contract, hashes["onchain", "creation"], hashes["onchain", "runtime"])
    deployed = _id("deployment", record["chainId"], record["address"])
    yield (
        "contract_deployments",
        (
            deployed,
            int(record["chainId"]),
            _bytes(record["address"]),
            _bytes(deployment["transactionHash"]),
            *(
                None if deployment[name] is None else int(deployment[name])
                for name in ("blockNumber", "transactionIndex")
            ),
            _bytes(deployment["deployer"]),
            contract,
        ),
    )
    compilation = yield from _compilation(record, hashes)
    yield (
        "verified_contracts",
        (
            number,
            deployed,
            compilation,
            record["creationMatch"] is not None,
            *map(_json, (creation["transformationValues"], creation["transformations"])),
            record["creationMatch"] == "exact_match",
            record["runtimeMatch"] is not None,
            *map(_json, (runtime["transformationValues"], runtime["transformations"])),
            record["runtimeMatch"] == "exact_match",
        ),
    )
    at = record["verifiedAt"].replace("T", " ").replace("Z", ".250")
    levels = LEVELS[record["creationMatch"]], LEVELS[record["runtimeMatch"]]
    yield "sourcify_matches", (int(record["matchId"]), number, *levels, _json(record["metadata"]), at, at)


def _compilation(record: Mapping[str, Any], hashes: Mapping[tuple[str, str], bytes | None]) -> Any:
    output, creation, runtime = record["compilation"], record["creationBytecode"], record["runtimeBytecode"]
    artifacts = {
        "abi": record["abi"],
        "userdoc": record["userdoc"],
        "devdoc": record["devdoc"],
        "sources": record["sourceIds"],
        "storageLayout": record["storageLayout"],
        "transientStorageLayout": record.get("transientStorageLayout"),
    }
    row = (
        output["compiler"],
        output["compilerVersion"],
        output["language"].lower(),
        output["name"],
        output["fullyQualifiedName"],
        _json(output["compilerSettings"]),
        _json(artifacts),
        hashes["recompiled", "creation"],
        _json({name: creation[name] for name in ("sourceMap", "linkReferences", "cborAuxdata")}),
        hashes["recompiled", "runtime"],
        _json(
            {
                name: runtime[name]
                for name in ("sourceMap", "linkReferences", "cborAuxdata", "immutableReferences")
            }
        ),
        _json(record.get("additionalInput")),
    )
    compilation = _id("compilation", *row, *record["sources"])
    yield "compiled_contracts", (compilation, *row)
    if record["metadata"] is not None:
        yield "compiled_contracts_metadata", (compilation, _json(record["metadata"]))
    for path, source in record["sources"].items():
        content = source["content"].encode()
        digest = hashlib.sha256(content).digest()
        yield "sources", (digest, keccak_256(content).digest(), source["content"])
        yield "compiled_contracts_sources", (_id("path", compilation, path), compilation, digest, path)
    for kind, signatures in record["signatures"].items():
        for signature in signatures:
            digests = _bytes(signature["signatureHash32"]), _bytes(signature["signatureHash4"])
            yield "signatures", (*digests, signature["signature"])
            yield (
                "compiled_contracts_signatures",
                (_id(kind, compilation, digests[0]), compilation, digests[0], kind),
            )
    return compilation


def _bytes(digits: str | None) -> bytes | None:
    return None if digits is None else bytes.fromhex(digits[2:])


def _json(value: Any) -> str:
    return json.dumps(value)


def _id(*parts: Any) -> str:
    return str(uuid5(NAMESPACE_URL, repr(parts)))
