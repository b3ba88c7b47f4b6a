"""The entries of a log, and proofs that the log contains them.

An entry is JSON with sorted keys and no spaces (RFC 8785); `log/schema.json` describes it. A `.tlog-proof`
file (c2sp.org/tlog-proof) carries its entry as the extra data, so that it needs no other file but the
document.
"""

import re
import sqlite3
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from hashlib import sha256
from itertools import islice
from typing import Any, NamedTuple

import orjson
from typing_extensions import override

from statuary.base.files import transaction
from statuary.base.json_values import Json, JsonObject, as_list, as_object
from statuary.base.primitives import Instant, InvalidValueError, format_utc_milliseconds, parse_instant
from statuary.contracts.incremental.contract_table import ContractTable
from statuary.contracts.paths import plain_path
from statuary.extensions.log.key_changes import KeyChange
from statuary.extensions.log.merkle import LogError, ProofError, hash_leaf, verify_inclusion
from statuary.extensions.log.notes import (
    DECIMAL,
    Checkpoint,
    decode_base64,
    parse_checkpoint,
    parse_public_key,
)
from statuary.publish.ledger.ledger import Ledger, LedgerTable
from statuary.publish.ledger.lookups import digest_at
from statuary.site.document import Document
from statuary.status.urls import incident_id_of_path


class EntryKind(StrEnum):
    """The kind of a log entry's subject; a maintenance window is an incident."""

    CONTRACT = "contract"
    INCIDENT = "incident"
    UPDATE = "update"
    SITE = "site"  # the site's manifest, which lists every file
    CLOCK = "clock"  # a correction: the times of earlier entries were wrong
    KEY = "key"  # the announcement of the key that signs later checkpoints


class LogAction(StrEnum):
    """The change that a log entry records: added, changed or removed."""

    ADD = "add"
    CHANGE = "change"
    REMOVE = "remove"


class LogSubject(NamedTuple):
    """The subject of a log entry, such as a contract or update."""

    kind: EntryKind
    first: str = ""
    second: str = ""

    @property
    def json_members(self) -> dict[str, str]:
        """The contract or incident as JSON, such as chain and address."""
        return dict(zip(SUBJECT_MEMBERS[self.kind], (self.first, self.second), strict=False))


SUBJECT_MEMBERS = {
    EntryKind.CONTRACT: ("chainId", "address"),
    EntryKind.INCIDENT: ("incident",),
    EntryKind.UPDATE: ("incident", "update"),
    EntryKind.SITE: (),
    EntryKind.CLOCK: (),
    EntryKind.KEY: (),
}

WHOLE_SITE, CLOCK, LOG_KEY = (LogSubject(kind) for kind in (EntryKind.SITE, EntryKind.CLOCK, EntryKind.KEY))


class LogEntry(NamedTuple):
    """An entry of a transparency log: one change of one subject."""

    subject: LogSubject
    action: LogAction
    time: str  # the time of the build or tick that published the entry, in RFC 3339
    sha256: str = ""
    """The digest of the document, as `compute_entry_digest` returns it; empty for a removal."""
    proof: str = ""  # SHA-256 of a contract's published proof, in hex; else empty
    match_id: str = ""  # the match id of a contract; else empty
    replaces: int | None = None  # the number of the subject's entry before it; None if this is the first
    key_change: KeyChange | None = None  # the announcement of a new key of the log; else None

    @property
    def digests(self) -> list[str]:
        """The SHA-256 of the logged document and of its proof, or `""`."""
        return [self.sha256, self.proof]

    def encode(self) -> bytes:
        """Encode an entry of a transparency log as canonical JSON."""
        members: dict[str, Any] = {
            "action": self.action.value,
            "kind": self.subject.kind.value,
            "time": self.time,
            **self.subject.json_members,
        }
        members |= {"sha256": self.sha256, "proofSha256": self.proof, "matchId": self.match_id}
        if self.key_change is not None:
            previous_key, key, signature = self.key_change
            members |= {"formerKey": previous_key.text, "publicKey": key.text, "signature": signature}
        members = {name: value for name, value in members.items() if value}
        if self.replaces is not None:
            members["replaces"] = self.replaces
        return orjson.dumps(members, option=orjson.OPT_SORT_KEYS)


NumberedEntry = tuple[int, LogEntry]
"""An entry and its number in the log, from 0."""


def parse_entry(body: bytes) -> LogEntry:
    """Parse an entry of a transparency log from its JSON.

    Raises:
        LogError: if the bytes are not exactly those of an entry in canonical form.
    """
    try:
        value = orjson.loads(body)
        kind = EntryKind(value["kind"])
        subject = LogSubject(kind, *(str(value[name]) for name in SUBJECT_MEMBERS[kind]))
        key_change = None
        if kind is EntryKind.KEY:
            previous_key, key = (parse_public_key(str(value[name])) for name in ("formerKey", "publicKey"))
            key_change = KeyChange(previous_key, key, str(value["signature"]))
        entry = LogEntry(
            subject,
            LogAction(value["action"]),
            str(value["time"]),
            str(value.get("sha256", "")),
            str(value.get("proofSha256", "")),
            str(value.get("matchId", "")),
            value.get("replaces"),
            key_change,
        )
        is_exact = entry.encode() == body
    except (ValueError, KeyError, TypeError, AttributeError, LogError):
        is_exact = False
    if not is_exact:
        raise LogError(f"{body[:80]!r} is not a log entry: statuary never writes such a line")
    return entry


TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
DIGEST = re.compile("[0-9a-f]{64}")
FORMS = {
    "chainId": re.compile("[0-9]{1,20}"),
    "address": re.compile("0x[0-9a-fA-F]{40}"),
    "incident": re.compile(".+"),
    "update": re.compile(".+"),
}
"""The form of each member that names a subject."""


class EntryRules:
    """Checks each log entry against the one before it."""

    def __init__(self, clock: str = "") -> None:
        self.clock = clock  # the time of the entry before

    def check_entry(self, number: int, entry: LogEntry, previous_entry: NumberedEntry | None) -> None:
        """Raise an error if a log entry may not follow earlier ones.

        Raises:
            LogError: if the entry breaks a rule of the log, such as being older than the entry before.
        """
        fault = next(_find_member_faults(entry), "") or _describe_action_fault(entry, previous_entry)
        if not fault and entry.time < self.clock and entry.subject != CLOCK:
            fault = f"its time {entry.time} is before that of the entry before it, {self.clock}"
        if fault:
            raise LogError(f"entry {number:,} is not allowed: {fault}")
        self.clock = entry.time


def _find_member_faults(entry: LogEntry) -> Iterator[str]:
    for name, value in entry.subject.json_members.items():
        if not FORMS[name].fullmatch(value):
            yield f"{value[:80]!r} is not a valid {name}"
    if not _is_utc_time(entry.time):
        yield f"{entry.time[:80]!r} is not a time"
    for digest in filter(None, entry.digests):
        if not DIGEST.fullmatch(digest):
            yield f"{digest[:80]!r} is not a SHA-256"
    if (entry.proof or entry.match_id) and entry.subject.kind is not EntryKind.CONTRACT:
        yield "only a contract has a proof and a match id"


def _is_utc_time(time_text: str) -> bool:
    try:
        return TIME.fullmatch(time_text) is not None and bool(parse_instant(time_text))
    except InvalidValueError:
        return False


def _describe_action_fault(entry: LogEntry, previous_numbered: NumberedEntry | None) -> str:
    number, previous_entry = previous_numbered if previous_numbered is not None else (None, None)
    if type(entry.replaces) is not type(number) or entry.replaces != number:
        return f"it replaces entry {entry.replaces!r}, but the previous entry about the subject is {number}"
    if entry.subject == CLOCK:
        return "" if entry.action is LogAction.CHANGE and not any(entry.digests) else "it only corrects times"
    if entry.subject == LOG_KEY:
        return _describe_key_fault(entry, previous_entry)
    return _describe_order_fault(entry, previous_entry)


def _describe_key_fault(entry: LogEntry, previous_entry: LogEntry | None) -> str:
    change = entry.key_change
    previous_change = previous_entry.key_change if previous_entry else None
    if change is None or entry.action is not LogAction.CHANGE or any(entry.digests):
        return "it only announces a key"
    if previous_change is not None and previous_change.key != change.previous_key:
        return f"{change.previous_key.text} announces a key, and the one before is {previous_change.key.text}"
    try:
        change.verify()
    except LogError as error:
        return str(error)
    return ""


def _describe_order_fault(entry: LogEntry, previous_entry: LogEntry | None) -> str:
    is_live = previous_entry is not None and previous_entry.action is not LogAction.REMOVE
    if is_live == (entry.action is LogAction.ADD):
        return f"it is to {entry.action.value} what is {'there' if is_live else 'not there'}"
    if any(entry.digests) == (entry.action is LogAction.REMOVE):
        return "only a removal has no digest"
    if previous_entry is not None and previous_entry.digests == entry.digests:
        return "it changes nothing"
    return ""


HEADER = "c2sp.org/tlog-proof@v1"
MOST_HASHES = 63
PROOF_HEAD = re.compile(
    rf"{re.escape(HEADER)}\n(extra (?P<extra>.+)\n)?index (?P<index>{DECIMAL.pattern})(?P<hashes>(\n[^\s]+)*)"
)


class TlogProof(NamedTuple):
    """A proof that a log contains an entry."""

    extra: bytes  # the entry, in files that statuary writes
    number: int
    hashes: tuple[bytes, ...]  # the inclusion proof
    checkpoint: Checkpoint  # the checkpoint of the log, with its signatures

    def verify(self, entry: bytes) -> None:
        """Verify that a log contains an entry, but not the log's signatures.

        Raises:
            ProofError: if the proof does not show that the log contains the entry.
        """
        size, root = self.checkpoint.size, self.checkpoint.root
        verify_inclusion(hash_leaf(entry), self.number, size, self.hashes, root)


class ProvedEntry(NamedTuple):
    """An entry whose proof was verified."""

    proof: TlogProof
    entry: LogEntry


def verify_proved_document(proof_file: bytes, document: bytes) -> ProvedEntry:
    """Verify a document with a .tlog-proof file.

    The proof shows that a log contains the document. The signatures of the log's checkpoint are not verified.

    Raises:
        LogError: if the proof does not show that the log contains the document.
    """
    proof = parse_proof(proof_file)
    entry = parse_entry(proof.extra)
    proof.verify(proof.extra)
    digest = compute_entry_digest(entry.subject.kind, document)
    if digest not in entry.digests:
        digests = " and ".join(filter(None, entry.digests))
        raise ProofError(f"the document has the SHA-256 {digest}; entry {proof.number} names {digests}")
    return ProvedEntry(proof, entry)


def encode_proof(index: int, hashes: Sequence[bytes], checkpoint: str, entry: bytes = b"") -> bytes:
    """Format a .tlog-proof file: Merkle proof, signed checkpoint and entry.

    `hashes` prove that the entry with the number `index` is in the log whose signed state is `checkpoint`.
    """
    lines = [HEADER]
    if entry:
        lines.append(f"extra {b64encode(entry).decode()}")
    lines.append(f"index {index}")
    lines += [b64encode(digest).decode() for digest in hashes]
    return "\n".join((*lines, "", checkpoint)).encode()


def parse_proof(proof_file: bytes) -> TlogProof:
    """Parse the content of a .tlog-proof file.

    Raises:
        LogError: if the file is malformed.
    """
    head, separator, note = proof_file.partition(b"\n\n")
    match = PROOF_HEAD.fullmatch(head.decode("utf-8", "replace"))
    if not separator or match is None:
        raise ProofError(f"the file is not a .tlog-proof file: it does not begin with {HEADER}")
    extra = decode_base64(match["extra"] or "")
    hashes = [decode_base64(line) for line in match["hashes"].split()]
    if extra is None or None in hashes or len(hashes) > MOST_HASHES:
        raise ProofError(
            f"the .tlog-proof file has a line that is not base64, or more than {MOST_HASHES} hashes"
        )
    proof = tuple(digest for digest in hashes if digest is not None)
    return TlogProof(extra, int(match["index"]), proof, parse_checkpoint(note))


COLUMNS = "(entry INTEGER PRIMARY KEY, subject TEXT NOT NULL, body BLOB NOT NULL)"
INDEX = "CREATE INDEX IF NOT EXISTS {schema}.{schema}_log_subjects ON log_entries (subject, entry)"
STATE = "CREATE TABLE IF NOT EXISTS main.log_heads (head TEXT, published TEXT, complete INTEGER)"

PAGE = 2_000


class LogState(NamedTuple):
    """The state of the log after a build."""

    head: str = ""  # the size and root of the log, in the form of `TreeHead.text`
    published_head: str = ""  # the longest log that others may have seen, in the same form
    complete: int = 0  # the number of the last build after which the log had every contract


class LogTable(LedgerTable):
    """The entries of the log in the ledger (build database), with new ones."""

    def __init__(self, ledger: Ledger, connection: sqlite3.Connection) -> None:
        super().__init__(ledger, connection)
        for schema in ("main", "work"):
            connection.execute(f"CREATE TABLE IF NOT EXISTS {schema}.log_entries {COLUMNS}")
            connection.execute(INDEX.format(schema=schema))
        connection.execute(STATE)
        self._next: LogState | None = None  # after this run; None until it has extended the log

    @property
    def state(self) -> LogState:
        """The log's size and root after the last build that extended it."""
        row = self.connection.execute("SELECT head, published, complete FROM log_heads").fetchone()
        return LogState(*row) if row else LogState()

    def _store_state(self, state: LogState) -> None:
        self.connection.execute("DELETE FROM log_heads")
        self.connection.execute("INSERT INTO log_heads VALUES (?, ?, ?)", state)

    def insert_entries(self, entries: Iterable[NumberedEntry], schema: str = "work") -> None:
        """Store log entries in the build's database.

        The schema is `work` for new entries, and `main` for published ones.
        """
        with transaction(self.connection):
            for number, entry in entries:
                self._insert_entry(number, entry, schema)

    def _insert_entry(self, number: int, entry: LogEntry, schema: str) -> None:
        row = number, _encode_subject_key(entry.subject), entry.encode()
        self.connection.execute(f"INSERT OR REPLACE INTO {schema}.log_entries VALUES (?,?,?)", row)

    @property
    def last_entry_time(self) -> str:
        """The last entry's time in RFC 3339 format, or an empty string."""
        row = self.connection.execute(
            "SELECT body FROM main.log_entries ORDER BY entry DESC LIMIT 1"
        ).fetchone()
        return parse_entry(row[0]).time if row else ""

    def find_last_entry(self, subject: LogSubject) -> NumberedEntry | None:
        """Find the latest log entry about a contract or incident, if any."""
        return next(reversed(self.list_entries(subject)), None)

    def replace_all_entries(self, entries: Iterable[bytes], head: str) -> None:
        """Replace all stored entries with those of the published log.

        `head` is the size and the root of the Merkle tree with these entries.

        Raises:
            LogError: if an entry is malformed or breaks a rule of the log.
        """
        published_head = self.state.published_head
        self._store_state(LogState(published_head=published_head))
        self.connection.execute("DELETE FROM main.log_entries")
        rules = EntryRules()
        numbered = enumerate(map(parse_entry, entries))
        while page := list(islice(numbered, PAGE)):
            with transaction(self.connection):
                for number, entry in page:
                    rules.check_entry(number, entry, self.find_last_entry(entry.subject))
                    self._insert_entry(number, entry, "main")
        self._store_state(LogState(head, published_head))

    def set_next_state(self, head: str, published_head: str, *, contracts: bool) -> None:
        """Set the log's state after this build, which `save` stores.

        Args:
            head: the size of the log after this build, and the root of its Merkle tree.
            published_head: the size and root of the longest log that others may have seen.
            contracts: whether all changes of contracts are logged, so that the next build need not compare them.
        """
        run = self.ledger.run
        is_complete = contracts or self.state.complete == run - 1
        self._next = LogState(head, published_head, run if is_complete else 0)

    @property
    def is_complete(self) -> bool:
        """Whether the log had entries for all contracts after the last build."""
        return self.state.complete == self.ledger.run - 1

    def list_entries(self, subject: LogSubject) -> list[NumberedEntry]:
        """List all log entries about a contract, incident or update, oldest first."""
        query = "SELECT entry, body FROM {}.log_entries WHERE subject = ? ORDER BY entry"
        rows = [
            row
            for schema in ("main", "work")
            for row in self.connection.execute(query.format(schema), (_encode_subject_key(subject),))
        ]
        return [(number, parse_entry(body)) for number, body in rows]

    def iter_unremoved_subjects(self, kind: EntryKind, incident_id: str = "") -> Iterator[LogSubject]:
        """Yield the contracts, incidents or updates in the log that still exist.

        For updates, `incident_id` names their incident.
        """
        last_key = prefix = f"{kind.value}\n{incident_id}\n" if incident_id else f"{kind.value}\n"
        query = (
            "SELECT subject, body, MAX(entry) FROM main.log_entries WHERE subject > ? AND subject < ?"
            f" GROUP BY subject ORDER BY subject LIMIT {PAGE}"
        )
        while rows := self.connection.execute(query, (last_key, prefix[:-1] + "\v")).fetchall():
            entries = (parse_entry(body) for _, body, _ in rows)
            yield from (entry.subject for entry in entries if entry.action is not LogAction.REMOVE)
            last_key = rows[-1][0]

    @override
    def save(self) -> None:
        """Keep the new entries after publishing, for the next build."""
        if self._next is not None:
            self.connection.execute("INSERT OR REPLACE INTO main.log_entries SELECT * FROM work.log_entries")
            self._store_state(self._next)


def _encode_subject_key(subject: LogSubject) -> str:
    parts = [subject.kind.value, subject.first]
    if subject.second:
        parts.append(subject.second)
    return "\n".join(parts)


class LogItem(NamedTuple):
    """A published contract, incident or update, with its digests."""

    subject: LogSubject
    sha256: str = ""
    proof: str = ""
    match_id: str = ""


def make_change_entry(item: LogItem, previous: NumberedEntry | None, now: Instant) -> LogEntry | None:
    """Return a new log entry if a contract, incident or update changed.

    Args:
        item: the contract, incident or update, with the digests of its documents.
        previous: the last entry about it, or None.
        now: the time of the build.

    Returns:
        The entry; None if the last entry already describes the item.
    """
    number, previous_entry = previous if previous is not None else (None, None)
    # A subject has empty digests if it has no documents: before its first entry, and after its removal.
    previous_digests = ["", ""] if previous_entry is None else previous_entry.digests
    current_digests = [item.sha256, item.proof]
    if previous_digests == current_digests:
        return None
    action = LogAction.CHANGE if any(previous_digests) else LogAction.ADD
    time = format_utc_milliseconds(now)
    latest = action if any(current_digests) else LogAction.REMOVE
    return LogEntry(item.subject, latest, time, item.sha256, item.proof, item.match_id, number)


def iter_contracts_to_log(table: LogTable, *, include_unchanged: bool) -> Iterator[LogItem]:
    """Yield the contracts that this build changed or removed.

    With `include_unchanged`, all contracts are yielded.
    """
    contracts = table.ledger.table(ContractTable)
    for chain_id, address in contracts.changed_contracts(yield_all=include_unchanged):
        yield _read_contract_item(table.ledger, LogSubject(EntryKind.CONTRACT, chain_id, address))
    if include_unchanged:
        for subject in table.iter_unremoved_subjects(EntryKind.CONTRACT):
            if contracts.contract_at(subject.first, subject.second) is None:
                yield LogItem(subject)


def _read_contract_item(ledger: Ledger, subject: LogSubject) -> LogItem:
    contract = ledger.table(ContractTable).contract_at(subject.first, subject.second)
    if contract is None:
        return LogItem(subject)
    paths = {plain_path(path).partition("/")[0]: path for path in reversed(contract.paths)}
    record, proof = (
        digest_at(ledger.documents, paths[family]) if family in paths else "" for family in ("v2", "proof")
    )
    return LogItem(subject, record, proof, contract.match_id)


def iter_incidents_to_log(table: LogTable, documents: Iterable[Document]) -> Iterator[LogItem]:
    """Yield the incidents and updates that may need a new log entry.

    Incidents and updates that were removed are included.
    """
    present_ids = set()
    for document in documents:
        incident = incident_id_of_path(document.path)
        present_ids.add(incident)
        updates = list(iter_incident_updates(incident, document.body))
        yield from updates
        ids = {update.subject.second for update in updates}
        yield from _iter_removed_updates(table, incident, ids)
        yield LogItem(
            LogSubject(EntryKind.INCIDENT, incident), compute_entry_digest(EntryKind.INCIDENT, document.body)
        )
    for subject in list(table.iter_unremoved_subjects(EntryKind.INCIDENT)):
        if subject.first not in present_ids:
            yield from _iter_removed_updates(table, subject.first, set())
            yield LogItem(subject)


def _iter_removed_updates(table: LogTable, incident_id: str, current_ids: set[str]) -> Iterator[LogItem]:
    for update in list(table.iter_unremoved_subjects(EntryKind.UPDATE, incident_id)):
        if update.second not in current_ids:
            yield LogItem(update)


def iter_incident_updates(incident_id: str, document: bytes) -> Iterator[LogItem]:
    """Yield each update in the document about an incident, oldest first."""
    record = orjson.loads(document)["incident"]
    for update in reversed(record["incident_updates"]):
        subject = LogSubject(EntryKind.UPDATE, incident_id, update["id"])
        values = list_authored_update_values(update, is_maintenance="scheduled_for" in record)
        yield LogItem(subject, _hash_json(values))


def compute_entry_digest(kind: EntryKind, document: bytes) -> str:
    """Compute the SHA-256 that a log entry has for a document.

    For an incident, it covers only the values that the author wrote.

    Raises:
        LogError: if the document is not of that kind.
    """
    if kind is not EntryKind.INCIDENT:
        return sha256(document).hexdigest()
    try:
        return _hash_json(list_authored_incident_values(orjson.loads(document)["incident"]))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise LogError("the file is not the document of an incident") from None


def list_authored_incident_values(incident: JsonObject) -> list[Json]:
    """Return the values that an incident's author wrote, such as its name.

    The log contains a digest of these values. `log.js` computes the same list in the browser.
    """
    is_planned = "scheduled_for" in incident
    updates = [
        list_authored_update_values(as_object(update), is_maintenance=is_planned)
        for update in as_list(incident["incident_updates"])
    ]
    components = [as_object(component)["id"] for component in as_list(incident["components"])]
    window = [incident.get("scheduled_for"), incident.get("scheduled_until")]
    return [incident["id"], incident["name"], window, components, updates]


def list_authored_update_values(update: JsonObject, *, is_maintenance: bool) -> list[Json]:
    """Return the values that an update's author wrote, such as its text.

    For a maintenance window, the update's components are left out, because they are those of the window.
    """
    affected = [] if is_maintenance else map(as_object, as_list(update["affected_components"] or []))
    statuses: list[Json] = [[component["code"], component["new_status"]] for component in affected]
    return [update["id"], update["status"], update["body"], update["display_at"], statuses]


def _hash_json(value: Json) -> str:
    return sha256(orjson.dumps(value)).hexdigest()
