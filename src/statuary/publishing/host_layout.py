"""Documents as a target is to hold them: at their places in the layout, with their compressed forms beside them."""

from collections.abc import Iterable, Iterator

from statuary.documents.document import Document
from statuary.documents.stored_paths import sharded_document
from statuary.domain.hosting_settings import HostingSettings, PathLayout
from statuary.publishing.precompressed import compressed_forms


def laid_out(documents: Iterable[Document], settings: HostingSettings) -> Iterator[Document]:
    """Yield documents as the site's hosts need them.

    Raises:
        PublishingError: if a compressed form is asked for whose package is not installed.
    """
    for document in documents:
        placed = sharded_document(document) if settings.layout is PathLayout.SHARDED else document
        yield placed
        yield from compressed_forms(placed, settings.precompressed)
