"""The positions of findings: right, for every part of a file, and found in one pass over it."""

import itertools
import json
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from statuary.base.findings import Finding, Pointer, Position
from statuary.source.locate import locate_findings
from statuary.source.parse_json import locate_in_json, parse_json
from statuary.source.parse_yaml import locate_in_yaml
from statuary.source.unreadable import UnreadableError
from support.strategies import steady

JSON_TEXT = """\
{
  "name": "a \\"quoted\\" [name]",
  "items": [1, {"x": [], "y": {}}, "z"],
  "e\\u0301": {"deep": null}
}
"""

YAML_TEXT = """\
# a comment
name: plain
items:
  - 1
  - x: []
    y: {deep: ~}
"1": quoted
"""


@pytest.mark.parametrize(
    ("pointer", "on_key", "line", "column"),
    [
        ((), False, 1, 1),
        (("name",), False, 2, 11),
        (("name",), True, 2, 3),
        (("items", 0), False, 3, 13),
        (("items", 1, "y"), True, 3, 26),
        (("items", 2), False, 3, 36),
        (("items", 7), False, 3, 12),
        (("items", 1, "none", "below"), False, 3, 16),
        (("e\u0301", "deep"), False, 4, 23),
        (("absent",), True, 1, 1),
    ],
)
def test_json_pointer_resolves_to_position(pointer: Pointer, on_key: bool, line: int, column: int) -> None:
    assert locate_in_json(JSON_TEXT, [(pointer, on_key)]) == [Position(line, column)]


@pytest.mark.parametrize(
    ("pointer", "on_key", "line", "column"),
    [
        ((), False, 2, 1),
        (("name",), False, 2, 7),
        (("name",), True, 2, 1),
        (("items",), False, 3, 1),
        (("items", 0), False, 4, 5),
        (("items", 1, "y", "deep"), False, 6, 15),
        (("items", 9), False, 3, 1),
        ((1,), False, 7, 6),
    ],
)
def test_yaml_pointer_resolves_to_position(pointer: Pointer, on_key: bool, line: int, column: int) -> None:
    assert locate_in_yaml(YAML_TEXT, [(pointer, on_key)]) == [Position(line, column)]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def parts(value: object, pointer: Pointer = ()) -> dict[Pointer, object]:
    children = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    found = {pointer: value}
    for step, child in children:
        found |= parts(child, (*pointer, step))
    return found


@steady
@given(VALUES, st.sampled_from([None, 2]), st.booleans())
def test_json_position_is_start_of_value(value: object, indent: int | None, escaped: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=escaped)
    lines = text.split("\n")
    known = parts(value)
    for part, position in zip(known.values(), locate_in_json(text, [(p, False) for p in known]), strict=True):
        rest = "\n".join([lines[position.line - 1][position.column - 1 :], *lines[position.line :]])
        assert json.JSONDecoder().raw_decode(rest)[0] == part


@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_locating_many_findings_takes_linear_time(tmp_path: Path, suffix: str) -> None:
    """Ten times the findings take about ten times the calls; a pass over the file for each would take a hundred."""

    def calls(count: int) -> int:
        tree = {"abi": [{"name": f"f{number}", "type": "x" * 40} for number in range(count)]}
        text = json.dumps(tree) if suffix == "json" else yaml.dump(tree, Dumper=yaml.CDumper)
        (tmp_path / f"a.{suffix}").write_text(text)
        findings = [
            Finding(rule="r", message="m", path=f"a.{suffix}", pointer=("abi", number, "type"))
            for number in range(count)
        ]
        events = itertools.count()
        sys.setprofile(lambda *_: next(events))
        located = locate_findings(tmp_path, findings)
        sys.setprofile(None)
        assert len({finding.position for finding in located}) == count
        return next(events)

    few, many = calls(300), calls(3000)
    assert many < 12 * few


def test_position_after_long_string_is_exact() -> None:
    text = json.dumps({"a": "x" * (8 << 20), "b": 1}) + " "
    assert locate_in_json(text, [(("b",), False)]) == [Position(1, (8 << 20) + 16)]


def test_duplicate_json_key_reports_second_position() -> None:
    with pytest.raises(UnreadableError, match="duplicate key 'b'") as caught:
        parse_json('{"a": {"b": 1},\n "b": [{"b": 2}],\n "b": 3}')
    assert caught.value.position == Position(3, 2)
