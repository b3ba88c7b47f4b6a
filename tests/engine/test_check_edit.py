"""Edits are checked before they are written, and written atomically."""

import os
import stat

import pytest

from statuary.base.files import PublishingError
from statuary.base.primitives import parse_instant
from statuary.engine.check_edit import check_edit, read_status_content
from statuary.source.edit_files import EditError, FileEdit, write_edit
from support.sites import NOW, SMALL_SITE, write_files

AT = parse_instant(NOW)
INCIDENT = "incidents/slow.yaml"


@pytest.fixture
def root(tmp_path):
    write_files(tmp_path, SMALL_SITE)
    return tmp_path


def edit_of(root, change, path):
    text = (root / path).read_text(encoding="utf-8")
    return FileEdit(path=path, text_before=text, text_after=change(text))


def incident_file(root):
    return next(file.relative_to(root).as_posix() for file in root.glob("incidents/*.yaml"))


def test_edit_without_new_errors_is_accepted(root):
    edit = edit_of(root, lambda text: "# a note\n" + text, incident_file(root))
    assert check_edit(root, AT, read_status_content(root, AT), edit) == ([], True)


def test_edit_with_new_error_is_rejected(root):
    edit = edit_of(root, lambda text: "# a note\n" + text + "unknown: x\n", incident_file(root))
    findings, may_be_written = check_edit(root, AT, read_status_content(root, AT), edit)
    assert not may_be_written
    assert [finding.rule for finding in findings] == ["unknown-key"]
    assert findings[0].position.line == edit.text_after.count("\n")


def test_edit_accepts_file_with_findings(root):
    write_files(root, {"incidents/old.yaml": "name: Old\nupdate: []\n"})
    before = read_status_content(root, AT)
    assert before.findings
    edit = edit_of(root, lambda text: "# moved down by a line\n" + text, "incidents/old.yaml")
    assert check_edit(root, AT, before, edit) == ([], True)


def test_edit_repeating_existing_error_is_rejected(root):
    path = incident_file(root)
    later = "  - at: 2026-11-02T09:00:00Z\n    status: resolved\n    components: {absent: null}\n"
    (root / path).write_text((root / path).read_text(encoding="utf-8") + later, encoding="utf-8")
    before = read_status_content(root, AT)
    edit = edit_of(root, lambda text: text + later.replace("09", "08"), path)
    findings, may_be_written = check_edit(root, AT, before, edit)
    assert not may_be_written
    assert "unknown-component" in {finding.rule for finding in findings}


def test_status_edit_check_ignores_contract_files(root):
    write_files(root, {"contracts/1/nonsense.json": "{"})
    assert read_status_content(root, AT).findings == ()


def test_edit_of_new_file_creates_folder(tmp_path):
    write_edit(tmp_path, FileEdit(path="incidents/2026/a.yaml", text_before=None, text_after="é\r\n"))
    assert (tmp_path / "incidents/2026/a.yaml").read_bytes() == "é\r\n".encode()
    assert [file.name for file in (tmp_path / "incidents/2026").iterdir()] == ["a.yaml"]


def test_edit_through_symlink_keeps_link(tmp_path):
    (tmp_path / "real.yaml").write_text("a")
    (tmp_path / "real.yaml").chmod(0o640)
    (tmp_path / "link.yaml").symlink_to("real.yaml")
    assert (
        write_edit(tmp_path, FileEdit(path="link.yaml", text_before="a", text_after="b"))
        == (tmp_path / "real.yaml").resolve()
    )
    assert (tmp_path / "link.yaml").is_symlink()
    assert (tmp_path / "real.yaml").read_text() == "b"
    assert stat.S_IMODE((tmp_path / "real.yaml").stat().st_mode) == 0o640


@pytest.mark.parametrize(("before", "on_disk"), [("a", "changed"), (None, "made by another")])
def test_edit_never_overwrites_concurrently_changed_file(tmp_path, before, on_disk):
    (tmp_path / "a.yaml").write_text(on_disk)
    with pytest.raises(EditError, match="has changed since it was read"):
        write_edit(tmp_path, FileEdit(path="a.yaml", text_before=before, text_after="b"))
    assert (tmp_path / "a.yaml").read_text() == on_disk


def test_edit_never_recreates_deleted_file(tmp_path):
    with pytest.raises(EditError):
        write_edit(tmp_path, FileEdit(path="a.yaml", text_before="a", text_after="b"))
    assert list(tmp_path.iterdir()) == []


def test_full_disk_edit_keeps_file(tmp_path, monkeypatch):
    (tmp_path / "a.yaml").write_text("a")

    def full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(PublishingError, match="No space left"):
        write_edit(tmp_path, FileEdit(path="a.yaml", text_before="a", text_after="b"))
    assert (tmp_path / "a.yaml").read_text() == "a"
    assert [file.name for file in tmp_path.iterdir()] == ["a.yaml"]
