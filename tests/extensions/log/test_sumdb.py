"""Go's checksum database verifies our logs with its own code: entries, tiles, proofs, growth; and finds what is changed."""

import pytest

from statuary.extensions.log.merkle import iter_tile_paths
from support.go_sumdb import sumdb_fault
from support.logs import LOGGED_SITE, log_of, logged
from support.random_runs import seeded
from support.sites import INCIDENT, site_of_many, write_files

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """A site with a log of more than one full tile, at two sizes; with the heads."""
    root = tmp_path_factory.mktemp("sumdb")
    content = write_files(site_of_many(root / "content", 270), {"site.yaml": LOGGED_SITE["site.yaml"]})
    logged(content, root / "site")
    before = log_of(root / "site").head
    write_files(content, {"incidents/slow.yaml": INCIDENT.replace("looking", "still looking")})
    logged(content, root / "site", "2026-11-21T12:00:00Z")
    return root / "site", before


def test_go_sumdb_client_accepts_statuary_log(logs):
    site, before = logs
    assert before.size > 256
    assert sumdb_fault(site) == ""
    assert sumdb_fault(site, earlier=before) == ""
    assert sumdb_fault(site, earlier=(before.size, bytes(32)))


def test_go_sumdb_client_detects_changed_byte(logs):
    """Of the checkpoint, of entries and tiles, and of proofs; `log verify` does in its own tests."""
    site, _ = logs
    random = seeded(1)
    tiles = [site / "log" / path for path in iter_tile_paths(log_of(site).head.size)]
    present = [*tiles, *(site / "log").rglob("*.tlog-proof")]
    for path in [site / "log/checkpoint", *tiles, *random.sample(sorted(present), 8)]:
        body = path.read_bytes()
        place = random.randrange(len(body))
        path.write_bytes(body[:place] + bytes([body[place] ^ 1]) + body[place + 1 :])
        assert sumdb_fault(site), (path, place)
        path.write_bytes(body)
    assert sumdb_fault(site) == ""
