"""A few bytes from elsewhere never take much memory: what they state is compared with limits first."""

import json
import sqlite3
import subprocess
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from statuary.base.files import MANIFEST
from statuary.extensions.packs.codec import Compressor
from statuary.extensions.packs.pack_format import VERSION
from statuary.extensions.packs.pack_list import LIST, make_pack_name
from support.file_server import served
from support.limited_memory import run_limited
from support.packed_sites import require_zstd
from support.sites import SITE, SMALL_SITE, write_files
from support.tiers import few_by_default

MANY_LISTS = b"[%b[]]" % (b"[]," * 14_999_999)
"""45 MB of JSON that take 1.4 GB as values."""


def rejected(done: subprocess.CompletedProcess[bytes], reason: str) -> None:
    """Check that a run ended with a message of ours."""
    output = (done.stdout + done.stderr).decode()
    assert "Traceback" not in output
    assert "MemoryError" not in output
    assert "defect of statuary" not in output
    assert done.returncode in (1, 3), output
    assert reason in output


def pack_with_head(head: bytes) -> bytes:
    """Return a pack that has a head only, of any size before compression."""
    text = Compressor().compress(head)
    numbers = f"{0:016d} {0:08d} {0:08d} {len(text):08d} {len(head):08d}"
    return text + f"{VERSION} {numbers} {sha256(text).hexdigest()}\n".encode()


def test_million_value_pack_head_is_rejected(tmp_path: Path) -> None:
    require_zstd()
    head = b'{"offset":0,"frames":%b}' % (b"[%b[]]" % (b"[]," * 4_999_999))
    (tmp_path / "small.pack").write_bytes(pack_with_head(head))
    assert (tmp_path / "small.pack").stat().st_size < 10_000
    rejected(run_limited("pack", "verify", tmp_path / "small.pack"), "more than 2,000,000 values")


@pytest.mark.parametrize("command", ["verify", "read"])
def test_pack_stating_terabyte_size_is_rejected(command: str, tmp_path: Path) -> None:
    require_zstd()
    digest, size = "ab" * 32, 4 << 40
    row = {"path": make_pack_name(digest), "run": 0, "size": size, "sha256": digest, "end": [0, digest]}
    row |= {"documents": 1, "removals": 0, "plain": 1, "first": "v2/a", "last": "v2/b"}
    write_files(tmp_path, {LIST: json.dumps({"version": 1, "packs": [row]})})
    pack = tmp_path / "packs" / make_pack_name(digest)
    pack.parent.mkdir()
    with pack.open("wb") as stream:
        stream.truncate(size)  # a file of holes
    arguments = {"verify": [tmp_path], "read": [tmp_path, "v2/a"]}[command]
    rejected(run_limited("pack", command, *arguments), "is too large: statuary never writes one of that size")


def test_nested_pack_list_is_rejected(tmp_path: Path) -> None:
    require_zstd()
    write_files(tmp_path, {LIST: b'{"version":1,"packs":%b}' % MANY_LISTS})
    rejected(run_limited("pack", "verify", tmp_path), "more than 2,000,000 values")


def test_manifest_with_nested_lists_is_rejected(tmp_path: Path) -> None:
    write_files(tmp_path / "site", {MANIFEST: b'{"a":%b}' % MANY_LISTS})
    rejected(run_limited("snapshot", "verify", tmp_path / "site"), "more than 2,000,000 values")
    with served(tmp_path / "site") as (url, _):
        rejected(run_limited("mirror", url, tmp_path / "mirror"), "more than 2,000,000 values")


def test_million_label_alert_is_rejected(tmp_path: Path) -> None:
    write_files(tmp_path / "content", SMALL_SITE | {"site.yaml": f"{SITE}alerts: {{rules: []}}\n"})
    labels = {f"l{number}": "" for number in range(18_000)}
    alerts = [{"status": "firing"}] * 25_000
    payload = {"groupKey": "a", "status": "firing", "commonLabels": labels, "alerts": alerts}
    done = run_limited(
        "incident", "from-alert", "--content", tmp_path / "content", stdin=json.dumps(payload).encode()
    )
    rejected(done, "the alert has 450,000,000 labels")


DATABASES = {
    "view": """\
CREATE VIEW deployments AS
WITH RECURSIVE n(deployment_id) AS (SELECT 1 UNION ALL SELECT deployment_id + 1 FROM n) SELECT * FROM n
""",
    "column": """\
CREATE TABLE deployments (deployment_id, big AS (zeroblob(900000000)));
INSERT INTO deployments VALUES (1)
""",
    "rows": """\
CREATE TABLE deployments (deployment_id, big AS (hex(zeroblob(30000000))));
INSERT INTO deployments
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) SELECT i FROM n
""",
}
"""Databases that would not end, or would fill memory."""


@pytest.mark.parametrize("name", few_by_default(DATABASES, 1))
def test_boa_database_exceeding_limits_is_rejected(name: str, tmp_path: Path) -> None:
    write_files(tmp_path / "content", dict(SMALL_SITE))
    with closing(sqlite3.connect(tmp_path / "deployments.db")) as database:
        database.executescript(DATABASES[name])
    done = run_limited("import", "boa", tmp_path / "deployments.db", "--content", tmp_path / "content")
    rejected(done, "deployments")
