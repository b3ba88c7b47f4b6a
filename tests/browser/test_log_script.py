"""The proof of a log entry in the reader's browser: the vectors of others, and the verdicts of the Python side."""

import json
import subprocess
from base64 import b64decode
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson
import pytest

from statuary.extensions.log.entries import (
    EntryKind,
    LogAction,
    LogEntry,
    LogSubject,
    encode_proof,
    verify_proved_document,
)
from statuary.extensions.log.merkle import (
    LogError,
    hash_complete_tree,
    hash_entry_range,
    hash_leaf,
    make_inclusion_proof,
)
from statuary.extensions.log.notes import (
    LOG_KEY,
    PrivateKey,
    PublicKey,
    format_checkpoint_text,
    parse_public_key,
    verify_checkpoint,
)
from support.edge_runtimes import OFFLINE, deno
from support.random_runs import seeded

pytestmark = pytest.mark.slow

VECTORS = json.loads((Path(__file__).parents[1] / "extensions" / "log" / "merkle_vectors.json").read_bytes())
KEY = PrivateKey("status.example/log", sha256(b"a key of these tests").digest())
DAMAGED = 300


def answers(lines: list[Any]) -> list[Any]:
    command = [deno(), "run", *OFFLINE, str(Path(__file__).with_name("check_proofs.js"))]
    stdin = b"\n".join(map(orjson.dumps, lines))
    done = subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    found: list[Any] = json.loads(done.stdout)
    return found


def test_browser_matches_transparency_dev_inclusion_vectors():
    vectors = [
        one for one in VECTORS["inclusion"] if all(len(b64decode(text)) == 32 for text in texts_of(one))
    ]
    roots = answers(
        [
            {
                "leaf": one["leafHash"],
                "index": one["leafIdx"],
                "size": one["treeSize"],
                "hashes": one["proof"] or [],
            }
            for one in vectors
        ]
    )
    verdicts = [root == b64decode(one["root"]).hex() for one, root in zip(vectors, roots, strict=True)]
    assert verdicts == [not one["wantErr"] for one in vectors]
    assert {*verdicts} == {True, False}


def texts_of(vector: dict[str, Any]) -> list[str]:
    return [vector["leafHash"], vector["root"], *(vector["proof"] or [])]


def proof_of(entries: list[bytes], number: int, key: PrivateKey = KEY) -> str:
    """Return the .tlog-proof file of an entry of a log."""
    leaves = [hash_leaf(entry) for entry in entries]

    def subtree(height: int, index: int) -> bytes:
        return hash_complete_tree(leaves[index << height : (index + 1) << height])

    text = format_checkpoint_text(key.name, len(entries), hash_entry_range(0, len(entries), subtree))
    note = f"{text}\n— witness.example/w AAAAAAAA\n{key.sign(text)}"
    return encode_proof(
        number, make_inclusion_proof(number, len(entries), subtree), note, entries[number]
    ).decode()


def entry_of(document: str, number: int) -> bytes:
    digest = sha256(document.encode()).hexdigest()
    subject = LogSubject(EntryKind.CONTRACT, "1", f"0x{number:040x}")
    return LogEntry(subject, LogAction.ADD, "2026-11-20T12:00:00Z", digest, proof=digest).encode()


def is_accepted(proof: str, document: str, key: str) -> bool:
    """Return what the Python side returns."""
    try:
        found, _ = verify_proved_document(proof.encode(), document.encode())
        verify_checkpoint(found.checkpoint, parse_public_key(key))
    except LogError:
        return False
    return True


def test_browser_accepts_valid_log_proofs():
    documents = [f"document {number}" for number in range(70)]
    entries = [entry_of(document, number) for number, document in enumerate(documents)]
    cases = [
        [proof_of(entries[:size], number), documents[number], KEY.public.text]
        for size in (1, 2, 3, 4, 7, 8, 9, 33, 70)
        for number in range(size)
    ]
    assert all(is_accepted(*case) for case in cases)
    assert answers(cases) == [None] * len(cases)


def test_browser_rejects_damaged_log_proofs():
    chance = seeded(20)
    documents = [f"document {number}" for number in range(40)]
    entries = [entry_of(document, number) for number, document in enumerate(documents)]
    other = PrivateKey(KEY.name, sha256(b"another key").digest())
    cases = [[proof_of(entries, 0).replace("c2sp.", "c2spX"), documents[0], KEY.public.text]]
    for _ in range(DAMAGED):
        size = chance.randrange(1, len(entries))
        number = chance.randrange(size)
        proof, document, key = proof_of(entries[:size], number), documents[number], KEY.public.text
        match chance.randrange(6):
            case 0:
                document += "!"
            case 1:
                key = other.public.text
            case 2:
                proof = proof_of(entries[:size], number, other)
            case 3:
                lines = proof.split("\n")
                lines.pop(chance.randrange(len(lines)))
                proof = "\n".join(lines)
            case _:
                place = chance.randrange(len(proof))
                proof = f"{proof[:place]}{chance.choice('0Aaz= +')}{proof[place + 1 :]}"
        cases.append([proof, document, key])
    expected = [is_accepted(*case) for case in cases]
    found = [fault is None for fault in answers(cases)]
    assert [case for case, one, other in zip(cases, found, expected, strict=True) if one != other] == []
    assert expected.count(False) > DAMAGED / 2


SIGSUM = "sigsum.org/v1/tree/4d6d8825a6bb689d459628312889dfbb0bcd41b5211d9e1ce768b0ff0309e562"
SIGSUM_KEY = bytes.fromhex("ffdc2d4d98e4124d3feaf788c0c2f9abfd796083d1f0495437f302ec79cf100f")
LITEWITNESS = {
    "UgIom2VbtIcdFbwFAy1n7s6IkAxIY6J/GQOTuZF2ORV39d75cbAj2aQYwyJre36kezNobZs4SUUdrcawfAB8WVrx6go=": True,
    "UgIom2VbtIcdFbwFAy1n7s6IkAxIY6J/GQOTuZF2ORV39d75cbAj2aQYwyJre36kezNobZs4SUUdrcawfAB8WVrx6gx=": False,
}
"""Signatures of a checkpoint: cmd/litewitness/testdata/litewitness.txt of FiloSottile/torchwood."""


def test_browser_verifies_litewitness_checkpoint_signatures():
    body = f"{SIGSUM}\n3\nRcCI1Nk56ZcSmIEfIn0SleqtV7uvrlXNccFx595Iwl0=\n"
    key = PublicKey(SIGSUM, LOG_KEY, SIGSUM_KEY).text
    lines = [
        {"origin": SIGSUM, "body": body, "signature": f"— {SIGSUM} {signature}", "key": key}
        for signature in LITEWITNESS
    ]
    assert answers(lines) == list(LITEWITNESS.values())
