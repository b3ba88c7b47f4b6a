"""Families of documents that extensions add to a site, and what makes the pages of its own."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from statuary.documents.document import Document
from statuary.documents.url_table import Url
from statuary.domain.catalogue import Catalogue
from statuary.domain.contracts.rows import ContractRow
from statuary.domain.findings import Finding
from statuary.domain.primitives import Instant
from statuary.domain.settings import NO_HOSTING
from statuary.domain.status.timeline import Timeline
from statuary.extension_table import EXTENSIONS, load

if TYPE_CHECKING:
    from statuary.domain.contracts.record import RecordValue


class DocumentFamily:
    """The documents of an extension; each method may be left out."""

    api: tuple[Url, ...] = ()  # those that openapi.json lists

    def __init__(self, settings: object) -> None:
        self.settings = settings  # those of its key in site.yaml

    def settings_only(self, catalogue: Catalogue) -> Iterable[Document]:  # noqa: ARG002 - of what an extension overrides
        """Yield the documents that do not change while the settings of the site do not."""
        return ()

    def timed(self, timeline: Timeline, start: Instant) -> Callable[[Instant], Iterable[Document]]:  # noqa: ARG002
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


def made_of_record(
    record: "RecordValue", extensions: tuple[tuple[str, object], ...], source: str
) -> tuple[bytes, Iterable[Document]]:
    """Return what extensions keep of a published record, and the documents that they make of it."""
    makers: list[tuple[MakeOfRecord, object]] = [
        (load(row.of_record, f"`{key}` in site.yaml"), settings)
        for key, settings in extensions
        for row in EXTENSIONS
        if row.key == key
    ]
    made = [make(record, settings, source) for make, settings in makers]
    return b"".join(facts for facts, _ in made), chain.from_iterable(documents for _, documents in made)


class Operation(NamedTuple):
    """The operation of a URL."""

    url: Url
    shape: type | None = None  # the type of its JSON body; None for another body
    tag: str = ""  # the part of the API
    query: tuple[dict[str, object], ...] = ()
    rejects: bool = False  # whether it answers 400 to an invalid request
    missing: type | None = None  # the type of the body of its 404; None if that is the host's own page
    may_be_missing: bool = False  # whether it answers 404 on some sites or for some parameters
    example: str = ""  # a call of an extension's operation, with its query
    more: Mapping[str, object] = MappingProxyType(
        {}
    )  # members of its description besides, or in place of, the usual


class DescribedApi(NamedTuple):
    """The operations of an extension under one tag."""

    tag: str
    description: str
    operations: tuple[Operation, ...]


def described_apis(catalogue: Catalogue, example: ContractRow | None) -> list[DescribedApi]:
    """Return the interfaces of the extensions that are on."""
    settings = dict(catalogue.extensions)
    rows = (row for row in EXTENSIONS if row.apis and row.key in settings)
    return [api for row in rows for api in load(row.apis, "openapi.json")(settings[row.key], example)]


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
