"""The documents of a contract record."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from statuary.contracts.api.lists import AddressRows, all_chains_document
from statuary.site.document import Document
from statuary.site.pages.page_texts import english_sentence

if TYPE_CHECKING:
    from statuary.contracts.model.judged_record import JudgedRecord
    from statuary.contracts.pages.context import ContractPageContext


def contract_documents(
    judged_record: "JudgedRecord",
    source: str,
    pages: "ContractPageContext | None",
    *,
    canonical_json: bytes | None,
    digest: bytes,
    address_rows: AddressRows | None,
) -> Iterator[Document]:
    """Yield a contract's documents: record, proof, page and list of its address.

    If the contract is not published, there is no document with its record.

    Args:
        judged_record: the record with its proof.
        source: the path of the record in the content folder.
        pages: the settings of contract pages; None if contracts have no pages.
        canonical_json: the bytes of the record, if they are known.
        digest: the SHA-256 of the source.
        address_rows: the contracts at the address on all chains. None if other chains may have contracts at
            it; then the build makes the list later.
    """
    from statuary.contracts.api.documents import proof_document, record_document

    served = record_document(judged_record, source, canonical_json, digest)
    if judged_record.is_published:
        yield served
    if judged_record.proof.results:
        yield proof_document(judged_record, source, sentence=english_sentence, digest=served.digest.hex())
    if pages is not None:
        from statuary.contracts.pages.page import contract_page

        yield contract_page(judged_record, pages, source=source)
    if address_rows is not None:
        yield all_chains_document(address_rows)
