"""JSONL files: exact bytes, positions of findings, ranges that are read independently."""

import gzip
import tracemalloc
import zlib
from functools import partial
from pathlib import Path

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statuary.base.findings import Finding, Position
from statuary.base.installation import extra_install_command
from statuary.contracts.incremental.bulk import locate_bulk_findings
from statuary.extensions.bulk import jsonl as lines_module
from statuary.extensions.bulk.jsonl import (
    LineRange,
    divide_into_line_ranges,
    divide_into_line_ranges_by_workers,
    read_line_range,
)
from statuary.extensions.bulk.limits import MAX_BLANK
from statuary.source import parse_json
from statuary.workers.executor import InProcessExecutor
from support.contracts import made_record
from support.random_runs import times
from support.requirements import require_module

RECORD = orjson.dumps(made_record())


def read(root: Path, name: str = "all.jsonl", size: int = 1 << 20):
    return [
        contract
        for part in divide_into_line_ranges(root, name, size)
        for contract in read_line_range(root, part)
    ]


def packed(name: str, body: bytes) -> bytes:
    if name.endswith(".gz"):
        half = len(body) // 2
        return gzip.compress(body[:half]) + gzip.compress(
            body[half:]
        )  # members one behind the other, as pigz has them
    if name.endswith(".zst"):
        zstd = require_module("backports.zstd", install='pip install "statuary[zstd]"')
        return zstd.compress(body, options={zstd.CompressionParameter.checksum_flag: 1})
    return body


@pytest.mark.parametrize("name", ["all.jsonl", "all.jsonl.gz", "all.jsonl.zst"])
@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_canonical_jsonl_line_keeps_exact_bytes(tmp_path, name, ending):
    other = orjson.dumps(made_record("libraries"))
    (tmp_path / name).write_bytes(packed(name, RECORD + ending + ending + other))
    first, second = read(tmp_path, name)
    assert (first.source.line, second.source.line) == (1, 3)
    assert (first.parsed_contract.canonical, second.parsed_contract.canonical) == (RECORD, other)
    assert (first.source.chain_id, first.source.address) == ("31337", made_record()["address"])


def test_noncanonical_jsonl_line_keeps_exact_numbers(tmp_path):
    spaced = RECORD.replace(b'"runs":200', b'"runs": 200.0')
    assert spaced != RECORD
    (tmp_path / "all.jsonl").write_bytes(spaced + b"\n")
    (contract,) = read(tmp_path)
    assert contract.parsed_contract.canonical is None
    assert contract.parsed_contract.record["compilation"]["compilerSettings"]["optimizer"]["runs"] == "200.0"


def test_positions_are_computed_only_for_findings(tmp_path, monkeypatch):
    (tmp_path / "all.jsonl").write_bytes(RECORD + b"\n")
    monkeypatch.setattr(parse_json, "LEXEME", None)
    (contract,) = read(tmp_path, "all.jsonl")
    assert not locate_bulk_findings([], contract)
    with pytest.raises(AttributeError):
        locate_bulk_findings([Finding(rule="r", message="m", path="all.jsonl", pointer=("match",))], contract)


def test_jsonl_findings_have_line_and_column(tmp_path):
    misspelled = RECORD.replace(b'"matchId"', b'"matchID"')
    wrong = RECORD.replace(b'"matchId":"7"', b'"matchId":7')
    body = b"\n".join([RECORD, b'{"a":1', misspelled, wrong, b"[]", b"\xff\xfe{}", b'{"a":"\xff"}'])
    (tmp_path / "all.jsonl").write_bytes(body)
    output = [
        (finding.rule, finding.position)
        for contract in read(tmp_path)
        for finding in contract.parsed_contract.findings
    ]
    assert output == [
        ("parse-error", Position(2, 7)),
        ("missing-key", Position(3, 1)),
        ("invalid-value", Position(4, wrong.index(b'7,"creationMatch"') + 1)),
        ("invalid-value", Position(5, 1)),
        ("parse-error", Position(6, 1)),
        ("parse-error", Position(7, 7)),
    ]


@pytest.mark.parametrize("name", ["all.jsonl.gz", "all.jsonl.zst"])
@pytest.mark.parametrize("harm", ["cut", "changed", "trailing"])
def test_damaged_jsonl_file_is_reported(tmp_path, name, harm):
    whole = packed(name, b"\n".join([RECORD] * 3))
    middle = len(whole) // 2
    harmed = {
        "cut": whole[:-9],
        "changed": whole[:middle]
        + bytes(255 - byte for byte in whole[middle : middle + 8])
        + whole[middle + 8 :],
        "trailing": whole + b"no compressed data at all",
    }[harm]
    (tmp_path / name).write_bytes(harmed)
    contracts = read(tmp_path, name)
    (finding,) = contracts[-1].parsed_contract.findings
    assert "damaged" in finding.message
    assert all(
        (contract.parsed_contract.record, contract.parsed_contract.canonical)
        in ((None, None), (made_record(), RECORD))
        for contract in contracts[:-1]
    )


def test_oversized_jsonl_line_is_skipped(tmp_path, monkeypatch):
    monkeypatch.setattr(lines_module, "LARGEST_RECORD", len(RECORD))
    (tmp_path / "all.jsonl").write_bytes(RECORD + b"\n" + b"x" * (3 << 20) + b"\n" + RECORD + b"\n")
    first, long, last = read(tmp_path)
    assert first.parsed_contract.canonical == last.parsed_contract.canonical == RECORD
    assert last.source.line == 3
    (finding,) = long.parsed_contract.findings
    assert (finding.position, "more than" in finding.message) == (Position(2, 1), True)


def test_non_jsonl_file_stops_at_limit(tmp_path):
    (tmp_path / "all.jsonl").write_bytes(b"no record\n" * 5000)
    contracts = read(tmp_path)
    assert len(contracts) == lines_module.MAX_UNREADABLE_LINES + 1
    assert "is skipped" in contracts[-1].parsed_contract.findings[0].message


def test_missing_jsonl_file_is_reported(tmp_path):
    (contract,) = read_line_range(tmp_path, LineRange(path="gone.jsonl"))
    assert contract.parsed_contract.findings[0].message.startswith("cannot open the file")


def test_missing_zstandard_package_hints_at_extra(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.import_module", lambda name: (_ for _ in ()).throw(ImportError(name)))
    (tmp_path / "all.jsonl.zst").write_bytes(b"")
    (contract,) = read_line_range(tmp_path, LineRange(path="all.jsonl.zst"))
    assert contract.parsed_contract.findings[0].hint == extra_install_command("zstd")


LINES = st.lists(st.sampled_from([b"", b" ", b"1", b"22", b"x" * 40, b"y" * 700]), max_size=12)


@pytest.mark.slow
@settings(max_examples=times(150))
@given(LINES, st.booleans(), st.integers(1, 900), st.booleans())
def test_jsonl_ranges_cover_each_line_once(tmp_path_factory, found, ends, size, by_workers):
    root = tmp_path_factory.getbasetemp()
    body = b"\n".join(found) + (b"\n" if ends else b"")
    (root / "some.jsonl").write_bytes(body)
    counted = partial(divide_into_line_ranges_by_workers, executor=InProcessExecutor())
    parts = list((counted if by_workers else divide_into_line_ranges)(root, "some.jsonl", range_size=size))
    offsets = [0, *(part.end for part in parts)]
    assert [part.start for part in parts] == offsets[:-1]
    assert offsets[-1] == len(body)
    assert all(part.first_line == body.count(b"\n", 0, part.start) + 1 for part in parts)
    assert all(body[part.start - 1 : part.start] == b"\n" for part in parts[1:])
    wanted = [number for number, line in enumerate(body.split(b"\n"), start=1) if line.strip()]
    assert [contract.source.line for part in parts for contract in read_line_range(root, part)] == wanted


def peak_of_reading(root: Path, count: int) -> int:
    """Return the bytes of memory that reading so many records takes at most."""
    (root / "all.jsonl.gz").write_bytes(gzip.compress((RECORD + b"\n") * count))
    tracemalloc.start()
    try:
        assert sum(1 for _ in read_line_range(root, LineRange("all.jsonl.gz"))) == count
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_reading_large_jsonl_uses_constant_memory(tmp_path):
    few = peak_of_reading(tmp_path, 50)
    assert peak_of_reading(tmp_path, 2000) < few + len(RECORD) * 100


@pytest.mark.slow
def test_too_many_blank_lines_are_reported(tmp_path):
    """64 MiB of blanks in 64 kB; without a limit, a gigabyte in a megabyte would pass through too."""
    packer = zlib.compressobj(9, wbits=31)
    blanks = (b" " * 1023 + b"\n") * 1024
    with (tmp_path / "all.jsonl.gz").open("wb") as file:
        for _ in range(64):
            file.write(packer.compress(blanks))
        file.write(packer.compress(RECORD) + packer.flush())
    (contract,) = read(tmp_path, "all.jsonl.gz")
    assert contract.source.line == MAX_BLANK // 1024 + 1
    assert (
        contract.parsed_contract.findings[0].message
        == "more than 1,048,576 bytes of blank lines; the rest of the file is skipped"
    )


def test_oversized_jsonl_line_stops_reading(tmp_path, monkeypatch):
    monkeypatch.setattr("statuary.extensions.bulk.jsonl.LARGEST_RECORD", 1 << 10)
    monkeypatch.setattr("statuary.extensions.bulk.jsonl.MAX_SKIPPED", 1 << 21)
    (tmp_path / "all.jsonl.gz").write_bytes(gzip.compress(b"x" * (8 << 20) + b"\n" + RECORD))
    (contract,) = read(tmp_path, "all.jsonl.gz")
    assert (
        contract.parsed_contract.findings[0].message
        == "the line has more than 2,097,152 bytes; the rest of the file is skipped"
    )
