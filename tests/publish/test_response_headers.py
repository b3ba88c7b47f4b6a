"""Media types and cache rules by path: what the documents say of themselves."""

from pathlib import Path

import orjson
import pytest

from statuary.base.primitives import parse_instant
from statuary.base.progress import NoProgress
from statuary.engine.build import build_site
from statuary.extensions.snapshots.snapshot_reader import read_snapshot
from statuary.extensions.snapshots.snapshot_target import SnapshotTarget
from statuary.publish.host_layout import cache_control_of, media_type_of
from statuary.publish.origin import SiteOrigin
from support.contracts import ADDRESS, made_record
from support.sites import NOW, small_site, write_files

HOSTING = "hosting: {layout: sharded, files: [netlify, cloudflare, github-pages], precompressed: [gz]}\n"


@pytest.mark.parametrize("hosting", ["", HOSTING], ids=["plain", "for hosts"])
def test_media_types_match_built_documents(tmp_path: Path, hosting: str) -> None:
    instant = parse_instant(NOW)
    out = tmp_path / "site.zip"
    content = small_site(tmp_path)
    record = orjson.dumps(made_record(chain_id="748463"))
    site = (content / "site.yaml").read_text()
    write_files(content, {f"contracts/748463/{ADDRESS}.json": record, "site.yaml": site + hosting})
    with SnapshotTarget(out, SiteOrigin(instant=instant, revision="", statuary="0")) as publication:
        build_site(content, publication, instant, NoProgress())
    with read_snapshot(str(out)) as snapshot:
        entries = list(snapshot.entries())
    assert len(entries) > 20
    assert [(entry.path, media_type_of(entry.path)) for entry in entries] == [
        (entry.path, entry.media_type) for entry in entries
    ]


def test_unknown_path_media_type_follows_extension() -> None:
    assert media_type_of("fonts/a.woff2") == "font/woff2"
    assert media_type_of("snapshot/parts/0.jsonl") == "application/jsonl; charset=utf-8"
    assert media_type_of("LICENSE") == media_type_of("a.b/c") == "application/octet-stream"
    assert cache_control_of("LICENSE") == ""
    assert "max-age" in cache_control_of("api/v2/summary.json")
