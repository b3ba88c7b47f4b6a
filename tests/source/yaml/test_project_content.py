"""Edits of the project's own content: what a long-written file looks like afterwards."""

from pathlib import Path

import pytest

from statuary.source.edit_yaml import append_yaml_item, set_yaml_value
from statuary.source.parse_yaml import parse_yaml

CONTENT = Path(__file__).parents[3] / "content"
FILES = sorted((*CONTENT.glob("incidents/*.yaml"), *CONTENT.glob("maintenances/*.yaml")))
UPDATE = {
    "at": "2027-01-01T00:00:00Z",
    "status": "monitoring",
    "body": "All is well: " + "so it seems. " * 12,
}


def test_demo_content_has_incident_files():
    assert len(FILES) > 10


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_appended_update_keeps_existing_incident_lines(file):
    text = file.read_bytes().decode()
    edited = append_yaml_item(text, ("updates",), UPDATE)
    lines = edited.split("\n")
    for line in text.split("\n"):
        assert line in lines
    first = (
        next(at for at, (old, new) in enumerate(zip(text, edited, strict=False)) if old != new)
        if not edited.startswith(text)
        else len(text)
    )
    assert edited.endswith(text[first:])
    before, after = parse_yaml(text), parse_yaml(edited)
    assert after.pop("updates") == [*before.pop("updates", []), UPDATE]
    assert after == before


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_adding_then_removing_key_restores_file(file):
    text = file.read_bytes().decode()
    edited = set_yaml_value(text, ("x_note",), "here")
    assert edited.replace("x_note: here\n", "", 1) == text
