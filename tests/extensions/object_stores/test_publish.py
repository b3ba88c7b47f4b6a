"""`statuary publish` and `statuary build --to`: folders and object stores, from the shell."""

import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import orjson
import pytest

from statuary import open_snapshot
from statuary.base.primitives import checksum_address
from statuary.extensions.packs.pack_sources import is_packable
from statuary.extensions.serving.site import DocumentNotFoundError
from support.contracts import made_record
from support.object_stores import objects_of, proxied
from support.packed_sites import built_files, packed_content, require_zstd
from support.random_runs import seeded
from support.sites import NOW, path_of, record_of, small_site, write_files

pytestmark = pytest.mark.slow

STATUARY = [sys.executable, "-m", "statuary"]
RECORDS = 12


@pytest.fixture
def store(moto_server, bucket_name, monkeypatch):
    with proxied(moto_server) as proxy:
        for name, value in proxy.environment().items():
            monkeypatch.setenv(name, value)
        proxy.url = moto_server.make_bucket(bucket_name)
        yield proxy


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A content folder with contracts, and the folder that a build made of it."""
    root = tmp_path_factory.mktemp("built")
    records = [
        made_record()
        | {
            "chainId": "748463",
            "address": checksum_address(f"0x{number * 7919:040x}"),
            "matchId": str(number),
        }
        for number in range(1, RECORDS + 1)
    ]
    lines = b"".join(orjson.dumps(record) + b"\n" for record in records)
    content = write_files(small_site(root), {"contracts/all.jsonl": lines})
    run("build", "--content", content, "--out", root / "out", "--now", NOW)
    return content, root / "out"


def run(*arguments: object, code: int = 0) -> str:
    done = subprocess.run(
        [*STATUARY, *map(str, arguments)], check=False, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def files_in(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file() and not str(file.relative_to(folder)).startswith((".statuary", ".gitignore"))
    }


def bodies_in(store) -> dict[str, bytes]:
    return stored(store.url)


def stored(url: str) -> dict[str, bytes]:
    found = objects_of(url)
    return {path: body for path, (body, _) in found.items() if not path.startswith(".statuary/")}


@pytest.mark.slow
def test_build_publishes_to_store(store, built, tmp_path):
    content, out = built
    output = run("build", "--content", content, "--out", tmp_path / "out", "--now", NOW, "--to", store.url)
    assert f"in {store.url}" in output
    assert bodies_in(store) == files_in(out)
    store.seen.clear()
    output = run("build", "--content", content, "--out", tmp_path / "out", "--now", NOW, "--to", store.url)
    assert store.count("PUT") == 0
    assert "publishing took no requests" in output
    output = run(
        "build", "--content", content, "--out", tmp_path / "o", "--now", NOW, "--to", store.url, "--dry-run"
    )
    assert f"{store.url} was not compared" in output


@pytest.mark.slow
def test_publish_dry_run_prints_cost(store, built):
    _, out = built
    output = run("publish", out, "--to", store.url, "--dry-run")
    wanted = files_in(out)
    epochs = [path for path in wanted if path.startswith("api/v2/_epochs/")]
    shown = [line.split()[1] for line in output.splitlines() if line.startswith("+ ")]
    assert shown == sorted(set(wanted) - set(epochs))
    assert f"  api/v2/_epochs/: {len(epochs):,} to add (" in output
    assert f"publishing would take {len(wanted) + 4} puts" in output
    assert bodies_in(store) == {}
    assert {method for method, *_ in store.seen} == {"GET"}


@pytest.mark.slow
def test_publishing_snapshot_uploads_only_snapshot_files(store, built, tmp_path):
    _, out = built
    run("publish", out, "--to", store.url)
    run("snapshot", "create", "--from", out, tmp_path / "site.zip")
    store.seen.clear()
    run("publish", tmp_path / "site.zip", "--to", store.url)
    names = {path.partition("/")[2].partition("/")[2] for method, path, _ in store.seen if method == "PUT"}
    put = {path for path in names if not path.startswith(".statuary")}
    assert put
    assert all(path.startswith("snapshot/") for path in put)


@pytest.mark.slow
def test_older_snapshot_requires_allow_older(store, built, tmp_path):
    content, out = built
    run("publish", out, "--to", store.url)
    there, old = bodies_in(store), tmp_path / "old.zip"
    run("snapshot", "create", "--content", content, "--now", "2026-11-01T00:00:00Z", old, code=4)
    output = run("publish", old, "--to", store.url, code=3)
    assert "has a newer site, as of" in output
    assert "--allow-older" in output
    assert bodies_in(store) == there
    run("publish", old, "--to", store.url, "--allow-older")
    assert "snapshot/manifest.json" in bodies_in(store)


@pytest.mark.slow
def test_damaged_snapshot_is_not_published(store, built, tmp_path):
    _, out = built
    file = tmp_path / "site.zip"
    run("snapshot", "create", "--from", out, file)
    harmed = bytearray(file.read_bytes())
    harmed[len(harmed) // 2] ^= 0xFF
    file.write_bytes(harmed)
    run("publish", file, "--to", store.url, code=3)
    assert bodies_in(store) == {}


def test_site_folder_is_published_to_folder(built, tmp_path):
    _, out = built
    for output in ("added", "nothing changed"):
        assert output in run("publish", out, "--to", tmp_path / "mirror")
        assert files_in(tmp_path / "mirror") == files_in(out)
    records = list((tmp_path / "mirror/v2/contract/748463").iterdir())
    spellings = Counter(file.name.lower() for file in records)
    assert set(spellings.values()) == {1, 2}  # not every address is spelled otherwise by EIP-55
    assert all(file.stat().st_nlink == spellings[file.name.lower()] for file in records)


@pytest.mark.slow
def test_publish_to_missing_bucket_fails(store, built):
    output = run("publish", built[1], "--to", "s3://nowhere-at-all/x", code=3)
    assert output.startswith("statuary: s3://nowhere-at-all/x cannot")


@pytest.mark.slow
def test_terminated_publisher_releases_lease(store, built):
    store.fault = lambda method, path, number: "hang" if number == 60 else ""
    with subprocess.Popen([*STATUARY, "publish", str(built[1]), "--to", store.url]) as process:
        wait_for(lambda: len(store.seen) > 50)
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 128 + signal.SIGTERM
    store.fault = lambda *_: ""
    run("publish", built[1], "--to", store.url)
    assert bodies_in(store) == files_in(built[1])


@pytest.mark.slow
def test_lease_of_killed_publisher_expires(store, built):
    """A publisher is killed at random instants; the next waits for its lease to end, and puts what is missing."""
    _, out = built
    wanted, chance = files_in(out), seeded(20261120)
    for _ in range(3):
        until = len(store.seen) + chance.randrange(8, len(wanted) // 2)
        with subprocess.Popen(
            [*STATUARY, "publish", str(out), "--to", store.url, "--lease-seconds", "2", "--wait", "9"]
        ) as process:
            wait_for(lambda until=until: len(store.seen) > until)
            process.kill()
    output = run("publish", out, "--to", store.url, "--lease-seconds", "2", "--wait", "0", code=3)
    assert "another publisher has locked" in output
    run("publish", out, "--to", store.url, "--lease-seconds", "2", "--wait", "9")
    assert bodies_in(store) == wanted
    assert (
        store.count("PUT") <= len(wanted) + 3
    )  # a kill may come between a put and its answer, not twice for one object


def wait_for(is_so) -> None:
    for _ in range(600):
        if is_so():
            return
        time.sleep(0.02)
    raise AssertionError


@pytest.mark.slow
def test_azure_store_serves_packed_records(azurite_server, bucket_name, monkeypatch, tmp_path):
    """Of a site with packs, the store need not have an object for each record; readers find them by ranges."""
    require_zstd()
    for name, value in azurite_server.environment().items():
        monkeypatch.setenv(name, value)
    url = azurite_server.make_bucket(bucket_name)
    content, out = packed_content(tmp_path, 60), tmp_path / "out"
    files = built_files(content, out)
    (content / path_of(3)).unlink()
    files = built_files(content, out)
    wanted = {path: body for path, body in files.items() if not is_packable(path)}
    run("publish", out, "--to", url, "--exclude-packed")
    assert stored(url).keys() >= wanted.keys()
    assert not [path for path in stored(url) if is_packable(path)]
    assert len(files) - len(wanted) > 200
    place = f"http://127.0.0.1:{azurite_server.port}/devstoreaccount1/{bucket_name}"
    with open_snapshot(place) as site:
        assert {path: site.read(path) for path in files} == files
        with pytest.raises(DocumentNotFoundError):
            site.contract(748463, orjson.loads(record_of(3))["address"])
    assert " documents are whole" in run("snapshot", "verify", place)
    run("publish", out, "--to", url)
    assert {path for path in stored(url) if is_packable(path)} == files.keys() - wanted.keys()
    run("publish", out, "--to", url, "--exclude-packed")
    assert not [path for path in stored(url) if is_packable(path)]
