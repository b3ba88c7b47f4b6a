"""Published files that are damaged behind the ledger's back are made again; content that changes is never missed."""

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from statuary.base.files import LEDGER
from statuary.contracts.incremental import build_contract as contract_builder
from support.sites import CHAIN, address_of, build, files_in, git, path_of, record_of, site_of_many

pytestmark = pytest.mark.thorough


@pytest.fixture
def content(tmp_path) -> Path:
    content = site_of_many(tmp_path / "project", 5)
    long_ago = time.time() - 60
    for file in content.rglob("*"):
        os.utime(file, (long_ago, long_ago))
    return content


def cut(file: Path) -> None:
    """Make a file empty as a power cut does: its folder shows nothing."""
    times = file.parent.stat()
    os.truncate(file, 0)
    os.utime(file.parent, ns=(times.st_atime_ns, times.st_mtime_ns))


@pytest.mark.parametrize("in_git", [False, True])
def test_emptied_output_files_are_rebuilt(tmp_path, in_git):
    content, out = site_of_many(tmp_path / "project", 2, pages=True), tmp_path / "out"
    if in_git:
        git(content.parent, "init", "-q")
        git(content.parent, "add", ".")
        git(content.parent, "commit", "-qm", "one")
    build(content, out, git=in_git)
    whole = files_in(out)
    assert len(whole) > 60
    stay_empty = []
    for path, body in whole.items():
        cut(out / path)
        build(content, out, git=in_git)
        if (out / path).read_bytes() != body:
            stay_empty.append(path)
    assert stay_empty == []
    assert files_in(out) == whole


def test_missing_address_alias_file_is_restored(content, tmp_path):
    build(content, tmp_path / "out")
    whole = files_in(tmp_path / "out")
    record = tmp_path / "out/v2/contract" / CHAIN / address_of(3)
    for name in (record, record.with_name(record.name.lower())):
        name.unlink()
        build(content, tmp_path / "out")
        assert files_in(tmp_path / "out") == whole


@pytest.mark.parametrize(
    "harmed", ["v2/contract", "proof", "v2/contracts", "api/v2/summary.json", "404.html"]
)
def test_output_after_unfinished_build_is_repaired(content, tmp_path, harmed):
    build(content, tmp_path / "out")
    whole = files_in(tmp_path / "out")
    with closing(
        sqlite3.connect(tmp_path / "out" / LEDGER)
    ) as ledger:  # as after a power cut while publishing
        ledger.execute(
            "UPDATE notes SET value = (SELECT value FROM notes WHERE name = 'run') WHERE name = 'unfinished run'"
        )
        ledger.commit()
    for path in whole:
        if path.startswith(harmed):
            cut(tmp_path / "out" / path)
    build(content, tmp_path / "out")
    assert files_in(tmp_path / "out") == whole


def test_site_files_sync_before_ledger_commit(content, tmp_path, monkeypatch):
    seen = []

    def sync(self):
        address = f"file:{self.root / LEDGER}?mode=ro&immutable=1"
        with closing(sqlite3.connect(address, uri=True)) as ledger:
            (unfinished,) = ledger.execute("SELECT value FROM notes WHERE name = 'unfinished run'").fetchone()
        seen.append(unfinished)

    monkeypatch.setattr("statuary.publish.folder.site_folder.SiteFolder.sync", sync)
    build(content, tmp_path / "out")
    build(content, tmp_path / "out")
    assert seen == ["1"]  # and a build without changes waits for nothing


@pytest.mark.parametrize("when", ["before reading", "after reading"])
@pytest.mark.parametrize("back", [False, True])
def test_git_checkout_during_build_is_rebuilt(content, tmp_path, monkeypatch, when, back):
    project, file = content.parent, content / path_of(2)
    git(project, "init", "-q")
    git(project, "add", ".")
    git(project, "commit", "-qm", "one")
    git(project, "branch", "one")
    file.write_bytes(record_of(2).replace(b'"matchId":"2"', b'"matchId":"222"'))
    assert b"222" in file.read_bytes()
    git(project, "commit", "-qam", "two")
    git(project, "branch", "two")
    git(project, "checkout", "-q", "one")
    long_ago = time.time() - 60
    os.utime(file, (long_ago, long_ago))
    real = contract_builder.read_contract

    def read_contract(root, source, content):
        if source.path == path_of(2) and when == "before reading":
            git(project, "checkout", "-q", "two")
        built = real(root, source, content)
        if source.path == path_of(2):
            git(project, "checkout", "-q", "one" if back else "two")
        return built

    with monkeypatch.context() as patch:
        patch.setattr(contract_builder, "read_contract", read_contract)
        build(content, tmp_path / "out", git=True)
    git(project, "checkout", "-q", "one")
    build(content, tmp_path / "out", git=True)
    build(content, tmp_path / "fresh", git=True)
    assert files_in(tmp_path / "out") == files_in(tmp_path / "fresh")


def test_verify_detects_change_with_same_mtime(content, tmp_path):
    build(content, tmp_path / "out")
    file = content / path_of(2)
    times = file.stat()
    changed = record_of(2).replace(b'"matchId":"2"', b'"matchId":"7"')
    assert len(changed) == times.st_size
    file.write_bytes(changed)
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert build(content, tmp_path / "out").plan.is_empty  # size and time say that nothing has changed
    build(content, tmp_path / "out", verify=True)
    build(content, tmp_path / "fresh")
    assert files_in(tmp_path / "out") == files_in(tmp_path / "fresh")


@pytest.mark.parametrize(
    "harmed", ["v2/contract/", "proof", "v2/contracts", "api/v2/summary.json", "404.html", "index.html"]
)
def test_verify_option_repairs_hidden_byte_change(content, tmp_path, harmed):
    build(content, tmp_path / "out")
    whole = files_in(tmp_path / "out")
    for path in filter(lambda path: path.startswith(harmed), whole):
        file = tmp_path / "out" / path
        times = file.stat()
        file.write_bytes(bytes([whole[path][0] ^ 1]) + whole[path][1:])
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    build(content, tmp_path / "out", verify=True)
    assert files_in(tmp_path / "out") == whole
