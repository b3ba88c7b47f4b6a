"""Who keeps the log of a site: its key, what the key signed last, and where the site is published."""

import os
from contextlib import suppress
from pathlib import Path

import click

from statuary.cli.options import read_key
from statuary.domain.primitives import Instant
from statuary.extensions.http.client import UnreachableError
from statuary.extensions.log.merkle import LogError, ReadPath
from statuary.extensions.log.notes import PublicKey, parse_private_key, parse_public_key
from statuary.extensions.log.published_log import LOG_CHECKPOINT, LogKeeper, LogSettings, TreeHead, parse_head
from statuary.publishing.files import PublishingError, atomic_file
from statuary.publishing.places import open_place

KEY_VARIABLE = "STATUARY_LOG_KEY"
public_log_key_option = click.option(
    "--public-key", metavar="FILE|KEY", help="The log's public key: NAME+HEX+BASE64, or a file that holds it."
)


def log_keeper(
    settings: LogSettings, now: Instant, key_file: Path | None, to: str | None = None
) -> LogKeeper:
    """Return who extends a log, with the key of a file or the environment.

    Args:
        key_file: the file of --log-key.
        to: where else the site is published.

    Raises:
        LogError: if the key is not one, or the published log cannot be read.
        PublishingError: if it cannot be read.
    """
    text = read_key(key_file) if key_file else os.environ.get(KEY_VARIABLE, "")
    keeper = LogKeeper(settings, parse_private_key(text) if text else None, now)
    if key_file is not None:
        with suppress(OSError):
            last = _beside(key_file, LAST).read_text("utf-8")
            keeper = keeper._replace(seen=parse_head(last.partition("\n")[0]))
        with suppress(OSError):
            keeper = keeper._replace(pending=_beside(key_file, PENDING).read_bytes())
    name = to or settings.url
    if not name:
        return keeper
    try:
        reader = site_reader(name)
        reader(LOG_CHECKPOINT.pattern)
    except (PublishingError, UnreachableError) as error:
        raise LogError(
            f"the published log cannot be read: {error}",
            "the site keeps the log that it has; the next build appends what is missing",
        ) from None
    return keeper._replace(elsewhere=((name, reader),))


def site_reader(name: str) -> ReadPath:
    """Return what reads the paths of a site: a folder, a snapshot, a URL or an object store."""
    place = open_place(name)
    if context := click.get_current_context(silent=True):  # a program that calls `statuary.build` has none
        context.call_on_close(place.close)
    return place.read


def note_signed(key_file: Path | None, published: TreeHead, pending: bytes | None) -> None:
    """Keep beside a key what of its log is published, so that an older copy is noticed; and what it signed since then."""
    if key_file is None:
        return
    with atomic_file(_beside(key_file, PENDING)) as stream:
        stream.write(pending or b"")
    with atomic_file(_beside(key_file, LAST)) as stream:
        stream.write(f"{published.text}\n".encode())


LAST, PENDING = "last", "pending"
"""The endings of the files beside a key."""


def _beside(key_file: Path, ending: str) -> Path:
    return key_file.with_name(f"{key_file.name}.{ending}")


def read_public_key(text: str, kinds: bytes = b"\1") -> PublicKey:
    """Return the public key that a text is, or that the file of this name holds."""
    return parse_public_key(read_key(Path(text)) if Path(text).is_file() else text, kinds)
