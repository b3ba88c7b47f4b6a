"""Replace the key of a log by one that it announces.

The previous key signs the statement, so that a key can be lost or renewed without a new log: readers who
trust the previous key find the statement in the continued log.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from statuary.extensions.log.merkle import LogError
from statuary.extensions.log.notes import (
    LARGEST_NOTE,
    PrivateKey,
    PublicKey,
    decode_base64,
    parse_note,
    parse_public_key,
)
from statuary.system.files import read_below
from statuary.system.writing import atomic_file

ROTATION = "log-rotation.txt"
"""The file of the content folder with the statement for the next build with the new key."""

NEW_KEY = "new key "
"""The start of a statement's second line; a checkpoint has a number there."""


class KeyChange(NamedTuple):
    """A log's announcement of its next key, signed by the current key."""

    previous_key: PublicKey
    key: PublicKey
    signature: str  # the previous key's id and its signature, in base64

    @property
    def signed_text(self) -> str:
        """The text that the current key signs: log name and next key."""
        return f"{self.previous_key.name}\n{NEW_KEY}{self.key.text}\n"

    @property
    def signed_note(self) -> str:
        """The announcement of the next key, with the current key's signature.

        It is a signed note (c2sp.org/signed-note): text, an empty line and the signature.
        """
        return f"{self.signed_text}\n— {self.previous_key.name} {self.signature}\n"

    def verify(self) -> None:
        """Verify that the previous key signed the announcement of the next key.

        Raises:
            LogError: if the previous key did not sign the announcement.
        """
        raw = decode_base64(self.signature)
        if self.previous_key == self.key or raw is None or raw[:4] != self.previous_key.id:
            raise LogError(
                f"the key {self.key.text} is not announced by the previous key {self.previous_key.text}"
            )
        self.previous_key.verify(self.signed_text, raw[4:])


def sign_key_change(previous_key: PrivateKey, key: PublicKey) -> KeyChange:
    """Announce the next key of a log, signed by the current key.

    Args:
        previous_key: the current key, which signs.
        key: the next key.
    """
    change = KeyChange(previous_key.public, key, "")
    return change._replace(signature=previous_key.sign(change.signed_text).split(" ")[2].rstrip("\n"))


def follow_key_changes(trusted: PublicKey, changes: Iterable[KeyChange]) -> PublicKey:
    """Find the current key of a log, starting from a trusted key.

    For example, if the log announced that key B follows key A, and you trust A, the result is B.

    Args:
        trusted: a key that the log had at some time, and that the reader trusts.
        changes: the announcements of new keys in order, whose signatures have been verified.
    """
    for change in changes:
        trusted = change.key if change.previous_key == trusted else trusted
    return trusted


def read_key_change(content_folder: Path) -> KeyChange | None:
    """Read the announcement of a transparency log's new key from the content.

    Its signature is verified.

    Returns:
        The announcement, or None if there is none.

    Raises:
        LogError: if the file cannot be read, or the previous key did not sign it.
    """
    try:
        body = read_below(content_folder, ROTATION, LARGEST_NOTE)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise LogError(f"{ROTATION} cannot be read: {error.strerror}") from None
    try:
        previous_key_line, _, note = body.decode().partition("\n")
        change = _parse_key_change(parse_public_key(previous_key_line), note.encode())
        change.verify()
    except (LogError, ValueError) as error:
        raise LogError(
            f"{ROTATION} does not announce a key: {error}",
            "run `statuary log rotate` to write the file again",
        ) from None
    return change


def _parse_key_change(previous_key: PublicKey, announcement: bytes) -> KeyChange:
    note = parse_note(announcement)
    line = note.text.split("\n")[1]
    change = KeyChange(previous_key, parse_public_key(line.removeprefix(NEW_KEY)), "")
    change = change._replace(signature=note.signatures[0].line.split(" ")[2].rstrip("\n"))
    if change.signed_note.encode() != announcement:
        raise LogError("the statement about the new key is not in the form that `statuary log rotate` writes")
    return change


def write_key_change(content_folder: Path, change: KeyChange) -> None:
    """Write the announcement of a transparency log's new key to the content.

    Raises:
        PublishingError: if the file cannot be written.
    """
    with atomic_file(content_folder / ROTATION) as stream:
        stream.write(f"{change.previous_key.text}\n{change.signed_note}".encode())
