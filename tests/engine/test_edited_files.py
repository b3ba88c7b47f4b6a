"""The content folder seen with an edit that is not written."""

import pytest

from statuary.engine.check_edit import edited_files, scope_of_edit
from statuary.source.source_files import SourceFile
from statuary.source.unreadable import UnreadableError


@pytest.fixture
def root(tmp_path):
    for path in ("site.yaml", "incidents/a.yaml", "contracts/1/x.json"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(f"on disk: {path}")
    return tmp_path


def texts(found):
    return {file.path: file.load_text(1000) for file in found if isinstance(file, SourceFile)}


def test_unsaved_edit_replaces_file_content(root):
    assert texts(edited_files(root, {"incidents/a.yaml": "é"})) == {
        "incidents/a.yaml": "é",
        "site.yaml": "on disk: site.yaml",
    }


def test_unsaved_new_file_is_read_last(root):
    found = list(edited_files(root, {"incidents/b.yaml": "new"}))
    assert [file.path for file in found] == [
        "incidents/a.yaml",
        "site.yaml",
        "incidents/b.yaml",
    ]
    assert found[-1].load_text(3) == "new"


def test_oversized_edit_is_rejected(root):
    file = list(edited_files(root, {"incidents/b.yaml": "é"}))[-1]
    with pytest.raises(UnreadableError, match="2 bytes, more than 1"):
        file.load_text(1)


def test_edit_reads_only_affected_records(root):
    for path in ("incidents/2026/ab.yaml", "incidents/b.yml", "incidents/.git/a.yaml", "maintenances/m.yaml"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("updates: [{status: resolved}]")

    def read(folder, typed):
        return list(texts(edited_files(root, {}, scope_of_edit(root, folder, typed))))

    # beside a new record, those that may be open
    assert read("incidents", None) == ["site.yaml", "incidents/a.yaml"]
    assert read("incidents", "a") == ["site.yaml", "incidents/a.yaml"]
    assert read("incidents", "ab") == ["site.yaml", "incidents/2026/ab.yaml"]
    assert read("maintenances", "m-20261101t0000z") == ["maintenances/m.yaml", "site.yaml"]
    # a name that no file has may be an id that a file gives itself
    everything = [
        "incidents/2026/ab.yaml",
        "incidents/a.yaml",
        "incidents/b.yml",
        "maintenances/m.yaml",
        "site.yaml",
    ]
    assert read("incidents", "c") == everything
