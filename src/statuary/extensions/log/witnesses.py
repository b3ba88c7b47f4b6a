"""Ask witnesses to cosign a checkpoint, and verify their signatures."""

from base64 import b64encode
from collections.abc import Iterable

from statuary.base.files import MANIFEST
from statuary.engine.manifest_step import write_manifest
from statuary.extensions.log.entries import EntryKind, encode_proof, parse_proof
from statuary.extensions.log.merkle import LogError, make_consistency_proof, make_subtree_hasher
from statuary.extensions.log.notes import (
    DECIMAL,
    WITNESS_KEY,
    Checkpoint,
    PublicKey,
    parse_note,
    parse_public_key,
)
from statuary.extensions.log.published_log import LOG_CHECKPOINT, PREFIX, LogSettings, PublishedLog
from statuary.extensions.log.site_log import make_log_document
from statuary.publish.folder.folder_target import FolderTarget
from statuary.publish.host_layout import cache_control_of, media_type_of
from statuary.publish.manifest import parse_manifest
from statuary.site.document import Document


def verify_witnesses(checkpoint: Checkpoint, witnesses: Iterable[PublicKey], quorum: int) -> list[PublicKey]:
    """Find the known witnesses that have cosigned a log's checkpoint.

    A witness is an independent service that signs the state of a log.

    Args:
        checkpoint: the checkpoint with its cosignatures.
        witnesses: the keys of the known witnesses.
        quorum: the number of witnesses that must have cosigned.

    Raises:
        LogError: if fewer witnesses have cosigned, or a cosignature is invalid.
    """
    cosigned = checkpoint.note.find_signers(witnesses)
    if len(cosigned) < quorum:
        raise LogError(
            f"{len(cosigned)} of the known witnesses have cosigned the checkpoint; {quorum} are required"
        )
    return cosigned


def describe_missing_cosignatures(checkpoint: Checkpoint, settings: LogSettings | None) -> str:
    """Explain that too few witnesses have signed a log's checkpoint.

    A witness is an independent service that signs the state of a log (its checkpoint).

    Args:
        checkpoint: the checkpoint with its cosignatures.
        settings: the published settings of the log, with witnesses and quorum; or None.

    Returns:
        The reason; empty if enough witnesses have cosigned, or the site requires none.
    """
    if settings is None or not settings.quorum:
        return ""
    try:
        keys = [parse_public_key(key, WITNESS_KEY) for key, _ in settings.witnesses]
        verify_witnesses(checkpoint, keys, settings.quorum)
    except LogError as error:
        return f"{error}, by the site's own policy: after a build, `statuary log witness`, then publish"
    return ""


def make_cosignature_request(log: PublishedLog, cosigned_size: int) -> bytes:
    """Make the HTTP request body that asks a witness to cosign.

    A witness is an independent service that signs the state of a transparency log.

    Args:
        log: the published log.
        cosigned_size: the size of the log when the witness cosigned it last.

    Raises:
        LogError: if the witness has seen a longer log.
    """
    proof = make_consistency_proof(
        cosigned_size, log.head.size, make_subtree_hasher(log.read_path, log.head.size)
    )
    lines = [
        f"old {cosigned_size}",
        *(b64encode(digest).decode() for digest in proof),
        "",
        log.checkpoint.note.body,
    ]
    return "\n".join(lines).encode()


def parse_last_cosigned_size(response_body: bytes) -> int:
    """Parse the size of the log that a witness signed last.

    A witness sends this number if a request assumes another size.

    Raises:
        LogError: if the response is not a number.
    """
    text = response_body.decode("utf-8", "replace").strip()
    if not DECIMAL.fullmatch(text):
        raise LogError(
            f"the witness responds with HTTP status 409, but does not state the size of the log: {text[:80]!r}"
        )
    return int(text)


def verify_cosignature_response(
    log: PublishedLog, witness_key: PublicKey, status: int, response_body: bytes
) -> str:
    """Verify the signature in the response of a witness.

    A witness is an independent service that signs the state of a log.

    Args:
        log: the published log, whose checkpoint was sent.
        witness_key: the public key of the witness.
        status: the HTTP status of the response.
        response_body: the body of the response.

    Returns:
        The line to add to the checkpoint.

    Raises:
        LogError: if the response contains no valid cosignature.
    """
    if status != 200:
        raise LogError(
            f"the witness responds with HTTP status {status}: {response_body.decode('utf-8', 'replace').strip()[:200]}"
        )
    note = parse_note(f"{log.checkpoint.note.text}\n".encode() + response_body)
    if not note.find_signers([witness_key]):
        raise LogError("the response has no valid cosignature by the key that is listed for this witness")
    return next(
        signature.line
        for signature in note.signatures
        if (signature.name, signature.key_id) == (witness_key.name, witness_key.id)
    )


def add_cosignatures(target: FolderTarget, log: PublishedLog, signature_lines: Iterable[str]) -> None:
    """Add signatures of witnesses to the published checkpoint and proofs.

    Args:
        target: the folder of the site.
        log: the published log.
        signature_lines: the signatures, each as a line of the checkpoint.

    Raises:
        PublishingError: if the folder cannot be written.
    """
    new = {line.split(" ")[1]: line for line in signature_lines}
    other_lines = [
        signature.line for signature in log.checkpoint.note.signatures if signature.name not in new
    ]
    body = f"{log.checkpoint.note.text}\n{''.join((*other_lines, *new.values()))}"
    if not new:
        return
    target.ledger.keep_unreplaced()
    target.add([make_log_document(LOG_CHECKPOINT, body.encode())])
    for kind in (EntryKind.CONTRACT, EntryKind.INCIDENT):
        for path in target.ledger.documents.paths_under(f"{PREFIX}/{kind.value}s"):
            published_body = target.read_published(path) or b""
            if log.checkpoint.note.text.encode() in published_body:
                proof = parse_proof(published_body)
                renewed = encode_proof(proof.number, proof.hashes, body, proof.extra)
                target.add(
                    [Document(path, renewed, media_type_of(path), cache_control_of(path), persistent=True)]
                )
    text = target.read_published(MANIFEST)
    if text is not None:
        write_manifest(target, parse_manifest(text).origin.instant)
    target.apply()
