"""A snapshot goes through every form and place, and comes back as it was."""

import subprocess
import tarfile
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statuary.documents.document import Document
from statuary.optional import MissingExtraError
from statuary.snapshots.convert import convert_snapshot
from statuary.snapshots.site_reader import open_site
from statuary.snapshots.tar_zst import tar_header
from statuary.snapshots.verify import verify_snapshot
from support.requirements import require_module, require_program
from support.sites import tree
from support.snapshots import contract, made, mirrored, published, small_documents


@pytest.fixture(autouse=True)
def _zstandard() -> None:
    require_module("backports.zstd", install='pip install "statuary[snapshot]"')


def test_create_verify_publish_and_create_again(tmp_path: Path) -> None:
    file = made(tmp_path / "site.zip", small_documents())
    assert verify_snapshot(str(file)).is_whole
    folder = mirrored(file, tmp_path / "mirror")
    assert verify_snapshot(str(folder)).is_whole
    convert_snapshot(str(folder), tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == file.read_bytes()


def test_a_mirror_has_every_name_and_the_bytes_of_a_build(tmp_path: Path) -> None:
    file = made(tmp_path / "site.zip", small_documents())
    mirror = tree(mirrored(file, tmp_path / "mirror"))
    built = tree(published(small_documents(), tmp_path / "built"))
    assert {path: body for path, body in mirror.items() if not path.startswith("snapshot/")} == built


def test_zip_and_tar_zst_convert_into_each_other(tmp_path: Path) -> None:
    file = made(tmp_path / "site.zip", small_documents())
    solid = made(tmp_path / "site.tar.zst", small_documents())
    convert_snapshot(str(file), tmp_path / "a.tar.zst")
    convert_snapshot(str(solid), tmp_path / "b.zip", workers=3)
    assert (tmp_path / "a.tar.zst").read_bytes() == solid.read_bytes()
    assert (tmp_path / "b.zip").read_bytes() == file.read_bytes()
    assert verify_snapshot(str(file)).manifest_digest == verify_snapshot(str(solid)).manifest_digest


NAMES = st.text("abcxyz0é_-", min_size=1, max_size=8)


@settings(derandomize=True, max_examples=25, deadline=None)
@given(
    st.dictionaries(st.tuples(NAMES, NAMES), st.binary(max_size=400), max_size=12),
)
def test_any_site_comes_back(bodies: dict[tuple[str, str], bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        # folders end in a letter that no file has, so that no name is both
        documents = [Document(path=f"{one}Q/{two}", body=body) for (one, two), body in bodies.items()]
        file = made(root / "site.zip", documents)
        convert_snapshot(str(file), root / "site.tar.zst")
        convert_snapshot(str(root / "site.tar.zst"), root / "again.zip")
        assert (root / "again.zip").read_bytes() == file.read_bytes()
        with open_site(file) as site:
            assert {path: site.read(path) for path in site.paths()} == {
                document.path: document.body for document in documents
            }


def test_tar_and_zstd_unpack_a_tar_zst(tmp_path: Path) -> None:
    for program in ("tar", "zstd"):
        require_program(program, install=".ci/install-archivers")
    long = Document(path="v2/" + "/".join(["é" * 60] * 4), body=b"long name")
    solid = made(tmp_path / "site.tar.zst", [*small_documents(), long])
    (tmp_path / "out").mkdir()
    subprocess.run(["tar", "--zstd", "-xf", solid, "-C", tmp_path / "out"], check=True)
    subprocess.run(["zstd", "-q", "-t", solid], check=True)
    unpacked = tree(tmp_path / "out")
    assert unpacked[long.path] == b"long name"
    assert unpacked[contract(1).path] == contract(1).body


@pytest.mark.parametrize("path", ["a", "v2/contract/1/0x" + "aB" * 20, "x" * 100])
@pytest.mark.parametrize("size", [0, 1, 511, 8**11 - 1])
def test_headers_of_a_tar_are_those_of_pythons_own(path: str, size: int) -> None:
    info = tarfile.TarInfo(path)
    info.size, info.mtime = size, 315532800
    assert tar_header(path, size) == info.tobuf(tarfile.PAX_FORMAT)


def test_an_unpacked_snapshot_lacks_only_aliases(tmp_path: Path) -> None:
    require_program("unzip", install=".ci/install-archivers")
    file = made(tmp_path / "site.zip", small_documents())
    subprocess.run(["unzip", "-q", file, "-d", tmp_path / "out"], check=True)
    verification = verify_snapshot(str(tmp_path / "out"))
    assert verification.is_whole
    assert verification.lacks_aliases
    convert_snapshot(str(tmp_path / "out"), tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == file.read_bytes()


def test_without_zstandard_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("compression.zstd", "backports.zstd"):
        monkeypatch.setitem(__import__("sys").modules, name, None)
    with pytest.raises(MissingExtraError, match="Zstandard") as refused:
        made(tmp_path / "site.tar.zst", small_documents())
    assert "statuary[snapshot]" in refused.value.hint
    assert tree(tmp_path) == {}
