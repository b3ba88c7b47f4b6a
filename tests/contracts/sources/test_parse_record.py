"""A record whose repeated members are made, not parsed, is the record in its text."""

import orjson
import pytest

from statuary.base.findings import Severity
from statuary.contracts.sources.contract_source import ContractForm, ContractSource
from statuary.contracts.sources.parse_record import parse_record_json
from statuary.contracts.sources.read_contract import read_contract
from support.contracts import made_record


def spoil_input(record):
    record["stdJsonInput"]["language"] = "Yul"


def spoil_object(record):
    (contract,) = record["stdJsonOutput"]["contracts"].popitem()[1].values()
    contract["evm"]["bytecode"]["object"] += "00"
    record["stdJsonOutput"]["contracts"] = {"other.sol": {"Other": contract}}


def spoil_order(record):
    record["stdJsonInput"] = dict(sorted(record["stdJsonInput"].items(), reverse=True))


def without_repeats(record):
    del record["stdJsonInput"]


def with_repeats_elsewhere(record):
    record["userdoc"] = {"x": 1, "stdJsonInput": {}, "stdJsonOutput": {}, "signatures": {}}


@pytest.mark.parametrize(
    "change", [None, spoil_input, spoil_object, spoil_order, without_repeats, with_repeats_elsewhere]
)
def test_parsed_record_matches_text(change):
    record = orjson.loads(orjson.dumps(made_record()))
    if change is not None:
        change(record)
    text = orjson.dumps(record)
    parsed = parse_record_json(text + b"\n", "a/record.json")
    if change is without_repeats:
        assert parsed.record is None
        assert "stdJsonInput" in parsed.findings[0].message
        return
    assert parsed.canonical == text
    assert orjson.dumps(parsed.record) == text
    is_made = parsed.record["sources"] is parsed.record["stdJsonInput"]["sources"]
    assert is_made == (change is None)  # else the whole text is parsed


UNREADABLE = {
    "empty": b"",
    "no JSON": b"{",
    "no UTF-8": b"\xff",
    "another shape": b"[]",
    "an unknown key": b'{"record": "", "audited": true}',
    "numbers for texts": orjson.dumps({"record": 1, "members": 7, "block": [], "account": {}}),
    "nested": b"[" * 100_000,
    "a hash of no length": orjson.dumps(
        {"record": "ab" * 32, "block": {"hash": "0x", "header": "0x", "number": 1}}
    ),
}


@pytest.mark.parametrize("name", ["anchor.json", "compilation.json"])
@pytest.mark.parametrize("text", UNREADABLE.values(), ids=UNREADABLE)
def test_unreadable_evidence_gives_note(tmp_path, name, text):
    record = made_record()
    folder = tmp_path / "contracts" / record["chainId"]
    (folder / record["address"]).mkdir(parents=True)
    (folder / f"{record['address']}.json").write_bytes(orjson.dumps(record))
    (folder / record["address"] / name).write_bytes(text)
    source = ContractSource(
        path=f"contracts/{record['chainId']}/{record['address']}.json",
        chain_id=record["chainId"],
        address=record["address"],
        form=ContractForm.RECORD_WITH_EVIDENCE,
    )
    read = read_contract(tmp_path, source)
    assert read.record == record
    assert list(read.findings) == []
    assert (read.anchor, read.compilation) == (None, None)
    assert {note.severity for note in read.notes} == {Severity.NOTE}
    assert all(note.path.endswith(name) for note in read.notes)
