"""Verify a published log and the files of its site.

Go's checksum database works in the same way.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from struct import pack
from typing import NamedTuple

import orjson

from statuary.base.files import is_manifest_path
from statuary.base.primitives import Instant, format_utc_milliseconds
from statuary.contracts.paths import plain_path, sharded_path
from statuary.contracts.urls import CONTRACT, CONTRACT_PAGE, PROOF
from statuary.extensions.log.entries import (
    LOG_KEY,
    WHOLE_SITE,
    EntryKind,
    EntryRules,
    LogAction,
    LogEntry,
    LogSubject,
    NumberedEntry,
    compute_entry_digest,
    encode_proof,
    iter_incident_updates,
    parse_entry,
    parse_proof,
)
from statuary.extensions.log.merkle import (
    ENTRIES,
    HASH_SIZE,
    LogError,
    ReadPath,
    iter_tile_paths,
    make_inclusion_proof,
    make_subtree_hasher,
    split_bundle,
)
from statuary.extensions.log.notes import (
    PublicKey,
    parse_checkpoint,
    verify_checkpoint,
)
from statuary.extensions.log.own_manifest import OwnManifest, find_manifest_entries
from statuary.extensions.log.published_log import (
    LOG_CHECKPOINT,
    LOG_CONTRACT,
    LOG_FAULT,
    LOG_INCIDENT,
    LOG_MANIFEST,
    LOG_PART,
    LOG_PENDING,
    LOG_TILE,
    PublishedLog,
    TreeHead,
    log_path_of_manifest_part,
)
from statuary.extensions.log.resume import parse_pending_checkpoint
from statuary.extensions.log.site_log import PROVED, get_proof_url
from statuary.extensions.snapshots.site_reader import ManifestIndex
from statuary.publish.listing import DamagedSnapshotError, Entry
from statuary.publish.manifest import manifest_digest
from statuary.registry import HOST_FILES
from statuary.site.document import Document
from statuary.site.url_table import match_url
from statuary.site.urls import Url
from statuary.status.api.epoch_index import EpochIndex, parse_epochs_or_empty
from statuary.status.feeds.status_changes import COMPARED_PATHS, changes_document
from statuary.status.urls import CHANGES, EPOCHS, INCIDENT, INCIDENT_PAGE, incident_id_of_path
from statuary.system.databases import open_temporary_database
from statuary.system.network.client import is_url

SUBJECT_URLS = (CONTRACT, PROOF, CONTRACT_PAGE, LOG_CONTRACT, INCIDENT, INCIDENT_PAGE, LOG_INCIDENT)


MAX_AHEAD = timedelta(days=1)
"""The farthest that the last entry may be ahead of the reader's clock."""


class DocumentCheck(NamedTuple):
    """The result of comparing a site's files with its log."""

    matching_count: int  # the number of checks that passed
    due_paths: list[str]
    """Documents that changed on schedule after the last build, so that the log lacks the change."""
    problems: list[str]  # sentences about files that are missing, differ, or are not in the log
    unsigned: list[str]  # files that differ from the log but match the site's own manifest
    uncovered: list[str]  # files that neither the manifest nor the log names
    unserved: list[str]  # files for the host only, which its web server does not send
    stated_at: str = ""  # the time in the site's own manifest

    @property
    def all_files_match(self) -> bool:
        """Whether all files of the site match its transparency log."""
        return not (self.problems or self.unsigned or self.uncovered)


def find_contract_or_incident_at(site_path: str) -> LogSubject | None:
    """Find the contract or incident of the document at a path."""
    match = match_url(plain_path(site_path.removeprefix("/")))
    if match is None or match.url not in SUBJECT_URLS or "all-chains" in match.parameters.values():
        return None
    if "incident_id" in match.parameters:
        return LogSubject(EntryKind.INCIDENT, match.parameters["incident_id"])
    return LogSubject(EntryKind.CONTRACT, match.parameters["chain_id"], match.parameters["address"])


def list_entries_about(log: PublishedLog, subject: LogSubject) -> list[NumberedEntry]:
    """Read all entries of a log about a contract or incident.

    The entries about the updates of an incident are included.

    Raises:
        LogError: if the log is damaged.
    """

    def is_entry_subject_about(other_subject: LogSubject) -> bool:
        same = other_subject.first == subject.first and other_subject.second.lower() == subject.second.lower()
        is_update = other_subject.kind is EntryKind.UPDATE and subject.kind is EntryKind.INCIDENT
        return (same and other_subject.kind is subject.kind) or (
            is_update and other_subject.first == subject.first
        )

    entries = enumerate(map(parse_entry, log.iter_entries()))
    return [(number, entry) for number, entry in entries if is_entry_subject_about(entry.subject)]


def make_proof_file(log: PublishedLog, number: int, entry: LogEntry) -> bytes:
    """Return a .tlog-proof file, which proves that the log contains an entry.

    Args:
        log: the published log.
        number: the position of the entry in the log, from 0.
        entry: the entry.
    """
    hashes = make_inclusion_proof(number, log.head.size, make_subtree_hasher(log.read_path, log.head.size))
    return encode_proof(number, hashes, log.checkpoint.note.body, entry.encode())


class LastEntries:
    """The latest log entry about each subject, in a table on disk."""

    def __init__(self, log: PublishedLog, start: int) -> None:
        """Create an empty table, for the entries from the number `start` on.

        Raises:
            LogError: if the entry before `start` cannot be read.
        """
        self.log, self.start = log, start
        self.rules = EntryRules(parse_entry(log.read_entry(start - 1)).time if start else "")
        schema = "CREATE TABLE last (subject TEXT PRIMARY KEY, number INTEGER, body BLOB) WITHOUT ROWID"
        self.table = open_temporary_database(schema)

    def add_entry(self, number: int, entry_bytes: bytes) -> None:
        """Add the next entry of the log, after checking it.

        Args:
            number: the number of the entry.
            entry_bytes: the bytes of the entry.

        Raises:
            LogError: if the entry is malformed or breaks a rule of the log.
        """
        entry = parse_entry(entry_bytes)
        self.rules.check_entry(
            number, entry, self.find_last_entry(entry.subject) or self._read_replaced_entry(entry)
        )
        row = "\n".join(entry.subject), number, entry_bytes
        self.table.execute("INSERT OR REPLACE INTO last VALUES (?,?,?)", row)

    def find_last_entry(self, subject: LogSubject) -> NumberedEntry | None:
        """Return the last entry about a contract, incident or update, or None."""
        query = "SELECT number, body FROM last WHERE subject = ?"
        row = self.table.execute(query, ("\n".join(subject),)).fetchone()
        return None if row is None else (row[0], parse_entry(row[1]))

    def _read_replaced_entry(self, entry: LogEntry) -> NumberedEntry | None:
        """Read the earlier entry of the same subject that an entry replaces."""
        number = entry.replaces
        if type(number) is not int or not 0 <= number < self.start:
            return None
        replaced = parse_entry(self.log.read_entry(number))
        return (number, replaced) if replaced.subject == entry.subject else None

    def find_site_entry(self) -> NumberedEntry | None:
        """Return the last log entry about the whole site, or None.

        Each build ends with such an entry. It has the SHA-256 of the list of the site's files.
        """
        last_entry = self.find_last_entry(WHOLE_SITE)
        for number in range(self.start - 1, -1, -1) if last_entry is None else ():
            entry = parse_entry(self.log.read_entry(number))
            if entry.subject == WHOLE_SITE:
                return number, entry
        return last_entry

    def __iter__(self) -> Iterator[NumberedEntry]:
        for number, body in self.table.execute("SELECT number, body FROM last ORDER BY subject"):
            yield number, parse_entry(body)


class SiteCheck:
    """Compares all files of a site with its log."""

    def __init__(
        self,
        log: PublishedLog,
        key: PublicKey | None,
        read_path: ReadPath,
        now: Instant,
        advance: Callable[[int], None],
        since: int = 0,
    ) -> None:
        """Prepare a verification.

        Args:
            log: the published log.
            key: the public key of the log; None to skip the verification of signatures in proofs.
            read_path: returns the bytes at a path of the site, or None.
            now: the time at which the site is read, after which scheduled changes are not due.
            advance: is called for each entry and file.
            since: the size of an earlier state; only later entries, and entries that they replace, are read.

        Raises:
            LogError: if the last entry of the earlier state cannot be read.
        """
        self.log, self.key, self.read_path, self.now, self.advance = log, key, read_path, now, advance
        self.result = DocumentCheck(0, [], [], [], [], [])
        self.own = OwnManifest(read_path)
        self.since = since
        self.last_entries = LastEntries(log, since)
        # A manifest may list more files than fit into memory, so keep their digests in a temporary database.
        self.digests = open_temporary_database(
            "CREATE TABLE files (path TEXT PRIMARY KEY, sha256 TEXT) WITHOUT ROWID"
        )
        self.names = NameSet()  # the names of files in the manifest
        self.parts: set[str] = set()  # the digests of the manifest's parts
        self.heads: set[str] = set()  # texts of checkpoints that the log continues

    def check_site(self, paths: Iterable[str] | None) -> DocumentCheck:
        """Compare every file of a site with the site's transparency log.

        Call this method once.

        Args:
            paths: the paths of all files of the site, to find files that the log does not cover; None if the
                files of the site cannot be listed.

        Raises:
            LogError: if the log is damaged, or an entry breaks a rule of the log.
        """
        with (
            closing(self.last_entries.table),
            closing(self.digests),
            closing(self.names.table),
            closing(self.own),
        ):
            for number, body in enumerate(self.log.iter_entries(self.since), self.since):
                self.last_entries.add_entry(number, body)
                self.advance(1)
            self.own.load_digests(self._iter_changed_paths() if self.since else None)
            self._check_last_entry_time()
            self._check_signing_key()
            self._check_pending_checkpoint(self.read_path(LOG_PENDING.path()))
            self._check_fault_document(self.read_path(LOG_FAULT.path()))
            self._check_manifest(has_path_list=paths is not None)
            for number, entry in self.last_entries:
                self._check_logged_documents(number, entry)
            for path in () if paths is None else paths:
                if path not in self.names and not self._is_log_file(path):
                    self._report_unlisted_file(path)
            for problem in self.own.describe_differences():
                self._record_check(problem, is_right=False)
        return self.result._replace(stated_at=self.own.instant)

    def _check_last_entry_time(self) -> None:
        """Report a last entry dated more than a day ahead."""
        clock = self.last_entries.rules.clock
        if clock > format_utc_milliseconds(Instant(self.now + MAX_AHEAD)):
            self._record_check(
                f"the last entry is of {clock}, more than a day ahead of this clock: set it if it is wrong; else the owner"
                " builds once with --allow-clock-rollback",
                is_right=False,
            )

    def _check_signing_key(self) -> None:
        """Raise LogError unless the last key of the log signed its checkpoint."""
        last_entry = self.last_entries.find_last_entry(LOG_KEY)
        change = None if last_entry is None else last_entry[1].key_change
        if change is not None and self.key not in (None, change.key):
            raise LogError(f"the checkpoint is not signed with the log's last key, {change.key.text}")

    def _check_fault_document(self, fault_document: bytes | None) -> None:
        """Report the failure to extend the log that the site states.

        Such a build publishes the reason in this document.
        """
        if fault_document is None:
            return
        try:
            fault = orjson.loads(fault_document)
            at, reason = str(fault["at"]), str(fault["reason"])
        except (ValueError, KeyError, TypeError):
            at = "an unknown time"
            reason = f"{LOG_FAULT.path()} cannot be read"
        self._record_check(
            f"the site says that the run of {at} could not extend the log: {reason}", is_right=False
        )

    def _check_pending_checkpoint(self, pending_document: bytes | None) -> None:
        """Verify that the pending checkpoint, if the site has one, is published."""
        if pending_document is None:
            return
        pending_checkpoint, is_right = parse_pending_checkpoint(pending_document), False
        try:
            if pending_checkpoint is not None:
                checkpoint = parse_checkpoint(pending_checkpoint.checkpoint.encode())
                if self.key is not None:
                    verify_checkpoint(checkpoint, self.key)
                entries = self.log.iter_entries(pending_checkpoint.base)
                is_right = checkpoint[:3] == self.log.checkpoint[:3]
                is_right = is_right and [entry.encode() for entry in pending_checkpoint.entries] == list(
                    entries
                )
        except LogError:
            is_right = False
        self._record_check(f"{LOG_PENDING.path()} does not lead to the checkpoint", is_right=is_right)

    def _record_check(self, problem: str, *, is_right: bool) -> None:
        self.result = self.result._replace(matching_count=self.result.matching_count + is_right)
        if not is_right:
            self.result.problems.append(problem)

    def _check_manifest(self, *, has_path_list: bool) -> None:
        text = self.read_path(LOG_MANIFEST.path())
        last_entry = self.last_entries.find_site_entry()
        if text is None or last_entry is None or manifest_digest(text) != last_entry[1].sha256:
            self._record_check(
                f"{LOG_MANIFEST.path()} is not the one that the log's last entry about the site names",
                is_right=False,
            )
            return
        schedule = parse_epochs_or_empty(self.read_path(EPOCHS.path()))
        try:
            for entry in self._iter_manifest_entries(text):
                for name in entry.names:
                    self.names.add_path(name)
                    self._compare_file_with_manifest(name, entry, schedule, has_path_list=has_path_list)
                self.digests.execute("INSERT INTO files VALUES (?,?)", (plain_path(entry.path), entry.sha256))
        except DamagedSnapshotError as error:
            self._record_check(f"the manifest: {error}", is_right=False)

    def _iter_manifest_entries(self, manifest_text: bytes) -> Iterator[Entry]:
        index = ManifestIndex(manifest_text, lambda path: self.read_path(log_path_of_manifest_part(path)))
        self.parts = {part.sha256 for part in index.manifest.parts}
        return find_manifest_entries(index, self._iter_changed_paths()) if self.since else index.entries()

    def _iter_changed_paths(self) -> Iterator[str]:
        """Yield the paths of changed documents and of their proofs.

        Each is yielded twice, because sites for some hosts have contracts in subfolders, such as `_shards/contract/1/00/`.
        """
        for _, entry in self.last_entries:
            if entry.subject.kind in PROVED:
                url, parameters = get_proof_url(entry.subject)
                for path in (url.path(**parameters), *(path for path, _ in _iter_logged_digests(entry))):
                    yield from dict.fromkeys((path, sharded_path(path)))

    def _compare_file_with_manifest(
        self, path: str, entry: Entry, schedule: EpochIndex, *, has_path_list: bool
    ) -> None:
        body = self.read_path(path)
        self.advance(1)
        is_unserved = body is None and not has_path_list and path.partition("/")[0] in HOST_FILES
        if is_unserved:
            self.result.unserved.append(path)
            return
        self.own.record_file_digest(path, body)
        digest = "" if body is None else sha256(body).hexdigest()
        if digest == entry.sha256:
            self._record_check("", is_right=True)
        elif body is not None and body in self._iter_scheduled_versions(path, schedule):
            self.result.due_paths.append(path)
        elif self.own.matches_listed_digest(path, body):
            self.result.unsigned.append(path)
        else:
            what = f"has the SHA-256 {digest}; the manifest names {entry.sha256}"
            missing = "is in the manifest, but not published"
            self._record_check(f"{path} {what if digest else missing}", is_right=False)

    def _iter_scheduled_versions(self, path: str, schedule: EpochIndex) -> Iterator[bytes]:
        """Yield the versions of a document that were scheduled up to now."""
        if path == CHANGES.path():
            yield from self._iter_scheduled_changes(schedule)
        for since in schedule.instants if path in schedule.documents else ():
            stored = schedule.document_at(path, since) if since <= self.now else None
            body = None if stored is None else stored.body(self.read_path)
            if body is not None:
                yield body

    def _iter_scheduled_changes(self, schedule: EpochIndex) -> Iterator[bytes]:
        """Yield the versions of `changes.json` that were scheduled up to now."""
        instants = [since for since in schedule.instants if since <= self.now]
        states = [
            {path: self._read_document_at(schedule, path, since) for path in COMPARED_PATHS}
            for since in instants
        ]
        for number, later_state in enumerate(states):
            documents = [Document(path=path, body=body) for path, body in later_state.items()]
            yield from (
                changes_document(earlier_state.get, documents).body for earlier_state in states[:number]
            )

    def _read_document_at(self, schedule: EpochIndex, path: str, since: Instant) -> bytes:
        stored = schedule.document_at(path, since)
        return (self.read_path(path) if stored is None else stored.body(self.read_path)) or b"null"

    def _check_logged_documents(self, number: int, entry: LogEntry) -> None:
        subject = entry.subject
        if subject.kind not in PROVED:
            return
        url, parameters = get_proof_url(subject)
        proof = self.read_path(url.path(**parameters))
        self.own.record_file_digest(url.path(**parameters), proof)
        if entry.action is not LogAction.REMOVE:
            self._check_proof_file(url.path(**parameters), proof, number, entry)
        for path, digest in _iter_logged_digests(entry):
            row = self.digests.execute("SELECT sha256 FROM files WHERE path = ?", (path,)).fetchone()
            listed_digest = row[0] if row else ""
            if not digest:
                self._check_removed_document(path)
                self._record_check(
                    f"{path} is published, but the log records it as removed or excluded",
                    is_right=not listed_digest,
                )
            elif not listed_digest:
                self._record_check(f"{path} is in the log, but not in the manifest", is_right=False)
            elif subject.kind is EntryKind.INCIDENT:
                self._check_logged_incident(path, digest)
            else:
                self._record_check(
                    f"{path} differs between the log and the manifest", is_right=listed_digest == digest
                )

    def _check_removed_document(self, path: str) -> None:
        """Report the document of a removed contract if it is still published.

        Only needed with `since`, which checks a part of the site. Otherwise, the list of all paths is compared with the
        manifest.
        """
        for name in dict.fromkeys((path, sharded_path(path))) if self.since else ():
            if name not in self.names and self.read_path(name) is not None:
                self._report_unlisted_file(name)

    def _check_logged_incident(self, path: str, logged_digest: str) -> None:
        body = self.read_path(path) or b""
        if path in self.result.due_paths or path in self.result.unsigned:
            return
        try:
            updates = list(iter_incident_updates(incident_id_of_path(path), body))
            is_right = compute_entry_digest(EntryKind.INCIDENT, body) == logged_digest
        except (LogError, ValueError, KeyError, TypeError):
            updates, is_right = [], False
        self._record_check(f"{path} does not match its last log entry", is_right=is_right)
        for update in updates:
            last_entry = self.last_entries.find_last_entry(update.subject)
            if last_entry is None and self.since:
                continue  # the update has not changed, and the incident's entry covers it
            is_logged = last_entry is not None and last_entry[1].sha256 == update.sha256
            self._record_check(
                f"{path}: update {update.subject.second} does not match its last log entry",
                is_right=is_logged,
            )

    def _check_proof_file(self, path: str, proof_file: bytes | None, number: int, entry: LogEntry) -> None:
        try:
            proof = parse_proof(proof_file or b"")
            proof.verify(proof.extra)
            checkpoint = proof.checkpoint
            if checkpoint.note.body not in self.heads:
                if self.key is not None:
                    verify_checkpoint(checkpoint, self.key)
                self.log.verify_extends(TreeHead(checkpoint.size, checkpoint.root), path)
                self.heads.add(checkpoint.note.body)
            is_right = (proof.number, proof.extra) == (number, entry.encode())
            is_right = (
                is_right
                and encode_proof(number, proof.hashes, checkpoint.note.body, proof.extra) == proof_file
            )
        except LogError:
            is_right = False
        self._record_check(f"{path} does not prove the last entry of its subject", is_right=is_right)

    def _is_log_file(self, path: str) -> bool:
        if path in (LOG_CHECKPOINT.path(), LOG_MANIFEST.path(), LOG_PENDING.path(), LOG_FAULT.path()):
            return True
        url, parameters = match_url(path) or (None, {})
        if url not in (LOG_TILE, LOG_PART, LOG_CONTRACT, LOG_INCIDENT) or url is None:
            return False
        return (
            self._check_log_tile(parameters["path"], path)
            if url is LOG_TILE
            else self._is_current_log_document(url, parameters)
        )

    def _is_current_log_document(self, log_url: Url, parameters: Mapping[str, str]) -> bool:
        if log_url is LOG_PART:
            return parameters["digest"] in self.parts
        kind = EntryKind.CONTRACT if log_url is LOG_CONTRACT else EntryKind.INCIDENT
        last_entry = self.last_entries.find_last_entry(LogSubject(kind, *parameters.values()))
        return last_entry is not None and last_entry[1].action is not LogAction.REMOVE

    def _check_log_tile(self, tile_name: str, path: str) -> bool:
        """Check a tile (file of hashes or entries), and report a difference.

        Returns:
            Whether the path names a tile of the log.
        """
        full_tile, _, width = f"tile/{tile_name}".partition(".p/")
        sizes = (tile.partition(".p/")[::2] for tile in iter_tile_paths(self.log.head.size))
        widest = next((full for stem, full in sizes if stem == full_tile), None)
        if widest is None or not (width or "1").isdecimal():
            return False
        current_tile = self.log.read_path(full_tile) or self.log.read_path(f"{full_tile}.p/{widest}") or b""
        if width:
            current_tile = _truncate_tile(current_tile, int(width), of_entries=tile_name.startswith(ENTRIES))
        self._record_check(
            f"{path} does not agree with the log", is_right=self.read_path(path) == current_tile
        )
        return True

    def _report_unlisted_file(self, path: str) -> None:
        if is_manifest_path(path) and self.own.is_manifest_file(path):
            return
        body = self.read_path(path)
        if body is not None and self.own.matches_listed_digest(path, body):
            self.own.record_file_digest(path, body)
            self.result.unsigned.append(path)
            return
        url, parameters = match_url(plain_path(path)) or (None, {})
        if url in (CONTRACT, PROOF, INCIDENT) and "all-chains" not in parameters.values():
            self._record_check(f"{path} is published, but not in the log", is_right=False)
        else:
            self.result.uncovered.append(path)


def _truncate_tile(tile: bytes, count: int, *, of_entries: bool) -> bytes:
    if not of_entries:
        return tile[: count * HASH_SIZE]
    return b"".join(pack(">H", len(entry)) + entry for entry in split_bundle(tile, count))


class NameSet:
    """A set of file names, on disk."""

    def __init__(self) -> None:
        self.table = open_temporary_database("CREATE TABLE names (name TEXT PRIMARY KEY) WITHOUT ROWID")

    def add_path(self, name: str) -> None:
        """Add the path of a file that the manifest lists."""
        self.table.execute("INSERT OR IGNORE INTO names VALUES (?)", (name,))

    def __contains__(self, name: str) -> bool:
        return self.table.execute("SELECT 1 FROM names WHERE name = ?", (name,)).fetchone() is not None


def _iter_logged_digests(entry: LogEntry) -> Iterator[tuple[str, str]]:
    if entry.subject.kind is EntryKind.INCIDENT:
        yield INCIDENT.path(incident_id=entry.subject.first), entry.sha256
        return
    parameters = {"chain_id": entry.subject.first, "address": entry.subject.second}
    yield CONTRACT.path(**parameters), entry.sha256
    yield PROOF.path(**parameters), entry.proof


def require_log_at(log: PublishedLog | None, location: str) -> PublishedLog:
    """Return the log found at a location, or raise an error.

    Args:
        log: the log, or None if none was found.
        location: the location, for the error message.

    Raises:
        LogError: if no log was found.
    """
    if log is None and not is_url(location) and not Path(location).exists():
        raise LogError(f"there is no file or folder {location!r}", "name a built folder, a snapshot or a URL")
    if log is None:
        raise LogError(
            f"{location} has no log",
            "enable the log with `log` in site.yaml; `statuary log init` creates its key",
        )
    return log
