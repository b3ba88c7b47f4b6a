"""Documents at paths with a contract's chain and address."""

from statuary.contracts.model.record import RecordValue
from statuary.site.document import Document
from statuary.site.urls import Url


def contract_document(url: Url, record: RecordValue, body: bytes, source: str, **members: str) -> Document:
    """Return a document whose URL contains a contract's chain and address.

    The document has two paths, with the checksummed and with the lower-case address.

    Args:
        url: the URL.
        record: the record of the contract.
        body: the bytes of the document.
        source: the path of the record in the content folder.
        members: other parameters of the URL.
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
