"""What clear signing publishes is vouched for by the log, and is in snapshots and mirrors byte for byte."""

import json
from pathlib import Path

import pytest

from statuary.extensions.log.notes import PrivateKey
from statuary.extensions.snapshots.site_reader import open_site
from statuary.extensions.snapshots.snapshot_target import copy_snapshot
from statuary.extensions.snapshots.verify import verify_snapshot
from support.logs import ORIGIN, log_failure, logged, problems_of
from support.signing_sites import SEND, SEND_KEY, SIGNING_SITE, TOKEN, TOKEN_FILE, descriptor, signing_content
from support.sites import CHAIN, tree, write_files
from support.snapshots import mirrored
from support.tiers import few_by_default

TESTS = "registry/plinth/testsv2/calldata-Token.tests.json"
LATER, LATEST = "2026-11-21T12:00:00Z", "2026-11-22T12:00:00Z"
PROOF = f"clear-signing/proof/{CHAIN}/{TOKEN.lower()}.json"
ITS_FILES = {
    PROOF,
    "clear-signing/index.json",
    "clear-signing/index.calldata.json",
    "clear-signing/index.eip712.json",
    f"clear-signing/{TOKEN_FILE}",
    f"clear-signing/examples/{TOKEN_FILE}",
}


@pytest.fixture
def content(tmp_path: Path) -> Path:
    folder = signing_content(
        tmp_path, {TOKEN_FILE: descriptor(), TESTS: {"descriptor": "../calldata-Token.json"}}
    )
    return write_files(folder, {"site.yaml": SIGNING_SITE["site.yaml"] + f"log:\n  origin: {ORIGIN}\n"})


@pytest.fixture
def site(tmp_path: Path, content: Path) -> Path:
    logged(content, tmp_path / "site")
    return tmp_path / "site"


def of_signing(files: dict[str, bytes]) -> dict[str, bytes]:
    return {path: body for path, body in files.items() if path.startswith("clear-signing/")}


@pytest.mark.slow
def test_transparency_log_covers_every_descriptor_file(site):
    assert set(of_signing(tree(site))) == ITS_FILES
    assert problems_of(site) == []


@pytest.mark.parametrize("path", few_by_default(sorted(ITS_FILES), 2))
def test_changed_signing_file_fails_verification(site, path):
    body = (site / path).read_bytes()
    (site / path).write_bytes(body[:-2] + bytes([body[-2] ^ 1]) + body[-1:])
    assert any(path in problem for problem in problems_of(site))


def test_descriptor_missing_from_log_is_reported(site):
    forged = "clear-signing/registry/plinth/calldata-Forged.json"
    write_files(site, {forged: json.dumps(descriptor())})
    assert problems_of(site) == [forged]


@pytest.mark.slow
def test_next_build_logs_changed_descriptor(tmp_path, content, site):
    before = of_signing(tree(site))
    changed = descriptor({SEND_KEY: {**SEND, "intent": "Pay"}})
    write_files(content, {f"clear-signing/{TOKEN_FILE}": json.dumps(changed)})
    logged(content, site, LATER)
    assert problems_of(site) == []
    after = of_signing(tree(site))
    assert {path for path in after if after[path] != before[path]} == {PROOF, f"clear-signing/{TOKEN_FILE}"}
    (content / "clear-signing" / TOKEN_FILE).unlink()
    logged(content, site, LATEST)
    assert problems_of(site) == []
    assert of_signing(tree(site)) == {}


@pytest.mark.slow
def test_log_failure_still_publishes_changed_descriptors(content, site):
    changed = descriptor({SEND_KEY: {**SEND, "intent": "Pay"}})
    write_files(content, {f"clear-signing/{TOKEN_FILE}": json.dumps(changed)})
    log_failure(content, site, LATER, key=PrivateKey(ORIGIN, bytes(32)))
    assert b"Pay" in (site / "clear-signing" / TOKEN_FILE).read_bytes()


def test_snapshot_and_mirror_contain_descriptors(tmp_path, site):
    copy_snapshot(str(site), tmp_path / "site.zip")
    assert verify_snapshot(str(tmp_path / "site.zip")).is_intact
    own = of_signing(tree(site))
    with open_site(tmp_path / "site.zip") as opened:
        assert {path: opened.read(path) for path in opened.paths() if path in own} == own
    assert of_signing(tree(mirrored(tmp_path / "site.zip", tmp_path / "mirror"))) == own
