"""Verify a published log for a reader who trusts only its key, like Go's checksum database; and sign one as a witness."""

from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from hashlib import sha256
from typing import NamedTuple

from statuary.documents.document import Document, plain_path
from statuary.documents.url_table import (
    CONTRACT,
    CONTRACT_PAGE,
    EPOCHS,
    INCIDENT,
    INCIDENT_PAGE,
    PROOF,
    match_url,
)
from statuary.extensions.log.entries import (
    EntryKind,
    LogEntry,
    LogSubject,
    NumberedEntry,
    encode_proof,
    parse_entry,
    parse_proof,
    updates_of,
)
from statuary.extensions.log.merkle import (
    LogError,
    ReadPath,
    consistency_proof,
    inclusion_proof,
    tile_subtrees,
)
from statuary.extensions.log.notes import DECIMAL, Checkpoint, PublicKey, parse_note
from statuary.extensions.log.published_log import (
    LOG_CHECKPOINT,
    LOG_CONTRACT,
    LOG_INCIDENT,
    PREFIX,
    PublishedLog,
)
from statuary.extensions.log.site_log import log_document
from statuary.publishing.epoch_index import readable_epochs
from statuary.publishing.files import temporary_database
from statuary.publishing.folder.folder_target import FolderTarget
from statuary.publishing.host_layout import cache_of, media_type_of

SUBJECT_URLS = (CONTRACT, PROOF, CONTRACT_PAGE, LOG_CONTRACT, INCIDENT, INCIDENT_PAGE, LOG_INCIDENT)


Latest = Callable[[LogSubject], LogEntry | None]
"""Returns the last entry about a subject; None if there is none."""


class DocumentCheck(NamedTuple):
    """How the documents of a site compare with its log."""

    whole: int  # documents and updates that agree with the log's last entry
    due: list[str]  # paths that follow the site's own schedule, and that no build or tick has logged yet
    problems: list[str]  # what is missing, different, or not in the log


def subject_of(path: str) -> LogSubject | None:
    """Return the subject of a document's or page's path; None if the log has no such subjects."""
    match = match_url(plain_path(path.removeprefix("/")))
    if match is None or match[0] not in SUBJECT_URLS or "all-chains" in match[1].values():
        return None
    if "incident_id" in match[1]:
        return LogSubject(EntryKind.INCIDENT, match[1]["incident_id"])
    return LogSubject(EntryKind.CONTRACT, match[1]["chain_id"], match[1]["address"])


def entries_about(log: PublishedLog, subject: LogSubject) -> list[NumberedEntry]:
    """Return the entries about a subject, those about the updates of an incident included; all are verified.

    Raises:
        LogError: if the log is damaged.
    """

    def is_about(other: LogSubject) -> bool:
        same = other.first == subject.first and other.second.lower() == subject.second.lower()
        is_update = other.kind is EntryKind.UPDATE and subject.kind is EntryKind.INCIDENT
        return (same and other.kind is subject.kind) or (is_update and other.first == subject.first)

    entries = enumerate(map(parse_entry, log.entries()))
    return [(number, entry) for number, entry in entries if is_about(entry.subject)]


def proof_of(log: PublishedLog, number: int, entry: LogEntry) -> bytes:
    """Return the text of the .tlog-proof file of an entry."""
    hashes = inclusion_proof(number, log.head.size, tile_subtrees(log.read, log.head.size))
    return encode_proof(number, hashes, log.checkpoint.note.body, entry.encode())


def verify_witnesses(checkpoint: Checkpoint, witnesses: Iterable[PublicKey], quorum: int) -> list[PublicKey]:
    """Return the witnesses that have cosigned a checkpoint.

    Raises:
        LogError: if there are fewer than the quorum, or a cosignature is invalid.
    """
    cosigned = checkpoint.note.signed_by(witnesses)
    if len(cosigned) < quorum:
        raise LogError(
            f"{len(cosigned)} of the known witnesses have cosigned the checkpoint; {quorum} are required"
        )
    return cosigned


def check_documents(
    log: PublishedLog, read: ReadPath, paths: Iterable[str] | None, advance: Callable[[int], None]
) -> DocumentCheck:
    """Verify every tile and entry, and that each document agrees with its last entry.

    Args:
        paths: all paths of the site, to find what is not in the log; None if they cannot be listed.
        advance: is called for each entry and document.

    Raises:
        LogError: if the log is damaged.
    """
    schema = "CREATE TABLE latest (subject TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID"
    with closing(temporary_database(schema)) as table:
        for body in log.entries():
            subject = parse_entry(body).subject
            table.execute("INSERT OR REPLACE INTO latest VALUES (?,?)", ("\n".join(subject).lower(), body))
            advance(1)
        check = DocumentCheck(0, [], [])
        schedule = _scheduled(read)
        for (body,) in table.execute("SELECT body FROM latest ORDER BY subject"):
            entry = parse_entry(body)
            if entry.subject.kind is not EntryKind.UPDATE:
                for path, digest in _expected(entry):
                    check = _checked(check, path, digest, read(path), schedule.get(path, ()))
                    advance(1)

        def latest(subject: LogSubject) -> LogEntry | None:
            row = table.execute(
                "SELECT body FROM latest WHERE subject = ?", ("\n".join(subject).lower(),)
            ).fetchone()
            return None if row is None else parse_entry(row[0])

        for path in () if paths is None else paths:
            check.problems.extend(_unlogged(path, latest, read))
    return check


def _expected(entry: LogEntry) -> Iterator[tuple[str, str]]:
    """Yield the paths that an entry is about, with the SHA-256 that it states; empty for what must not exist."""
    if entry.subject.kind is EntryKind.INCIDENT:
        yield INCIDENT.path(incident_id=entry.subject.first), entry.sha256
        return
    parameters = {"chain_id": entry.subject.first, "address": entry.subject.second}
    yield CONTRACT.path(**parameters), entry.sha256
    yield PROOF.path(**parameters), entry.proof


def _checked(
    check: DocumentCheck, path: str, digest: str, body: bytes | None, later: Iterable[bytes | None]
) -> DocumentCheck:
    sha256_of_body = "" if body is None else sha256(body).hexdigest()
    if sha256_of_body == digest:
        return check._replace(whole=check.whole + bool(digest))
    if body is not None and body in later:
        check.due.append(path)
    elif not digest:
        check.problems.append(f"{path} is published, but the log records it as removed or withheld")
    elif body is None:
        check.problems.append(f"{path} is in the log, but not published")
    else:
        check.problems.append(
            f"{path} has the SHA-256 {sha256_of_body}; the log's last entry about it names {digest}"
        )
    return check


def _scheduled(read: ReadPath) -> dict[str, list[bytes | None]]:
    """Return the bytes of the site's own later epochs for paths of incidents, by path."""
    index = readable_epochs(read(EPOCHS.path()))
    return {
        path: [stored.body(read) for stored in index.versions_of(path)]
        for path in index.documents
        if subject_of(path) is not None and path.endswith(".json")
    }


def _unlogged(path: str, latest: Latest, read: ReadPath) -> Iterator[str]:
    """Yield the parts of a document that are not in the log: itself, or an update in it."""
    match = match_url(plain_path(path))
    subject = subject_of(path) if match is not None and match[0] in (CONTRACT, PROOF, INCIDENT) else None
    if subject is None:
        return
    if latest(subject) is None:
        yield f"{path} is published, but not in the log"
    elif subject.kind is EntryKind.INCIDENT:
        yield from _unlogged_updates(path, subject.first, latest, read)


def _unlogged_updates(path: str, incident: str, latest: Latest, read: ReadPath) -> Iterator[str]:
    try:
        updates = list(updates_of(incident, read(path) or b""))
    except (ValueError, KeyError, TypeError):
        yield f"{path} is not the document of an incident"
        return
    for update in updates:
        entry = latest(update.subject)
        if entry is None or entry.sha256 != update.sha256:
            yield f"{path}: update {update.subject.second} does not match its last log entry"


def require_log(log: PublishedLog | None, name: str) -> PublishedLog:
    """Return a log that must be there; raise LogError if it is not."""
    if log is None:
        raise LogError(
            f"{name} has no log", "`log` in site.yaml switches it on; `statuary log init` makes a key"
        )
    return log


def request_body(log: PublishedLog, old: int) -> bytes:
    """Return the body of `add-checkpoint` for a witness that has seen `old` entries.

    Raises:
        LogError: if it has seen more than the log has.
    """
    proof = consistency_proof(old, log.head.size, tile_subtrees(log.read, log.head.size))
    lines = [f"old {old}", *(b64encode(digest).decode() for digest in proof), "", log.checkpoint.note.body]
    return "\n".join(lines).encode()


def witness_size(answer: bytes) -> int:
    """Return the size that a witness has seen, from the body of a conflict; raise LogError if it is none."""
    text = answer.decode("utf-8", "replace").strip()
    if not DECIMAL.fullmatch(text):
        raise LogError(f"it returns 409 without a size: {text[:80]!r}")
    return int(text)


def cosignature(log: PublishedLog, key: PublicKey, status: int, answer: bytes) -> str:
    """Return the line of a witness's cosignature, verified; raise LogError if the answer has no valid one."""
    if status != 200:
        raise LogError(f"it returns {status}: {answer.decode('utf-8', 'replace').strip()[:200]}")
    note = parse_note(f"{log.checkpoint.note.text}\n".encode() + answer)
    if not note.signed_by([key]):
        raise LogError("its answer holds no cosignature by the given key")
    return next(
        signature.line
        for signature in note.signatures
        if (signature.name, signature.key_id) == (key.name, key.id)
    )


def add_cosignatures(target: FolderTarget, log: PublishedLog, lines: Iterable[str]) -> None:
    """Put cosignatures into the checkpoint of a folder, and into the proofs that were made with it.

    Raises:
        PublishingError: if the folder cannot be written.
    """
    new = {line.split(" ")[1]: line for line in lines}
    others = [signature.line for signature in log.checkpoint.note.signatures if signature.name not in new]
    body = f"{log.checkpoint.note.text}\n{''.join((*others, *new.values()))}"
    if not new:
        return
    target.ledger.keep_unoffered()
    target.offer([log_document(LOG_CHECKPOINT, body.encode())])
    for kind in (EntryKind.CONTRACT, EntryKind.INCIDENT):
        for path in target.ledger.documents.below(f"{PREFIX}/{kind.value}s"):
            published = target.published(path) or b""
            if log.checkpoint.note.text.encode() in published:
                proof = parse_proof(published)
                renewed = encode_proof(proof.number, proof.hashes, body, proof.extra)
                target.offer([Document(path, renewed, media_type_of(path), cache_of(path), persistent=True)])
    target.apply()
