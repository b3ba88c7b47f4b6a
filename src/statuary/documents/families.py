"""Families of documents that extensions add to a site."""

from collections.abc import Iterable, Iterator

from statuary.documents.document import Document
from statuary.domain.catalogue import Catalogue
from statuary.domain.settings import NO_HOSTING
from statuary.extension_table import EXTENSIONS, load


class DocumentFamily:
    """The documents of an extension; each method may be left out."""

    def settings_only(self, catalogue: Catalogue) -> Iterable[Document]:  # noqa: ARG002 - of what an extension overrides
        """Yield the documents that do not change while the settings of the site do not."""
        return ()


def families(catalogue: Catalogue) -> Iterator[DocumentFamily]:
    """Yield the families of the extensions whose key the site's settings have."""
    for row in EXTENSIONS:
        if row.documents and getattr(catalogue, row.key) not in (None, NO_HOSTING):
            family: DocumentFamily = load(row.documents, f"`{row.key}` in site.yaml")()
            yield family
