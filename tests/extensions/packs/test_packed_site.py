"""A site published without what its packs have is read as the whole site: by `serve`, from Python, verified, and mirrored."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner

from statuary import open_snapshot
from statuary.base.files import PublishingError
from statuary.base.optional import MissingExtraError
from statuary.base.primitives import parse_instant
from statuary.cli.main import command
from statuary.extensions.packs import codec, packed_site
from statuary.extensions.packs.pack_list import LIST
from statuary.extensions.packs.pack_sources import is_packable
from statuary.extensions.serving.lookup import LookupRequest
from statuary.extensions.serving.server import answer_site_request
from statuary.extensions.snapshots.site_reader import open_site
from statuary.publish.listing import DamagedSnapshotError
from statuary.system import archives
from support import file_server
from support.packed_sites import build, built_files, list_of, packed_content, require_zstd
from support.sites import NOW, files_in, path_of, record_of


@pytest.fixture(autouse=True)
def _extra() -> None:
    require_zstd()


def run(*arguments: object, code: int = 0) -> str:
    """Run the command, and return what it says."""
    done = CliRunner().invoke(command, [str(argument) for argument in arguments])
    assert done.exit_code == code, (done.output, done.exception)
    return done.output


class Site:
    """A site whose packs have two runs, and what was published of it."""

    def __init__(self, root: Path, hosting: str = "") -> None:
        self.content, self.built, self.out = packed_content(root, 30), root / "build", root / "out"
        with (self.content / "site.yaml").open("a") as file:
            file.write(hosting)
        build(self.content, self.built)
        (self.content / path_of(3)).unlink()
        changed = orjson.loads(record_of(5)) | {"verifiedAt": "2026-01-02T03:04:05Z"}
        (self.content / path_of(5)).write_bytes(orjson.dumps(changed))
        self.files = built_files(self.content, self.built)
        assert len({pack.run for pack in list_of(self.files)}) == 2
        self.publish()

    def publish(self) -> str:
        return run("publish", self.built, "--to", self.out, "--exclude-packed")

    @property
    def packed(self) -> list[str]:
        return [path for path in self.files if is_packable(path)]


def whole_count(output: str) -> int:
    """Return how many documents a verification found whole, if that is all of them."""
    found = re.match(r"(\d+) of \1 documents are whole", output)
    return int(found[1]) if found else 0


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    require_zstd()
    return Site(tmp_path_factory.mktemp("packed"))


@pytest.fixture
def own_site(site: Site, tmp_path: Path) -> Path:
    """Return a copy of what was published."""
    return Path(shutil.copytree(site.out, tmp_path / "out"))


@pytest.fixture(params=["folder", "url", "url with a path"])
def place(request: pytest.FixtureRequest, own_site: Path) -> Iterator[str]:
    if request.param == "folder":
        yield str(own_site)
    elif request.param == "url":
        with file_server.served(own_site) as (url, _):
            yield url
    else:
        with file_server.served(own_site.parent) as (url, _):
            yield f"{url}/{own_site.name}"


@pytest.mark.slow
def test_exclude_packed_skips_only_packed_files(site: Site) -> None:
    left = {path for path in files_in(site.out) if not path.startswith(".statuary")}
    assert left == {path for path in site.files if not is_packable(path)}
    assert len(site.packed) > 100


@pytest.mark.slow
def test_packed_documents_equal_published_files(site: Site, place: str) -> None:
    with open_site(place) as reader:
        found = {path: reader.read(path) for path in site.files}
        assert found == site.files
        removed = f"v2/contract/748463/{orjson.loads(record_of(3))['address']}"
        assert reader.read(removed) is reader.read(removed.lower()) is None
        path = next(path for path in site.packed if path.startswith("v2/contract/748463/"))
        assert reader.read(path.replace("0x", "0X")) is reader.read(path.upper()) is None
        assert reader.read(path.swapcase().replace("V2/CONTRACT", "v2/contract").replace("0X", "0x")) is None


@pytest.mark.slow
def test_store_responding_403_means_missing_document(site: Site, own_site: Path, tmp_path: Path) -> None:
    """So S3 answers those who may not list the bucket."""
    with file_server.served(own_site, missing=403) as (url, _):
        with open_site(url) as reader:
            assert {path: reader.read(path) for path in site.packed} == {
                path: site.files[path] for path in site.packed
            }
            for missing in (f"v2/contract/748463/0x{'12' * 20}", "api/v2/nothing.json"):
                assert reader.read(missing) is None
        run("mirror", url, tmp_path / "mirror")
        assert whole_count(run("snapshot", "verify", url)) > len(site.packed)
    assert set(site.packed) <= set(files_in(tmp_path / "mirror"))


@pytest.mark.slow
def test_packed_site_responds_like_full_site(site: Site, place: str) -> None:
    now = parse_instant(NOW)
    with open_site(site.built) as whole, open_site(place) as packed:
        for path in sorted(site.packed)[::7]:
            for target in (path, f"{path}?fields=all", f"{path}?omit=abi", f"{path}?fields=nothing"):
                asked = LookupRequest(target=f"/{target}")
                answers = [
                    answer_site_request(asked, reader.read, now, lambda: "id") for reader in (whole, packed)
                ]
                assert answers[0] == answers[1], target


@pytest.mark.slow
def test_packed_site_lists_all_contracts(site: Site, place: str) -> None:
    with open_snapshot(site.built) as whole, open_snapshot(place) as packed:
        records = {(one.chain_id, one.address): one.body for one in whole.contracts()}
        assert len(records) == 29
        assert {(one.chain_id, one.address): one.body for one in packed.contracts()} == records


def test_folder_with_packs_lists_all_contracts(site: Site, tmp_path: Path) -> None:
    shutil.copytree(site.out / "packs", tmp_path / "packs")
    with open_snapshot(tmp_path) as packed:
        assert len({one.address for one in packed.contracts()}) == 29


@pytest.mark.slow
def test_packed_site_is_verified_and_extracted(site: Site, place: str) -> None:
    assert whole_count(run("snapshot", "verify", place)) > len(site.packed)
    path = next(path for path in site.packed if path.startswith("v2/contract/748463/0x"))
    assert run("extract", place, path).encode().strip() == site.files[path]


@pytest.mark.slow
def test_mirror_of_packed_site_restores_files(site: Site, own_site: Path, tmp_path: Path) -> None:
    with file_server.served(own_site) as (url, _):
        run("mirror", url, tmp_path / "mirror")
    mirrored = files_in(tmp_path / "mirror")
    assert {path: mirrored.get(path) for path in site.packed} == {
        path: site.files[path] for path in site.packed
    }


@pytest.mark.parametrize("damaged", ["list", "pack"])
def test_damaged_pack_never_gives_wrong_document(site: Site, own_site: Path, damaged: str) -> None:
    for file in [own_site / LIST] if damaged == "list" else (own_site / "packs/data").iterdir():
        body = bytearray(file.read_bytes())
        body[len(body) // 3] ^= 1
        file.write_bytes(body)
    errors = 0
    with open_site(own_site) as reader:
        for path in site.packed:
            try:
                assert reader.read(path) == site.files[path]
            except DamagedSnapshotError:
                errors += 1
    assert errors


@pytest.mark.slow
def test_open_packed_site_reads_republished_packs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_site, "LIST_SECONDS", 0.0)
    own = Site(tmp_path)
    with file_server.served(own.out) as (url, _), open_site(url) as reader:
        path = next(path for path in own.packed if path.startswith("v2/contract/748463/0x"))
        assert reader.read(path) == own.files[path]
        for number in (6, 8, 9, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56):
            (own.content / path_of(number)).write_bytes(record_of(number))
        (own.content / path_of(7)).unlink()
        changed = orjson.loads(record_of(5)) | {"verifiedAt": "2026-01-03T03:04:05Z"}
        (own.content / path_of(5)).write_bytes(orjson.dumps(changed))
        files = built_files(own.content, own.built)
        assert {pack.path for pack in list_of(files)} != {pack.path for pack in list_of(own.files)}
        own.publish()
        for path in (path for path in files if is_packable(path)):
            assert reader.read(path) == files[path], path
        for path in {*own.packed} - {*files}:
            assert reader.read(path) is None


@pytest.mark.slow
def test_site_with_sharded_layout_reads_packs(tmp_path: Path) -> None:
    own = Site(tmp_path, "hosting: {layout: sharded}\n")
    assert not [path for path in files_in(own.out) if path.startswith("_shards/") and "/0x" in path]
    with open_site(own.out) as reader:
        assert {path: reader.read(path) for path in own.packed} == {
            path: own.files[path] for path in own.packed
        }
    assert whole_count(run("snapshot", "verify", own.out)) > len(own.packed)


def test_precompressed_records_prevent_exclude_packed(tmp_path: Path) -> None:
    content = packed_content(tmp_path, 3)
    with (content / "site.yaml").open("a") as file:
        file.write("hosting: {precompressed: [gz]}\n")
    build(content, tmp_path / "build")
    said = run("publish", tmp_path / "build", "--to", tmp_path / "out", "--exclude-packed", code=3)
    assert ".gz is not in a pack" in said
    assert "hosting.precompressed" in said
    assert not (tmp_path / "out/index.html").exists()


def test_full_publish_restores_packed_files(site: Site, own_site: Path) -> None:
    run("publish", site.built, "--to", own_site)
    assert {path: body for path, body in files_in(own_site).items() if path in site.files} == site.files


def test_exclude_packed_requires_current_packs(site: Site, tmp_path: Path) -> None:
    own = Site(tmp_path)
    (own.built / LIST).write_bytes((own.built / LIST).read_bytes() + b" ")
    said = run("publish", own.built, "--to", own.out, "--exclude-packed", code=3)
    assert "do not belong to its last build" in said
    (own.built / LIST).unlink()
    assert "has no packs (no packs/packs.json)" in run(
        "publish", own.built, "--to", own.out, "--exclude-packed", code=3
    )
    run("snapshot", "create", "--from", site.built, tmp_path / "site.zip")
    said = run("publish", tmp_path / "site.zip", "--to", own.out, "--exclude-packed", code=3)
    assert "is a snapshot, which has every file" in said


def test_missing_zstd_fails_only_packed_reads(
    site: Site, own_site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> None:
        raise MissingExtraError("Zstandard", "zstd")

    for module in (archives, codec):
        monkeypatch.setattr(module, "import_zstandard", missing)
    with open_site(own_site) as reader:
        assert reader.read("v2/contract/1/0x" + "e" * 40) is None
        assert reader.read("api/v2/summary.json") == site.files["api/v2/summary.json"]
        with pytest.raises(MissingExtraError):
            reader.read(site.packed[0])


def test_full_site_never_reads_packs(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_site.PackedDocuments, "read", lambda *_: pytest.fail("asked"))
    with open_site(site.built) as reader:
        assert reader.read("v2/contract/1/0x" + "e" * 40) is None


def test_missing_pack_file_raises_error(site: Site, own_site: Path) -> None:
    shutil.rmtree(own_site / "packs/data")
    with open_site(own_site) as reader, pytest.raises(PublishingError):
        reader.read(site.packed[0])
