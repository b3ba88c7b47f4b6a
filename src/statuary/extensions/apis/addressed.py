"""Documents at paths with a contract's chain and address."""

from statuary.contracts.model.record import RecordValue
from statuary.site.document import Document
from statuary.site.urls import Url


def make_contract_document(
    url: Url, record: RecordValue, content: bytes, record_path: str, **members: str
) -> Document:
    """Return a document whose URL contains a contract's chain and address.

    The document has two paths, with the checksummed and with the lower-case address.

    Args:
        url: the URL.
        record: the record of the contract.
        content: the bytes of the document.
        record_path: the path of the record in the content folder.
        members: other parameters of the URL.
    """
    for_both = {"chain_id": record["chainId"], "address": record["address"]} | members
    return Document(
        path=url.path(**for_both),
        aliases=(url.path(**for_both | {"address": record["address"].lower()}),),
        body=content,
        media_type=url.media_type,
        sources=(record_path,),
        persistent=True,
    )
