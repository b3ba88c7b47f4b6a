"""Extend the log of a site by what is to be published.

The published log is authoritative: it is read and verified first, in the folder and where the site is
published. Tiles, proofs and the new checkpoint are added to the target like any document, and put in place
with them. Entries are in the order of contracts by address, then incidents by id.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import orjson

from statuary.base.files import is_manifest_path
from statuary.base.findings import Finding, Severity
from statuary.base.primitives import format_utc_milliseconds, parse_instant
from statuary.extensions.log.entries import (
    CLOCK,
    LOG_KEY,
    WHOLE_SITE,
    EntryKind,
    EntryRules,
    LogAction,
    LogEntry,
    LogItem,
    LogSubject,
    LogTable,
    NumberedEntry,
    encode_proof,
    iter_contracts_to_log,
    iter_incident_updates,
    iter_incidents_to_log,
    make_change_entry,
)
from statuary.extensions.log.merkle import (
    LogError,
    LogGrowth,
    iter_tile_paths,
    make_consistency_proof,
    make_inclusion_proof,
    make_subtree_hasher,
    verify_consistency,
)
from statuary.extensions.log.notes import PrivateKey, PublicKey, format_checkpoint_text
from statuary.extensions.log.published_log import (
    COVERED,
    LOG,
    LOG_CHECKPOINT,
    LOG_CONTRACT,
    LOG_INCIDENT,
    LOG_MANIFEST,
    LOG_PART,
    LOG_PENDING,
    LOG_SCHEMA,
    LOG_TILE,
    NO_KEY,
    NOT_EXTENDED,
    PREFIX,
    LogContext,
    LogExtension,
    TreeHead,
    log_path_of_manifest_part,
    parse_tree_head,
)
from statuary.extensions.log.resume import (
    EMPTY,
    MOST_PENDING,
    RESTORE,
    LogLocations,
    make_pending_checkpoint,
    parse_pending_checkpoint,
)
from statuary.publish.folder.folder_target import FolderTarget
from statuary.publish.listing import DamagedSnapshotError
from statuary.publish.manifest import Manifest, encode_manifest, manifest_digest, parse_manifest
from statuary.publish.origin import SiteOrigin
from statuary.publish.site_manifest import ListedParts, make_manifest_from_scratch, update_manifest
from statuary.site.document import Document, encode_json
from statuary.site.pages.page_parts import PreviousVersion
from statuary.site.urls import Url
from statuary.status.urls import incident_id_of_path
from statuary.system.files import read_file
from statuary.version import VERSION

BATCH = 1_000
"""Entries in one transaction."""


LAST_MANIFEST = "log manifest"
"""The ledger's key for the last run that made the manifest, and for the manifest's SHA-256."""


class LogChanges(NamedTuple):
    """The new log entries about incidents."""

    by_incident: dict[str, list[int]]  # the numbers of the new entries, by incident
    previous_versions: dict[str, tuple[PreviousVersion, ...]]
    """The published versions of an update that differ from the current one, by the update's id."""


class SiteLog:
    """Extends the log of a site by the changes of a build."""

    def __init__(self, target: FolderTarget, context: LogContext) -> None:
        """Read the published log of a site.

        Raises:
            LogError: if the log is damaged, not signed with the key, or older than one published before.
        """
        self.target, self.context = target, context
        self.table = target.ledger.table(LogTable)
        self.key = context.signing_key
        public = None if context.configured_key is None else context.configured_key.public
        places = LogLocations(
            (str(target.folder.root), target.read_published), context.other_locations, context.pending_body
        )
        seen_heads = (parse_tree_head(self.table.state.published_head), context.seen_head, context.min_size)
        previous_key = context.previous_key
        self.start = places.find_resume_point(
            public, iter(() if context.allow_rollback else seen_heads), previous_key
        )
        if self.key is not None:
            context.refuse_second_log(self.start.head.size)
        self.base = self.start.log
        self.previous_head = self.start.head
        self.is_restored = not self.start.is_own
        if parse_tree_head(self.table.state.head) != self.previous_head:
            self.table.replace_all_entries(
                self.base.iter_entries() if self.base else (), self.previous_head.text
            )
        self.is_rotated = self._is_signed_by_previous_key(previous_key)
        self.pieces: dict[str, bytes] = {}
        self.growth = LogGrowth(self.previous_head.size, self._read_log_file)
        self.written_paths: set[str] = set()
        self.appended: list[bytes] = []  # the new entries, up to one more than a pending document may have
        self.changed_subjects: list[LogSubject] = []
        self.actions: Counter[LogAction] = Counter()
        self.contracts = True
        self.rules = EntryRules(self.table.last_entry_time)
        self.renewed: frozenset[LogSubject] = frozenset()

    def append_changes(self, incidents: Iterable[Document], *, contracts: bool) -> LogChanges:
        """Append a log entry for each changed contract, incident or update.

        Args:
            incidents: the published documents of all incidents and maintenance windows.
            contracts: whether this build may have changed contracts.

        Returns:
            The numbers of the new entries about incidents, and the earlier versions of changed updates.

        Raises:
            LogError: if the clock is before the time of the last entry.
        """
        self.contracts = contracts
        documents = sorted(incidents)
        by_incident: dict[str, list[int]] = {}
        if self.key is not None:
            for _ in self._append_entries(self._iter_new_key_entry()):
                pass
            for number, entry in self._append_changed_items(self._iter_items_to_log(documents)):
                if entry.subject.kind in (EntryKind.INCIDENT, EntryKind.UPDATE):
                    by_incident.setdefault(entry.subject.first, []).append(number)
        return LogChanges(by_incident, self._previous_versions(documents))

    def log_site_manifest(self) -> LogExtension:
        """Append an entry about the whole site, and write the log.

        The entry has the SHA-256 of the list of all files. Call this method after all other documents have
        been added.

        Raises:
            LogError: if the new log would not extend the published one.
        """
        if self.key is not None:
            self.target.add(self._description_documents())
            for _ in self._append_changed_items([LogItem(WHOLE_SITE, self._add_manifest())]):
                pass
        return self._record_log_extension(self._add_log_files())

    def warnings(self) -> Iterator[Finding]:
        """Yield a finding if the build could not extend its transparency log.

        For a new log, a warning is yielded if the published address is unknown, because later builds need it.
        """
        context = self.context
        if context.unreadable:
            yield Finding(
                rule=NOT_EXTENDED,
                severity=Severity.ERROR,
                pointer=("log",),
                on_key=True,
                message=f"the log is not extended: {context.unreadable}",
                hint="the site has the log of --log-from; the next build adds the missing entries",
            )
        elif self.key is None and not context.preview and self.previous_head.size:
            yield Finding(
                rule=NOT_EXTENDED,
                severity=Severity.WARNING,
                pointer=("log",),
                on_key=True,
                message=f"the log is not extended: {NO_KEY}; `statuary log verify` names each file that this run changes",
                hint="give --log-key FILE or set STATUARY_LOG_KEY, and run the command again",
            )
        elif self.key and not (
            self.previous_head.size or context.other_locations or context.settings.example_key
        ):
            yield Finding(
                rule=NOT_EXTENDED,
                severity=Severity.WARNING,
                pointer=("log",),
                on_key=True,
                message="the published location of the log is unknown, so a build in a new folder cannot continue it",
                hint="state the location as `log: {url: …}` in site.yaml, or publish with --to",
            )

    def _record_log_extension(self, head: TreeHead | None) -> LogExtension:
        published_head = self.start.published_head if self.context.other_locations else head or EMPTY
        if self.key is not None or not self.contracts:
            text = "" if head is None else head.text
            self.table.set_next_state(text, published_head.text, contracts=self.contracts)
        return LogExtension(
            head,
            self.actions,
            obstacle="" if self.key else self.context.unreadable or self.context.preview or NO_KEY,
            is_example=self.context.settings.example_key,
            published_head=published_head,
            discarded_entries=self.start.discarded_entries,
        )

    def _append_changed_items(self, items: Iterable[LogItem]) -> Iterator[NumberedEntry]:
        now = self.context.now
        missing_entries = (
            make_change_entry(item, self.table.find_last_entry(item.subject), now) for item in items
        )
        return self._append_entries(entry for entry in missing_entries if entry is not None)

    def _append_entries(self, entries: Iterable[LogEntry]) -> Iterator[NumberedEntry]:
        new: list[NumberedEntry] = []
        for entry in entries:
            for addition in (*self._iter_clock_correction(entry), entry):
                new.append((self.growth.size, addition))
                self._add_entry(addition)
                yield new[-1]
            if len(new) >= BATCH:
                self.table.insert_entries(new)
                new.clear()
        self.table.insert_entries(new)

    def _is_signed_by_previous_key(self, previous_key: PublicKey | None) -> bool:
        """Return whether the previous key signed the log.

        Raises:
            LogError: if another key than its last one did.
        """
        last_key_entry = self.table.find_last_entry(LOG_KEY)
        signers = () if self.base is None else self.base.checkpoint.note.signatures
        if last_key_entry is not None and last_key_entry[1].key_change is not None:
            key = last_key_entry[1].key_change.key
            if (key.name, key.id) not in [(signer.name, signer.key_id) for signer in signers]:
                raise LogError(f"the log is not signed with its last key, {key.text}", RESTORE, "key")
        return previous_key is not None and (previous_key.name, previous_key.id) in [
            (signer.name, signer.key_id) for signer in signers
        ]

    def _iter_new_key_entry(self) -> Iterator[LogEntry]:
        if self.is_rotated:
            number = last_key_entry[0] if (last_key_entry := self.table.find_last_entry(LOG_KEY)) else None
            time = format_utc_milliseconds(self.context.now)
            change = self.context.change
            yield LogEntry(LOG_KEY, LogAction.CHANGE, time, replaces=number, key_change=change)

    def _iter_clock_correction(self, entry: LogEntry) -> Iterator[LogEntry]:
        """Yield an entry that allows earlier times, if the user permits it.

        An entry must not be older than the one before. So a log whose clock was wrong needs this entry.

        Raises:
            LogError: if the user did not pass --allow-clock-rollback.
        """
        if entry.time >= self.rules.clock:
            return
        if not self.context.allow_clock_rollback:
            raise LogError(
                f"the clock says {entry.time}, but the last log entry is dated {self.rules.clock}",
                "set the clock; if the last entry has the wrong time, use --allow-clock-rollback, which records a"
                " correction in the log",
                "clock",
                now=entry.time,
                last=self.rules.clock,
            )
        number = last_clock_entry[0] if (last_clock_entry := self.table.find_last_entry(CLOCK)) else None
        yield LogEntry(CLOCK, LogAction.CHANGE, entry.time, replaces=number)

    def _add_entry(self, entry: LogEntry) -> None:
        self.rules.check_entry(self.growth.size, entry, self.table.find_last_entry(entry.subject))
        self.actions[entry.action] += 1
        body = entry.encode()
        self._add_tree_files(self.growth.append_entry(body))
        if len(self.appended) <= MOST_PENDING:
            self.appended.append(body)
        if entry.subject.kind in PROVED:
            self.changed_subjects.append(entry.subject)

    def _iter_items_to_log(self, documents: list[Document]) -> Iterator[LogItem]:
        if self.contracts:
            every = not self.target.ledger.keeps_unreplaced or not self.table.is_complete
            yield from iter_contracts_to_log(self.table, include_unchanged=every)
        yield from iter_incidents_to_log(self.table, documents)

    def _add_manifest(self) -> str:
        """Add the manifest (the list of all files), and return its SHA-256.

        A manifest without changes stays as it was published.
        """
        origin = SiteOrigin(self.context.now, "", VERSION)
        text = self._read_log_file(LOG_MANIFEST.path().removeprefix(f"{PREFIX}/")) or b""
        last_entry = self.table.find_last_entry(WHOLE_SITE)
        is_last = last_entry is not None and manifest_digest(text) == last_entry[1].sha256
        last_manifest = parse_manifest(text) if is_last else None
        manifest = self._make_site_manifest(origin, last_manifest)
        if last_manifest is None or last_manifest.parts != manifest.parts:
            text = encode_manifest(manifest)
        self.target.add([make_log_document(LOG_MANIFEST, text)])
        documents = self.target.ledger.documents
        parts = {log_path_of_manifest_part(part.path) for part in manifest.parts}
        former_parts = documents.paths_under(LOG_PART.pattern.rpartition("/")[0])
        documents.remove_unless_added([path for path in former_parts if path not in parts])
        self.target.ledger.set_meta({LAST_MANIFEST: f"{self.target.ledger.run} {manifest_digest(text)}"})
        return manifest_digest(text)

    def _make_site_manifest(self, origin: SiteOrigin, last_manifest: Manifest | None) -> Manifest:
        """Make the manifest of all files, in parts.

        If it lists the files of the last run, only the parts with changes are made.
        """
        ledger, listing = self.target.ledger, self._site_listing()
        if last_manifest is not None and ledger.keeps_unreplaced:
            made_by_last_run = f"{ledger.run - 1} {manifest_digest(encode_manifest(last_manifest))}"
            if ledger.get_meta(LAST_MANIFEST) == made_by_last_run:
                with suppress(DamagedSnapshotError):
                    return update_manifest(self.target, origin, last_manifest, listing)
        return make_manifest_from_scratch(self.target, origin, listing)

    def _site_listing(self) -> ListedParts:
        """Describe the files that the log's manifest lists.

        The manifest omits the files of snapshots, and the files of the log that its entries determine.
        """

        def is_in_log_manifest(path: str) -> bool:
            return not is_manifest_path(path) and (path in COVERED or not path.startswith(f"{PREFIX}/"))

        return ListedParts(
            is_listed=is_in_log_manifest,
            document=lambda part, text: make_log_document(LOG_PART, text, digest=part.sha256),
            read_path=lambda path: self.target.read_published(log_path_of_manifest_part(path)),
        )

    def _previous_versions(self, documents: list[Document]) -> dict[str, tuple[PreviousVersion, ...]]:
        previous_versions = {}
        for document in documents:
            for update in iter_incident_updates(incident_id_of_path(document.path), document.body):
                versions = tuple(
                    PreviousVersion(number, parse_instant(entry.time), entry.sha256)
                    for number, entry in self.table.list_entries(update.subject)
                    if entry.sha256 not in ("", update.sha256)
                )
                if versions:
                    previous_versions[update.subject.second] = versions
        return previous_versions

    def _add_tree_files(self, tree_files: Iterable[tuple[str, bytes]]) -> None:
        """Add files of the log's Merkle tree, and cache their hashes.

        The proofs need the hashes. The cache takes 32 bytes an entry.
        """
        for path, body in tree_files:
            self.written_paths.add(path)
            self.target.add([make_log_document(LOG_TILE, body, path=path.removeprefix("tile/"))])
            if not path.startswith("tile/entries/"):
                self.pieces[path] = body

    def _add_log_files(self) -> TreeHead | None:
        """Add the files of the log: those that changed, or all.

        All are added in a full build, and after the log was restored or got a new key.

        Returns:
            The size and root of the log, or None if it has no entry.
        """
        if not self.growth.size:
            return None
        head = TreeHead(self.growth.size, self.growth.root())
        if head != self.previous_head:
            self._add_tree_files(self.growth.iter_partial_files())
        note = self._sign_checkpoint(head)
        everything = self.is_restored or self.is_rotated or not self.target.ledger.keeps_unreplaced
        if everything:
            self._reuse_published_tiles(head.size)
        else:
            self._remove_outgrown_tiles(head.size)
        self.target.add([make_log_document(LOG_CHECKPOINT, note.encode())])
        if self.key is None:
            self._reuse_published_documents(include_manifest=everything)
        self._add_pending_document(note)
        self.renewed = frozenset(self.changed_subjects)
        self.target.add(self._proof_documents(note, head, include_unchanged=everything))
        return head

    def _sign_checkpoint(self, head: TreeHead) -> str:
        if self.base is not None and head == self.previous_head:
            return self.base.checkpoint.note.body
        proof = make_consistency_proof(
            self.previous_head.size, head.size, make_subtree_hasher(self._read_log_file, head.size)
        )
        verify_consistency(self.previous_head.size, head.size, proof, self.previous_head.root, head.root)
        text = format_checkpoint_text(self.context.settings.origin, *head)
        return f"{text}\n{require_signing_key(self.key).sign(text)}"

    def _reuse_published_documents(self, *, include_manifest: bool) -> None:
        """Add the published documents of the log again.

        A build without the key cannot sign new ones.
        """
        self.target.add(self._description_documents())
        text = self._read_log_file(LOG_MANIFEST.path().removeprefix(f"{PREFIX}/"))
        if text is not None and include_manifest:
            paths = [log_path_of_manifest_part(part.path) for part in parse_manifest(text).parts]
            bodies = ((path, self._read_log_file(path.removeprefix(f"{PREFIX}/"))) for path in paths)
            parts = [(path.rpartition("/")[2].partition(".")[0], body) for path, body in bodies if body]
            self.target.add(make_log_document(LOG_PART, body, digest=digest) for digest, body in parts)
            self.target.add([make_log_document(LOG_MANIFEST, text)])

    def _add_pending_document(self, signed_checkpoint: str) -> None:
        path = LOG_PENDING.path()
        last_pending = parse_pending_checkpoint(self.target.read_published(path))
        is_same = (
            last_pending is not None
            and last_pending.checkpoint.partition("\n\n")[0] == signed_checkpoint.partition("\n\n")[0]
        )
        start = self.start.published_head if self.context.other_locations else self.previous_head
        pending_checkpoint = (
            last_pending
            if is_same
            else make_pending_checkpoint(start, self.base, tuple(self.appended), signed_checkpoint)
        )
        if pending_checkpoint is None:
            self.target.ledger.documents.remove_unless_added([path])
        else:
            self.target.add([make_log_document(LOG_PENDING, pending_checkpoint.encode())])

    def _read_log_file(self, path: str) -> bytes | None:
        return self.pieces.get(path) or (None if self.base is None else self.base.read_path(path))

    def _remove_outgrown_tiles(self, log_size: int) -> None:
        """Remove the partial tiles whose full tile exists now."""
        documents = self.target.ledger.documents
        full = set(iter_tile_paths(log_size, since=self.previous_head.size))
        for path in iter_tile_paths(self.previous_head.size):
            full_tile, partial, _ = path.partition(".p/")
            if partial and full_tile in full:
                documents.remove_unless_added(documents.paths_under(f"{PREFIX}/{full_tile}.p"))

    def _reuse_published_tiles(self, log_size: int) -> None:
        there = self.target.ledger.documents.paths_under(f"{PREFIX}/tile")
        published_paths = {path.removeprefix(f"{PREFIX}/") for path in there} | set(
            iter_tile_paths(self.previous_head.size)
        )
        full = set(iter_tile_paths(log_size))
        for path in sorted(published_paths - self.written_paths):
            is_outgrown = ".p/" in path and path.partition(".p/")[0] in full
            body = None if is_outgrown else self._read_log_file(path)
            if body is not None:
                self.target.add([make_log_document(LOG_TILE, body, path=path.removeprefix("tile/"))])

    def _description_documents(self) -> Iterator[Document]:
        settings = self.context.settings
        published_description = self.target.read_published(LOG.path())
        if self.base is not None and self.is_restored:
            published_description = self.base.read_path(LOG.path().removeprefix(f"{PREFIX}/"))
        body = published_description
        if self.key is not None:
            witnesses = [{"key": key, "url": url} for key, url in settings.witnesses]
            body = encode_json(
                {
                    "origin": settings.origin,
                    "publicKey": self.key.public.text,
                    "exampleKey": settings.example_key,
                    "witnesses": witnesses,
                    "quorum": settings.quorum,
                }
            )
        if body is not None:
            yield make_log_document(LOG, body)
        schema = read_file(Path(__file__).with_name("entry.schema.json"))
        yield make_log_document(LOG_SCHEMA, encode_json(orjson.loads(schema)))

    def _proof_documents(
        self, signed_checkpoint: str, head: TreeHead, *, include_unchanged: bool
    ) -> Iterator[Document]:
        """Yield a proof file for each contract or incident that changed.

        The existing proofs of unchanged ones stay.
        """
        subtrees = make_subtree_hasher(self._read_log_file, head.size)
        for subject in chain(
            self.changed_subjects, self._iter_unchanged_subjects() if include_unchanged else ()
        ):
            number, last_entry = self.table.list_entries(subject)[-1]
            url, parameters = get_proof_url(subject)
            path = url.path(**parameters)
            if last_entry.action is LogAction.REMOVE:
                self.target.ledger.documents.remove_unless_added([path])
                continue
            body = (
                None
                if subject in self.renewed or self.is_restored or self.is_rotated
                else self.target.read_published(path)
            )
            if body is None:
                hashes = make_inclusion_proof(number, head.size, subtrees)
                body = encode_proof(number, hashes, signed_checkpoint, last_entry.encode())
            yield make_log_document(url, body, **parameters)

    def _iter_unchanged_subjects(self) -> Iterator[LogSubject]:
        for kind in PROVED:
            yield from (
                subject for subject in self.table.iter_unremoved_subjects(kind) if subject not in self.renewed
            )


PROVED = (EntryKind.CONTRACT, EntryKind.INCIDENT)
"""The kinds of subjects that have a proof file."""


class ProofUrl(NamedTuple):
    """The URL of the log's proof for a contract or incident."""

    url: Url
    parameters: dict[str, str]


def get_proof_url(subject: LogSubject) -> ProofUrl:
    """Return the URL of the log's proof about a contract or incident."""
    if subject.kind is EntryKind.CONTRACT:
        return ProofUrl(LOG_CONTRACT, {"chain_id": subject.first, "address": subject.second})
    return ProofUrl(LOG_INCIDENT, {"incident_id": subject.first})


def make_log_document(url: Url, content: bytes, **parameters: str) -> Document:
    """Make a document of the site from a file of its log.

    The document stays until a later build replaces it.

    Args:
        url: the URL table's entry for the file, which gives the path, the media type and the caching.
        content: the bytes of the document.
        parameters: the values of the placeholders in the path.
    """
    return Document(
        path=url.path(**parameters), body=content, media_type=url.media_type, cache=url.cache, persistent=True
    )


def require_signing_key(key: PrivateKey | None) -> PrivateKey:
    """Return the signing key, or raise an error if it is missing.

    Raises:
        LogError: if the key is None.
    """
    if key is None:
        raise LogError("new entries cannot be signed without the private key of the log")
    return key
