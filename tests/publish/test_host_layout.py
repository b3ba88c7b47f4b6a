"""Documents as hosts need them: compressed beside themselves."""

import gzip
from pathlib import Path
from random import Random

import pytest

from statuary.base.files import PublishingError
from statuary.base.installation import extra_install_command
from statuary.extensions.snapshots.site_reader import open_site
from statuary.publish.host_layout import with_compressed_forms
from statuary.site.document import Document
from statuary.site.settings import CompressedFormat, HostingSettings
from support.host_servers import build_project
from support.requirements import require_module

ADDRESS = "0x" + "ab" * 20
RECORD = Document(
    path=f"v2/contract/1/{ADDRESS.upper().replace('X', 'x')}",
    aliases=(f"v2/contract/1/{ADDRESS}",),
    body=b'{"abi":[' + b'"function",' * 500 + b"0]}",
    cache="public, max-age=0, must-revalidate",
)
SUMMARY = Document(path="api/v2/summary.json", body=RECORD.body)
SMALL = Document(path="chains", body=b"[]")


def settings(*forms: CompressedFormat) -> HostingSettings:
    return HostingSettings(precompressed=forms)


def test_default_hosting_settings_add_no_files():
    documents = [RECORD, SUMMARY, SMALL]
    assert list(with_compressed_forms(documents, HostingSettings())) == documents


def test_gzip_setting_adds_compressed_record():
    made = list(with_compressed_forms([RECORD, SUMMARY, SMALL], settings(CompressedFormat.GZIP)))
    assert [document.path for document in made] == [
        RECORD.path,
        f"{RECORD.path}.gz",
        SUMMARY.path,
        SMALL.path,
    ]
    form = made[1]
    assert form.aliases == (f"v2/contract/1/{ADDRESS}.gz",)
    assert gzip.decompress(form.body) == RECORD.body
    assert (form.cache, form.media_type) == (RECORD.cache, RECORD.media_type)


def test_gzip_output_is_reproducible():
    first, again = (
        list(with_compressed_forms([RECORD], settings(CompressedFormat.GZIP)))[1].body for _ in range(2)
    )
    assert first == again


def test_incompressible_file_stays_uncompressed():
    noise = Document(path="assets/theme/logo.png", body=Random(7).randbytes(2000))
    assert list(with_compressed_forms([noise], settings(CompressedFormat.GZIP))) == [noise]


def test_brotli_and_zstandard_files_decompress():
    brotli = require_module("brotli", install="pip install brotli")
    zstd = require_module("backports.zstd", install="pip install backports.zstd")
    _, br, zst = with_compressed_forms(
        [RECORD], settings(CompressedFormat.BROTLI, CompressedFormat.ZSTANDARD)
    )
    assert (brotli.decompress(br.body), zstd.decompress(zst.body)) == (RECORD.body, RECORD.body)
    assert (br.path, zst.path) == (f"{RECORD.path}.br", f"{RECORD.path}.zst")


def test_missing_compression_package_is_reported(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "brotli", None)
    with pytest.raises(PublishingError) as refused:
        list(with_compressed_forms([RECORD], settings(CompressedFormat.BROTLI)))
    assert "compress" in str(refused.value)
    assert refused.value.hint == extra_install_command("compress")


@pytest.mark.slow
def test_sharded_layout_has_same_documents(tmp_path: Path):
    plain = build_project(tmp_path / "plain", "")
    sharded = build_project(tmp_path / "sharded", "\nhosting: {layout: sharded}\n")
    assert not (sharded / "build" / "v2" / "contract").exists()
    with open_site(plain / "build") as before, open_site(sharded / "build") as after:
        paths = {path for path in before.paths() if not path.startswith((".", "snapshot/"))}
        assert all(after.read(path) == before.read(path) for path in paths)
        assert {path for path in after.paths() if path not in paths} == {"_redirects"} | {
            path for path in after.paths() if path.startswith(("_shards/", "snapshot/"))
        }
        moved = {path for path in paths if not (sharded / "build" / path).exists()}
    assert moved == {
        path for path in paths if path.startswith(("v2/contract/", "proof/748463/", "proof/748464/"))
    }
    assert len(moved) > 100
