"""The entries of a log, one for each version of each published subject, and the proof that one is in the log.

An entry is JSON with sorted keys and no spaces (RFC 8785); `log/schema.json` describes it. A `.tlog-proof` file
(c2sp.org/tlog-proof) carries its entry as the extra data, so that it needs no other file but the document.
"""

import re
from base64 import b64encode
from collections.abc import Sequence
from enum import StrEnum
from hashlib import sha256
from typing import Any, NamedTuple

import orjson

from statuary.domain.log.merkle import LogError, ProofError, leaf_hash, verify_inclusion
from statuary.domain.log.notes import DECIMAL, Checkpoint, decode_base64, parse_checkpoint


class EntryKind(StrEnum):
    """The kind of an entry's subject; a scheduled maintenance is an incident, as in Statuspage."""

    CONTRACT = "contract"
    INCIDENT = "incident"
    UPDATE = "update"


class LogAction(StrEnum):
    """What happened to the subject since its previous entry, if it has one."""

    ADD = "add"
    CHANGE = "change"
    REMOVE = "remove"


class LogSubject(NamedTuple):
    """The subject of an entry: a contract by chain id and address, an incident by its id, an update by both ids."""

    kind: EntryKind
    first: str
    second: str = ""

    @property
    def members(self) -> dict[str, str]:
        """The members of an entry that name it."""
        return dict(zip(SUBJECT_MEMBERS[self.kind], (self.first, self.second), strict=False))


SUBJECT_MEMBERS = {
    EntryKind.CONTRACT: ("chainId", "address"),
    EntryKind.INCIDENT: ("incident",),
    EntryKind.UPDATE: ("incident", "update"),
}


class LogEntry(NamedTuple):
    """An entry."""

    subject: LogSubject
    action: LogAction
    time: str  # of the build or tick that published it, in RFC 3339
    sha256: str = ""  # of the published bytes, in hex; of a withheld record and of what was removed, empty
    proof: str = ""  # of the published proof of a contract, in hex; else empty
    match_id: str = ""  # of a contract; else empty
    replaces: int | None = None  # the entry before it of the same subject; None if this is the first

    @property
    def digests(self) -> tuple[str, str]:
        """The members that differ between two versions of a subject."""
        return self.sha256, self.proof

    def encode(self) -> bytes:
        """Return the bytes of the entry in the log."""
        members: dict[str, Any] = {
            "action": self.action.value,
            "kind": self.subject.kind.value,
            "time": self.time,
            **self.subject.members,
        }
        members |= {"sha256": self.sha256, "proofSha256": self.proof, "matchId": self.match_id}
        members = {name: value for name, value in members.items() if value}
        if self.replaces is not None:
            members["replaces"] = self.replaces
        return orjson.dumps(members, option=orjson.OPT_SORT_KEYS)


def parse_entry(body: bytes) -> LogEntry:
    """Read an entry; raise LogError if its bytes are not exactly those of one."""
    try:
        value = orjson.loads(body)
        kind = EntryKind(value["kind"])
        subject = LogSubject(kind, *(str(value[name]) for name in SUBJECT_MEMBERS[kind]))
        found = LogEntry(
            subject,
            LogAction(value["action"]),
            str(value["time"]),
            str(value.get("sha256", "")),
            str(value.get("proofSha256", "")),
            str(value.get("matchId", "")),
            value.get("replaces"),
        )
        is_exact = found.encode() == body
    except (ValueError, KeyError, TypeError, AttributeError):
        is_exact = False
    if not is_exact:
        raise LogError(f"{body[:80]!r} is not an entry that statuary writes")
    return found


HEADER = "c2sp.org/tlog-proof@v1"
MOST_HASHES = 63
PROOF_HEAD = re.compile(
    rf"{re.escape(HEADER)}\n(extra (?P<extra>.+)\n)?index (?P<index>{DECIMAL.pattern})(?P<hashes>(\n[^\s]+)*)"
)


class TlogProof(NamedTuple):
    """A proof that an entry is in a log."""

    extra: bytes  # the entry, in files that statuary writes
    number: int
    hashes: tuple[bytes, ...]  # the inclusion proof
    checkpoint: Checkpoint  # the log's, with its signatures

    def verify(self, entry: bytes) -> None:
        """Verify that an entry is at the index of the checkpoint's log; its signatures are verified elsewhere.

        Raises:
            ProofError: if the proof does not show it.
        """
        size, root = self.checkpoint.size, self.checkpoint.root
        verify_inclusion(leaf_hash(entry), self.number, size, self.hashes, root)


def check_proof(body: bytes, document: bytes) -> tuple[TlogProof, LogEntry]:
    """Verify, from a .tlog-proof file that statuary wrote, that a document is in a log; return the proof and the entry.

    The signatures of the checkpoint are not verified.

    Raises:
        LogError: if the proof does not show it.
    """
    proof = parse_proof(body)
    entry = parse_entry(proof.extra)
    proof.verify(proof.extra)
    digest = sha256(document).hexdigest()
    if digest not in entry.digests:
        named = " and ".join(filter(None, entry.digests))
        raise ProofError(f"the document has the SHA-256 {digest}; entry {proof.number} names {named}")
    return proof, entry


def encode_proof(index: int, hashes: Sequence[bytes], checkpoint: str, extra: bytes = b"") -> bytes:
    """Return the text of a .tlog-proof file; `checkpoint` is the note as published."""
    lines = [HEADER, *([f"extra {b64encode(extra).decode()}"] if extra else []), f"index {index}"]
    lines += [b64encode(one).decode() for one in hashes]
    return "\n".join((*lines, "", checkpoint)).encode()


def parse_proof(body: bytes) -> TlogProof:
    """Read a .tlog-proof file, unverified; raise LogError if it is not one."""
    head, found, note = body.partition(b"\n\n")
    read = PROOF_HEAD.fullmatch(head.decode("utf-8", "replace"))
    if not found or read is None:
        raise ProofError(f"this is not a .tlog-proof file, which begins with {HEADER}")
    extra = decode_base64(read["extra"] or "")
    hashes = [decode_base64(line) for line in read["hashes"].split()]
    if extra is None or None in hashes or len(hashes) > MOST_HASHES:
        raise ProofError("a line of the .tlog-proof file is not base64, or it has too many")
    proof = tuple(one for one in hashes if one is not None)
    return TlogProof(extra, int(read["index"]), proof, parse_checkpoint(note))
