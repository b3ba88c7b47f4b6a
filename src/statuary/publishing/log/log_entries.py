"""The entries that the log lacks: what a build or a tick publishes, compared with the log."""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import NamedTuple

import orjson

from statuary.documents.document import Document
from statuary.documents.encode import encode_unchecked
from statuary.documents.stored_paths import plain_path
from statuary.documents.url_table import INCIDENT, match_url
from statuary.domain.log.entries import EntryKind, LogAction, LogEntry, LogSubject
from statuary.domain.primitives import Instant
from statuary.publishing.ledger.log_table import LogTable, NumberedEntry


class PublishedThing(NamedTuple):
    """A subject as it is published now; without digests if it was removed."""

    subject: LogSubject
    sha256: str = ""
    proof: str = ""
    match_id: str = ""


def missing_entry(thing: PublishedThing, versions: list[NumberedEntry], now: Instant) -> LogEntry | None:
    """Return the entry that the log lacks about a subject; None if its last one is the same."""
    number, last = versions[-1] if versions else (None, None)
    before = ("", "") if last is None else last.digests  # those of a removed thing are empty
    after = thing.sha256, thing.proof
    if before == after:
        return None
    action = LogAction.CHANGE if any(before) else LogAction.ADD
    time = now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    kept = action if any(after) else LogAction.REMOVE
    return LogEntry(thing.subject, kept, time, *after, thing.match_id, number)


def published_contracts(table: LogTable, *, every: bool) -> Iterator[PublishedThing]:
    """Yield the contracts that may have changed, or all, by address and chain, removed ones included."""
    for chain_id, address in table.candidates(every=every):
        yield _contract(table, LogSubject(EntryKind.CONTRACT, chain_id, address))
    if every:
        for subject in table.live(EntryKind.CONTRACT):
            if table.contract(subject.first, subject.second) is None:
                yield PublishedThing(subject)


def _contract(table: LogTable, subject: LogSubject) -> PublishedThing:
    found = table.contract(subject.first, subject.second)
    if found is None:
        return PublishedThing(subject)
    paths = {plain_path(path).partition("/")[0]: path for path in reversed(found.paths)}
    record, proof = (table.digest(paths[family]) if family in paths else "" for family in ("v2", "proof"))
    return PublishedThing(subject, record, proof, found.match_id)


def published_incidents(table: LogTable, documents: Iterable[Document]) -> Iterator[PublishedThing]:
    """Yield each incident and maintenance after its updates, removed ones included."""
    present = set()
    for document in documents:
        incident = incident_of(document.path)
        present.add(incident)
        updates = list(updates_of(incident, document.body))
        yield from updates
        ids = {one.subject.second for one in updates}
        yield from _gone(table, incident, ids)
        yield PublishedThing(LogSubject(EntryKind.INCIDENT, incident), sha256(document.body).hexdigest())
    for subject in list(table.live(EntryKind.INCIDENT)):
        if subject.first not in present:
            yield from _gone(table, subject.first, set())
            yield PublishedThing(subject)


def _gone(table: LogTable, incident: str, present: set[str]) -> Iterator[PublishedThing]:
    for update in list(table.live(EntryKind.UPDATE, incident)):
        if update.second not in present:
            yield PublishedThing(update)


def incident_of(path: str) -> str:
    """Return the id of the incident whose document has a path; empty if it is another document."""
    found = match_url(path)
    return found[1]["incident_id"] if found is not None and found[0] is INCIDENT else ""


def updates_of(incident: str, body: bytes) -> Iterator[PublishedThing]:
    """Yield the updates in the document of an incident, the oldest first, with the SHA-256 of their bytes in it."""
    for update in reversed(orjson.loads(body)["incident"]["incident_updates"]):
        subject = LogSubject(EntryKind.UPDATE, incident, update["id"])
        yield PublishedThing(subject, sha256(encode_unchecked(update)).hexdigest())
