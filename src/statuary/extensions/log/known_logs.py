"""Remember the logs that this machine has verified."""

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from statuary.base.files import PublishingError
from statuary.extensions.log.key_changes import KeyChange, follow_key_changes
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
from statuary.extensions.log.published_log import EXAMPLE, TreeHead, parse_tree_head
from statuary.system.files import read_named_file, read_text
from statuary.system.network.client import display_location
from statuary.system.writing import atomic_file


class KnownLog(NamedTuple):
    """A log's key and size when this machine last verified it."""

    key: PublicKey
    head: TreeHead


def _state_file_path(file_name: str) -> Path:
    """Return the file that stores the key and size of a log.

    The file is below STATUARY_STATE, XDG_STATE_HOME or ~/.local/state.

    Args:
        file_name: the name of the log, or the address of its site; the file's name is a hash of it.
    """
    state_folder = os.environ.get("STATUARY_STATE")
    above = (
        Path(state_folder)
        if state_folder
        else Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state") / "statuary"
    )
    return above / "logs" / sha256(file_name.encode()).hexdigest()[:32]


def _location_state_file(location: str) -> Path:
    parts = urlsplit(location)
    if parts.netloc:
        return _state_file_path(f"at {parts.scheme.lower()}://{parts.netloc.lower()}{parts.path.rstrip('/')}")
    return _state_file_path(f"at {Path(location).resolve()}")


def has_known_key(location: str, origin: str, stated_key: str | None) -> bool:
    """Return whether a site's log has the same key as last time.

    This machine stores a log's key when it verifies the log. It stores the key for the log and for the site's
    location, and both must agree.

    Args:
        location: the URL or path of the site.
        origin: the name of the log.
        stated_key: the key that the site states now, or None.
    """
    remembered_log = load_log_state(origin)
    with suppress(FileNotFoundError):
        return remembered_log is not None and {
            remembered_log.key.text,
            read_text(_location_state_file(location)).strip(),
        } == {stated_key}
    return False


def refuse_other_log(location: str, key: PublicKey, changes: Iterable[KeyChange]) -> None:
    """Raise an error if a site has another transparency log than before.

    A log with another key is another log, unless the earlier key has announced the new key.

    Args:
        location: the URL or path of the site.
        key: the current key of the log.
        changes: the announcements of new keys in the log, whose signatures have been verified.

    Raises:
        LogError: if the announcements do not lead from the stored key to the current one.
        PublishingError: if the file with the stored key is damaged.
    """
    file = _location_state_file(location)
    try:
        remembered_key = parse_public_key(read_text(file).strip())
    except FileNotFoundError:
        return
    except (OSError, ValueError, LogError):
        raise _damaged_file_error(file) from None
    if follow_key_changes(remembered_key, changes) != key:
        raise LogError(
            f"{display_location(location)} had the log with the key {remembered_key.text}, and now has one with {key.text}",
            "ask the publisher; if the change is genuine, accept the new key with --public-key",
        )


def load_log_state(origin: str) -> KnownLog | None:
    """Load the key and size that a log had when verified last.

    Args:
        origin: the name of the transparency log.

    Returns:
        The key and the size of the log; None if this machine has never verified it.

    Raises:
        PublishingError: if the file with them is damaged.
    """
    file = _state_file_path(origin)
    try:
        key, head, *_ = read_text(file).split("\n")
        remembered_key, remembered_head = parse_public_key(key), parse_tree_head(head)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, LogError):
        raise _damaged_file_error(file) from None
    if remembered_head is None:
        raise _damaged_file_error(file)
    return KnownLog(remembered_key, remembered_head)


def _damaged_file_error(file: Path) -> PublishingError:
    return PublishingError(f"{file} is damaged", "delete it; the next verification remembers the log again")


def save_log_state(log: KnownLog, location: str, changes: Iterable[KeyChange]) -> None:
    """Store the key and size of a verified log on this machine.

    The next verification checks that the log still has the stored entries.

    Args:
        log: the verified log.
        location: the URL or path of the site.
        changes: the announcements of new keys. The state is also stored under the log's names before them.

    Raises:
        PublishingError: if a file cannot be written.
    """
    with atomic_file(_location_state_file(location)) as stream:
        stream.write(f"{log.key.text}\n".encode())
    for name in sorted({log.key.name, *(change.previous_key.name for change in changes)}):
        with atomic_file(_state_file_path(name)) as stream:
            stream.write(f"{log.key.text}\n{log.head.text}\n{name}\n".encode())


class KnownKey(NamedTuple):
    """A log's key, and the reason to trust it."""

    key: PublicKey
    source: str  # how the key became known, as a phrase for messages


def _find_trusted_key(origin: str, given_key: str | None, changes: Iterable[KeyChange]) -> KnownKey | None:
    if given_key is not None:
        return KnownKey(read_public_key(given_key), "the given key")
    for name in dict.fromkeys((origin, *(change.previous_key.name for change in changes))):
        if (remembered_log := load_log_state(name)) is not None:
            return KnownKey(remembered_log.key, "the key seen before")
    return None


def choose_verification_key(
    origin: str, given_key: str | None, stated_key: str | None, changes: Sequence[KeyChange] = ()
) -> KnownKey:
    """Choose the public key with which to verify a transparency log.

    The user's key comes first, then the key that this machine stored before, and at last the key that the
    site states. If the log has announced a new key in place of this one, the new key is returned.

    Args:
        origin: the name of the log.
        given_key: the key that the user gave, or None.
        stated_key: the key that the site states, or None.
        changes: the announcements of new keys in order, each signed by the key before.

    Raises:
        LogError: if no key is known, or the site states another key than before without an announcement.
    """
    if given_key is None and EXAMPLE in origin:
        example = PrivateKey(origin, EXAMPLE_SEED).public
        if stated_key in (None, example.text):
            source = "the example key, which everyone has: this shows nothing about who signed, or when"
            return KnownKey(example, source)
    trusted = _find_trusted_key(origin, given_key, changes)
    if trusted is not None:
        key, source = trusted
        last_stated_key = follow_key_changes(key, changes)
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
            f"the signature was not verified: the public key of {origin} is unknown",
            "name the key with --public-key",
        )
    return KnownKey(parse_public_key(stated_key), "the key that the site states, seen for the first time")


def load_known_heads(key: PublicKey, changes: Iterable[KeyChange]) -> list[TreeHead]:
    """Return the states of a log that this machine verified earlier.

    A state is the size of the log and the root of its Merkle tree. If the log no longer contains one of them,
    somebody has rewritten it.

    Args:
        key: the current key of the log.
        changes: the announcements of new keys, which may have changed the name of the log.
    """
    names = dict.fromkeys((key.name, *(change.previous_key.name for change in changes)))
    return [remembered_log.head for name in names if (remembered_log := load_log_state(name)) is not None]


def verify_earlier_checkpoint(
    earlier_checkpoint: Checkpoint, key: PublicKey, changes: Iterable[KeyChange]
) -> None:
    """Verify the signature of a log's earlier checkpoint.

    A checkpoint is the signed state of a log. The log may have changed its key since then, so its earlier
    keys are tried too.

    Args:
        earlier_checkpoint: the checkpoint to verify.
        key: the current key of the log.
        changes: the announcements of new keys in the log.

    Raises:
        LogError: if none of the keys signed the checkpoint.
    """
    formers = [
        change.previous_key for change in changes if change.previous_key.name == earlier_checkpoint.origin
    ]
    signers = earlier_checkpoint.note.find_signers(formers) if formers else []
    if not signers:
        verify_checkpoint(earlier_checkpoint, key)


class EarlierCheckpoint(NamedTuple):
    """A checkpoint that the user saved earlier, to compare the log with."""

    name: str  # the name of the file
    checkpoint: Checkpoint


def read_earlier_checkpoint(file: Path | None) -> EarlierCheckpoint | None:
    """Read a log's checkpoint that a reader saved to a file.

    A checkpoint is the signed state of a log.

    Args:
        file: the file with the checkpoint, or None.

    Returns:
        The checkpoint, or None if no file is given.

    Raises:
        LogError: if the file is not a checkpoint.
        PublishingError: if the file cannot be read.
    """
    if file is None:
        return None
    try:
        return EarlierCheckpoint(str(file), parse_checkpoint(read_named_file(file, LARGEST_NOTE)))
    except OSError as error:
        raise PublishingError(f"{file} cannot be read: {error.strerror}") from None
