"""Families of documents that extensions add to a site, and what makes the pages of its own."""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from statuary.base.findings import Finding
from statuary.base.primitives import Instant
from statuary.engine.catalogue import Catalogue
from statuary.extension_table import EXTENSIONS, load
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
        """Yield the documents that do not change while the settings of the site do not."""
        return ()

    def documents_at(self, timeline: Timeline, start: Instant, pages: "StatusPages | None") -> "DocumentsAt":  # noqa: ARG002
        """Return a function that returns the documents that change with the status, at an instant from `start` on."""
        return lambda _: ()


def document_providers(catalogue: Catalogue) -> Iterator[DocumentProvider]:
    """Yield the families of the extensions whose key the site's settings have."""
    on = {"hosting": catalogue.hosting, **dict(catalogue.extensions)}
    for row in EXTENSIONS:
        if row.documents and on.get(row.key, NO_HOSTING) != NO_HOSTING:
            family: DocumentProvider = load(row.documents, f"`{row.key}` in site.yaml")(on[row.key])
            yield family


MakeMarkdownPages = tuple[str, str, Callable[[Catalogue], Iterable[Document]]]
"""What is made, of which content file, and what makes it: each alone, so that none withholds another."""

FindLinks = tuple[str, Callable[[], Iterable[Finding]]]
"""A content file, and what finds its broken links."""


class MarkdownPageProvider:
    """What makes the pages of the site's own."""

    def documents(self, catalogue: Catalogue) -> Iterable[MakeMarkdownPages]:
        """Yield what makes their documents."""
        raise NotImplementedError

    def findings(self, catalogue: Catalogue) -> Iterable[FindLinks]:
        """Yield what finds what is wrong with them."""
        raise NotImplementedError


def markdown_page_providers(catalogue: Catalogue) -> Iterator[MarkdownPageProvider]:
    """Yield what makes the pages of the site's own, if it has any."""
    for row in EXTENSIONS:
        if row.own_pages and catalogue.own_pages:
            maker: MarkdownPageProvider = load(row.own_pages, catalogue.own_pages[0].source)()
            yield maker
