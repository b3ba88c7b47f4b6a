"""Signed notes and checkpoints (c2sp.org/signed-note, c2sp.org/tlog-checkpoint).

Keys are Ed25519: type 1 for logs, type 4 for the timestamped cosignatures of witnesses
(c2sp.org/tlog-cosignature). Signatures of other types, such as ML-DSA-44, count as those of unknown keys, and
are kept unverified.
"""

import re
from base64 import b64decode, b64encode
from collections.abc import Iterable
from hashlib import sha256
from secrets import token_bytes
from types import ModuleType
from typing import NamedTuple

from Crypto.Signature import eddsa

from statuary.extensions.log.merkle import HASH_SIZE, LogError

LOG_KEY, WITNESS_KEY = b"\1", b"\4"
"""Signature types: Ed25519, and timestamped Ed25519 cosignatures."""

PRIVATE = "PRIVATE+KEY+"
"""The beginning of a private key's text, as Go's `sumdb/note` writes it."""

LARGEST_NOTE = 1_000_000
MOST_SIGNATURES = 100
SIGNATURE_LINE = re.compile(r"— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})")
CONTROL_CHARACTERS = re.compile("[\0-\x09\x0b-\x1f]")
DECIMAL = re.compile("(?:0|[1-9][0-9]{0,18})")


def _import_ed25519() -> ModuleType:
    return eddsa


class PublicKey(NamedTuple):
    """A public key for signed notes."""

    name: str  # the origin of the log, or the name of a witness
    kind: bytes  # the signature type
    key: bytes  # 32 bytes

    @property
    def id(self) -> bytes:
        """The four bytes that identify the key in a signed note's signatures."""
        return sha256(self.name.encode() + b"\n" + self.kind + self.key).digest()[:4]

    @property
    def text(self) -> str:
        """The key as text (vkey), such as `<name>+<key id>+<base64>`."""
        return f"{self.name}+{self.id.hex()}+{b64encode(self.kind + self.key).decode()}"

    def verify(self, note_text: str, signature: bytes) -> None:
        """Verify that this key signed the text of a note.

        Args:
            note_text: the text of the note, such as a log's checkpoint.
            signature: the signature, without the key's id that precedes it in the note.

        Raises:
            LogError: if the signature is invalid.
        """
        message = note_text.encode()
        if self.kind == WITNESS_KEY:
            time = int.from_bytes(signature[:8], "big")
            message = f"cosignature/v1\ntime {time}\n".encode() + message
            signature = signature[8:]
        eddsa = _import_ed25519()
        try:
            eddsa.new(eddsa.import_public_key(self.key), "rfc8032").verify(message, signature)
        except ValueError:
            raise LogError(f"the signature by {self.name} ({self.id.hex()}) is not valid") from None


class PrivateKey(NamedTuple):
    """A private key for signed notes; `seed` has 32 bytes."""

    name: str
    seed: bytes
    kind: bytes = LOG_KEY

    @property
    def public(self) -> PublicKey:
        """The public key of this private key."""
        key = _import_ed25519().import_private_key(self.seed).public_key().export_key(format="raw")
        return PublicKey(self.name, self.kind, key)

    @property
    def text(self) -> str:
        """The private key as text, which is the content of its file."""
        return f"{PRIVATE}{self.name}+{self.public.id.hex()}+{b64encode(self.kind + self.seed).decode()}"

    def sign(self, note_text: str, time: int = 0) -> str:
        """Sign the text of a note, and return the signature line.

        Args:
            note_text: the text of the note.
            time: the time of a witness's cosignature, in seconds since 1970; unused for the key of a log.
        """
        message, stamp = note_text.encode(), b""
        if self.kind == WITNESS_KEY:
            message = f"cosignature/v1\ntime {time}\n".encode() + message
            stamp = time.to_bytes(8, "big")
        eddsa = _import_ed25519()
        signature = eddsa.new(eddsa.import_private_key(self.seed), "rfc8032").sign(message)
        return f"— {self.name} {b64encode(self.public.id + stamp + signature).decode()}\n"


def generate_log_key(name: str) -> PrivateKey:
    """Generate a random private key that will sign a transparency log.

    Args:
        name: the name of the log, such as `status.example.org/log`.

    Raises:
        LogError: if the name is invalid.
    """
    return PrivateKey(_validate_key_name(name), token_bytes(HASH_SIZE))


def _validate_key_name(key_name: str) -> str:
    if not key_name or any(
        character.isspace() or character == "+" or ord(character) < ord(" ") for character in key_name
    ):
        raise LogError(
            f"{key_name!r} cannot name a key: it is empty or holds a space or a plus sign",
            "name the log by its address without https://, such as status.example.org/log",
        )
    return key_name


def parse_public_key(text: str, signature_types: bytes = LOG_KEY) -> PublicKey:
    """Parse the public key of a log or witness from text.

    Args:
        text: the key as `<name>+<key id>+<base64>`.
        signature_types: the accepted signature types, one byte each.

    Raises:
        LogError: if the text is damaged or is not a key of an accepted type.
    """
    name, _, key_text = text.strip().partition("+")
    key_id, _, encoded = key_text.partition("+")
    raw = decode_base64(encoded)
    if (
        raw is None
        or len(raw) != HASH_SIZE + 1
        or raw[:1] not in [signature_types[at : at + 1] for at in range(len(signature_types))]
    ):
        what = "a witness" if signature_types == WITNESS_KEY else "a log"
        raise LogError(f"{text.strip()!r} is not the public key of {what}", "write it like NAME+HEX+BASE64")
    key = PublicKey(_validate_key_name(name), raw[:1], raw[1:])
    if key.id.hex() != key_id:
        raise LogError(f"the public key of {name} is damaged: its id is {key.id.hex()}, not {key_id}")
    return key


def parse_private_key(text: str) -> PrivateKey:
    """Parse the private Ed25519 key of a transparency log.

    Raises:
        LogError: if the text is damaged or is not a private key; the message does not contain the text.
    """
    name, _, key_text = text.strip().removeprefix(PRIVATE).partition("+")
    key_id, _, encoded = key_text.partition("+")
    raw = decode_base64(encoded)
    is_key = text.strip().startswith(PRIVATE) and raw is not None and len(raw) == HASH_SIZE + 1
    if raw is None or not is_key or raw[:1] != LOG_KEY:
        raise LogError(
            "the file is not the private key of a log", "`statuary log init` creates a private key"
        )
    key = PrivateKey(_validate_key_name(name), raw[1:])
    if key.public.id.hex() != key_id:
        raise LogError(f"the private key of {name} is damaged", "restore the key file from a backup")
    return key


def decode_base64(encoded: str) -> bytes | None:
    """Decode a base64 string, but only in its canonical form.

    Returns:
        The bytes; None if encoding them again gives another string.
    """
    try:
        data = b64decode(encoded, validate=True)
    except ValueError:
        return None
    return data if b64encode(data).decode() == encoded else None


class NoteSignature(NamedTuple):
    """A signature line of a note."""

    name: str
    key_id: bytes
    value: bytes
    line: str


class Note(NamedTuple):
    """A signed text (c2sp.org/signed-note).

    `text` ends with a newline; `signatures` includes those of unknown keys.
    """

    text: str
    signatures: tuple[NoteSignature, ...]

    @property
    def body(self) -> str:
        """The whole note as published: its text, then the signature lines."""
        return f"{self.text}\n{''.join(signature.line for signature in self.signatures)}"

    def find_signers(self, keys: Iterable[PublicKey]) -> list[PublicKey]:
        """Return those of the given keys that signed the note.

        Signatures with other keys are ignored.

        Raises:
            LogError: if the signature of one of the given keys is invalid.
        """
        by_name = {(key.name, key.id): key for key in keys}
        signers: dict[PublicKey, None] = {}
        for signature in self.signatures:
            key = by_name.get((signature.name, signature.key_id))
            if key is not None:
                key.verify(self.text, signature.value)
                signers[key] = None
        return list(signers)


def parse_note(note_bytes: bytes) -> Note:
    """Parse a signed note without verifying its signatures.

    A note is a text, an empty line, and signature lines (c2sp.org/signed-note).

    Raises:
        LogError: if the bytes are not a note, or are too many.
    """
    try:
        note_text = note_bytes.decode()
    except UnicodeDecodeError:
        raise LogError("the signed note is not valid UTF-8 text") from None
    text, separator, lines = note_text.rpartition("\n\n")
    malformed = (
        not separator or not text or CONTROL_CHARACTERS.search(note_text) or len(note_bytes) > LARGEST_NOTE
    )
    if malformed or not lines.endswith("\n") or lines.count("\n") > MOST_SIGNATURES:
        raise LogError("not a signed note: expected a text, an empty line, and signatures")
    return Note(f"{text}\n", tuple(map(_parse_signature_line, lines[:-1].split("\n"))))


def _parse_signature_line(signature_line: str) -> NoteSignature:
    match = SIGNATURE_LINE.fullmatch(signature_line)
    value = decode_base64(match[2]) if match else None
    if match is None or value is None or len(value) <= 4:
        raise LogError(
            f"the line {signature_line[:100]!r} is not a signature: expected a dash, the key's name, and base64"
        )
    return NoteSignature(match[1], value[:4], value[4:], f"{signature_line}\n")


class Checkpoint(NamedTuple):
    """A signed note with the size and root of a log."""

    origin: str  # the log's name
    size: int
    root: bytes
    note: Note  # the note that the checkpoint was read from


def format_checkpoint_text(origin: str, size: int, root: bytes) -> str:
    """Format a log's state as text, which its key then signs.

    Args:
        origin: the name of the log.
        size: the number of entries in the log.
        root: the root of the log's Merkle tree.
    """
    return f"{origin}\n{size}\n{b64encode(root).decode()}\n"


def parse_checkpoint(checkpoint_bytes: bytes) -> Checkpoint:
    """Parse a checkpoint, the signed state of a log.

    Its signatures are not verified.

    Raises:
        LogError: if the bytes are not a checkpoint.
    """
    note = parse_note(checkpoint_bytes)
    origin, size, root, *extensions = [*note.text[:-1].split("\n"), "", ""][: note.text.count("\n") + 2]
    digest = decode_base64(root)
    is_right = DECIMAL.fullmatch(size) and digest is not None and len(digest) == HASH_SIZE
    if not origin or not is_right or digest is None or not all(extensions[:-2]):
        raise LogError(
            "not a valid checkpoint: expected three lines with the log's name, its size and a root hash of 32 bytes"
        )
    return Checkpoint(origin, int(size), digest, note)


def verify_checkpoint(checkpoint: Checkpoint, key: PublicKey, previous_key: PublicKey | None = None) -> None:
    """Verify that a log's key signed a checkpoint, the log's state.

    The checkpoint must also name the same log as the key.

    Args:
        checkpoint: the checkpoint to verify.
        key: the key of the log.
        previous_key: the key that the log had before `key`, whose signature is accepted too; or None.

    Raises:
        LogError: if the checkpoint is of another log, or neither key signed it.
    """
    if (
        previous_key is not None
        and checkpoint.origin == previous_key.name
        and checkpoint.note.find_signers([previous_key])
    ):
        return
    if checkpoint.origin != key.name:
        raise LogError(
            f"the checkpoint belongs to the log {checkpoint.origin}, not to {key.name}", cause="key"
        )
    if not checkpoint.note.find_signers([key]):
        raise LogError(
            f"the checkpoint of {checkpoint.origin} is not signed with the key {key.text}", cause="key"
        )


EXAMPLE_SEED = sha256(
    b"The example key of statuary: everyone has it, so it shows nothing about who signed."
).digest()
"""The seed of the public example key, which demonstrations sign with."""
