"""Remember the logs that this machine has verified."""

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from statuary.base.files import PublishingError
from statuary.extensions.log.key_changes import KeyChange, last_key
from statuary.extensions.log.merkle import LogError
from statuary.extensions.log.notes import (
    EXAMPLE_SEED,
    LARGEST_NOTE,
    Checkpoint,
    PrivateKey,
    PublicKey,
    parse_checkpoint,
    parse_public_key,
    verify_checkpoint,
)
from statuary.extensions.log.options import read_public_key
from statuary.extensions.log.published_log import EXAMPLE, TreeHead, parse_head
from statuary.system.files import read_named_file, read_text
from statuary.system.network.client import display_location
from statuary.system.writing import atomic_file


class KnownLog(NamedTuple):
    """A log's key and size when this machine last verified it."""

    key: PublicKey
    head: TreeHead


def _file(name: str) -> Path:
    """Return the file about a log, or about an address.

    It is below STATUARY_STATE, XDG_STATE_HOME or ~/.local/state.
    """
    state_folder = os.environ.get("STATUARY_STATE")
    above = (
        Path(state_folder)
        if state_folder
        else Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state") / "statuary"
    )
    return above / "logs" / sha256(name.encode()).hexdigest()[:32]


def _place_file(location: str) -> Path:
    parts = urlsplit(location)
    if parts.netloc:
        return _file(f"at {parts.scheme.lower()}://{parts.netloc.lower()}{parts.path.rstrip('/')}")
    return _file(f"at {Path(location).resolve()}")


def is_familiar(location: str, origin: str, stated_key: str | None) -> bool:
    """Return whether a site states the key that earlier commands stored for its log."""
    remembered_log = load_log_state(origin)
    with suppress(FileNotFoundError):
        return remembered_log is not None and {
            remembered_log.key.text,
            read_text(_place_file(location)).strip(),
        } == {stated_key}
    return False


def refuse_other_log(location: str, key: PublicKey, changes: Iterable[KeyChange]) -> None:
    """Refuse a log at an address that had another log.

    A key change that was announced is accepted.

    Raises:
        LogError: if the changes do not lead from the remembered key to this one.
        PublishingError: if the file with the remembered key is damaged.
    """
    file = _place_file(location)
    try:
        remembered_key = parse_public_key(read_text(file).strip())
    except FileNotFoundError:
        return
    except (OSError, ValueError, LogError):
        raise _damaged(file) from None
    if last_key(remembered_key, changes) != key:
        raise LogError(
            f"{display_location(location)} had the log with the key {remembered_key.text}, and now has one with {key.text}",
            "ask the publisher; if the change is genuine, accept the new key with --public-key",
        )


def load_log_state(origin: str) -> KnownLog | None:
    """Return a log as this machine last verified it.

    Returns:
        The state, or None if the log is unknown.

    Raises:
        PublishingError: if the file is damaged.
    """
    file = _file(origin)
    try:
        key, head, *_ = read_text(file).split("\n")
        remembered_key, remembered_head = parse_public_key(key), parse_head(head)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, LogError):
        raise _damaged(file) from None
    if remembered_head is None:
        raise _damaged(file)
    return KnownLog(remembered_key, remembered_head)


def _damaged(file: Path) -> PublishingError:
    return PublishingError(f"{file} is damaged", "delete it; the next verification remembers the log again")


def save_log_state(log: KnownLog, location: str, changes: Iterable[KeyChange]) -> None:
    """Remember a log as it was verified, with its address.

    Raises:
        PublishingError: if it cannot be written.
    """
    with atomic_file(_place_file(location)) as stream:
        stream.write(f"{log.key.text}\n".encode())
    for name in sorted({log.key.name, *(change.previous_key.name for change in changes)}):
        with atomic_file(_file(name)) as stream:
            stream.write(f"{log.key.text}\n{log.head.text}\n{name}\n".encode())


class KnownKey(NamedTuple):
    """A log's key, and the reason to trust it."""

    key: PublicKey
    source: str  # how it became known, in words for messages


def _trusted_key(origin: str, given_key: str | None, changes: Iterable[KeyChange]) -> KnownKey | None:
    """Return the key to trust for a log."""
    if given_key is not None:
        return KnownKey(read_public_key(given_key), "the given key")
    for name in dict.fromkeys((origin, *(change.previous_key.name for change in changes))):
        if (remembered_log := load_log_state(name)) is not None:
            return KnownKey(remembered_log.key, "the key seen before")
    return None


def verification_key(
    origin: str, given_key: str | None, stated_key: str | None, changes: Sequence[KeyChange] = ()
) -> KnownKey:
    """Return the key to verify a log with.

    Args:
        origin: the log's name.
        given_key: the key that the reader gives.
        stated_key: the key that the site itself states, which is believed the first time.
        changes: the announcements of new keys, each signed by the key before.

    Raises:
        LogError: if no key is known, or the site states another one than before without announcing it.
    """
    if given_key is None and EXAMPLE in origin:
        example = PrivateKey(origin, EXAMPLE_SEED).public
        if stated_key in (None, example.text):
            source = "the example key, which everyone has: this shows nothing about who signed, or when"
            return KnownKey(example, source)
    trusted = _trusted_key(origin, given_key, changes)
    if trusted is not None:
        key, source = trusted
        last_stated_key = last_key(key, changes)
        if last_stated_key != key:
            return KnownKey(last_stated_key, f"announced by {source}, {key.text}")
        if given_key is None and stated_key not in (None, key.text):
            raise LogError(
                f"the site states another key for {origin} than before: {stated_key}",
                "ask the publisher; if the change is genuine, accept the new key with --public-key",
            )
        return trusted
    if stated_key is None:
        raise LogError(
            f"the signature was not verified: the public key of {origin} is unknown", "give --public-key"
        )
    return KnownKey(parse_public_key(stated_key), "the key that the site states, seen for the first time")


def continued_heads(key: PublicKey, changes: Iterable[KeyChange]) -> list[TreeHead]:
    """Return the states that this machine has seen, which a log must extend."""
    names = dict.fromkeys((key.name, *(change.previous_key.name for change in changes)))
    return [remembered_log.head for name in names if (remembered_log := load_log_state(name)) is not None]


def verify_earlier(earlier_checkpoint: Checkpoint, key: PublicKey, changes: Iterable[KeyChange]) -> None:
    """Verify an earlier checkpoint, which an earlier key may have signed.

    Raises:
        LogError: if none of the keys signed it.
    """
    formers = [
        change.previous_key for change in changes if change.previous_key.name == earlier_checkpoint.origin
    ]
    signers = earlier_checkpoint.note.signed_by(formers) if formers else []
    if not signers:
        verify_checkpoint(earlier_checkpoint, key)


class EarlierCheckpoint(NamedTuple):
    """A checkpoint that the reader gives."""

    name: str  # of its file
    checkpoint: Checkpoint


def read_earlier(file: Path | None) -> EarlierCheckpoint | None:
    """Read the checkpoint that a reader gives; return None without one.

    Raises:
        LogError: if it is not a checkpoint.
        PublishingError: if it cannot be read.
    """
    if file is None:
        return None
    try:
        return EarlierCheckpoint(str(file), parse_checkpoint(read_named_file(file, LARGEST_NOTE)))
    except OSError as error:
        raise PublishingError(f"{file} cannot be read: {error.strerror}") from None
