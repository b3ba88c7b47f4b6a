"""What this user knows of logs: the key of each, and the last checkpoint that was verified."""

import os
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from statuary.cli.options.log_options import read_public_key
from statuary.domain.log.merkle import LogError
from statuary.domain.log.notes import EXAMPLE_SEED, PrivateKey, PublicKey, parse_public_key
from statuary.domain.site_settings import EXAMPLE
from statuary.publishing.atomic_file import atomic_file
from statuary.publishing.errors import PublishingError
from statuary.publishing.log.published_log import TreeHead, parse_head


class KnownLog(NamedTuple):
    """A log as it was last verified: its key, and its size and root."""

    key: PublicKey
    head: TreeHead


def _file(origin: str) -> Path:
    """Return where a log is remembered: below STATUARY_STATE, XDG_STATE_HOME or ~/.local/state."""
    own = os.environ.get("STATUARY_STATE")
    above = (
        Path(own)
        if own
        else Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state") / "statuary"
    )
    return above / "logs" / sha256(origin.encode()).hexdigest()[:32]


def remembered(origin: str) -> KnownLog | None:
    """Return what is known of a log, None if nothing; raise PublishingError if the file is damaged."""
    file = _file(origin)
    try:
        key, head, *_ = file.read_text("utf-8").split("\n")
        found = parse_head(head)
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        found, key = None, ""
    if found is None:
        raise PublishingError(
            f"{file} is damaged", "delete it; the next verification remembers the log again"
        )
    return KnownLog(parse_public_key(key), found)


def remember(log: KnownLog) -> None:
    """Keep what is known of a log; raise PublishingError if it cannot be written."""
    with atomic_file(_file(log.key.name)) as stream:
        stream.write(f"{log.key.text}\n{log.head.text}\n{log.key.name}\n".encode())


def known_key(origin: str, given: str | None, stated: str | None) -> tuple[PublicKey, str]:
    """Return the key of a log, and where it comes from.

    Args:
        origin: the log's name.
        stated: the key that the site itself states, which is believed the first time.

    Raises:
        LogError: if it is unknown, or the key given, or stated, is another than the one that was used before.
    """
    before = remembered(origin)
    if given is not None:
        return read_public_key(given), "the given key"
    if EXAMPLE in origin:
        example = PrivateKey(origin, EXAMPLE_SEED).public
        if stated in (None, example.text):
            return (
                example,
                "the example key, which everyone has: this shows nothing about who signed, or when",
            )
    if before is not None:
        if stated not in (None, before.key.text):
            raise LogError(
                f"the site states another key for {origin} than before: {stated}",
                "ask the publisher; --public-key accepts a key anyway",
            )
        return before.key, "the key seen before"
    if stated is None:
        raise LogError(
            f"the signature was not verified: the public key of {origin} is unknown", "give --public-key"
        )
    return parse_public_key(stated), "the key that the site states, seen for the first time"
