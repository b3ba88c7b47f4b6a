"""Sequences of edits over YAML of every kind: what was there stays, what was meant is there.

The expectations come from PyYAML's own composer and from plain Python values, not from what is tested.
"""

import copy
import re
from functools import lru_cache

import yaml
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from statuary.source.edit_files import EditError
from statuary.source.edit_yaml import append_yaml_item, set_yaml_value
from support.random_runs import IS_LARGE, times
from support.strategies import written_yaml

SEQUENCES = times(30) if IS_LARGE else 8

BODIES = st.one_of(
    st.text(max_size=60),
    st.sampled_from(
        (
            "The fix works: all is well. # really",
            "one\ntwo\n\n  three",
            "ends with breaks\n\n",
            "long " * 40 + "text",
            " spaced ",
            "- no item",
            "on",
            "1.10",
            "null",
            "",
            'it\'s "so" \\ so',
            "\ttab",
            "\x85\u2028\ufeff\x00",
            "2026-11-02T10:00:00Z",
        )
    ),
)
TEXTS = BODIES.filter(lambda text: text.isprintable() or "\ud800" not in text)
ITEMS = st.one_of(
    TEXTS,
    st.fixed_dictionaries(
        {"at": st.just("2026-11-02T10:00:00Z"), "status": st.sampled_from(("monitoring", "resolved"))},
        optional={
            "body": TEXTS,
            "components": st.dictionaries(st.sampled_from(("rpc", "on", "a: b")), st.none()),
        },
    ),
)


@lru_cache(maxsize=4)
def compose(text):
    """PyYAML's nodes, by its own slow and independent composer."""
    return yaml.compose(text, Loader=yaml.BaseLoader)


def plain_value(node):
    """The value of a node as statuary defines it: texts, and null for nothing, `~` and `null`."""
    if isinstance(node, yaml.MappingNode):
        return {key.value: plain_value(inner) for key, inner in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [plain_value(inner) for inner in node.value]
    return None if node.style is None and node.value in ("", "~", "null") else node.value


def places(node, pointer=()):
    """Every pointer into a document, with its node."""
    yield pointer, node
    if isinstance(node, yaml.MappingNode):
        for key, inner in node.value:
            yield from places(inner, (*pointer, key.value))
    elif isinstance(node, yaml.SequenceNode):
        for at, inner in enumerate(node.value):
            yield from places(inner, (*pointer, at))


def is_nothing(node):
    return plain_value(node) in (None, [], {})


def is_block(node):
    return isinstance(node, yaml.CollectionNode) and not node.flow_style


@st.composite
def edits(draw, text):
    """Draw an edit that ought to succeed: its function, pointer, value, and what the document says then."""
    found = dict(places(compose(text)))
    lists = [p for p, n in found.items() if isinstance(n, yaml.SequenceNode) and is_block(n)]
    empty = [p for p, n in found.items() if is_nothing(n) and is_replaceable(found, p)]
    texts = [p for p, n in found.items() if isinstance(n, yaml.ScalarNode) and is_replaceable(found, p)]
    mappings = [p for p, n in found.items() if isinstance(n, yaml.MappingNode) and is_block(n)]
    kind = draw(st.sampled_from(("append", "append", "append", "fill", "enter", "enter deep", "change")))
    if kind == "append" and lists:
        return append_yaml_item, draw(st.sampled_from(lists)), draw(ITEMS)
    if kind == "fill" and empty:
        return append_yaml_item, draw(st.sampled_from(empty)), draw(ITEMS)
    if kind == "change" and texts:
        return set_yaml_value, draw(st.sampled_from(texts)), draw(TEXTS)
    steps = (draw(st.sampled_from(("updates", "cancelled_at", "x: y", "postmortem"))),) * (
        2 if kind == "enter deep" else 1
    )
    pointer = (*draw(st.sampled_from(mappings)), *steps)
    assume(pointer not in found and (len(steps) == 1 or pointer[:-1] not in found))
    return (append_yaml_item if draw(st.booleans()) else set_yaml_value), pointer, draw(ITEMS)


def is_replaceable(found, pointer):
    """Whether a place is the value of a key in a block mapping."""
    return bool(pointer) and isinstance(pointer[-1], str) and is_block(found[pointer[:-1]])


def intended(value, function, pointer, new):
    """What a document says after an edit."""
    value = copy.deepcopy(value)
    at = value
    for step in pointer[:-1]:
        if isinstance(at, dict) and at.get(step) in (None, [], {}):
            at[step] = {}
        at = at[step]
    last = pointer[-1]
    if function is set_yaml_value:
        at[last] = new
    else:
        at[last] = [*((at[last] if isinstance(at, list) else at.get(last)) or []), new]
    return value


LINE_BREAK = re.compile("\r\n|\n")


def notes(text):
    return re.findall(r"# note \d+: .*?(?=\r?\n|$)", text)


def span_that_may_go(text, function, pointer):
    """Start and end of what an edit replaces: an old text, or brackets, with the spaces before it; or None."""
    node = dict(places(compose(text))).get(pointer)
    if node is None or (function is append_yaml_item and not is_nothing(node)):
        return None
    start, end = node.start_mark.index, node.end_mark.index
    while text[start - 1] == " ":
        start -= 1
    if (
        isinstance(node, yaml.ScalarNode)
        and node.style in ("|", ">")
        and "+" not in text[node.start_mark.index :][:3]
    ):
        end = start + len(text[start:end].rstrip("\r\n"))
    return start, end


def is_insertion(before, after):
    """Whether a text is another one with something put in at one place."""
    limit = min(len(before), len(after))
    first = next((i for i in range(limit) if before[i] != after[i]), limit)
    rest = before[first:]
    return after.endswith(rest) and len(after) >= len(before)


def is_in_order(lines, among):
    """Whether lines are among others, in their order."""
    remaining = iter(among)
    return all(line in remaining for line in lines)


def check_untouched(text, edited, span):
    """Check that everything but the span is there as it was."""
    if span is None:
        assert is_insertion(text, edited)
        return
    start, end = span
    assert edited.startswith(text[:start])
    first, *rest = LINE_BREAK.split(text[end:])
    edited_first, *edited_rest = LINE_BREAK.split(edited[start:])
    if text[end - 1] in "\r\n":  # a text that keeps its line breaks ends with them
        assert is_in_order([first, *rest], edited_rest)
    else:
        assert edited_first.endswith(first)
        assert is_in_order(rest, edited_rest)


def refusal_is_right(text, pointer, refused):
    """Whether what a refusal says is so: these documents hold only two things that stand in the way."""
    node = dict(places(compose(text))).get(pointer)
    if "comment" in str(refused):
        return node.style in ("|", ">") and "#" in text[node.start_mark.index :].splitlines()[0]
    return text[-1] not in "\r\n" and "line break" in refused.hint


@settings(max_examples=SEQUENCES, suppress_health_check=list(HealthCheck))
@given(st.data(), written_yaml())
def test_random_yaml_edits_keep_comments(data, text):
    first_notes = notes(text)
    for _ in range(data.draw(st.integers(2, 5))):
        function, pointer, new = data.draw(edits(text))
        value = plain_value(compose(text))
        try:
            edited = function(text, pointer, new)
        except EditError as refused:
            assert refusal_is_right(text, pointer, refused), (refused, text, pointer)  # noqa: PT017
            continue
        check_untouched(text, edited, span_that_may_go(text, function, pointer))
        assert notes(edited) == first_notes
        assert plain_value(compose(edited)) == intended(value, function, pointer, new)
        if "\r\n" in text:
            assert not re.search(r"(?<!\r)\n", edited)
        assert (edited[-1:] == "\n") == (text[-1:] == "\n")
        text = edited
