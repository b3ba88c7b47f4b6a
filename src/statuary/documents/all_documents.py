"""What the site consists of, as a plain list."""

from collections.abc import Iterator, Sequence

from statuary.documents.contract_api.lists import list_documents
from statuary.documents.document import Document
from statuary.documents.feeds.feed_documents import FeedSite
from statuary.documents.status_api.epochs import EpochPlan, epoch_documents
from statuary.documents.status_api.status_documents import StatusSite
from statuary.domain.catalogue import Catalogue
from statuary.domain.contracts.record import ContractRow
from statuary.domain.primitives import Instant


def whole_site_documents(
    catalogue: Catalogue, rows: Sequence[ContractRow], now: Instant, status: StatusSite, epochs: EpochPlan
) -> Iterator[Document]:
    """Yield every document that is about more than one contract.

    Args:
        catalogue: the site.
        rows: entries of the published contracts.
        now: the instant that the site tells.
        status: the status side over time.
        epochs: what of it changes by itself after `now`.
    """
    yield from list_documents(rows, catalogue.chains)
    yield from status.documents_at(now)
    yield from FeedSite(status.line).documents_at(now)
    yield from epoch_documents(epochs)
