"""Documents at paths with a contract's chain and address."""

from statuary.contracts.model.record import RecordValue
from statuary.site.document import Document
from statuary.site.urls import Url


def make_contract_document(
    url: Url, record: RecordValue, content: bytes, record_path: str, **members: str
) -> Document:
    """Make a document about a contract, at both spellings of its address.

    The site serves it at two paths: one with the checksummed address such as `0xAb…`, and one in lower case.

    Args:
        url: the URL pattern, with the placeholders `{chain_id}` and `{address}`.
        content: the bytes of the document.
        record_path: the path of the record in the content folder.
        members: the values of other placeholders in the pattern.
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
