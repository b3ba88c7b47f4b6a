"""The documents of a contract record."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from statuary.contracts.api.lists import AddressContracts, address_list_document
from statuary.site.document import Document
from statuary.site.pages.page_texts import english_sentence

if TYPE_CHECKING:
    from statuary.contracts.model.record_with_proof import RecordWithProof
    from statuary.contracts.pages.context import ContractPageContext


def contract_documents(
    checked_record: "RecordWithProof",
    source: str,
    pages: "ContractPageContext | None",
    *,
    canonical_json: bytes | None,
    digest: bytes,
    address_contracts: AddressContracts | None,
) -> Iterator[Document]:
    """Yield a contract's documents: record, proof, page and list of its address.

    If the contract is not published, there is no document with its record.

    Args:
        source: the path of the record in the content folder.
        pages: the settings of contract pages; None if contracts have no pages.
        canonical_json: the record as compact JSON; None if the caller has not encoded it.
        digest: the SHA-256 of `canonical_json`; empty if it is unknown.
        address_contracts: the contracts at the address on all chains. None if other chains may have contracts at it: their
            list is then made when all contracts are known.
    """
    from statuary.contracts.api.documents import proof_document, record_document

    served = record_document(checked_record, source, canonical_json, digest)
    if checked_record.is_published:
        yield served
    if checked_record.proof.results:
        yield proof_document(checked_record, source, sentence=english_sentence, digest=served.digest.hex())
    if pages is not None:
        from statuary.contracts.pages.page import contract_page

        yield contract_page(checked_record, pages, source=source)
    if address_contracts is not None:
        yield address_list_document(address_contracts)
