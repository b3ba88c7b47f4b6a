"""Bulk sources in a whole build: the same checks and the same bytes for every form of a contract."""

import gzip
from pathlib import Path

import orjson
import pytest

from statuary.base.files import LEDGER
from statuary.base.findings import Position
from statuary.base.primitives import checksum_address, parse_instant
from statuary.base.progress import NoProgress
from statuary.engine.build import build_site
from statuary.publish.folder.folder_target import FolderTarget
from statuary.publish.ledger.read import read_ledger_entry
from support.contracts import made_record
from support.export_tables import tables_of_records, write_tables
from support.requirements import require_module
from support.sites import NOW, SITE, contract_count, small_site, write_files

CHAIN = "748463"
INSTALL = 'pip install "statuary[all]"'


def record(number, name="plain"):
    made = made_record(name)
    return made | {
        "chainId": CHAIN,
        "address": checksum_address(f"0x{number * 7919:040x}"),
        "matchId": str(number),
    }


def jsonl(records) -> bytes:
    return b"".join(orjson.dumps(one) + b"\n" for one in records)


def record_files(records, folder: str):
    return {f"{folder}/{CHAIN}/{one['address']}.json": orjson.dumps(one) for one in records}


def build(content: Path, out: Path):
    with FolderTarget(out) as publication:
        return build_site(content, publication, parse_instant(NOW), NoProgress())


def documents(out: Path) -> dict[str, bytes]:
    """Return what is published, but for pages: how many contracts there are, bulk files do not tell beforehand."""
    return {
        str(file.relative_to(out)): file.read_bytes()
        for folder in ("v2", "proof", "api")
        for file in (out / folder).rglob("*")
        if file.is_file()
    }


def test_every_source_format_gives_identical_bytes(tmp_path):
    require_module("duckdb", install=INSTALL)
    zstd = require_module("backports.zstd", install=INSTALL)
    names = ["plain", "libraries", "immutables", "other metadata", "everything"]
    records = [record(number, names[number % 5]) for number in range(1, 26)]
    plain = write_files(small_site(tmp_path / "plain"), record_files(records, "contracts"))
    mixed = write_files(
        small_site(tmp_path / "mixed"),
        {
            **record_files(records[:5], "contracts"),
            "contracts/a.jsonl": jsonl(records[5:8]),
            "contracts/b.jsonl.gz": gzip.compress(jsonl(records[8:11])),
            "contracts/c.jsonl.zst": zstd.compress(jsonl(records[11:14])),
            **record_files(records[14:16], "../elsewhere"),
            "../elsewhere/d.jsonl": jsonl(records[16:18]),
            "../one.jsonl.gz": gzip.compress(jsonl(records[18:20])),
            "site.yaml": SITE
            + "contracts:\n  sources: [../elsewhere, ../one.jsonl.gz]\n  join_memory_mib: 512\n",
        },
    )
    write_tables(mixed / "contracts/export", tables_of_records(records[20:23]))
    write_tables(tmp_path / "mixed/elsewhere/export", tables_of_records(records[23:]))
    for content in (plain, mixed):
        outcome = build(content, content.parent / "out")
        assert (outcome.checked.all_findings, contract_count(outcome.checked)) == ([], 25)
    wanted = documents(tmp_path / "plain/out")
    assert documents(tmp_path / "mixed/out") == wanted
    assert len(wanted) > 100


def test_ledger_records_source_line(tmp_path):
    content = write_files(small_site(tmp_path), {"contracts/a.jsonl": jsonl([record(1), record(2)])})
    build(content, tmp_path / "out")
    path = f"v2/contract/{CHAIN}/{record(2)['address']}"
    assert read_ledger_entry(tmp_path / "out" / LEDGER, path).sources == "contracts/a.jsonl:2"


def test_unproved_record_reports_source_line(tmp_path):
    wrong = record(2)
    wrong["sources"]["contracts/Made.sol"]["content"] += " "
    content = write_files(small_site(tmp_path), {"contracts/a.jsonl": jsonl([record(1), wrong])})
    outcome = build(content, tmp_path / "out")
    line = orjson.dumps(wrong).decode()
    pointed = {line[one.position.column - 1 :][:13] for one in outcome.checked.exclusion_reasons}
    assert {(one.path, one.position.line) for one in outcome.checked.exclusion_reasons} == {
        ("contracts/a.jsonl", 2)
    }
    assert '"// SPDX-Lice' in pointed
    assert outcome.checked.excluded_count == 1
    assert contract_count(outcome.checked) == 1
    assert (tmp_path / f"out/v2/contract/{CHAIN}/{record(1)['address']}").is_file()


def test_duplicate_contract_across_sources_is_reported(tmp_path):
    content = write_files(
        small_site(tmp_path),
        {**record_files([record(1)], "contracts"), "contracts/a.jsonl": jsonl([record(2), record(1)])},
    )
    outcome, file = build(content, tmp_path / "out"), f"contracts/{CHAIN}/{record(1)['address']}.json"
    assert {(one.rule, one.path, one.position) for one in outcome.checked.exclusion_reasons} == {
        ("duplicate-contract", "contracts/a.jsonl", Position(2, 1)),
        ("duplicate-match-id", "contracts/a.jsonl", Position(2, 1)),
    }
    assert all(file in one.message for one in outcome.checked.exclusion_reasons)
    assert contract_count(outcome.checked) == 2


def test_unknown_chain_is_reported(tmp_path):
    content = write_files(small_site(tmp_path), {"contracts/a.jsonl": jsonl([record(1) | {"chainId": "5"}])})
    (finding,) = build(content, tmp_path / "out").checked.exclusion_reasons
    assert (finding.rule, finding.path, finding.position.line) == ("unknown-chain", "contracts/a.jsonl", 1)
    line = jsonl([record(1) | {"chainId": "5"}]).decode()
    assert line[finding.position.column - 1 :].startswith('"5"')


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("../nowhere", "there is no file or folder '../nowhere'"),
        ("gopher://a/b", "there is no file or folder 'gopher://a/b'"),
    ],
)
def test_missing_source_is_reported(tmp_path, source, said):
    content = write_files(
        small_site(tmp_path), {"site.yaml": f"{SITE}contracts:\n  sources:\n    - {source}\n"}
    )
    (finding,) = build(content, tmp_path / "out").checked.exclusion_reasons
    assert (finding.rule, finding.path, finding.message) == ("source-unavailable", "site.yaml", said)
    assert finding.position == Position(12, 7)


def test_join_removes_temporary_files(tmp_path, monkeypatch):
    require_module("duckdb", install=INSTALL)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    content = small_site(tmp_path)
    write_tables(content / "contracts", tables_of_records([record(1)]))
    build(content, tmp_path / "out")
    assert {file.name for file in tmp_path.iterdir()} == {"content", "out"}


def test_unreadable_export_still_publishes_status(tmp_path):
    require_module("duckdb", install=INSTALL)
    content = small_site(tmp_path)
    write_tables(content / "contracts/export", tables_of_records([record(1)]), without=["code"])
    write_files(content, {"contracts/all.jsonl": orjson.dumps(record(2)) + b"\n"})
    checked = build(content, tmp_path / "out").checked
    assert {finding.rule for finding in checked.exclusion_reasons} == {"damaged-export"}
    assert checked.excluded_count == 1
    assert (tmp_path / "out/api/v2/summary.json").is_file()
    (entry,) = orjson.loads((tmp_path / "out" / f"v2/contracts/{record(2)['chainId']}").read_bytes())[
        "results"
    ]
    assert entry["address"] == record(2)["address"]


def test_damaged_export_stays_and_removed_export_goes(tmp_path):
    require_module("duckdb", install=INSTALL)
    content = small_site(tmp_path)
    export = write_tables(content / "contracts/export", tables_of_records([record(1), record(2)]))
    build(content, tmp_path / "out")
    (table,) = export.glob("code/*.parquet")
    table.write_bytes(table.read_bytes()[:-9])
    checked = build(content, tmp_path / "out").checked
    assert "2 contracts stay as last published" in checked.exclusion_reasons[0].message
    assert contract_count(checked) == 2
    for file in export.glob("*/*.parquet"):
        file.unlink()
    checked = build(content, tmp_path / "out").checked
    assert (contract_count(checked), checked.all_findings) == (0, [])
    assert not (tmp_path / "out" / f"v2/contract/{CHAIN}/{record(1)['address']}").exists()
