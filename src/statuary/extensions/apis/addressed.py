"""Documents at paths with a contract's chain and address."""

from statuary.contracts.model.record import RecordValue
from statuary.site.document import Document
from statuary.site.urls import Url


def contract_document(url: Url, record: RecordValue, body: bytes, source: str, **members: str) -> Document:
    """Return a document at a contract's checksummed and lower-case address.

    Args:
        url: the URL.
        record: the record of the contract.
        body: the bytes of the document.
        source: the content file of the record.
        members: further parameters of the URL.
    """
    for_both = {"chain_id": record["chainId"], "address": record["address"]} | members
    return Document(
        path=url.path(**for_both),
        aliases=(url.path(**for_both | {"address": record["address"].lower()}),),
        body=body,
        media_type=url.media_type,
        sources=(source,),
        persistent=True,
    )
