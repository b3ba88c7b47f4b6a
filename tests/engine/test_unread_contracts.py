"""Contracts whose files cannot be read: they stay as last published, and all others change."""

import gzip
import json
import os
import shutil
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path

import pytest
from click.testing import CliRunner

from statuary.cli.main import command
from statuary.contracts.incremental import rebuild
from support.sites import SITE, address_of, files_in, path_of, record_of, small_site, write_files
from support.tiers import few_by_default

NOW = "2026-11-19T12:00:00Z"
CHAIN = path_of(1).rpartition("/")[0]
BULK = "contracts/all.jsonl"
PACKED = "contracts/all.jsonl.gz"


def as_another_version(monkeypatch) -> None:
    """Have the build believe that another version of statuary has built the contracts of the site."""
    fingerprint = rebuild.fingerprint_of
    monkeypatch.setattr(rebuild, "fingerprint_of", lambda *of: fingerprint(*of)._replace(statuary="another"))


def run(folder: Path, *arguments: str, code: int = 0) -> str:
    with chdir(folder):
        done = CliRunner().invoke(command, [*arguments, "--now", NOW])
    assert done.exit_code == code, done.output
    return done.output


def lines(*numbers: int) -> bytes:
    return b"".join(record_of(number) + b"\n" for number in numbers)


def link(file: Path) -> None:
    away = file.parents[3] / "away" / file.name
    away.parent.mkdir(exist_ok=True)
    shutil.move(file, away)
    file.symlink_to(away)


def make_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def make_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


OWN_FILES: dict[str, Callable[[Path], object]] = {
    "link": link,
    "pipe": make_pipe,
    "empty": lambda file: file.write_bytes(b""),
    "cut": lambda file: file.write_bytes(file.read_bytes()[:-9]),
    "conflict": lambda file: file.write_bytes(b"<<<<<<< HEAD\n" + file.read_bytes()),
    "UTF-16": lambda file: file.write_text(file.read_text(), "utf-16"),
    "not a record": lambda file: file.write_text("[]"),
    "wrong type": lambda file: file.write_bytes(
        file.read_bytes().replace(b'"matchId":"', b'"matchId":1,"x":"')
    ),
}
"""The ways in which a record becomes unreadable, by name."""


@pytest.fixture
def content(tmp_path: Path) -> Path:
    return small_site(tmp_path)


def published(folder: Path) -> set[int]:
    """Return the numbers of the contracts that the site serves and lists."""
    (path,) = (folder / "build/v2/contracts").glob("748463*")
    listed = {row["address"] for row in json.loads(path.read_bytes())["results"]}
    served = {file.name for file in (folder / "build/v2/contract/748463").iterdir()}
    assert listed <= served
    return {number for number in range(1, 9) if address_of(number) in listed}


@pytest.mark.parametrize("is_new_version", [False, True])
@pytest.mark.parametrize("harm", few_by_default(OWN_FILES, 2))
def test_unreadable_record_stays_as_published(tmp_path, content, harm, is_new_version, monkeypatch):
    write_files(content, {path_of(number): record_of(number) for number in (1, 2, 3)})
    run(tmp_path, "build")
    before = files_in(tmp_path / "build/v2")
    OWN_FILES[harm](content / path_of(2))
    if is_new_version:
        as_another_version(monkeypatch)
    for _ in range(2):
        output = run(tmp_path, "build", code=4)
        assert f"{path_of(2)}" in output
        assert "1 contract stays as last published" in output
        assert ("3 contracts on 1 chain" in output, "excluded" in output) == (True, False)
        assert files_in(tmp_path / "build/v2") == before
    write_files(content, {path_of(3): None, path_of(4): record_of(4)})
    run(tmp_path, "build", code=4)
    assert published(tmp_path) == {1, 2, 4}
    remove(content / path_of(2))
    run(tmp_path, "build")
    assert published(tmp_path) == {1, 4}
    run(tmp_path, "build", "--out", "fresh")
    assert files_in(tmp_path / "build") == files_in(tmp_path / "fresh")


def remove(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


BULK_FILES = {
    "bad line": (BULK, lines(1, 2) + b'{"chainId": \n' + lines(4), {1, 2, 3, 4}),
    "bad first line": (BULK, b"{\n" + lines(2, 3, 4), {1, 2, 3, 4}),
    "moved lines": (BULK, lines(5, 1, 2) + b"{\n" + lines(4), {1, 2, 3, 4, 5}),
    "cut": (BULK, lines(1, 2, 3)[:-9], {1, 2, 3, 4}),
    "empty gzip": (PACKED, b"", {1, 2, 3, 4}),
    "cut gzip": (PACKED, gzip.compress(lines(1, 2, 5), mtime=0)[:-8], {1, 2, 3, 4, 5}),
    "not gzip": (PACKED, lines(1, 2), {1, 2, 3, 4}),
    "link": (BULK, None, {1, 2, 3, 4}),
    "record that fails": (
        BULK,
        lines(1, 2) + b"{\n" + lines(4).replace(b'"runs":200', b'"runs":201'),
        {1, 2, 3},
    ),
}


@pytest.mark.parametrize("is_new_version", [False, True])
@pytest.mark.parametrize("harm", few_by_default(BULK_FILES, 2))
def test_damaged_bulk_file_keeps_published_contracts(tmp_path, content, harm, is_new_version, monkeypatch):
    path, body, expected = BULK_FILES[harm]
    whole = lines(1, 2, 3, 4)
    write_files(
        content, {path: gzip.compress(whole, mtime=0) if path == PACKED else whole, path_of(7): record_of(7)}
    )
    run(tmp_path, "build")
    assert published(tmp_path) == {1, 2, 3, 4, 7}
    if body is None:
        link(content / path)
    else:
        write_files(content, {path: body})
    if is_new_version:
        as_another_version(monkeypatch)
    write_files(content, {path_of(8): record_of(8), path_of(7): None})
    for _ in range(3):
        output = run(tmp_path, "build", code=4)
        assert path in output
        assert published(tmp_path) == expected | {8}, output
    remove(content / path)
    write_files(content, {path: gzip.compress(lines(1, 6), mtime=0) if path == PACKED else lines(1, 6)})
    run(tmp_path, "build")
    assert published(tmp_path) == {1, 6, 8}
    run(tmp_path, "build", "--out", "fresh")
    assert files_in(tmp_path / "build") == files_in(tmp_path / "fresh")


UNLISTED = {
    "record": (path_of(2), {1, 2, 3, 5, 6}),
    "chain": (CHAIN, {1, 2, 3, 5, 6}),
    "bulk file": (BULK, {1, 2, 3, 5, 6}),
    "folder": ("contracts", {1, 2, 3, 5}),
}


@pytest.mark.slow
@pytest.mark.parametrize("is_new_version", [False, True])
@pytest.mark.parametrize("place", UNLISTED)
def test_unlisted_contracts_leave_other_changes(tmp_path, content, place, is_new_version, monkeypatch):
    """As during an outage of one source: contracts of all others are added and removed."""
    path, expected = UNLISTED[place]
    write_files(content, {"site.yaml": f"{SITE}contracts: {{sources: [../more]}}\n", BULK: lines(3)})
    write_files(content, {path_of(number): record_of(number) for number in (1, 2)})
    more = content.parent / "more" / path_of(4).removeprefix("contracts/")
    write_files(more.parent, {more.name: record_of(4)})
    run(tmp_path, "build")
    assert published(tmp_path) == {1, 2, 3, 4}
    link(content / path)
    if is_new_version:
        as_another_version(monkeypatch)
    more.unlink()
    write_files(more.parent, {Path(path_of(5)).name: record_of(5)})
    if place != "folder":
        write_files(content, {"contracts/more.jsonl": lines(6)})
    for _ in range(2):
        output = run(tmp_path, "build", code=4)
        assert "as last published" in output
        assert f"{len(expected)} contracts on 1 chain" in output
        assert published(tmp_path) == expected
