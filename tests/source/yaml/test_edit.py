"""Single edits: what they write, and what they reject."""

from datetime import date, datetime

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from statuary.source.edit_files import EditError
from statuary.source.edit_yaml import append_yaml_item, set_yaml_value
from statuary.source.parse_yaml import parse_yaml
from statuary.source.unreadable import UnreadableError
from statuary.source.yaml_nodes import inline_yaml_scalar, yaml_file_text
from support.random_runs import times

UPDATE = {"at": "2026-11-02T11:00:00Z", "status": "identified", "body": "Found: a disk is full."}

INCIDENT = """\
# who: night shift
name: RPC latency   # keep short

updates:
  - at: 2026-11-02T10:00:00Z
    status: investigating   # at once
    body: |
      We are looking.

# remember the postmortem
"""


def test_appended_yaml_item_follows_last_item():
    lines = ["  - at: 2026-11-02T11:00:00Z", "    status: identified", '    body: "Found: a disk is full."']
    expected = INCIDENT.replace("looking.\n", "looking.\n" + "\n".join(lines) + "\n")
    assert append_yaml_item(INCIDENT, ("updates",), UPDATE) == expected


def test_appended_yaml_item_copies_list_style():
    text = """\
history:
-   at: '2026-01-01T00:00:00Z'
    status: major_outage

-   at: '2026-01-01T01:00:00Z'
    status: operational
    # it held
"""
    edited = append_yaml_item(text, ("history",), {"at": "2026-01-02T00:00:00Z", "status": "partial_outage"})
    assert edited == text + "\n-   at: '2026-01-02T00:00:00Z'\n    status: partial_outage\n"


def test_missing_list_is_added_to_mapping():
    text = "components:\n    rpc:\n        name: RPC # fast\n          # slow at night\n    faucet:\n        name: F\n"
    edited = append_yaml_item(text, ("components", "rpc", "history"), {"at": "2026-01-02T00:00:00Z"})
    below = "          # slow at night\n"
    assert edited == text.replace(below, f"{below}        history:\n          - at: 2026-01-02T00:00:00Z\n")


def test_new_yaml_list_copies_existing_indentation():
    text = "updates:\n- at: a1\nname: x\n"
    assert append_yaml_item(text, ("history",), {"at": "b1"}) == text + "history:\n- at: b1\n"


def test_nested_yaml_list_is_indented():
    text = "updates:\n- at: a1\n"
    assert append_yaml_item(text, ("updates",), [{"at": "b1"}]) == text + "-\n  - at: b1\n"


@pytest.mark.parametrize("nothing", ["", " []", " [ ]", " null", " ~"])
def test_empty_yaml_list_becomes_block_list(nothing):
    text = f"updates:{nothing}  # none yet\r\nname: x"
    assert (
        append_yaml_item(text, ("updates",), {"at": "y1"}) == "updates:  # none yet\r\n  - at: y1\r\nname: x"
    )


def test_new_yaml_key_follows_preceding_keys():
    text = "name: x\nscheduled_for: a1\nscheduled_until: b1 # sharp\n\nbody: z"
    edited = set_yaml_value(text, ("cancelled_at",), "c1", preceding_keys=("scheduled_until", "name"))
    assert edited == "name: x\nscheduled_for: a1\nscheduled_until: b1 # sharp\ncancelled_at: c1\n\nbody: z"


def test_new_key_copies_blank_line_spacing():
    assert set_yaml_value("a: x\n\nb: y\n", ("c",), "z") == "a: x\n\nb: y\n\nc: z\n"


def test_new_key_leaves_block_scalar_unchanged():
    text = "a: x\n\nb: |+\n  y\n"
    assert set_yaml_value(text, ("c",), "z") == text + "c: z\n"
    deeper = "a: x\n\nb:\n  - d: |+\n      y\n"
    assert set_yaml_value(deeper, ("c",), "z") == deeper + "c: z\n"


def test_changed_value_keeps_quotes_and_comment():
    text = "a: 'old'  # why\nb: \"old\"\nc: old # c\n"
    for key in "abc":
        text = set_yaml_value(text, (key,), "new")
    assert text == "a: 'new'  # why\nb: \"new\"\nc: new # c\n"


def test_multiline_string_becomes_block():
    edited = set_yaml_value("name: x\n", ("postmortem",), {"body": "One.\n\n  Two # no comment"})
    assert edited == "name: x\npostmortem:\n  body: |-\n    One.\n\n      Two # no comment\n"


def test_string_above_indented_comment_stays_inline():
    text = "body:\n  # to be written\nname: x\n"
    assert set_yaml_value(text, ("body",), "one\ntwo") == 'body: "one\\ntwo"\n  # to be written\nname: x\n'


def test_long_paragraph_is_folded():
    body = "A sentence of some length that says what has happened. " * 3
    edited = set_yaml_value("name: x\n", ("body",), body.strip())
    assert max(map(len, edited.splitlines())) <= 102
    assert parse_yaml(edited)["body"] == body.strip()


def test_indented_comment_stays_below_its_key():
    text = "a:\n  b:\n\n  # of b or of a\n\n# of the file\n"
    below = "  # of b or of a\n"
    assert set_yaml_value(text, ("c",), "x\ny") == text.replace(below, below + "c: |-\n  x\n  y\n")


def test_yaml_edit_keeps_carriage_returns():
    text = "updates:\r- x\rname: y\r"
    assert append_yaml_item(text, ("updates",), "z") == "updates:\r- x\r- z\rname: y\r"


def test_aliases_of_empty_lists_are_accepted():
    lists = "[]," * 100
    aliases = "*a," * 19  # with all of them, the file has nearly as much text as it may expand to
    assert len(parse_yaml(f"a: &a [{lists}]\nb: [{aliases}]\n")["b"]) == 19


def test_yaml_expansion_below_limit_is_accepted(monkeypatch):
    monkeypatch.setattr("statuary.source.parse_yaml.MAX_EXPANSION", 1)
    assert parse_yaml("[a]") == [
        "a"
    ]  # three characters: one for the list, one for the item and one for its text
    with pytest.raises(UnreadableError, match="aliases"):
        parse_yaml("a")


def test_yaml_edit_handles_100000_blank_lines():
    text = "updates:\r\n- x" + "\r\n" * 100_000 + "name: x\r\n"
    assert append_yaml_item(text, ("updates",), "z") == text.replace("- x", "- x\r\n- z")


def test_yaml_edit_finds_quoted_key():
    text = 'occurrences:\n  "2026-12-01T02:00:00Z": {}\n'
    edited = append_yaml_item(text, ("occurrences", "2026-12-01T02:00:00Z", "updates"), "x")
    assert edited == 'occurrences:\n  "2026-12-01T02:00:00Z":\n    updates: [x]\n'


REFUSED = {
    "brackets": ("updates: [{at: x}]\n", "in brackets", 1),
    "mapping in brackets": ("x: {updates: []}\n", "in brackets", 1),
    "anchor": ("updates: &all\n  - x\nmore: *all\n", "anchor", 1),
    "alias": ("old: &all\n  - x\nupdates: *all\n", "anchor", 3),
    "tag": ("updates: !!seq\n  - x\n", "tag", 1),
    "merge": ("base: &b\n  z: y\nupdates:\n  <<: *b\n", "merge key", 4),
    "tab": ("updates:\n  -\tx\n", "not YAML: found character that cannot start", 2),
    "text": ("updates: none\n", "not a list", 1),
    "not YAML": ("updates: [\n", "not YAML", 2),
    "twice": ("updates: []\nupdates: []\n", "duplicate", 2),
    "no mapping": ("- updates\n", "not a mapping", None),
    "nothing": ("# only a comment\n", "not a mapping", None),
}


@pytest.mark.parametrize(("text", "message", "line"), REFUSED.values(), ids=REFUSED)
def test_unsafe_yaml_edit_reports_line(text, message, line):
    pointer = ("x", "updates") if text.startswith("x:") else ("updates",)
    with pytest.raises(EditError, match=message) as refused:
        append_yaml_item(text, pointer, {"at": "x"})
    assert (refused.value.position and refused.value.position.line) == line


def test_yaml_edit_keeps_unrelated_anchors():
    text = "a: &x\n  - one\nb: *x\nupdates:\n  - &u two\n  - *u\n"
    assert append_yaml_item(text, ("updates",), "three") == text + "  - three\n"


def test_yaml_edit_rejects_aliased_item():
    text = "a: &x\n  updates:\n    - one\nb: *x\n"
    with pytest.raises(EditError, match="anchor"):
        append_yaml_item(text, ("a", "updates"), "two")
    inside = "a: &x\n  - updates:\n      - one\nb: *x\n"
    with pytest.raises(EditError, match="anchor"):
        append_yaml_item(inside, ("a", 0, "updates"), "two")


def test_yaml_edit_requires_final_newline():
    text = "updates:\n  - body: |\n      open end"
    with pytest.raises(EditError) as refused:
        append_yaml_item(text, ("updates",), "x")
    assert refused.value.hint == "end its last line with a line break"
    assert append_yaml_item(text + "\n", ("updates",), "x").endswith("open end\n  - x\n")


@pytest.mark.parametrize("value", [{"a": "b"}, ["a"], "text"])
def test_string_never_overwrites_yaml_mapping(value):
    with pytest.raises(EditError, match="holds"):
        set_yaml_value("postmortem:\n  body: x\n", ("postmortem",), value)


def test_mapping_never_overwrites_yaml_string():
    with pytest.raises(EditError, match="holds"):
        set_yaml_value("postmortem: x\n", ("postmortem",), {"body": "y"})


@pytest.mark.slow
@settings(max_examples=times(150))
@given(
    st.dictionaries(st.text(), st.recursive(st.text() | st.booleans() | st.none(), st.lists, max_leaves=5))
)
def test_written_yaml_file_parses_unchanged(value):
    def as_text(inner):
        if isinstance(inner, list):
            return [as_text(item) for item in inner]
        return str(inner).lower() if isinstance(inner, bool) else inner

    expected = {key: as_text(inner) for key, inner in value.items()}
    assert parse_yaml(yaml_file_text(value)) == (expected or None)


@settings(max_examples=times(300))
@given(
    st.text()
    | st.from_regex(r"[-+0-9._exoab:~]{1,6}|[ynYN]\w{0,3}|[Tt]rue|[Oo]n|[Oo]ff|[Nn]ull", fullmatch=True)
)
def test_yaml_1_1_reader_reads_written_strings(text):
    """PyYAML's own safe loader knows YAML 1.1 with its numbers, dates and many words for true and false."""
    read = yaml.safe_load(f"x: {inline_yaml_scalar(text)}\n")["x"]
    assert read == text or isinstance(read, date | datetime)
