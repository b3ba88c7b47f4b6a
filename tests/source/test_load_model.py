"""Values that a model refuses, as findings."""

from typing import Annotated, Literal

import pytest
from pydantic import Field

from statuary.source.load_model import validate_tree
from statuary.source.source_model import SourceModel


class Settings(SourceModel):
    """A model with a member of each kind that can be refused."""

    name: Annotated[str, Field(max_length=3)] = ""
    names: Annotated[tuple[str, ...], Field(max_length=2)] = ()
    texts: Annotated[dict[str, str], Field(max_length=1)] | None = None
    level: Literal["low", "high"] = "low"
    code: Annotated[str, Field(pattern="^[a-z]+$")] = "a"
    count: int = 0


REFUSED = [
    ({"name": "long"}, "'long' has 4 characters; the limit is 3", "shorten it"),
    ({"names": ["a", "b", "c"]}, "a list has 3 entries; the limit is 2", "shorten it"),
    ({"texts": {"a": "1", "b": "2"}}, "a mapping has 2 entries; the limit is 1", "shorten it"),
    ({"level": "hight"}, "unknown value 'hight'", "did you mean 'high'?"),
    ({"level": "x"}, "unknown value 'x'", "write one of 'low' or 'high'"),
    ({"code": "A1"}, "'A1' does not match the pattern ^[a-z]+$", ""),
    ({"names": "a"}, "expected a list, found 'a'", "write a list: [a]"),
    ({"names": "a" * 81}, "expected a list, found", "write a list"),
    ({"texts": []}, "expected a mapping, found", "write a mapping"),
]


@pytest.mark.parametrize(("tree", "message", "hint"), REFUSED)
def test_invalid_setting_reports_key_and_hint(tree, message, hint):
    findings = []
    assert validate_tree(tree, Settings, "site.yaml", findings) is None
    [finding] = findings
    assert message in finding.message
    assert finding.hint == hint
    assert finding.pointer == tuple(tree)
    assert finding.rule == "invalid-value"


def test_valid_settings_are_parsed_into_model():
    findings = []
    tree = {"name": "abc", "names": ["a", "b"], "texts": {"a": "1"}, "level": "high", "code": "z"}
    model = validate_tree(tree, Settings, "site.yaml", findings)
    assert findings == []
    assert (model.name, model.names, model.texts, model.level) == ("abc", ("a", "b"), {"a": "1"}, "high")
