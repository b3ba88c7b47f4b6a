"""Families of documents that extensions add to a site, and what makes the pages of its own."""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

from statuary.documents.document import Document
from statuary.documents.url_table import Url
from statuary.domain.catalogue import Catalogue
from statuary.domain.findings import Finding
from statuary.domain.primitives import Instant
from statuary.domain.settings import NO_HOSTING
from statuary.domain.status.timeline import Timeline
from statuary.extension_table import EXTENSIONS, load

if TYPE_CHECKING:
    from statuary.documents.pages.status.pages import StatusPages
    from statuary.domain.contracts.record import RecordValue


DocumentsAt = Callable[[Instant], Iterable[Document]]


class DocumentFamily:
    """The documents of an extension; each method may be left out."""

    api: tuple[Url, ...] = ()  # those that openapi.json lists

    def __init__(self, settings: object) -> None:
        self.settings = settings  # those of its key in site.yaml

    def settings_only(self, catalogue: Catalogue) -> Iterable[Document]:  # noqa: ARG002 - of what an extension overrides
        """Yield the documents that do not change while the settings of the site do not."""
        return ()

    def timed(self, timeline: Timeline, start: Instant, pages: "StatusPages | None") -> "DocumentsAt":  # noqa: ARG002
        """Return a function that returns the documents that change with the status, at an instant from `start` on."""
        return lambda _: ()


def families(catalogue: Catalogue) -> Iterator[DocumentFamily]:
    """Yield the families of the extensions whose key the site's settings have."""
    on = {"hosting": catalogue.hosting, **dict(catalogue.extensions)}
    for row in EXTENSIONS:
        if row.documents and on.get(row.key, NO_HOSTING) != NO_HOSTING:
            family: DocumentFamily = load(row.documents, f"`{row.key}` in site.yaml")(on[row.key])
            yield family


MakeOfRecord = Callable[["RecordValue", object, str], tuple[bytes, Iterable[Document]]]
"""Returns what the ledger keeps of a published record for a stage, and what makes further documents of it; of the
record, the settings of the extension and the record's source."""

OF_RECORD = {row.key: row.of_record for row in EXTENSIONS if row.of_record}
"""Where the `MakeOfRecord` of each extension that has one is, by its key in site.yaml."""


def made_of_record(
    record: "RecordValue", extensions: tuple[tuple[str, object], ...], source: str
) -> tuple[bytes, Iterable[Document]]:
    """Return what extensions keep of a published record, and the documents that they make of it.

    Args:
        extensions: the key and the settings of those in `OF_RECORD` that are on.
        source: the content file of the record.
    """
    of_each = [
        load(OF_RECORD[key], f"`{key}` in site.yaml")(record, settings, source)
        for key, settings in extensions
    ]
    return b"".join(facts for facts, _ in of_each), chain.from_iterable(documents for _, documents in of_each)


MakeOwnPages = tuple[str, str, Callable[[Catalogue], Iterable[Document]]]
"""What is made, of which content file, and what makes it: each alone, so that none withholds another."""

FindLinks = tuple[str, Callable[[], Iterable[Finding]]]
"""A content file, and what finds its broken links."""


class OwnPages:
    """What makes the pages of the site's own."""

    def documents(self, catalogue: Catalogue) -> Iterable[MakeOwnPages]:
        """Yield what makes their documents."""
        raise NotImplementedError

    def findings(self, catalogue: Catalogue) -> Iterable[FindLinks]:
        """Yield what finds what is wrong with them."""
        raise NotImplementedError


def own_pages(catalogue: Catalogue) -> Iterator[OwnPages]:
    """Yield what makes the pages of the site's own, if it has any."""
    for row in EXTENSIONS:
        if row.own_pages and catalogue.own_pages:
            maker: OwnPages = load(row.own_pages, catalogue.own_pages[0].source)()
            yield maker
