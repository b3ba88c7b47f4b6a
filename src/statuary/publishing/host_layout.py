"""Lay documents out for a host: paths of the layout, compressed forms beside them."""

from collections.abc import Iterable, Iterator

from statuary.documents.document import Document
from statuary.documents.stored_paths import sharded_document
from statuary.domain.hosting_settings import HostingSettings, PathLayout
from statuary.publishing.precompressed import compressed_forms


def laid_out(documents: Iterable[Document], settings: HostingSettings) -> Iterator[Document]:
    """Yield documents under the paths that the site's hosts need.

    Raises:
        PublishingError: if the package for a compressed form is not installed.
    """
    for document in documents:
        placed = sharded_document(document) if settings.layout is PathLayout.SHARDED else document
        yield placed
        yield from compressed_forms(placed, settings.precompressed)
