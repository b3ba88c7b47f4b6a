"""The document of one record: its canonical bytes under the checksummed and the lower-case address."""

from hashlib import sha256

from statuary.documents import url_table
from statuary.documents.document import Document
from statuary.documents.encode import encode_unchecked
from statuary.domain.contracts.record import RecordValue


def record_document(
    record: RecordValue, source: str, canonical: bytes | None = None, digest: bytes = b""
) -> Document:
    """Return the document of a record, whose members are in served order.

    A static host is case-sensitive, and clients send addresses checksummed or in lower case: one body, two
    names.

    Args:
        canonical: the record's bytes, if its source has exactly them.
        digest: their SHA-256, if known.
    """
    body = encode_unchecked(record) if canonical is None else canonical
    return Document(
        path=url_table.CONTRACT.path(chain_id=record["chainId"], address=record["address"]),
        aliases=(url_table.CONTRACT.path(chain_id=record["chainId"], address=record["address"].lower()),),
        body=body,
        cache=url_table.CONTRACT.cache,
        sources=(source,),
        persistent=True,
        digest=digest if digest and canonical is not None else sha256(body).digest(),
    )
