"""The sender of a transaction, recovered from its signature (extra `chain`)."""

from types import ModuleType

from statuary.domain.chain.rlp import EvidenceError
from statuary.domain.chain.transaction import RecoverableSignature, address_of_key
from statuary.domain.primitives import Address
from statuary.optional import RECOVERING_SENDERS, optional

PURPOSE = "recovering the sender of a transaction"


def require_sender_recovery() -> None:
    """Make sure that senders can be recovered; raise MissingExtraError if the extra is not installed."""
    _library()


def _library() -> ModuleType:
    return optional(*RECOVERING_SENDERS, extra="chain", purpose=PURPOSE)


def recover_sender(signature: RecoverableSignature) -> Address:
    """Return the address whose key made a signature.

    Raises:
        EvidenceError: if no key made it.
        MissingExtraError: if the extra is not installed.
    """
    library = _library()
    try:
        if library.__name__ == "coincurve":
            key = library.PublicKey.from_signature_and_message(
                signature.compact, signature.digest, hasher=None
            )
            return address_of_key(key.format(compressed=False)[1:])
        signed = library.keys.Signature(signature_bytes=signature.compact)
        return address_of_key(signed.recover_public_key_from_msg_hash(signature.digest).to_bytes())
    except Exception as error:  # the libraries have no common class of errors
        raise EvidenceError("no key made the transaction's signature") from error
