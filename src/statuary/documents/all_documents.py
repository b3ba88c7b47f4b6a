"""What the site consists of, as a plain list."""

from collections.abc import Iterator, Sequence

from statuary.documents.contract_api.lists import list_documents
from statuary.documents.document import Document
from statuary.documents.status_api.status_documents import status_documents
from statuary.domain.catalogue import Catalogue
from statuary.domain.contracts.record import ContractRow
from statuary.domain.primitives import Instant


def whole_site_documents(
    catalogue: Catalogue, rows: Sequence[ContractRow], now: Instant
) -> Iterator[Document]:
    """Yield every document that is about more than one contract.

    Args:
        catalogue: the site.
        rows: entries of the published contracts.
        now: the instant that the site tells.
    """
    yield from list_documents(rows, catalogue.chains)
    yield from status_documents(catalogue.status, now)
