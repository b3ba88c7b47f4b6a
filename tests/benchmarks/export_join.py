"""Joining a synthetic export of a million matches under a memory cap, and reading its records back.

    python tests/benchmarks/export_join.py [--matches 1000000] [--memory-mib 1024] [--keep FOLDER]

The tables have the real columns: for each million matches 400,000 compilations of about 4 KB of JSON, 300,000 codes
of 3 KB, 1,200,000 paths to 500,000 sources of 2 KB, 4,000,000 signature rows. Each stage is a separate process,
so that its peak memory is its own. Every record is read, held to the shape of records and made into bytes; that
each has its own code and sources is checked of all, by numbers hidden in them.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parents[1]))

CHAIN = 748463
ROWS_OF_A_FILE = 100_000
ROWS_OF_A_GROUP = {
    "code": 10_240,
    "compiled_contracts": 2_048,
    "compiled_contracts_metadata": 2_048,
    "sources": 2_048,
}
"""Rows of a row group, about those of the real export; 100,000 for narrow tables."""

ARTIFACTS = json.dumps(
    {
        "abi": [
            {"name": f"method{n}", "type": "function", "inputs": [], "outputs": [], "stateMutability": "view"}
            for n in range(30)
        ],
        "userdoc": {"kind": "user", "methods": {}, "version": 1},
        "devdoc": {"kind": "dev", "methods": {}, "version": 1},
        "sources": {"a.sol": {"id": 0}},
        "storageLayout": {"storage": [], "types": None},
        "transientStorageLayout": None,
    }
)
CODE_ARTIFACTS = json.dumps({"sourceMap": "1:2:3;" * 60, "linkReferences": {}, "cborAuxdata": {}})
SETTINGS = json.dumps({"optimizer": {"runs": 200, "enabled": True}, "evmVersion": "cancun"})


def tables(matches: int) -> Iterator[tuple[str, int, str]]:
    """Yield name, rows and query of each table; `i` is the row's number."""
    codes, compilations, sources = matches * 3 // 10, matches * 4 // 10, matches // 2
    code = f"(i * 7919) % {codes}"
    yield (
        "code",
        codes,
        "unhex(sha256('code' || i)) AS code_hash, CAST(repeat('c' || lpad(CAST(i AS VARCHAR), 9, '0'), 300) AS BLOB) AS code",
    )
    yield (
        "contracts",
        matches,
        f"'contract' || i AS id, unhex(sha256('code' || {code})) AS creation_code_hash, unhex(sha256('code' || (({code}) + 1) % {codes})) AS runtime_code_hash",
    )
    yield (
        "contract_deployments",
        matches,
        f"'deployment' || i AS id, {CHAIN} AS chain_id, unhex(md5('a' || i) || left(md5('b' || i), 8)) AS address, unhex(sha256('t' || i)) AS transaction_hash, i AS block_number, CAST(0 AS INTEGER) AS transaction_index, unhex(left(md5('d'), 40 - 8) || '00000000') AS deployer, 'contract' || i AS contract_id",
    )
    yield (
        "compiled_contracts",
        compilations,
        f"'compilation' || i AS id, 'solc' AS compiler, '0.8.30+commit.73712a01' AS version, 'solidity' AS language, 'C' || i AS name, 'a.sol:C' || i AS fully_qualified_name, '{SETTINGS}' AS compiler_settings, '{ARTIFACTS}' AS compilation_artifacts, unhex(sha256('code' || i % {codes})) AS creation_code_hash, '{CODE_ARTIFACTS}' AS creation_code_artifacts, unhex(sha256('code' || (i + 1) % {codes})) AS runtime_code_hash, '{CODE_ARTIFACTS}' AS runtime_code_artifacts",
    )
    yield (
        "sources",
        sources,
        "unhex(sha256('source' || i)) AS source_hash, repeat('s' || lpad(CAST(i AS VARCHAR), 9, '0'), 200) AS content",
    )
    yield (
        "compiled_contracts_sources",
        compilations * 3,
        f"'path' || i AS id, 'compilation' || (i // 3) AS compilation_id, unhex(sha256('source' || i % {sources})) AS source_hash, 'p' || (i % 3) || '.sol' AS path",
    )
    yield (
        "verified_contracts",
        matches,
        f"i AS id, 'deployment' || i AS deployment_id, 'compilation' || (i % {compilations}) AS compilation_id, '{{}}' AS creation_values, '[]' AS creation_transformations, '{{}}' AS runtime_values, '[]' AS runtime_transformations",
    )
    yield (
        "sourcify_matches",
        matches,
        "i AS id, i AS verified_contract_id, 'partial' AS creation_match, 'partial' AS runtime_match, TIMESTAMP '2026-01-01' + to_seconds(i) AS created_at, TIMESTAMP '2026-01-01' + to_seconds(i) AS updated_at",
    )
    yield (
        "compiled_contracts_metadata",
        compilations,
        '\'compilation\' || i AS compilation_id, \'{"version": 1, "language": "Solidity"}\' AS metadata',
    )
    yield (
        "signatures",
        matches // 10,
        "unhex(sha256('sig' || i)) AS signature_hash_32, unhex(left(sha256('sig' || i), 8)) AS signature_hash_4, 'method' || i || '(address,uint256)' AS signature",
    )
    yield (
        "compiled_contracts_signatures",
        compilations * 10,
        f"'s' || i AS id, 'compilation' || (i // 10) AS compilation_id, unhex(sha256('sig' || i % {max(1, matches // 10)})) AS signature_hash_32, 'function' AS signature_type",
    )


def make(folder: Path, matches: int) -> None:
    """Write the tables as files of 100,000 rows."""
    import duckdb

    connection = duckdb.connect(":memory:")
    for name, rows, query in tables(matches):
        (folder / name).mkdir(parents=True)
        for start in range(0, rows, ROWS_OF_A_FILE):
            end = min(start + ROWS_OF_A_FILE, rows)
            connection.execute(
                f"COPY (SELECT {query} FROM range({start}, {end}) r(i))"
                f" TO '{folder}/{name}/{name}_{start}_{start + ROWS_OF_A_FILE}.parquet'"
                f" (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {ROWS_OF_A_GROUP.get(name, 100_000)})"
            )


def join(root: Path, scratch_dir: Path, memory: int) -> dict[str, object]:
    """Run the first stage; return how many contracts and buckets there are."""
    from statuary.contracts.sources.contract_source import BulkForm, BulkSource
    from statuary.extensions.bulk.export_tables import JoinLimits, join_export

    files = [str(file.relative_to(root)) for file in root.rglob("*.parquet")]
    joined = join_export(
        root,
        BulkSource(path="contracts", form=BulkForm.EXPORT, files=tuple(files)),
        chain_ids={str(CHAIN)},
        scratch_dir=scratch_dir,
        limits=JoinLimits(memory=memory),
    )
    assert not joined.findings, joined.findings
    return {"buckets": len(joined.buckets), "contracts": sum(bucket.matches for bucket in joined.buckets)}


def read(root: Path, scratch_dir: Path, matches: int) -> dict[str, object]:
    """Read every bucket; return how many records and bytes came of it."""
    from statuary.extensions.bulk.export_records import ExportBucket, read_bucket
    from statuary.site.document import encode_unchecked

    records = size = 0
    for file in sorted(scratch_dir.glob("bucket-*.sqlite3")):
        number = int(file.stem.rpartition("-")[2])
        bucket = ExportBucket(path="contracts", scratch_dir=scratch_dir, number=number, matches=0)
        for contract in read_bucket(root, bucket):
            assert contract.parsed_contract.record is not None, contract
            record = contract.parsed_contract.record
            assert_own(record, matches)
            records, size = records + 1, size + len(encode_unchecked(record))
    return {"records": records, "bytes": size}


def assert_own(record: dict, matches: int) -> None:
    """Make sure that a record has the code and the sources of its rows."""
    codes, compilations, sources = matches * 3 // 10, matches * 4 // 10, matches // 2
    match = int(record["matchId"])
    compilation = match % compilations
    onchain = (match * 7919) % codes
    wanted = onchain, (onchain + 1) % codes, compilation % codes, (compilation + 1) % codes
    sides = record["creationBytecode"], record["runtimeBytecode"]
    found = [
        bytes.fromhex(side[f"{kind}Bytecode"][2:22]) for kind in ("onchain", "recompiled") for side in sides
    ]
    assert found == [b"c%09d" % number for number in wanted], (match, found)
    paths = {f"p{n}.sol": f"s{(compilation * 3 + n) % sources:09d}" for n in range(3)}
    assert {path: source["content"][:10] for path, source in record["sources"].items()} == paths, match
    assert list(record["sources"]) == list(paths)
    assert len(record["signatures"]["function"]) == 10
    assert record["compilation"]["name"] == f"C{compilation}"


def in_process(*arguments: object) -> str:
    """Run a stage in a separate process; return its output, with seconds and peak memory."""
    command = [sys.executable, __file__, *map(str, arguments)]
    began = perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        output = process.stdout.read().strip()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} ended with {process.returncode}")
    cpu = usage.ru_utime + usage.ru_stime
    return f"{perf_counter() - began:.1f} s, CPU {cpu:.1f} s, peak {usage.ru_maxrss / 1024:.0f} MiB: {output}"


def size_of(folder: Path) -> str:
    """Return the bytes below a folder, in MB."""
    return f"{sum(file.stat().st_size for file in folder.rglob('*') if file.is_file()) / 1e6:,.0f} MB"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("stage", nargs="?", choices=["join", "read"])
    parser.add_argument("--root", type=Path)
    parser.add_argument("--scratch-dir", type=Path)
    parser.add_argument("--matches", type=int, default=1_000_000)
    parser.add_argument("--memory-mib", type=int, default=1024)
    parser.add_argument("--keep", type=Path)
    arguments = parser.parse_args()
    memory = arguments.memory_mib << 20
    if arguments.stage == "join":
        print(json.dumps(join(arguments.root, arguments.scratch_dir, memory)))
        return
    if arguments.stage == "read":
        print(json.dumps(read(arguments.root, arguments.scratch_dir, arguments.matches)))
        return
    with tempfile.TemporaryDirectory(prefix="statuary-export-") as folder:
        root = arguments.keep or Path(folder) / "content"
        scratch_dir = Path(folder) / "scratch"
        scratch_dir.mkdir()
        if not (root / "contracts").is_dir():
            make(root / "contracts", arguments.matches)
        print(
            f"{arguments.matches:,} matches, {size_of(root)} of Parquet; memory cap {arguments.memory_mib} MiB",
            flush=True,
        )
        options = [
            "--root",
            root,
            "--scratch-dir",
            scratch_dir,
            "--matches",
            arguments.matches,
            "--memory-mib",
            arguments.memory_mib,
        ]
        print("join:", in_process("join", *options), flush=True)
        print("scratch directory:", size_of(scratch_dir), flush=True)
        print("read:", in_process("read", *options), flush=True)


if __name__ == "__main__":
    main()
