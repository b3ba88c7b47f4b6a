"""Documents that extensions add to a site, and the site's Markdown pages."""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from statuary.base.findings import Finding
from statuary.base.primitives import Instant
from statuary.engine.catalogue import Catalogue
from statuary.registry import EXTENSIONS, load
from statuary.site.document import Document
from statuary.site.settings import NO_HOSTING
from statuary.site.url_table import Url
from statuary.status.model.timeline import Timeline

if TYPE_CHECKING:
    from statuary.status.pages.pages import StatusPages


DocumentsAt = Callable[[Instant], Iterable[Document]]


class DocumentProvider:
    """The documents of an extension; each method may be left out."""

    api: tuple[Url, ...] = ()  # those that openapi.json lists

    def __init__(self, settings: object) -> None:
        self.settings = settings  # those of its key in site.yaml

    def config_documents(self, catalogue: Catalogue) -> Iterable[Document]:  # noqa: ARG002 - of what an extension overrides
        """Yield the documents that change only with the site's settings."""
        return ()

    def documents_at(self, timeline: Timeline, start: Instant, pages: "StatusPages | None") -> "DocumentsAt":  # noqa: ARG002
        """Return a function that makes the timed documents of an instant.

        Args:
            start: the first instant.
        """
        return lambda _: ()


def document_providers(catalogue: Catalogue) -> Iterator[DocumentProvider]:
    """Yield the families of the extensions whose key the site's settings have."""
    on = {"hosting": catalogue.hosting, **dict(catalogue.extensions)}
    for row in EXTENSIONS:
        if row.documents and on.get(row.key, NO_HOSTING) != NO_HOSTING:
            family: DocumentProvider = load(row.documents)(on[row.key])
            yield family


MakeMarkdownPages = tuple[str, str, Callable[[Catalogue], Iterable[Document]]]
"""A name, a content file, and a function that makes its pages; a failure affects no other file."""

FindLinks = tuple[str, Callable[[], Iterable[Finding]]]
"""A content file, and a function that finds its broken links."""


class MarkdownPageProvider:
    """The provider of the site's Markdown pages."""

    def documents(self, catalogue: Catalogue) -> Iterable[MakeMarkdownPages]:
        """Yield the makers of the pages' documents."""
        raise NotImplementedError

    def findings(self, catalogue: Catalogue) -> Iterable[FindLinks]:
        """Yield the functions that find broken links in the pages."""
        raise NotImplementedError


def markdown_page_providers(catalogue: Catalogue) -> Iterator[MarkdownPageProvider]:
    """Yield the site's Markdown page providers."""
    for row in EXTENSIONS:
        if row.own_pages and catalogue.own_pages:
            maker: MarkdownPageProvider = load(row.own_pages)()
            yield maker
