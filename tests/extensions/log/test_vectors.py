"""Vectors that others wrote: transparency-dev/merkle, C2SP's examples, transparency-dev/formats and litewitness."""

import json
from base64 import b64decode, b64encode
from hashlib import sha256
from pathlib import Path

import pytest

from statuary.extensions.log.entries import TlogProof, encode_proof, parse_proof
from statuary.extensions.log.merkle import (
    EMPTY_ROOT,
    LogError,
    ProofError,
    iter_tile_paths,
    make_tile_path,
    verify_consistency,
    verify_inclusion,
)
from statuary.extensions.log.notes import (
    LOG_KEY,
    WITNESS_KEY,
    PublicKey,
    parse_checkpoint,
    parse_note,
    parse_public_key,
)

VECTORS = json.loads((Path(__file__).parent / "merkle_vectors.json").read_bytes())


def hashes(texts: list[str] | None) -> list[bytes]:
    return [b64decode(text) for text in texts or []]


@pytest.mark.parametrize("vector", VECTORS["inclusion"], ids=lambda vector: vector["desc"])
def test_inclusion_proofs_match_merkle_vectors(vector):
    def verify():
        leaf, root = hashes([vector["leafHash"], vector["root"]])
        verify_inclusion(leaf, vector["leafIdx"], vector["treeSize"], hashes(vector["proof"]), root)

    if vector["wantErr"]:
        with pytest.raises(ProofError):
            verify()
    else:
        verify()


@pytest.mark.parametrize("vector", VECTORS["consistency"], ids=lambda vector: vector["desc"])
def test_consistency_proofs_match_merkle_vectors(vector):
    def verify():
        first, second = hashes([vector["root1"], vector["root2"]])
        verify_consistency(vector["size1"], vector["size2"], hashes(vector["proof"]), first, second)

    if vector["wantErr"]:
        with pytest.raises(ProofError):
            verify()
    else:
        verify()


FOO = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
MESSAGE = (
    "This is an example message.\n\n— example.com/foo "
    "Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n"
)


def test_signed_note_specification_example_verifies():
    key = parse_public_key(FOO)
    assert key.text == FOO
    note = parse_note(MESSAGE.encode())
    assert note.find_signers([key]) == [key]
    assert note.body == MESSAGE
    with pytest.raises(LogError, match="not valid"):
        parse_note(MESSAGE.replace("an example", "a sample").encode()).find_signers([key])


def test_multi_paragraph_note_keeps_full_text():
    text = "Ognuno sta solo sul cuor della terra\ntrafitto da un raggio di sole:\n\ned è subito sera.\n"
    signature = b64encode(bytes(68)).decode()
    note = parse_note(f"{text}\n— quasimodo.example/salvatore {signature}\n".encode())
    assert note.text == text


CHECKPOINT = """example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==
"""


def test_c2sp_checkpoint_and_cosignature_examples_parse():
    found = parse_checkpoint(CHECKPOINT.encode())
    assert (found.origin, found.size) == ("example.com/behind-the-sofa", 20852163)
    assert found.root == b64decode("CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=")
    assert found.note.body == CHECKPOINT
    cosignature = found.note.signatures[1].value
    assert len(cosignature) == 8 + 64
    assert int.from_bytes(cosignature[:8], "big") == 1679315147  # as tlog-cosignature.md shows it


def test_large_log_has_expected_tile_paths():
    # tlog-tiles.md, "Partial Tiles"
    paths = set(iter_tile_paths(70_000))
    full = {path for path in paths if ".p/" not in path and path.startswith("tile/0/")}
    assert len(full) == 273
    assert paths >= {
        "tile/0/273.p/112",
        "tile/1/000",
        "tile/1/001.p/17",
        "tile/2/000.p/1",
        "tile/entries/273.p/112",
    }
    assert len(paths) == 273 + 1 + 273 + 1 + 1 + 1 + 1
    assert set(iter_tile_paths(256)) == {"tile/0/000", "tile/entries/000", "tile/1/000.p/1"}
    assert make_tile_path(0, 1234067) == "tile/0/x001/x234/067"


def test_go_sumdb_checkpoint_verifies():
    # cmd/litewitness/testdata/sumdb.txt of FiloSottile/torchwood: a checkpoint that sum.golang.org signed
    body = (
        "go.sum database tree\n35225469\nvt5T6GaLCXvyHFl9VUvvItR43XZxfLgftEcTyO3eJCQ=\n\n— sum.golang.org "
        "Az3grpukl5AXaVfYkLiDGORx/DN2nlcS5kZHR5uYOBV2KA2HgXpD+gu9HHONebHLAyaKbbTM75QTtPydhKCExixSfwQ=\n"
    )
    key = parse_public_key("sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8")
    assert parse_checkpoint(body.encode()).note.find_signers([key]) == [key]


SIGSUM = "sigsum.org/v1/tree/4d6d8825a6bb689d459628312889dfbb0bcd41b5211d9e1ce768b0ff0309e562"
SIGSUM_KEY = bytes.fromhex("ffdc2d4d98e4124d3feaf788c0c2f9abfd796083d1f0495437f302ec79cf100f")
LITEWITNESS = [
    # size, root, signature, whether it is valid: cmd/litewitness/testdata/litewitness.txt of FiloSottile/torchwood
    (
        1,
        "KgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "UgIom7fPZTqpxWWhyjWduBvTvGVqsokMbqTArsQilegKoFBJQjUFAmQ0+YeSPM3wfUQMFSzVnnNuWRTYrajXpNUbIQY=",
        True,
    ),
    (
        3,
        "RcCI1Nk56ZcSmIEfIn0SleqtV7uvrlXNccFx595Iwl0=",
        "UgIom2VbtIcdFbwFAy1n7s6IkAxIY6J/GQOTuZF2ORV39d75cbAj2aQYwyJre36kezNobZs4SUUdrcawfAB8WVrx6gx=",
        False,
    ),
    (
        3,
        "RcCI1Nk56ZcSmIEfIn0SleqtV7uvrlXNccFx595Iwl0=",
        "UgIom2VbtIcdFbwFAy1n7s6IkAxIY6J/GQOTuZF2ORV39d75cbAj2aQYwyJre36kezNobZs4SUUdrcawfAB8WVrx6go=",
        True,
    ),
]


@pytest.mark.parametrize(("size", "root", "signature", "is_valid"), LITEWITNESS)
def test_litewitness_checkpoint_signatures_are_checked(size, root, signature, is_valid):
    body = f"{SIGSUM}\n{size}\n{root}\n\n— {SIGSUM} {signature}\n".encode()
    key = PublicKey(SIGSUM, LOG_KEY, SIGSUM_KEY)
    if is_valid:
        assert parse_checkpoint(body).note.find_signers([key]) == [key]
    else:
        with pytest.raises(LogError):
            parse_checkpoint(body).note.find_signers([key])


@pytest.mark.parametrize(
    ("proof", "is_valid"),
    [
        (
            ["KgEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "KgIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="],
            True,
        ),
        (
            ["KgEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "KgIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABA="],
            False,
        ),
        ([], False),
    ],
)
def test_litewitness_consistency_proofs_verify(proof, is_valid):
    first, second = hashes([LITEWITNESS[0][1], LITEWITNESS[2][1]])
    if is_valid:
        verify_consistency(1, 3, hashes(proof), first, second)
    else:
        with pytest.raises(ProofError):
            verify_consistency(1, 3, hashes(proof), first, second)


H1, H2 = sha256(b"hash1").digest(), sha256(b"hash2").digest()


@pytest.mark.parametrize(
    ("proof", "text"),
    [
        (
            (5, [H1, H2], "test checkpoint\n"),
            "c2sp.org/tlog-proof@v1\nindex 5\n{h1}\n{h2}\n\ntest checkpoint\n",
        ),
        (
            (10, [H1], "checkpoint data\n", b"extra information"),
            "c2sp.org/tlog-proof@v1\nextra {extra}\nindex 10\n{h1}\n\ncheckpoint data\n",
        ),
        ((0, [], "checkpoint\n"), "c2sp.org/tlog-proof@v1\nindex 0\n\ncheckpoint\n"),
    ],
)
def test_encoded_log_proofs_match_c2sp_vectors(proof, text):
    h1, h2, extra = (b64encode(one).decode() for one in (H1, H2, b"extra information"))
    assert encode_proof(*proof).decode() == text.format(h1=h1, h2=h2, extra=extra)


@pytest.mark.parametrize(
    "text",
    [
        "wrong-header\nindex 0\n\n{c}",
        "c2sp.org/tlog-proof@v1\nextra !!notbase64!!\nindex 0\n\n{c}",
        "c2sp.org/tlog-proof@v1\n\n\n{c}",
        "c2sp.org/tlog-proof@v1\nindex notanumber\n\n{c}",
        "c2sp.org/tlog-proof@v1\nindex -5\n\n{c}",
        "c2sp.org/tlog-proof@v1\nindex 01\n\n{c}",
        "c2sp.org/tlog-proof@v1\nindex 0\n!!notbase64!!\n\n{c}",
        "c2sp.org/tlog-proof@v1\nindex 0\n" + "a" * 65 * 1024 + "\n",
        "c2sp.org/tlog-proof@v1\nindex 0\n" + "YWE=\n" * 64 + "\n{c}",
    ],
)
def test_malformed_log_proofs_are_rejected(text):
    with pytest.raises(LogError):
        parse_proof(text.format(c=CHECKPOINT).encode())


def test_wrong_hash_length_proof_is_rejected():
    line = b64encode(bytes(64)).decode()
    text = f"c2sp.org/tlog-proof@v1\nindex 0\n{line}\n\n{CHECKPOINT}"
    with pytest.raises(ProofError):
        parse_proof(text.encode()).verify(b"")


def test_encoded_inclusion_proof_parses_unchanged():
    body = encode_proof(3, [H1, H2], CHECKPOINT, b"the entry")
    assert parse_proof(body) == TlogProof(b"the entry", 3, (H1, H2), parse_checkpoint(CHECKPOINT.encode()))


def test_witness_key_is_invalid_log_key():
    key = parse_public_key(PublicKey("witness.example/w1", WITNESS_KEY, SIGSUM_KEY).text, WITNESS_KEY)
    assert key.kind == WITNESS_KEY
    with pytest.raises(LogError):
        parse_public_key(key.text)


def test_empty_tree_root_matches_rfc_6962():
    assert b64encode(EMPTY_ROOT) == b"47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="  # RFC 6962, 2.1
