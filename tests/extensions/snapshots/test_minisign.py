"""Signatures, held against the minisign program in both directions."""

import random
import subprocess
from base64 import b64decode, b64encode
from hashlib import blake2b, scrypt
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from statuary.base.errors import StatuaryError
from statuary.base.files import PublishingError
from statuary.extensions.snapshots.manifest_signature import (
    make_manifest_signer,
    parse_public_key,
    parse_secret_key,
    read_minisign_key_id,
    verify_manifest_signature,
)
from statuary.extensions.snapshots.site_reader import open_site
from statuary.extensions.snapshots.snapshot_target import copy_snapshot
from statuary.extensions.snapshots.verify import verify_snapshot
from statuary.publish.listing import DamagedSnapshotError
from statuary.publish.manifest import ManifestBuilder, encode_manifest
from support.requirements import require_module, require_program
from support.snapshots import ORIGIN, made, mirrored, small_documents

if TYPE_CHECKING:
    from minisign import PublicKey, SecretKey, Signature

pytestmark = pytest.mark.thorough

KEY_ID = bytes(range(8))
SEED = bytes(range(32))
DATA = encode_manifest(ManifestBuilder().manifest(ORIGIN))
OTHER = encode_manifest(ManifestBuilder().manifest(ORIGIN._replace(revision="other")))


@pytest.fixture(autouse=True)
def _minisign() -> None:
    require_module("minisign", install='pip install "statuary[snapshot]"')


@pytest.fixture
def minisign() -> str:
    return require_program("minisign", install=".ci/install-archivers")


PUBLIC = bytes.fromhex("03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8")
"""The public half of `SEED`, as RFC 8032's Ed25519 has it."""


def line(*parts: bytes) -> str:
    return "untrusted comment: key\n" + b64encode(b"".join(parts)).decode() + "\n"


def unlocked() -> str:
    """Return a secret key as minisign writes it without a password."""
    return line(b"Ed", bytes(2), b"B2", bytes(48), KEY_ID, SEED, PUBLIC, bytes(32))


def locked(password: str, operations: int, memory: int, cost: int) -> str:
    """Return a secret key as minisign writes it under a password; `cost` is scrypt's N for the two limits."""
    key = SEED + PUBLIC
    plain = KEY_ID + key + blake2b(b"Ed" + KEY_ID + key, digest_size=32).digest()
    pad = scrypt(password.encode(), salt=bytes(32), n=cost, r=8, p=1, maxmem=1 << 27, dklen=104)
    hidden = bytes(one ^ other for one, other in zip(plain, pad, strict=True))
    limits = operations.to_bytes(8, "little") + memory.to_bytes(8, "little")
    return line(b"EdScB2", bytes(32), limits, hidden)


def no_password() -> str:
    raise AssertionError("nobody should be asked")


@pytest.fixture
def public() -> "PublicKey":
    return parse_public_key(line(b"Ed", KEY_ID, PUBLIC))


def sign(manifest: bytes) -> bytes:
    return make_manifest_signer(parse_secret_key(unlocked(), no_password))(manifest)


def verified(manifest: bytes, text: bytes, key: "PublicKey") -> "Signature":
    return verify_manifest_signature("site.zip", manifest, text, key)


def test_snapshot_signature_verifies_and_is_reproducible(public: "PublicKey") -> None:
    """The trusted comment tells the instant of the site, so that the same site has the same signature."""
    text = sign(DATA)
    timestamp = int(ORIGIN.instant.timestamp())
    assert (
        verified(DATA, text, public).trusted_comment == f"timestamp:{timestamp}\tfile:manifest.json\thashed"
    )
    assert sign(DATA) == text
    assert read_minisign_key_id(text) == "0706050403020100"


def test_minisign_example_key_has_documented_id() -> None:
    """https://jedisct1.github.io/minisign/ gives this key."""
    key = parse_public_key("RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3")
    assert read_minisign_key_id(bytes(key)) == "E7620F1842B4E81F"


def test_changed_manifest_or_signature_is_rejected(public: "PublicKey") -> None:
    text = sign(DATA)
    with pytest.raises(DamagedSnapshotError, match="the manifest was changed after it was signed"):
        verified(DATA + b"!", text, public)
    start = text.index(b"\n") + 1  # the untrusted comment is not signed
    for place in range(start, len(text)):
        changed = bytearray(text)
        changed[place] ^= 1
        with pytest.raises(DamagedSnapshotError):
            verified(DATA, bytes(changed), public)


def test_other_key_signature_reports_both_ids() -> None:
    other = parse_public_key(line(b"Ed", b"\xff" * 8, PUBLIC))
    with pytest.raises(DamagedSnapshotError, match=r"0706050403020100.*FFFFFFFFFFFFFFFF"):
        verified(DATA, sign(DATA), other)


@pytest.mark.parametrize(
    "text",
    [b"", b"\n\n\n", b"\xff\xfe", b"a\nb\nc\nd\n", b"untrusted comment: \nAA==\ntrusted comment: \nAA==\n"],
)
def test_invalid_minisign_signatures_are_rejected(text: bytes, public: "PublicKey") -> None:
    with pytest.raises(DamagedSnapshotError, match=r"minisign signature|is not signed"):
        verified(DATA, text, public)


def test_legacy_minisign_signature_is_rejected(public: "PublicKey") -> None:
    key = parse_secret_key(unlocked(), no_password)
    with pytest.raises(DamagedSnapshotError, match="legacy format"):
        verified(DATA, bytes(key.sign(DATA, prehash=False)), public)


@pytest.mark.parametrize("text", ["", "\n", "AAAA", "not base64!", b64encode(bytes(42)).decode()])
def test_invalid_minisign_keys_are_rejected(text: str) -> None:
    with pytest.raises(PublishingError, match="not a minisign public key"):
        parse_public_key(text)
    with pytest.raises(PublishingError, match="not a minisign secret key"):
        parse_secret_key(text, no_password)


@pytest.mark.parametrize(
    ("operations", "memory", "cost"),
    [(32768, 1 << 24, 1 << 10), (524288, 1 << 24, 1 << 14)],  # the latter is libsodium's "interactive"
)
def test_encrypted_minisign_key_requires_password(
    public: "PublicKey", operations: int, memory: int, cost: int
) -> None:
    text = locked("sésame", operations, memory, cost)
    key = parse_secret_key(text, lambda: "sésame")
    assert verified(DATA, make_manifest_signer(key)(DATA), public)
    assert "sesame" not in repr(key)
    with pytest.raises(PublishingError, match="wrong password"):
        parse_secret_key(text, lambda: "sesame")


def test_key_with_excessive_memlimit_is_rejected() -> None:
    comment, encoded = locked("", 32768, 1 << 24, 1 << 10).splitlines()
    raw = bytearray(b64decode(encoded))
    raw[46:54] = (1 << 40).to_bytes(8, "little")
    with pytest.raises(PublishingError, match="memlimit"):
        parse_secret_key(f"{comment}\n{b64encode(raw).decode()}", lambda: "")


def test_mismatched_minisign_key_halves_are_rejected() -> None:
    text = line(b"Ed", bytes(2), b"B2", bytes(48), KEY_ID, SEED, bytes(32), bytes(32))
    with pytest.raises(PublishingError, match="public half"):
        make_manifest_signer(parse_secret_key(text, no_password))(DATA)


def keys(minisign: str, folder: Path, password: str | None) -> "tuple[PublicKey, SecretKey]":
    """Let minisign make a pair of keys."""
    plain = ["-W"] if password is None else []
    command = [minisign, "-G", *plain, "-p", "minisign.pub", "-s", "minisign.key"]
    subprocess.run(command, cwd=folder, input=f"{password}\n" * 2, text=True, check=True, capture_output=True)
    public = parse_public_key((folder / "minisign.pub").read_text())
    secret = parse_secret_key((folder / "minisign.key").read_text(), lambda: password or no_password())
    return public, secret


@pytest.mark.parametrize("password", [None, "open sesame"])
def test_minisign_verifies_statuary_signature(minisign: str, tmp_path: Path, password: str | None) -> None:
    _, secret = keys(minisign, tmp_path, password)
    (tmp_path / "data").write_bytes(DATA)
    (tmp_path / "data.minisig").write_bytes(make_manifest_signer(secret)(DATA))
    command = [minisign, "-Vm", "data", "-p", "minisign.pub"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "Signature and comment signature verified" in done.stdout
    (tmp_path / "data").write_bytes(DATA + b"!")
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode != 0


def test_statuary_verifies_minisign_signature(minisign: str, tmp_path: Path) -> None:
    public, _ = keys(minisign, tmp_path, None)
    data = random.Random(3).randbytes(100_000)
    (tmp_path / "data").write_bytes(data)
    command = [minisign, "-S", "-W", "-s", "minisign.key", "-m", "data", "-t", "from minisign"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    text = (tmp_path / "data.minisig").read_bytes()
    assert verified(data, text, public).trusted_comment == "from minisign"


def test_snapshot_signature_survives_copy_and_mirror(tmp_path: Path, public: "PublicKey") -> None:
    plain = made(tmp_path / "plain.zip", small_documents())
    file = made(tmp_path / "site.zip", small_documents(), signer=sign)
    copy_snapshot(str(plain), tmp_path / "later.zip", signer=sign)
    assert (tmp_path / "later.zip").read_bytes() == file.read_bytes()
    mirror = mirrored(file, tmp_path / "mirror")
    copy_snapshot(str(mirror), tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == file.read_bytes()
    for place in (file, mirror):
        verification = verify_snapshot(str(place), public_key=public)
        assert verification.is_intact
        assert verification.signature is not None
    assert "is not signed" in verify_snapshot(str(plain), public_key=public).problems[0]


def test_signature_of_different_manifest_is_rejected(tmp_path: Path, public: "PublicKey") -> None:
    file = made(tmp_path / "site.zip", small_documents(), signer=lambda _: sign(OTHER))
    problems = verify_snapshot(str(file), public_key=public).problems
    assert "the manifest was changed after it was signed" in problems[0]


def test_single_reads_require_signed_manifest(tmp_path: Path, public: "PublicKey") -> None:
    signed = made(tmp_path / "signed.zip", small_documents(), signer=sign)
    plain = made(tmp_path / "plain.zip", small_documents())
    false = made(tmp_path / "false.zip", small_documents(), signer=lambda _: sign(OTHER))
    mirror = mirrored(signed, tmp_path / "mirror")
    for place in (signed, mirror):
        with open_site(place, public) as site:
            assert site.read("index.html") == b"<p>" * 40
    for place, why in (
        (plain, "is not signed"),
        (false, "was changed after it was signed"),
        (tmp_path, "is not signed"),
    ):
        with pytest.raises(DamagedSnapshotError, match=why):
            open_site(place, public)


def test_missing_minisign_package_hints_at_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    key = parse_secret_key(unlocked(), no_password)
    monkeypatch.setitem(__import__("sys").modules, "minisign", None)
    with pytest.raises(StatuaryError, match="'snapshot'") as refused:
        parse_public_key(line(b"Ed", KEY_ID, PUBLIC))
    assert "[snapshot]" in refused.value.hint
    assert key is not None
