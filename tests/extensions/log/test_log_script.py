"""The script of pages verifies what `statuary log check` verifies, and nothing that was tampered with."""

import json
import shutil
import subprocess

import pytest

from support.logs import KEY, LOGGED_SITE, logged
from support.requirements import CHECKOUT, require_program
from support.sites import address_of, path_of, record_of, write_files

pytestmark = pytest.mark.slow

SCRIPT = CHECKOUT / "src/statuary/extensions/log/pages/scripts/log.js"
ASK = """
import { readFileSync } from "node:fs";
import { isSigned, parseProof, verify } from "./log.mjs";
const [proofFile, documentFile, key] = process.argv.slice(2);
try {
  const proof = parseProof(readFileSync(proofFile, "utf8"));
  const entry = await verify(proof, readFileSync(documentFile));
  console.log(JSON.stringify({ index: Number(proof.index), entry, signed: await isSigned(proof, key) }));
} catch (error) {
  console.log(JSON.stringify({ error: error.message }));
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("script")
    content = write_files(
        root / "content", LOGGED_SITE | {path_of(one): record_of(one) for one in range(1, 13)}
    )
    logged(content, root / "site")
    shutil.copy(SCRIPT, root / "log.mjs")
    (root / "ask.mjs").write_text(ASK, "utf-8")
    return root


def verified_in_browser(folder, proof, document, key=KEY.public.text):
    node = require_program("node", install=".ci/install-browser")
    command = [node, folder / "ask.mjs", proof, document, key]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, timeout=60)
    return json.loads(done.stdout)


def test_log_script_verifies_record_and_incident(folder):
    site = folder / "site"
    for number in (1, 7, 11):
        proof = site / f"log/contracts/748463/{address_of(number)}.tlog-proof"
        found = verified_in_browser(folder, proof, site / f"v2/contract/748463/{address_of(number)}")
        assert found["signed"] in (True, None)  # an old node has no Ed25519
        assert found["entry"]["address"] == address_of(number)
    assert (
        verified_in_browser(folder, site / "log/incidents/slow.tlog-proof", site / "incidents/slow.json")[
            "index"
        ]
        == 14
    )


def test_log_script_rejects_tampered_proof(folder):
    site = folder / "site"
    proof = site / "log/incidents/slow.tlog-proof"
    assert "SHA-256" in verified_in_browser(folder, proof, site / "incidents/upgrade.json")["error"]
    lines = proof.read_text("utf-8").split("\n")
    for change in (
        [*lines[:3], lines[4], lines[3], *lines[5:]],  # two hashes of the way exchanged
        [*lines[:3], *lines[4:]],  # one left out
        [*lines[:2], "index 13", *lines[3:]],
        [*lines[:4], *lines[3:]],  # one twice
    ):
        (folder / "other.tlog-proof").write_text("\n".join(change), "utf-8")
        assert "error" in verified_in_browser(
            folder, folder / "other.tlog-proof", site / "incidents/slow.json"
        )
    other = "status.plinth.example/log+00000000+" + KEY.public.text.rpartition("+")[2].replace("A", "B")
    assert verified_in_browser(folder, proof, site / "incidents/slow.json", other)["signed"] is False
