"""A site on a file system that ignores case: the same documents leave it as leave any other."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from statuary.cli.main import command
from statuary.extensions.object_stores.objects import PublishedFolder
from statuary.extensions.object_stores.store import LEASE
from statuary.publish.folder import reader, site_folder
from statuary.publish.folder.folder_target import FolderTarget
from statuary.site.document import Document
from support.file_system_without_case import mounted
from support.logs import LOGGED_SITE
from support.object_stores import Server, objects_of
from support.sites import NOW, as_another_version, path_of, record_of, write_files

LATER = NOW.replace("T12", "T13")
CONTENT = LOGGED_SITE | {path_of(number): record_of(number) for number in (1, 2)}
CHECKSUMMED, LOWER = "v2/contract/1/0xAB", "v2/contract/1/0xab"


def run(*arguments: object) -> str:
    result = CliRunner().invoke(command, [str(one) for one in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def leaving(site: Path) -> dict[str, bytes]:
    """Return what a publication takes from a folder."""
    folder = PublishedFolder(site)
    return {one.path: folder.read(one.path) for one in folder.objects()}


@pytest.fixture(params=[True, False], ids=["links", "no links"])
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    with mounted(tmp_path / "file-system", links=request.param) as point:
        yield point


@pytest.fixture
def content(tmp_path: Path) -> Path:
    return write_files(tmp_path / "content", CONTENT)


@pytest.mark.slow
def test_case_insensitive_disk_gives_same_documents(content, folder, tmp_path, monkeypatch):
    plain, site = tmp_path / "plain", folder / "site"
    options = ["--content", content, "--now", NOW]
    run("build", *options, "--out", plain)
    first = run("build", *options, "--out", site)
    assert first.count("is on a file system that ignores case") == 1
    assert "Caddy, Cloudflare, nginx, S3" in first
    assert f"statuary publish {site} --to s3://" in first
    whole = leaving(plain)
    assert leaving(site) == whole
    assert any(path != path.lower() and path.lower() in whole for path in whole)

    times = {file: file.stat().st_mtime_ns for file in site.rglob("*") if ".statuary" not in file.parts}
    again = run("build", *options, "--out", site)
    assert "nothing changed" in again
    assert "ignores case" not in again
    assert times == {file: file.stat().st_mtime_ns for file in times}
    assert leaving(site) == whole

    snapshots = {}
    for name, built in (("plain", plain), ("site", site)):
        run("tick", "--out", built, "--now", LATER)
        run("snapshot", "create", "--from", built, tmp_path / f"{name}.zip")
        snapshots[name] = (tmp_path / f"{name}.zip").read_bytes()
    assert leaving(site) == leaving(plain)
    assert snapshots["site"] == snapshots["plain"]

    output = run("publish", tmp_path / "site.zip", "--to", folder / "mirror")
    assert output.count("ignores case") == 1
    run("publish", tmp_path / "plain.zip", "--to", tmp_path / "mirror")
    assert leaving(folder / "mirror") == leaving(tmp_path / "mirror")
    assert "ignores case" in run("extract", tmp_path / "site.zip", "--to", folder / "extracted")
    assert "ignores case" not in run("extract", tmp_path / "site.zip", "--to", tmp_path / "extracted")
    listed = {name: run("extract", name, "--list") for name in (tmp_path / "mirror", folder / "mirror")}
    assert len(set(map(frozenset, map(str.splitlines, listed.values())))) == 1
    assert sorted(run("extract", site, "--list").splitlines()) == sorted(
        run("extract", plain, "--list").splitlines()
    )

    shutil.rmtree(content / "contracts")
    as_another_version(monkeypatch)
    for built in (plain, site):
        run("build", *options, "--out", built)
    assert leaving(site) == leaving(plain)


@pytest.mark.slow
@pytest.mark.parametrize("first", ["plain", "site"])
def test_site_on_other_disk_builds_identically(content, folder, tmp_path, first):
    places = {"plain": tmp_path / "plain", "site": folder / "site"}
    built = places.pop(first)
    (moved,) = places.values()
    options = ["--content", content, "--now", NOW]
    run("build", *options, "--out", built)
    whole = leaving(built)
    shutil.copytree(built, moved, copy_function=shutil.copy2)
    for path in sorted(built.rglob("*"), reverse=True):
        if path.is_dir():
            there = path.stat()
            os.utime(moved / path.relative_to(built), ns=(there.st_atime_ns, there.st_mtime_ns))
    run("build", *options, "--out", moved)
    assert leaving(moved) == whole


@pytest.fixture
def store(moto_server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    for name, value in moto_server.environment().items():
        monkeypatch.setenv(name, value)
    return moto_server


@pytest.mark.slow
def test_object_store_receives_both_address_spellings(content, folder, tmp_path, store, bucket_name):
    stored = []
    for number, out in enumerate((tmp_path / "plain", folder / "site")):
        url = store.make_bucket(f"{bucket_name}-{number}")
        run("build", "--content", content, "--now", NOW, "--out", out, "--to", url)
        stored.append({path: found for path, found in objects_of(url).items() if path != LEASE})
    assert {path.lower() for path in stored[0]} != set(stored[0])
    assert stored[0] == stored[1]


def test_manifest_lists_case_variants_separately(tmp_path, monkeypatch):
    """Without such a file system: what the program decides, on any machine."""
    monkeypatch.setattr(site_folder, "ignores_case", lambda _: True)
    monkeypatch.setattr(reader, "ignores_case", lambda _: True)
    body = b"{}"
    with FolderTarget(tmp_path) as target:
        target.add([Document(path=CHECKSUMMED, body=body, aliases=(LOWER,))])
        assert target.lacks_case_variants
        assert list(map(str, target.plan().changes())) == [
            f"+ {CHECKSUMMED} (2 bytes)",
            f"+ {LOWER} (2 bytes)",
        ]
        target.apply()
    assert (tmp_path / CHECKSUMMED).read_bytes() == body
    assert not (tmp_path / LOWER).exists()
    assert [one.path for one in PublishedFolder(tmp_path).objects()] == [CHECKSUMMED, LOWER]
    assert sorted(reader.FolderReader(tmp_path).paths()) == [CHECKSUMMED, LOWER]
    with FolderTarget(tmp_path) as target:  # a name that differs only in case takes the file over
        target.add([Document(path=LOWER, body=body)])
        target.apply()
    assert (tmp_path / CHECKSUMMED).read_bytes() == body
