"""Read a published log, and verify it before it is used."""

from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple

import orjson
from typing_extensions import override

from statuary.base.files import PARTS
from statuary.base.primitives import Instant
from statuary.extensions.log.entries import EntryKind, LogAction, parse_entry
from statuary.extensions.log.key_changes import KeyChange
from statuary.extensions.log.merkle import (
    WIDTH,
    LogError,
    ReadPath,
    hash_entry_range,
    hash_leaf,
    iter_verified_entries,
    make_bundle_reader,
    make_consistency_proof,
    make_inclusion_proof,
    make_subtree_hasher,
    verify_consistency,
    verify_inclusion,
)
from statuary.extensions.log.notes import (
    EXAMPLE_SEED,
    Checkpoint,
    PrivateKey,
    PublicKey,
    parse_checkpoint,
    verify_checkpoint,
)
from statuary.publish.locations import SiteLocation
from statuary.site.urls import IMMUTABLE, MEDIA_TYPES, OCTET_STREAM, TEXT, PutStep, Url
from statuary.system.network.client import display_location

LOG = Url("log", "log/index.json", "the name and the public key of the transparency log", own_rule=True)
LOG_SCHEMA = Url("log-schema", "log/schema.json", "the JSON Schema of the log's entries", own_rule=True)
LOG_CHECKPOINT = Url(
    "log-checkpoint", "log/checkpoint", "the signed size and root of the log", TEXT, own_rule=True
)
LOG_PENDING = Url(
    "log-pending",
    "log/pending.json",
    "the checkpoint of the last publication with its new entries, put before everything else",
    put=PutStep.ANNOUNCEMENT,
    own_rule=True,
)
LOG_FAULT = Url(
    "log-fault",
    "log/fault.json",
    "why the last build or tick could not extend the log; absent if it could",
    own_rule=True,
)
LOG_MANIFEST = Url(
    "log-manifest",
    "log/manifest.json",
    "the manifest of the site's files, which the last entry about the site names by its SHA-256",
    own_rule=True,
)
LOG_PART = Url(
    "log-part",
    "log/parts/{digest}.jsonl",
    "a part of the manifest: a line for each file",
    MEDIA_TYPES["jsonl"],
    IMMUTABLE,
    PutStep.BODY,
)
LOG_TILE = Url(
    "log-tile",
    "log/tile/{path}",
    "hashes or entries of the log, as C2SP's tlog-tiles",
    OCTET_STREAM,
    IMMUTABLE,
    PutStep.BODY,
)
LOG_CONTRACT = Url(
    "log-contract",
    "log/contracts/{chain_id}/{address}.tlog-proof",
    "the proof that a contract's record and proof are in the log",
    TEXT,
    put=PutStep.BODY,
)
LOG_INCIDENT = Url(
    "log-incident",
    "log/incidents/{incident_id}.tlog-proof",
    "the proof that an incident is in the log",
    TEXT,
    put=PutStep.BODY,
)
LOG_URLS = (
    LOG,
    LOG_SCHEMA,
    LOG_CHECKPOINT,
    LOG_PENDING,
    LOG_FAULT,
    LOG_MANIFEST,
    LOG_PART,
    LOG_TILE,
    LOG_CONTRACT,
    LOG_INCIDENT,
)
"""All URLs of the log."""

PREFIX = LOG.path().rpartition("/")[0]
"""The folder of the log in a site."""

EXAMPLE = "example-key"
"""A part of the origin of logs that are signed with the public example key."""


class LogSettings(NamedTuple):
    """The settings of a site's log."""

    origin: str  # the name of the log, of its checkpoints and of its key
    url: str = ""  # the site's address; the log that is published there is read before a checkpoint is signed
    branch: str = "main"  # the published branch, for hosts that do not tell previews apart
    example_key: bool = False  # whether the public example key signs
    witnesses: tuple[tuple[str, str], ...] = ()
    """The key (vkey) and the URL of each witness, a service that cosigns the log's checkpoints."""
    quorum: int = 0  # the number of witnesses that must cosign
    public_key: str = ""  # the public key that the site publishes; empty to derive it from the signing key


class TreeHead(NamedTuple):
    """The size and the root of a log at some time."""

    size: int
    root: bytes

    @property
    def text(self) -> str:
        """A log's size and root hash as text, separated by a space."""
        return f"{self.size} {self.root.hex()}"


def parse_tree_head(head_text: str) -> TreeHead | None:
    """Parse a log's size and root hash, such as `42 9f3c…`.

    Returns:
        The size and root, or None if the text is malformed.
    """
    size, _, root = head_text.partition(" ")
    try:
        return TreeHead(int(size), bytes.fromhex(root))
    except ValueError:
        return None


KEY_MARK = b'"kind":"key"'
"""A part of every entry about a key; other entries hardly ever contain it."""


class PublishedLog:
    """A log as a site has published it."""

    def __init__(self, name: str, checkpoint: Checkpoint, read_site: ReadPath) -> None:
        self.name = name  # the location of the log, for messages
        self.checkpoint = checkpoint
        self.head = TreeHead(checkpoint.size, checkpoint.root)
        # Callers give paths in the log's folder, such as `tile/0/000`, but the site is read from its root.
        self.read_path: ReadPath = lambda path: read_site(f"{PREFIX}/{path}")
        self.subtrees = make_subtree_hasher(self.read_path, checkpoint.size)
        self._read_bundle = make_bundle_reader(self.read_path, checkpoint.size)

    def iter_entries(self, start: int = 0) -> Iterator[bytes]:
        """Yield the entries of the log, verified against its checkpoint.

        The checkpoint is the signed state of the log: its size and root hash.

        Args:
            start: the number of the first entry to yield.

        Raises:
            LogError: if an entry is missing or does not match the checkpoint.
        """
        return iter_verified_entries(self.read_path, *self.head, start)

    def read_entry(self, number: int) -> bytes:
        """Return one entry of the log, verified against its checkpoint.

        The other entries are not read.

        Raises:
            LogError: if the entry does not exist or does not match the checkpoint.
        """
        size, root = self.head
        proof = make_inclusion_proof(number, size, self.subtrees)
        body = self._read_bundle(number // WIDTH)[number % WIDTH]
        verify_inclusion(hash_leaf(body), number, size, proof, root)
        return body

    def list_key_changes(self, start: int = 0) -> list[KeyChange]:
        """Read the announcements of new keys in the transparency log.

        Their signatures are verified.

        Args:
            start: the number of the first entry to search.

        Raises:
            LogError: if the log is damaged, or the signature of an announcement is invalid.
        """
        marked = (body for body in self.iter_entries(start) if KEY_MARK in body)
        entries = (entry for entry in map(parse_entry, marked) if entry.subject.kind is EntryKind.KEY)
        changes = [entry.key_change for entry in entries if entry.key_change is not None]
        for change in changes:
            change.verify()
        return changes

    def verify_root(self) -> None:
        """Verify that the log's hashes give the root hash in its checkpoint.

        The checkpoint is the signed state of the log.

        Raises:
            LogError: if they do not match.
        """
        size, root = self.head
        if hash_entry_range(0, size, self.subtrees) != root:
            raise LogError(
                f"the hashes in the log's tile files do not match the root hash in the log's checkpoint of {size:,} entries",
                cause="damaged",
            )

    def verify_extends(self, earlier_head: TreeHead, earlier_name: str) -> None:
        """Verify that a transparency log has all entries of an earlier state.

        Args:
            earlier_head: the size and the root hash of the earlier state.
            earlier_name: a name for the earlier state, for the error message.

        Raises:
            LogError: if the log is shorter than the earlier state, or does not extend it.
        """
        size, root = self.head
        if earlier_head.size > size:
            raise LogError(
                f"the log of {self.name} has {size:,} entries, fewer than the {earlier_head.size:,} of {earlier_name}:"
                " an old copy was restored, or entries were removed",
                cause="older",
                size=size,
                earlier=earlier_head.size,
            )
        try:
            proof = make_consistency_proof(earlier_head.size, size, self.subtrees)
            verify_consistency(earlier_head.size, size, proof, earlier_head.root, root)
        except LogError as error:
            raise LogError(
                f"the log of {self.name} ({size:,} entries) is not a continuation of {earlier_name} ({earlier_head.size:,} entries): {error}",
                cause="fork",
                size=size,
                earlier=earlier_head.size,
            ) from None


def open_log(
    site_name: str, read_site: ReadPath, key: PublicKey | None, previous_key: PublicKey | None = None
) -> PublishedLog | None:
    """Open the transparency log of a published site, and verify its checkpoint.

    A checkpoint is the signed state of a log.

    Args:
        site_name: the name of the site in error messages.
        read_site: a function that returns the bytes at a path of the site, or None.
        key: the key of the log; None to verify no signatures.
        previous_key: the key that the log had before; its signature is accepted too. None if there was none.

    Returns:
        The log, or None if the site has none.

    Raises:
        LogError: if the checkpoint is damaged, is of another log, or is not signed with a given key.
    """
    body = read_site(LOG_CHECKPOINT.path())
    if body is None:
        return None
    site_name = display_location(site_name)
    try:
        checkpoint = parse_checkpoint(body)
        if key is not None:
            verify_checkpoint(checkpoint, key, previous_key)
        log = PublishedLog(site_name, checkpoint, read_site)
        log.verify_root()
    except LogError as error:
        raise LogError(f"the log of {site_name}: {error}", error.hint, error.cause or "damaged") from None
    return log


def read_log_settings(read_site: ReadPath) -> LogSettings | None:
    """Read the settings of a transparency log from its `log/index.json`.

    Args:
        read_site: a function that returns the bytes at a path of the site, or None.

    Returns:
        The settings, or None if the site has no log.

    Raises:
        LogError: if the document is malformed.
    """
    body = read_site(LOG.path())
    if body is None:
        return None
    try:
        value = orjson.loads(body)
        witnesses = tuple((str(witness["key"]), str(witness["url"])) for witness in value["witnesses"])
        return LogSettings(
            origin=str(value["origin"]),
            public_key=str(value["publicKey"]),
            example_key=bool(value["exampleKey"]),
            witnesses=witnesses,
            quorum=int(value["quorum"]),
        )
    except (ValueError, KeyError, TypeError):
        raise LogError(f"{LOG.path()} cannot be read", "build the site again") from None


def require_log_extends_target(site: SiteLocation, target: SiteLocation) -> dict[str, str | None]:
    """Raise an error if publishing would shorten or replace a transparency log.

    Args:
        site: the site that is to be published.
        target: the location where it is published, which may have a log already.

    Returns:
        A dict from the path of the target's checkpoint to its SHA-256, or to None if the target has no log. Publish
        only if the checkpoint is still the same.

    Raises:
        LogError: if the site's log is missing, has another name, or does not extend the target's log.
    """
    body = target.read(LOG_CHECKPOINT.path())
    there = open_log(target.name, target.read, None)
    if there is None or body is None:
        return {LOG_CHECKPOINT.path(): None}
    own_log = open_log(site.name, site.read, None)
    if own_log is None:
        raise LogError(
            f"{target.name} has a log of {there.head.size:,} entries and {site.name} has none",
            f"build with `log` in site.yaml; to end a log on purpose, delete {LOG_CHECKPOINT.path()} at the target",
        )
    origin = there.checkpoint.origin
    if own_log.checkpoint.origin != origin and origin not in [
        change.previous_key.name for change in own_log.list_key_changes()
    ]:
        raise LogError(
            f"{target.name} has the log {there.checkpoint.origin}, but {site.name} has another log, {own_log.checkpoint.origin}"
        )
    try:
        own_log.verify_extends(there.head, f"the log of {target.name}")
    except LogError as error:
        raise LogError(
            str(error),
            f"build into a new folder with `--to {target.name}`, which continues its log",
        ) from None
    return {LOG_CHECKPOINT.path(): sha256(body).hexdigest()}


COVERED = (LOG.path(), LOG_SCHEMA.path())
"""The log's files in the site's manifest; the others follow from the entries."""


def log_path_of_manifest_part(manifest_part_path: str) -> str:
    """Return the path at which the log stores a manifest part.

    The manifest is the list of the site's files, in several parts. The path contains the part's SHA-256.

    Args:
        manifest_part_path: the path of the same part in the site.
    """
    return LOG_PART.path(digest=manifest_part_path.removeprefix(PARTS).removesuffix(".jsonl"))


WORDS = {LogAction.ADD: "added", LogAction.CHANGE: "changed", LogAction.REMOVE: "removed"}


NO_KEY = "no signing key"

NOT_EXTENDED = "log-not-extended"
"""The rule of findings about a log that is not extended, or that the next build cannot continue."""


class LogContext(NamedTuple):
    """Everything that a build needs to extend its log."""

    settings: LogSettings
    key: PrivateKey | None  # the signing key; None leaves the log unchanged
    now: Instant  # the time of new entries
    other_locations: tuple[tuple[str, ReadPath], ...] = ()
    """A name and a file reader for each published location; empty if the built folder itself is published."""
    seen_head: TreeHead | None = None  # the last published size and root, as recorded beside the key
    pending_body: bytes | None = None  # signed entries that may be unpublished, as in `log/pending.json`
    min_size: TreeHead | None = None  # the size and root in the content's `log-floor.txt`
    allow_init: bool = False  # whether a new log may be started
    allow_clock_rollback: bool = False  # whether the clock may be before the last entry
    allow_rollback: bool = False  # whether the log may be continued from a shorter one than was published
    change: KeyChange | None = None  # the content's announcement of a new key
    preview: str = ""  # why this is a preview, which never signs; empty if it is not
    unreadable: str = ""  # why only a copy of the published log could be read, which stays as it is

    @property
    def signing_key(self) -> PrivateKey | None:
        """The key that signs the log in this build, or None.

        For example, a build does not sign if it cannot read the published log.

        Raises:
            LogError: if the key is that of another log.
        """
        return None if self.unreadable else self.configured_key

    @property
    def configured_key(self) -> PrivateKey | None:
        """The key that signs the log: the user's or the example key.

        It is None if no key was given, and in a preview, which only the (public) example key may sign.

        Raises:
            LogError: if the given key is that of another log.
        """
        origin = self.settings.origin
        if self.settings.example_key:
            return PrivateKey(origin, EXAMPLE_SEED)
        if self.preview:
            return None
        if self.key is not None and self.key.name != origin:
            raise LogError(
                f"the signing key belongs to the log {self.key.name}, but `log.origin` names {origin}",
                f"use the key of {origin}; `statuary log rotate` announces another name or key",
                "key",
            )
        return self.key

    @property
    def previous_key(self) -> PublicKey | None:
        """The log's key before the current one, if it was replaced.

        It is known from the announcement of the new key in the content.
        """
        key = self.configured_key
        return self.change.previous_key if self.change and key and self.change.key == key.public else None

    def refuse_second_log(self, found_size: int) -> None:
        """Raise an error if the build would start a second transparency log.

        Args:
            found_size: the number of entries in the published log; 0 if none was found.

        Raises:
            LogError: if no log was found and a new one is not allowed, or `--init-log` was given and one was
                found.
        """
        may_start = self.allow_init or self.allow_rollback or self.settings.example_key
        if not found_size and not may_start:
            raise LogError(
                "no log was found to continue, and starting again at entry 0 would fork it",
                "use --init-log if this is the first build with a log; otherwise say where the log is, with --to,"
                " `log: {url: …}` in site.yaml, or --log-from",
                "none",
            )
        if found_size and self.allow_init:
            raise LogError(
                f"the log already has {found_size:,} entries", "remove --init-log", "started", size=found_size
            )


class LogExtension(NamedTuple):
    """The log after a build has extended it."""

    head: TreeHead | None  # size and root of the log after this run; None without a log
    actions: Counter[LogAction]  # the number of appended entries, by action
    obstacle: str  # why nothing was appended; empty if the log could be extended
    is_example: bool  # whether the public example key signs the log
    published_head: TreeHead  # the size and root of the longest log that others may have seen
    discarded_entries: int  # the size of the folder's own log, if another publisher's log replaces it; else 0

    @override
    def __str__(self) -> str:
        size = self.head.size if self.head else 0
        if self.obstacle:
            return f"log not extended: {self.obstacle}; it has {size:,} entries"
        total = sum(self.actions.values())
        parts = ", ".join(
            f"{self.actions[action]:,} {word}" for action, word in WORDS.items() if self.actions[action]
        )
        example = "; the key is the example key, which shows nothing about who signed, or when"
        new = f"{total:,} new entries ({parts})" if total else "no new entries"
        lost = f"; the folder's own log of {self.discarded_entries:,} entries is discarded: another publisher was first"
        return f"log: {new}, {size:,} in all{example if self.is_example else ''}{lost if self.discarded_entries else ''}"
