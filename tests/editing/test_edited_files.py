"""The content folder seen with an edit that is not written."""

import pytest

from statuary.content.source_files import SourceFile
from statuary.content.unreadable import UnreadableError
from statuary.editing.check_edit import edited_files


@pytest.fixture
def root(tmp_path):
    for path in ("site.yaml", "incidents/a.yaml", "contracts/1/x.json"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(f"on disk: {path}")
    return tmp_path


def texts(found):
    return {file.path: file.text(1000) for file in found if isinstance(file, SourceFile)}


def test_an_edited_file_has_its_new_text(root):
    assert texts(edited_files(root, {"incidents/a.yaml": "é"}, {"contracts"})) == {
        "incidents/a.yaml": "é",
        "site.yaml": "on disk: site.yaml",
    }


def test_a_new_file_comes_last(root):
    found = list(edited_files(root, {"incidents/b.yaml": "new"}))
    assert [file.path for file in found] == [
        "contracts/1/x.json",
        "incidents/a.yaml",
        "site.yaml",
        "incidents/b.yaml",
    ]
    assert found[-1].text(3) == "new"


def test_an_edit_beyond_the_size_limit_is_rejected(root):
    file = list(edited_files(root, {"incidents/b.yaml": "é"}))[-1]
    with pytest.raises(UnreadableError, match="2 bytes, more than 1"):
        file.text(1)
