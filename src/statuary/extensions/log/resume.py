"""Find the state from which a log continues.

Entries are binding as soon as they are signed, because others may have them. So each run publishes
`log/pending.json` before everything else: the new checkpoint and the entries that lead to it from the log
before. A run that finds a pending checkpoint continues it, and publishes the entries of a failed upload after
all. Signed entries are discarded if another publisher was faster.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import orjson

from statuary.extensions.log.merkle import EMPTY_ROOT, HASH_SIZE, LogError, LogGrowth, ReadPath
from statuary.extensions.log.notes import (
    DECIMAL,
    LARGEST_NOTE,
    PublicKey,
    decode_base64,
    format_checkpoint_text,
    parse_checkpoint,
    verify_checkpoint,
)
from statuary.extensions.log.published_log import LOG_PENDING, PREFIX, PublishedLog, TreeHead, open_log
from statuary.site.document import encode_json
from statuary.system.files import read_below
from statuary.system.network.client import display_location
from statuary.system.writing import atomic_file

MOST_PENDING = 20_000
"""Entries of a publication that can be resumed with the same checkpoint; a larger one is signed again."""

EMPTY = TreeHead(0, EMPTY_ROOT)

RESTORE = (
    "restore the newest log/ folder of the site, or name a place that has it: --to, `log: {url: …}`, or --log-from;"
    " if it is lost, --allow-log-rollback"
)

MIN_HEAD_FILE = "log-floor.txt"
"""The content file with the minimum published head: name, size and root, like a checkpoint."""


class MinHead(NamedTuple):
    """The content of `log-floor.txt`: size and root of the published log."""

    origin: str
    head: TreeHead


def read_log_floor_file(content_folder: Path, log_name: str) -> TreeHead | None:
    """Read the size of the published log from `log-floor.txt`.

    Builds refuse to continue a log with fewer entries.

    Args:
        content_folder: the content folder.
        log_name: the name of the log in site.yaml.

    Returns:
        The size of the log and the root of its Merkle tree; None if there is no such file.

    Raises:
        LogError: if the file cannot be read, or is about another log.
    """
    minimum = _parse_log_floor_file(content_folder)
    if minimum is None:
        return None
    if minimum.origin != log_name:
        raise LogError(
            f"{MIN_HEAD_FILE} belongs to the log {minimum.origin}, but `log.origin` names {log_name}"
        )
    return minimum.head


def require_no_published_entries(content_folder: Path) -> None:
    """Raise an error if the content already has a log with entries.

    Raises:
        LogError: if `log-floor.txt`, the file with the size of the published log, states entries or cannot be
            read.
    """
    minimum = _parse_log_floor_file(content_folder)
    if minimum is not None and minimum.head.size:
        raise LogError(
            f"{MIN_HEAD_FILE} states {minimum.head.size:,} published entries of the log {minimum.origin}",
            "`statuary log rotate` gives this log a new key; for another log, remove the file first",
        )


def _parse_log_floor_file(content_folder: Path) -> MinHead | None:
    try:
        text = read_below(content_folder, MIN_HEAD_FILE, LARGEST_NOTE).decode("utf-8")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise LogError(f"{MIN_HEAD_FILE} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise LogError(f"{MIN_HEAD_FILE} is not UTF-8") from None
    name, size, root, *_ = [*text.split("\n"), "", ""]
    digest = decode_base64(root)
    if not DECIMAL.fullmatch(size) or digest is None or len(digest) != HASH_SIZE:
        raise LogError(
            f"{MIN_HEAD_FILE} does not have the name, size and root hash of a log",
            "restore it from the history of the content",
        )
    return MinHead(name, TreeHead(int(size), digest))


def write_log_floor_file(content_folder: Path, log_name: str, head: TreeHead) -> None:
    """Write the size of the published log to `log-floor.txt`.

    Later builds then refuse to continue a shorter log.

    Args:
        content_folder: the content folder, which gets the file.
        log_name: the name of the log.
        head: the size of the published log, and the root of its Merkle tree.

    Raises:
        PublishingError: if the file cannot be written.
    """
    with atomic_file(content_folder / MIN_HEAD_FILE) as stream:
        stream.write(format_checkpoint_text(log_name, *head).encode())


class Pending(NamedTuple):
    """A signed checkpoint that may or may not have been published."""

    base: int  # the size of the log that the entries continue
    checkpoint: str  # the signed note
    entries: tuple[str, ...]  # the entries after the first `base` ones

    def encode(self) -> bytes:
        """Encode the signed checkpoint and its entries as `log/pending.json`."""
        return encode_json({"base": self.base, "checkpoint": self.checkpoint, "entries": list(self.entries)})


def parse_pending_checkpoint(pending_document: bytes | None) -> Pending | None:
    """Parse `log/pending.json`, with signed entries that may not be published.

    Returns:
        The signed checkpoint with its entries, or None if the document is missing or malformed.
    """
    try:
        value = orjson.loads(pending_document or b"")
        pending_checkpoint = Pending(
            int(value["base"]), str(value["checkpoint"]), tuple(map(str, value["entries"]))
        )
    except (ValueError, KeyError, TypeError):
        return None
    return pending_checkpoint if pending_checkpoint.encode() == pending_document else None


def make_pending_checkpoint(
    published_head: TreeHead, log: PublishedLog | None, new_entries: tuple[bytes, ...], signed_checkpoint: str
) -> Pending | None:
    """Collect the log entries that a build has signed but not published.

    The result becomes the document `log/pending.json`. If the build stops before publishing, the next build
    continues from there.

    Args:
        published_head: the size and the root hash of the published log.
        log: the log to which this build appended, which may be longer than the published one; None for a new
            log.
        new_entries: the entries that the build appended.
        signed_checkpoint: the signed checkpoint.

    Returns:
        The entries with their checkpoint; None if they would be too many.
    """
    size = log.head.size if log else 0
    if size - published_head.size + len(new_entries) > MOST_PENDING or published_head.size > size:
        return None
    between = log.iter_entries(published_head.size) if log and published_head.size < size else ()
    return Pending(
        published_head.size, signed_checkpoint, tuple(entry.decode() for entry in (*between, *new_entries))
    )


def append_pending_entries(
    log: PublishedLog | None,
    pending_document: bytes | None,
    current_and_previous_key: tuple[PublicKey | None, PublicKey | None],
    location: str,
) -> PublishedLog | None:
    """Add entries to a log that a build signed without publishing.

    For example, a build may stop after it has signed its entries. It stores them in `log/pending.json`.

    Args:
        log: the published log, or None.
        pending_document: the bytes of `log/pending.json`, or None.
        current_and_previous_key: the log's two latest keys. If the current one is None, the signature is not
            verified.
        location: the location of the document, for error messages.

    Returns:
        The longer log. If the document is missing or does not continue the log, `log` is returned.
    """
    key, previous_key = current_and_previous_key
    pending_checkpoint = parse_pending_checkpoint(pending_document)
    if pending_checkpoint is None:
        return log
    head = log.head if log else EMPTY
    try:
        checkpoint = parse_checkpoint(pending_checkpoint.checkpoint.encode())
        if key is not None:
            verify_checkpoint(checkpoint, key, previous_key)
        missing_entries = (
            pending_checkpoint.entries[head.size - pending_checkpoint.base :]
            if pending_checkpoint.base <= head.size
            else ()
        )
        if checkpoint.size <= head.size or head.size + len(missing_entries) != checkpoint.size:
            return log
        pieces: dict[str, bytes] = {}

        def read(path: str) -> bytes | None:
            return pieces.get(path) or (None if log is None else log.read_path(path))

        growth = LogGrowth(head.size, read)
        for entry in missing_entries:
            pieces.update(growth.append_entry(entry.encode()))
        pieces.update(growth.iter_partial_files())
        if growth.root() != checkpoint.root:
            return log
    except LogError:
        return log
    return PublishedLog(location, checkpoint, lambda path: read(path.removeprefix(f"{PREFIX}/")))


class ResumePoint(NamedTuple):
    """The state from which a build extends the log."""

    log: PublishedLog | None  # None if there is none
    published_head: TreeHead  # the size and root that others may have seen; later entries are only signed
    is_own: bool  # whether this is the same log as the folder's own
    discarded_entries: int = 0  # the size of the folder's own log, if another publisher's log replaces it

    @property
    def head(self) -> TreeHead:
        """The size and root hash of the log that the build continues."""
        return self.log.head if self.log else EMPTY


class LogLocations(NamedTuple):
    """All places where copies of the log may have been published."""

    folder: tuple[str, ReadPath]  # the folder that is built
    other_locations: tuple[tuple[str, ReadPath], ...] = ()
    """A name and a file reader for each published location; empty if the built folder itself is published."""
    pending_body: bytes | None = None  # signed entries that may be unpublished, from the key's folder

    def find_resume_point(
        self,
        key: PublicKey | None,
        seen_heads: Iterator[TreeHead | None],
        previous_key: PublicKey | None = None,
    ) -> ResumePoint:
        """Find the longest copy of the log, to which the build appends.

        Args:
            key: the key of the log; None to verify no signatures.
            seen_heads: earlier states of the published log, each a size and a root hash. The log must contain
                them.
            previous_key: the key before `key`, whose signature is accepted too; None if there was none.

        Raises:
            LogError: if a copy is damaged or not signed, or does not extend what was published.
        """
        own_log = open_log(*self.folder, key, previous_key)
        there = [
            log for place in self.other_locations if (log := open_log(*place, key, previous_key)) is not None
        ]
        published_log = max(there, key=lambda candidate: candidate.head.size, default=None)
        for log in there:
            _require_log_extends(published_log, log.head, f"the log of {log.name}")
        truth = published_log if self.other_locations else own_log
        self._require_log_extends_heads(truth, own_log, seen_heads)
        newest, discarded_entries = _choose_longer_log(own_log, published_log)
        for name, body in self._iter_pending_documents():
            newest = append_pending_entries(newest, body, (key, previous_key), name)
        return ResumePoint(newest, truth.head if truth else EMPTY, newest is own_log, discarded_entries)

    def _require_log_extends_heads(
        self,
        published_log: PublishedLog | None,
        own_log: PublishedLog | None,
        seen_heads: Iterator[TreeHead | None],
    ) -> None:
        for earlier_head in seen_heads:
            if earlier_head is None or not earlier_head.size:
                continue
            if published_log is None and own_log is not None:
                raise self._unpublished_log_error(own_log, earlier_head)
            _require_log_extends(published_log, earlier_head, "what was published before")

    def _unpublished_log_error(self, own_log: PublishedLog, earlier_head: TreeHead) -> LogError:
        """Return the error for a log that no published location has.

        The user may be publishing there for the first time, or the location may have lost its log. The hint
        covers both.
        """
        _require_log_extends(own_log, earlier_head, "what was published before")
        places = " and ".join(display_location(name) for name, _ in self.other_locations)
        return LogError(
            f"the log is missing at {places}: {earlier_head.size:,} of its entries were signed before",
            f"if you publish there for the first time, add --log-from {self.folder[0]}, which has all entries; otherwise {RESTORE}",
            "missing",
            earlier=earlier_head.size,
        )

    def _iter_pending_documents(self) -> Iterator[tuple[str, bytes | None]]:
        for name, read_path in (self.folder, *self.other_locations):
            yield name, read_path(LOG_PENDING.path())
        yield "the key", self.pending_body


class _ChosenLog(NamedTuple):
    log: PublishedLog | None
    discarded_entries: int = 0  # the entries of the folder's log, if it is not continued


def _choose_longer_log(own_log: PublishedLog | None, published_log: PublishedLog | None) -> _ChosenLog:
    """Choose the longer of two logs if it extends the other.

    Otherwise, the published log is chosen, and the entries of `own_log` (in the build folder) are discarded.
    """
    if own_log is None or published_log is None:
        return _ChosenLog(own_log or published_log)
    shorter, longer = sorted((own_log, published_log), key=lambda candidate: candidate.head.size)
    if own_log.head == published_log.head:
        return _ChosenLog(own_log)
    try:
        longer.verify_extends(shorter.head, f"the log of {shorter.name}")
    except LogError:
        return _ChosenLog(published_log, own_log.head.size)
    return _ChosenLog(longer)


def _require_log_extends(log: PublishedLog | None, earlier_head: TreeHead, earlier_name: str) -> None:
    if log is None:
        raise LogError(
            f"the log is missing: {earlier_head.size:,} of its entries were published",
            RESTORE,
            "missing",
            earlier=earlier_head.size,
        )
    try:
        log.verify_extends(earlier_head, earlier_name)
    except LogError as error:
        raise LogError(str(error), RESTORE, error.cause, **error.values) from None
