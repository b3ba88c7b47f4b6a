"""A record whose repeated members are made, not parsed, is the record in its text."""

import orjson
import pytest

from statuary.content.parse_record import parse_record_json
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
def test_a_record_is_what_its_text_means(change):
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
