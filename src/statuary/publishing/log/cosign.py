"""The requests and answers of witnesses (c2sp.org/tlog-witness), and where their cosignatures go."""

from base64 import b64encode
from collections.abc import Iterable

from statuary.documents.document import Document
from statuary.documents.url_table import LOG_CHECKPOINT
from statuary.domain.log.entries import EntryKind, encode_proof, parse_proof
from statuary.domain.log.merkle import LogError, consistency_proof
from statuary.domain.log.notes import DECIMAL, PublicKey, parse_note
from statuary.domain.log.tiles import tile_subtrees
from statuary.publishing.folder.folder_target import FolderTarget
from statuary.publishing.log.published_log import PREFIX, PublishedLog
from statuary.publishing.log.site_log import log_document
from statuary.publishing.response_headers import cache_of, media_type_of


def request_body(log: PublishedLog, old: int) -> bytes:
    """Return the body of `add-checkpoint` for a witness that has seen `old` entries.

    Raises:
        LogError: if it has seen more than the log has.
    """
    proof = consistency_proof(old, log.head.size, tile_subtrees(log.read, log.head.size))
    lines = [f"old {old}", *(b64encode(one).decode() for one in proof), "", log.checkpoint.note.body]
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
    return next(one.line for one in note.signatures if (one.name, one.key_id) == (key.name, key.id))


def add_cosignatures(target: FolderTarget, log: PublishedLog, lines: Iterable[str]) -> None:
    """Put cosignatures into the checkpoint of a folder, and into the proofs that were made with it.

    Raises:
        PublishingError: if the folder cannot be written.
    """
    new = {line.split(" ")[1]: line for line in lines}
    kept = [one.line for one in log.checkpoint.note.signatures if one.name not in new]
    body = f"{log.checkpoint.note.text}\n{''.join((*kept, *new.values()))}"
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
