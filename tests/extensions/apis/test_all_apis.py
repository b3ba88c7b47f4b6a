"""A site with every interface: snapshots and mirrors have its files, and a build without changes leaves them alone."""

from pathlib import Path

import orjson
import pytest

from statuary.extensions.apis.settings import Api
from statuary.extensions.snapshots.site_reader import open_site
from statuary.extensions.snapshots.snapshot_target import copy_snapshot
from statuary.extensions.snapshots.verify import verify_snapshot
from statuary.registry import EXTENSIONS
from support.sites import address_of, build, path_of, site_of_many, tree
from support.snapshots import mirrored

[FOLDERS] = [row.folders for row in EXTENSIONS if row.name == "apis"]
LATER = "2026-11-21T12:00:00Z"


@pytest.fixture
def content(tmp_path: Path) -> Path:
    folder = site_of_many(tmp_path, 3)
    with (folder / "site.yaml").open("a") as file:
        file.write(f"apis: [{', '.join(Api)}]\ncontracts: {{publish: all}}\n")
    record = orjson.loads((folder / path_of(1)).read_bytes())
    implementations = [{"address": address_of(2)}]
    record["proxyResolution"] = {
        "isProxy": True,
        "proxyType": "EIP1967Proxy",
        "implementations": implementations,
    }
    (folder / path_of(1)).write_bytes(orjson.dumps(record))
    return folder


def of_interfaces(files: dict[str, bytes]) -> dict[str, bytes]:
    return {path: body for path, body in files.items() if path.startswith(FOLDERS)}


@pytest.mark.slow
def test_snapshot_and_mirror_contain_api_files(tmp_path, content):
    assert build(content, tmp_path / "site").applied
    own = of_interfaces(tree(tmp_path / "site"))
    assert {path.partition("/")[0] for path in own} == {folder.partition("/")[0] for folder in FOLDERS}
    copy_snapshot(str(tmp_path / "site"), tmp_path / "site.zip")
    assert verify_snapshot(str(tmp_path / "site.zip")).is_intact
    with open_site(tmp_path / "site.zip") as opened:
        assert {path: opened.read(path) for path in opened.paths() if path in own} == own
    assert of_interfaces(tree(mirrored(tmp_path / "site.zip", tmp_path / "mirror"))) == own


def test_unchanged_contracts_keep_api_documents(tmp_path, content, monkeypatch):
    site = tmp_path / "site"
    assert build(content, site).applied
    before = {path: (site / path).stat().st_mtime_ns for path in of_interfaces(tree(site))}
    assert before
    for name in (
        "documents.derive_record_output",
        "proxy_documents.read_contract",
        "site_documents.list_proxies",
        "site_documents.iter_same_code_documents",
    ):
        monkeypatch.setattr(f"statuary.extensions.apis.{name}", None)
    incident = content / "incidents/slow.yaml"
    for text in (incident.read_text(), incident.read_text().replace("Slow", "Very slow")):
        incident.write_text(text)
        result = build(content, site, LATER)
        assert result.applied
        assert not [one for one in result.checked.all_findings if one.rule.startswith("working-")]
        after = {path: (site / path).stat().st_mtime_ns for path in of_interfaces(tree(site))}
        assert after == before
