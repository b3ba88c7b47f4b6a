"""Signatures, held against the minisign program in both directions."""

import random
import re
import subprocess
from base64 import b64decode, b64encode
from hashlib import blake2b, scrypt
from pathlib import Path

import pytest

from statuary.publishing.errors import PublishingError
from statuary.snapshots.convert import convert_snapshot
from statuary.snapshots.errors import DamagedSnapshotError
from statuary.snapshots.minisign import (
    PublicKey,
    SecretKey,
    key_id_text,
    parse_public_key,
    parse_secret_key,
    parse_signature,
    scrypt_parameters,
    sign,
    verify_signature,
)
from statuary.snapshots.verify import verify_snapshot
from support.requirements import require_module, require_program
from support.snapshots import made, mirrored, small_documents

KEY_ID = bytes(range(8))
SEED = bytes(range(32))
DATA = b"the manifest"


@pytest.fixture(autouse=True)
def _cryptography() -> None:
    require_module("cryptography", install='pip install "statuary[snapshot]"')


@pytest.fixture
def minisign() -> str:
    return require_program("minisign", install=".ci/install-archivers")


@pytest.fixture(scope="session")
def public() -> PublicKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return PublicKey(KEY_ID, Ed25519PrivateKey.from_private_bytes(SEED).public_key().public_bytes_raw())


def no_password() -> str:
    raise AssertionError("nobody should be asked")


def test_what_is_signed_is_verified(public: PublicKey) -> None:
    text = sign(DATA, SecretKey(KEY_ID, SEED), "timestamp:1")
    assert verify_signature(DATA, text, public).comment == "timestamp:1"
    assert sign(DATA, SecretKey(KEY_ID, SEED), "timestamp:1") == text
    assert key_id_text(KEY_ID) == "0706050403020100"


def test_the_example_of_minisigns_own_page() -> None:
    """https://jedisct1.github.io/minisign/ gives this key."""
    key = parse_public_key("RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3")
    assert key_id_text(key.key_id) == "E7620F1842B4E81F"


def test_any_change_of_data_signature_or_comment_is_found(public: PublicKey) -> None:
    text = sign(DATA, SecretKey(KEY_ID, SEED), "timestamp:1")
    with pytest.raises(DamagedSnapshotError, match="not one of this manifest"):
        verify_signature(DATA + b"!", text, public)
    start = text.index(b"\n") + 1  # the untrusted comment is not signed
    for place in range(start, len(text)):
        changed = bytearray(text)
        changed[place] ^= 1
        with pytest.raises(DamagedSnapshotError):
            verify_signature(DATA, bytes(changed), public)


def test_another_key_is_named(public: PublicKey) -> None:
    text = sign(DATA, SecretKey(KEY_ID, SEED), "")
    with pytest.raises(DamagedSnapshotError, match=r"0706050403020100.*FFFFFFFFFFFFFFFF"):
        verify_signature(DATA, text, public._replace(key_id=b"\xff" * 8))


@pytest.mark.parametrize(
    "text",
    [b"", b"\n\n\n", b"\xff\xfe", b"a\nb\nc\nd\n", b"untrusted comment: \nAA==\ntrusted comment: \nAA==\n"],
)
def test_what_is_no_signature(text: bytes) -> None:
    with pytest.raises(DamagedSnapshotError, match="minisign signature"):
        parse_signature(text)


@pytest.mark.parametrize("text", ["", "\n", "AAAA", "not base64!", b64encode(bytes(42)).decode()])
def test_what_is_no_key(text: str) -> None:
    with pytest.raises(PublishingError, match="no minisign public key"):
        parse_public_key(text)
    with pytest.raises(PublishingError, match="no minisign secret key"):
        parse_secret_key(text, no_password)


def locked(public: PublicKey, password: str, operations: int, memory: int) -> str:
    """Return a secret key as minisign writes it, under a password."""
    cost, parallel = scrypt_parameters(operations, memory)
    key = SEED + public.key
    plain = KEY_ID + key + blake2b(b"Ed" + KEY_ID + key, digest_size=32).digest()
    pad = scrypt(password.encode(), salt=bytes(32), n=cost, r=8, p=parallel, maxmem=1 << 27, dklen=104)
    hidden = bytes(one ^ other for one, other in zip(plain, pad, strict=True))
    limits = operations.to_bytes(8, "little") + memory.to_bytes(8, "little")
    return "untrusted comment: key\n" + b64encode(b"EdScB2" + bytes(32) + limits + hidden).decode()


def test_a_key_under_a_password(public: PublicKey) -> None:
    text = locked(public, "sésame", 32768, 1 << 24)
    assert parse_secret_key(text, lambda: "sésame") == SecretKey(KEY_ID, SEED)
    with pytest.raises(PublishingError, match="password is wrong"):
        parse_secret_key(text, lambda: "sesame")
    assert "sesame" not in repr(parse_secret_key(text, lambda: "sésame"))


def test_a_key_that_asks_for_too_much_memory(public: PublicKey) -> None:
    text = locked(public, "", 32768, 1 << 24).splitlines()
    raw = bytearray(b64decode(text[1]))
    raw[46:54] = (1 << 40).to_bytes(8, "little")
    with pytest.raises(PublishingError, match="memory"):
        parse_secret_key(f"{text[0]}\n{b64encode(raw).decode()}", lambda: "")


@pytest.mark.parametrize(
    ("limits", "parameters"),
    [
        # libsodium's interactive and sensitive limits, as its documentation gives their parameters
        ((524288, 16777216), (1 << 14, 1)),
        ((33554432, 1073741824), (1 << 20, 1)),
    ],
)
def test_scrypts_parameters_are_libsodiums(limits: tuple[int, int], parameters: tuple[int, int]) -> None:
    assert scrypt_parameters(*limits) == parameters


def keys(minisign: str, folder: Path, password: str | None) -> tuple[PublicKey, SecretKey]:
    """Let minisign make a pair of keys."""
    plain = ["-W"] if password is None else []
    command = [minisign, "-G", *plain, "-p", "minisign.pub", "-s", "minisign.key"]
    subprocess.run(command, cwd=folder, input=f"{password}\n" * 2, text=True, check=True, capture_output=True)
    public = parse_public_key((folder / "minisign.pub").read_text())
    secret = parse_secret_key((folder / "minisign.key").read_text(), lambda: password or no_password())
    return public, secret


@pytest.mark.parametrize("password", [None, "open sesame"])
def test_minisign_verifies_what_we_sign_with_its_keys(
    minisign: str, tmp_path: Path, password: str | None
) -> None:
    _, secret = keys(minisign, tmp_path, password)
    (tmp_path / "data").write_bytes(DATA)
    (tmp_path / "data.minisig").write_bytes(sign(DATA, secret, "timestamp:1\tfile:data\thashed"))
    command = [minisign, "-Vm", "data", "-p", "minisign.pub"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "Signature and comment signature verified" in done.stdout
    (tmp_path / "data").write_bytes(DATA + b"!")
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode != 0


def test_we_verify_what_minisign_signs(minisign: str, tmp_path: Path) -> None:
    public, _ = keys(minisign, tmp_path, None)
    data = random.Random(3).randbytes(100_000)
    (tmp_path / "data").write_bytes(data)
    command = [minisign, "-S", "-W", "-s", "minisign.key", "-m", "data", "-t", "from minisign"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    text = (tmp_path / "data.minisig").read_bytes()
    assert verify_signature(data, text, public).comment == "from minisign"


def test_a_signed_snapshot_is_signed_in_every_form(tmp_path: Path, public: PublicKey) -> None:
    def signer(manifest: bytes) -> bytes:
        return sign(manifest, SecretKey(KEY_ID, SEED), "timestamp:1")

    plain = made(tmp_path / "plain.zip", small_documents())
    file = made(tmp_path / "site.zip", small_documents(), signer=signer)
    convert_snapshot(str(plain), tmp_path / "later.zip", signer=signer)
    assert (tmp_path / "later.zip").read_bytes() == file.read_bytes()
    convert_snapshot(str(file), tmp_path / "site.tar.zst")
    convert_snapshot(str(tmp_path / "site.tar.zst"), tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == file.read_bytes()
    for place in (file, tmp_path / "site.tar.zst", mirrored(file, tmp_path / "mirror")):
        verification = verify_snapshot(str(place), public_key=public)
        assert verification.is_whole
        assert verification.signature is not None
    assert "is not signed" in verify_snapshot(str(plain), public_key=public).problems[0]


def test_the_signature_of_another_site_is_none_of_this(tmp_path: Path, public: PublicKey) -> None:
    def signer(_: bytes) -> bytes:
        return sign(b"another", SecretKey(KEY_ID, SEED), "")

    file = made(tmp_path / "site.zip", small_documents(), signer=signer)
    problems = verify_snapshot(str(file), public_key=public).problems
    assert re.search("not one of this manifest", problems[0])


def test_without_cryptography_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "cryptography.hazmat.primitives.asymmetric", None)
    with pytest.raises(PublishingError, match="cryptography") as refused:
        sign(DATA, SecretKey(KEY_ID, SEED), "")
    assert "statuary[snapshot]" in refused.value.hint
