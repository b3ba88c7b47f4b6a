"""Signatures in the format of minisign: Ed25519 over BLAKE2b-512, with a trusted comment signed along.

The format is described at https://jedisct1.github.io/minisign/ ("Signature format", "Public key format", "Secret key
format"); what is signed here is verified by the `minisign` program, and the other way round. Keys are made by it
(`minisign -G`); Ed25519 itself is that of the package `cryptography`.
"""

import binascii
import struct
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b, scrypt
from hmac import compare_digest
from types import ModuleType
from typing import NamedTuple

from statuary.publishing.errors import PublishingError
from statuary.snapshots.errors import DamagedSnapshotError

UNTRUSTED_COMMENT = "untrusted comment: "
TRUSTED_COMMENT = "trusted comment: "

ED25519 = b"Ed"
"""A key, and the old kind of signature, over the file itself."""
PREHASHED = b"ED"
"""The kind of signature that is made and verified here: over the file's BLAKE2b-512."""
SCRYPT = b"Sc"
BLAKE2B = b"B2"

PUBLIC = struct.Struct("<2s8s32s")
SIGNATURE = struct.Struct("<2s8s64s")
SECRET = struct.Struct("<2s2s2s32sQQ104s")
SECRET_PART = struct.Struct("<8s64s32s")


class PublicKey(NamedTuple):
    """A key that signatures are verified with.

    Attributes:
        key_id: eight bytes that a signature names its key by.
        key: 32 bytes of Ed25519.
    """

    key_id: bytes
    key: bytes


@dataclass(frozen=True, slots=True)
class SecretKey:
    """A key that is signed with.

    Attributes:
        key_id: eight bytes that its signatures carry.
        seed: 32 bytes of Ed25519.
    """

    key_id: bytes
    seed: bytes = field(repr=False)


class MinisignSignature(NamedTuple):
    """A signature.

    Attributes:
        key_id: which key made it.
        signature: 64 bytes over the BLAKE2b-512 of what is signed.
        comment: the trusted comment.
        comment_signature: 64 bytes over `signature` and `comment`.
    """

    key_id: bytes
    signature: bytes
    comment: str
    comment_signature: bytes


def key_id_text(key_id: bytes) -> str:
    """Return a key's id as minisign shows it: 16 capital hex digits, last byte first."""
    return key_id[::-1].hex().upper()


def sign(data: bytes, key: SecretKey, comment: str) -> bytes:
    """Return the signature of some data, as the text of a .minisig file. The same input gives the same text.

    Args:
        data: what is signed.
        key: what it is signed with.
        comment: the trusted comment, one line.

    Raises:
        PublishingRefused: if `cryptography` is not installed.
    """
    private = ed25519().Ed25519PrivateKey.from_private_bytes(key.seed)
    signature = private.sign(blake2b(data).digest())
    comment_signature = private.sign(signature + comment.encode())
    lines = (
        f"{UNTRUSTED_COMMENT}signature of a statuary snapshot by key {key_id_text(key.key_id)}",
        b64encode(SIGNATURE.pack(PREHASHED, key.key_id, signature)).decode(),
        TRUSTED_COMMENT + comment,
        b64encode(comment_signature).decode(),
    )
    return "".join(f"{line}\n" for line in lines).encode()


def verify_signature(data: bytes, text: bytes, key: PublicKey) -> MinisignSignature:
    """Return the signature of some data, once it has been verified with its comment.

    Raises:
        SnapshotDamaged: if it is not a signature of this data by this key.
        PublishingRefused: if `cryptography` is not installed.
    """
    signature = parse_signature(text)
    if signature.key_id != key.key_id:
        raise DamagedSnapshotError(
            f"signed with key {key_id_text(signature.key_id)}, not with the given key {key_id_text(key.key_id)}"
        )
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - an extra

    public = ed25519().Ed25519PublicKey.from_public_bytes(key.key)
    try:
        public.verify(signature.signature, blake2b(data).digest())
        public.verify(signature.comment_signature, signature.signature + signature.comment.encode())
    except InvalidSignature:
        raise DamagedSnapshotError("the signature is not one of this manifest") from None
    return signature


def parse_signature(text: bytes) -> MinisignSignature:
    """Read the text of a .minisig file.

    Raises:
        SnapshotDamaged: if it is none, or of the old kind that is not prehashed.
    """
    try:
        untrusted, first, trusted, second = text.decode().removesuffix("\n").split("\n")
        algorithm, key_id, signature = SIGNATURE.unpack(_decoded(first))
        comment_signature = _decoded(second)
    except (ValueError, struct.error):
        raise DamagedSnapshotError("the signature is no minisign signature") from None
    is_framed = untrusted.startswith(UNTRUSTED_COMMENT) and trusted.startswith(TRUSTED_COMMENT)
    if algorithm != PREHASHED or not is_framed or len(comment_signature) != 64:
        raise DamagedSnapshotError("the signature is no prehashed minisign signature")
    return MinisignSignature(
        key_id=key_id,
        signature=signature,
        comment=trusted.removeprefix(TRUSTED_COMMENT),
        comment_signature=comment_signature,
    )


def _decoded(text: str) -> bytes:
    """Return the bytes of Base64 that is written the one right way; some decoders pass over bits at its end."""
    data = b64decode(text, validate=True)
    if b64encode(data).decode() != text:
        raise ValueError("not the one Base64 of these bytes")
    return data


def parse_public_key(text: str) -> PublicKey:
    """Read a public key: the text of minisign's file, or its last line alone.

    Raises:
        PublishingRefused: if it is none.
    """
    try:
        algorithm, key_id, key = PUBLIC.unpack(b64decode(text.strip().splitlines()[-1], validate=True))
    except (ValueError, IndexError, struct.error):
        algorithm = b""
    if algorithm != ED25519:
        raise PublishingError("that is no minisign public key", "give the file minisign.pub or its last line")
    return PublicKey(key_id, key)


def parse_secret_key(text: str, ask_password: Callable[[], str]) -> SecretKey:
    """Read a secret key: the text of minisign's file.

    Args:
        text: the file's text.
        ask_password: gives the password; called only if the key is encrypted.

    Raises:
        PublishingRefused: if it is none, or the password is wrong.
    """
    try:
        _, encoded = text.strip().splitlines()
        fields = SECRET.unpack(b64decode(encoded, validate=True))
    except (ValueError, binascii.Error, struct.error):
        raise PublishingError("that is no minisign secret key", "`minisign -G` makes one") from None
    algorithm, derivation, checksum, salt, operations, memory, secret = fields
    if (algorithm, checksum) != (ED25519, BLAKE2B) or derivation not in (SCRYPT, bytes(2)):
        raise PublishingError("that is a secret key of a kind that is not known")
    if derivation == SCRYPT:
        secret = _unlocked(secret, ask_password(), salt, operations, memory)
    key_id, key, sum_of_key = SECRET_PART.unpack(secret)
    right_sum = blake2b(algorithm + key_id + key, digest_size=32).digest()
    # minisign leaves the sum empty where there is no password
    is_right = (
        compare_digest(right_sum, sum_of_key) if derivation == SCRYPT else _public_half(key[:32]) == key[32:]
    )
    if not is_right:
        raise PublishingError(
            "the secret key cannot be opened: the password is wrong, or the file is damaged"
        )
    return SecretKey(key_id, key[:32])


def _public_half(seed: bytes) -> bytes:
    """Return the public key that belongs to a secret one."""
    public: bytes = ed25519().Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()
    return public


def _unlocked(secret: bytes, password: str, salt: bytes, operations: int, memory: int) -> bytes:
    """Return what scrypt's output, as a one-time pad, hides."""
    cost, parallel = scrypt_parameters(operations, memory)
    if memory > MAX_MEMORY:
        raise PublishingError(f"the secret key asks for {memory:,} bytes of memory to be opened")
    pad = scrypt(
        password.encode(),
        salt=salt,
        n=cost,
        r=BLOCK_SIZE,
        p=parallel,
        maxmem=2 * MAX_MEMORY - 1,
        dklen=len(secret),
    )
    return bytes(one ^ other for one, other in zip(secret, pad, strict=True))


BLOCK_SIZE = 8
"""scrypt's r, which libsodium does not vary."""

MAX_MEMORY = 1 << 30
"""Bytes that scrypt may use: what libsodium's "sensitive" setting, minisign's own, asks for."""


def scrypt_parameters(operations: int, memory: int) -> tuple[int, int]:
    """Return scrypt's N and p for libsodium's limits of operations and bytes of memory.

    libsodium's `crypto_pwhash_scryptsalsa208sha256` keeps the limits, not the parameters, and derives these from them.
    """
    operations = max(operations, 32768)
    if operations < memory // 32:
        return _power_below(operations // (BLOCK_SIZE * 4)), 1
    cost = _power_below(memory // (BLOCK_SIZE * 128))
    return cost, min(operations // 4 // cost, 0x3FFFFFFF) // BLOCK_SIZE


def _power_below(most: int) -> int:
    """Return the first power of two, from 2 on, that is more than half of a number."""
    power = 2
    while power <= most // 2:
        power *= 2
    return power


def ed25519() -> ModuleType:
    """Return the module that signs and verifies.

    Raises:
        PublishingRefused: if it is not installed.
    """
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519 as module  # noqa: PLC0415 - an extra
    except ImportError:
        raise PublishingError(
            "signatures need the package cryptography, which is not installed",
            'pip install "statuary[snapshot]"',
        ) from None
    return module
