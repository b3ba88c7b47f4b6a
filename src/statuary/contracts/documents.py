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
    judged: "JudgedRecord",
    source: str,
    pages: "ContractPageContext | None",
    *,
    canonical: bytes | None,
    digest: bytes,
    at_address: AddressRows | None,
) -> Iterator[Document]:
    """Yield a contract's documents: its record, proof, page, and address.

    An excluded contract has no record document.

    Args:
        judged: the record with its proof.
        source: the content file.
        pages: the settings of pages; None if contracts have no pages.
        canonical: the record's bytes, if its source has exactly them.
        digest: SHA-256 of the source.
        at_address: the contracts at its address; None if others may be there, which a build lists later.
    """
    from statuary.contracts.api.documents import proof_document, record_document

    served = record_document(judged, source, canonical, digest)
    if judged.is_published:
        yield served
    if judged.proof.results:
        yield proof_document(judged, source, sentence=english_sentence, digest=served.digest.hex())
    if pages is not None:
        from statuary.contracts.pages.page import contract_page

        yield contract_page(judged, pages, source=source)
    if at_address is not None:
        yield all_chains_document(at_address)
