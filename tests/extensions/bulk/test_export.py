"""Exports: real records taken apart into tables and put together again, and what real exports do."""

import json
import sqlite3
from collections import Counter
from dataclasses import replace

import orjson
import pytest

from statuary.base.findings import Finding, Position, Severity
from statuary.base.primitives import checksum_address
from statuary.contracts.incremental.bulk import locate_bulk_findings
from statuary.contracts.model.record import sort_members_as_served
from statuary.contracts.sources.contract_source import BulkForm, BulkSource
from statuary.extensions.bulk.export_records import bucket_database_path, read_bucket
from statuary.extensions.bulk.export_tables import JoinLimits, join_export, table_name_of_file
from statuary.site.document import encode_unchecked
from statuary.source.unreadable import UnreadableError
from support.contracts import made_record
from support.export_tables import tables_of_records, write_tables
from support.real_records import DATA, real_records
from support.requirements import require_module

pytestmark = pytest.mark.usefixtures("duckdb")
CHAIN = "31337"
LIMITS = JoinLimits(memory=512 << 20)


@pytest.fixture
def duckdb():
    return require_module("duckdb", install='pip install "statuary[parquet]"')


def deployed(number, name="plain"):
    """Return a made record under an address of its own."""
    record = made_record(name)
    record |= {"address": checksum_address(f"0x{number * 7919:040x}"), "matchId": str(number)}
    return record


def joined(root, *, chains=(CHAIN,), limits=LIMITS):
    """Join the export below a folder."""
    files = sorted(str(file.relative_to(root)) for file in (root / "contracts").rglob("*.parquet"))
    source = BulkSource(path="contracts", form=BulkForm.EXPORT, files=tuple(files))
    scratch_dir = root / "workbench"
    scratch_dir.mkdir()
    return join_export(root, source, chain_ids=chains, scratch_dir=scratch_dir, limits=limits)


def contracts_of(root, **options):
    found = joined(root, **options)
    assert found.findings == ()
    contracts = [contract for bucket in found.buckets for contract in read_bucket(root, bucket)]
    assert len(contracts) == sum(bucket.matches for bucket in found.buckets)
    return contracts


def bodies_of(root, **options):
    """Return the bytes of every record of the export, by chain and address."""
    contracts = contracts_of(root, **options)
    assert [finding for contract in contracts for finding in contract.parsed_contract.findings] == []
    return {
        (contract.source.chain_id, contract.source.address): encode_unchecked(
            sort_members_as_served(contract.parsed_contract.record)
        )
        for contract in contracts
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    "without",
    [
        # since 2026, when metadata has a table of its own; before; while these were missing
        pytest.param(("sourcify_matches.metadata",), id="newer"),
        pytest.param(
            ("compiled_contracts_metadata", "compiled_contracts.additional_input"),
            id="older",
        ),
        pytest.param(
            ("sourcify_matches.metadata", "signatures", "compiled_contracts_signatures"),
            id="without signatures",
        ),
    ],
)
def test_parquet_export_restores_real_records(tmp_path, without):
    records = dict(real_records())
    raw = {name: (DATA / "contract-records" / f"{name}.json").read_bytes() for name in records}
    write_tables(
        tmp_path / "contracts", tables_of_records(records.values()), rows_of_a_file=40, without=without
    )
    bodies = bodies_of(tmp_path, chains={record["chainId"] for record in records.values()})
    outcome = Counter()
    for name, record in records.items():
        body = bodies[record["chainId"], record["address"]]
        if "compiled_contracts.additional_input" in without and record["additionalInput"]:
            outcome["input that the older export does not have"] += 1
        elif body == raw[name]:
            outcome["same bytes"] += 1
        else:
            outcome[_only_proxy_resolution_differs(record, orjson.loads(body))] += 1
    older = (
        {"input that the older export does not have": 1} if "compiled_contracts_metadata" in without else {}
    )
    # what the chain answered about proxies is in no export: it is left out where code does not decide it
    # (11 of these records have a slot or a pattern of a proxy in their code, as whatsabi 0.28 looks for them)
    assert outcome == {"same bytes": 82 - len(older), "left out": 11, "name of the implementation": 1} | older


def _only_proxy_resolution_differs(record, found):
    output, made = record.pop("proxyResolution"), found.pop("proxyResolution", None)
    assert orjson.dumps(found) == orjson.dumps(record)
    if made is None:
        return "left out"
    del output["implementations"][0]["name"]
    assert made == output
    return "name of the implementation"


@pytest.mark.slow
def test_records_sharing_export_rows_stay_separate(tmp_path):
    records = [
        deployed(number, name) for number, name in enumerate(["plain", "immutables", "plain", "factory"], 1)
    ]
    write_tables(tmp_path / "contracts", tables_of_records(records), rows_of_a_file=2)
    assert bodies_of(tmp_path) == {(CHAIN, one["address"]): orjson.dumps(one) for one in records}


@pytest.mark.slow
def test_export_bucket_count_keeps_records(tmp_path, monkeypatch):
    monkeypatch.setattr("statuary.extensions.bulk.export_tables.CONTRACTS_OF_A_BUCKET", 5)
    monkeypatch.setattr("statuary.extensions.bulk.export_tables.NEED_SIZE", 10 << 20)
    records = [deployed(number, ("plain", "libraries", "arguments")[number % 3]) for number in range(1, 40)]
    write_tables(tmp_path / "contracts", tables_of_records(records), rows_of_a_file=7)
    assert bodies_of(tmp_path) == {(CHAIN, one["address"]): orjson.dumps(one) for one in records}
    assert len(list((tmp_path / "workbench").glob("bucket-*"))) == 1 + 39 // 5


@pytest.mark.slow
def test_newest_export_row_is_used(tmp_path):
    """A match whose level was raised is exported again, in a later file."""
    record = deployed(1)
    tables = tables_of_records([record])
    (newest,) = tables["sourcify_matches"]
    older = (*newest[:2], "partial", "partial", *newest[4:6], "2020-01-01 00:00:00")
    tables["sourcify_matches"] = [older, newest, older]
    write_tables(tmp_path / "contracts", tables, rows_of_a_file=1)
    (contract,) = contracts_of(tmp_path)
    assert contract.parsed_contract.record == record
    assert contract.source.path.endswith("sourcify_matches/sourcify_matches_1_2.parquet")
    assert contract.source.location.endswith("sourcify_matches_1_2.parquet:1")


@pytest.mark.slow
def test_export_uses_newest_match_of_address(tmp_path):
    earlier, later = deployed(1, "immutables"), deployed(2) | {"verifiedAt": "2026-11-03T10:00:00Z"}
    later["address"] = earlier["address"]
    write_tables(tmp_path / "contracts", tables_of_records([later, earlier]))
    assert bodies_of(tmp_path) == {(CHAIN, later["address"]): orjson.dumps(later)}


@pytest.mark.slow
def test_export_skips_unlisted_chains(tmp_path):
    records = [deployed(1), deployed(2) | {"chainId": "1"}]
    write_tables(tmp_path / "contracts", tables_of_records(records))
    assert set(bodies_of(tmp_path)) == {(CHAIN, records[0]["address"])}


def test_missing_export_rows_are_reported(tmp_path):
    tables = tables_of_records([deployed(1), deployed(2)])
    del tables["contract_deployments"][0]
    write_tables(tmp_path / "contracts", tables)
    (finding,) = joined(tmp_path).findings
    assert (finding.rule, finding.severity, finding.path) == ("damaged-export", Severity.WARNING, "contracts")
    assert finding.message.startswith("1 matches are skipped, because they refer to rows")


def test_missing_export_table_is_reported(tmp_path):
    write_tables(tmp_path / "contracts", tables_of_records([deployed(1)]), without=["code", "sources"])
    with pytest.raises(UnreadableError, match="no table code, sources"):
        joined(tmp_path)


def test_non_parquet_export_file_is_reported(tmp_path):
    folder = write_tables(tmp_path / "contracts", tables_of_records([deployed(1)]))
    next(folder.glob("code/*")).write_bytes(b"no table")
    with pytest.raises(UnreadableError, match="cannot join"):
        joined(tmp_path)


@pytest.mark.slow
def test_invalid_json_column_reports_export_row(tmp_path):
    tables = tables_of_records([deployed(1), deployed(2)])
    row = list(tables["verified_contracts"][1])
    row[4] = "{'a': None}"
    tables["verified_contracts"][1] = tuple(row)
    write_tables(tmp_path / "contracts", tables)
    findings = [one for contract in contracts_of(tmp_path) for one in contract.parsed_contract.findings]
    (finding,) = findings
    assert finding.path == "contracts/sourcify_matches/sourcify_matches_0_1000000.parquet"
    assert finding.position == Position(2, 1)
    assert "match 2" in finding.message


def test_invalid_export_column_type_is_reported(tmp_path):
    tables = tables_of_records([deployed(1)])
    row = list(tables["compiled_contracts"][0])
    row[3] = None
    tables["compiled_contracts"][0] = tuple(row)
    write_tables(tmp_path / "contracts", tables)
    (contract,) = contracts_of(tmp_path)
    assert "do not follow the schema" in contract.parsed_contract.findings[0].message


def test_export_row_finding_has_json_pointer(tmp_path):
    write_tables(tmp_path / "contracts", tables_of_records([deployed(1)]))
    (contract,) = contracts_of(tmp_path)
    finding = Finding(rule="r", message="wrong", path=contract.source.path, pointer=("abi", 0, "name"))
    (located,) = locate_bulk_findings([finding], contract)
    assert (located.message, located.position) == ("wrong (at /abi/0/name)", Position(1, 1))
    assert locate_bulk_findings([replace(finding, path="other")], contract)[0].position is None


def test_damaged_export_bucket_is_reported(tmp_path):
    write_tables(tmp_path / "contracts", tables_of_records([deployed(1)]))
    (bucket,) = joined(tmp_path).buckets
    bucket_database_path(bucket.scratch_dir, bucket.number).write_bytes(b"SQLite format 3\0" + b"\xff" * 4096)
    (contract,) = read_bucket(tmp_path, bucket)
    assert "cannot read" in contract.parsed_contract.findings[0].message


@pytest.mark.slow
def test_export_keeps_numbers_above_64_bits(tmp_path):
    """Vyper's storage layouts have slots of 256 bits."""
    slot = 2**255 + 1
    record = deployed(1)
    tables = tables_of_records([record])
    row = list(tables["compiled_contracts"][0])
    artifacts = json.loads(row[7]) | {"storageLayout": {"owner": {"type": "address", "slot": slot}}}
    row[7] = json.dumps(artifacts)
    tables["compiled_contracts"][0] = tuple(row)
    write_tables(tmp_path / "contracts", tables)
    (body,) = bodies_of(tmp_path).values()
    assert body.count(b'"slot":%d' % slot) == 2


@pytest.mark.slow
def test_export_bucket_contains_only_needed_rows(tmp_path):
    records = [deployed(1), deployed(2, "immutables") | {"chainId": "1"}]
    write_tables(tmp_path / "contracts", tables_of_records(records))
    (bucket,) = joined(tmp_path).buckets
    connection = sqlite3.connect(bucket_database_path(bucket.scratch_dir, bucket.number))
    counts = [
        connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0]
        for name in ("matches", "compilations")
    ]
    connection.close()
    assert counts == [1, 1]


@pytest.mark.parametrize(
    ("path", "table"),
    [
        ("contracts/code_0_100000.parquet", "code"),
        ("s3://b/v2/sourcify_matches/sourcify_matches_100000_200000.parquet", "sourcify_matches"),
        ("contracts_0_10000_zstd.parquet", "contracts"),
        ("compiled_contracts_sources.parquet", "compiled_contracts_sources"),
    ],
)
def test_export_file_name_determines_table(path, table):
    assert table_name_of_file(path) == table


@pytest.mark.slow
def test_million_duplicate_export_rows_are_rejected(tmp_path):
    """A million equal rows take a few bytes in Parquet, and would take gigabytes on disk."""
    duckdb = require_module("duckdb", install='pip install "statuary[parquet]"')
    folder = tmp_path / "contracts"
    write_tables(folder, tables_of_records([deployed(1)]))
    (file,) = folder.rglob("signatures_*.parquet")
    duckdb.sql(
        f"COPY (SELECT t.* FROM '{file}' AS t, range(1000000)) TO '{tmp_path}/many.parquet' (COMPRESSION zstd)"
    )
    (tmp_path / "many.parquet").replace(file)
    with pytest.raises(UnreadableError, match="more than a real export"):
        joined(tmp_path)


def test_export_exceeding_memory_limit_is_rejected(tmp_path, monkeypatch):
    write_tables(tmp_path / "contracts", tables_of_records([deployed(1)]))
    monkeypatch.setattr("statuary.extensions.bulk.export_tables.MIN_DISK", 0)
    monkeypatch.setattr("statuary.extensions.bulk.export_tables.MAX_EXPORT_EXPANSION", 0)
    with pytest.raises(UnreadableError, match="too much memory"):
        joined(tmp_path)
