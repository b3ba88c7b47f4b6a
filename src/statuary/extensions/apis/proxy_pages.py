"""Pages about proxies: functions, implementations, and differences between them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from statuary.base.primitives import parse_instant
from statuary.contracts.pages.context import ContractPageContext, contract_page_context
from statuary.contracts.urls import CHAIN_PAGE, CONTRACT_PAGE
from statuary.extensions.apis import urls
from statuary.extensions.apis.implementation_changes import ComparedImplementation, ImplementationChanges
from statuary.extensions.apis.merged_abi import Clash
from statuary.extensions.apis.proxies import ProxyVersion, ResolvedProxy
from statuary.extensions.apis.storage_changes import StorageChange, Variable
from statuary.site.document import Document
from statuary.site.pages.page_texts import one_line, visible_name, visible_text
from statuary.site.pages.rendering import Renderer, renderer_of
from statuary.site.pages.site_context import FormattedTime, PageHead
from statuary.site.site_content import SiteContent

Pair = tuple[str, str]

SELECTOR = 10
"""Characters of a selector in hex, with `0x`."""


KINDS = ("constructor", "function", "receive", "fallback", "event", "error")
"""The kinds of entries of an ABI, in the order of the page."""


class ListedImplementation(NamedTuple):
    """An implementation in a list on a proxy's page."""

    address: str
    name: str  # empty without a record
    href: str  # link to the page; empty without a record


class ChangeLink(NamedTuple):
    """A link to the comparison of two implementations."""

    text: str
    href: str
    hazards: int


class VersionRow(NamedTuple):
    """A row of the history on a proxy's page."""

    since: FormattedTime | None
    block: int | None
    is_seen: bool  # whether a build saw the change, and no file states it
    implementations: Sequence[ListedImplementation]
    changes: Sequence[ChangeLink]


class ClashRow(NamedTuple):
    """Two functions or events with the same hash, on a proxy's page."""

    hash: str
    sentence: str
    is_other: bool  # whether the signatures of both entries differ


class EntryRow(NamedTuple):
    """A function, event or error in the list on a proxy's page."""

    kind: str
    signature: str
    hash: str
    origins: str  # the names of the contracts that contain the entry


class ProxyPageView(NamedTuple):
    """The values that the template of a proxy's page needs."""

    name: str
    address: str
    kind: str
    chain: str
    chain_href: str
    contract_href: str
    json: str
    abi_json: str
    complete: bool
    versions: Sequence[VersionRow]
    clashes: Sequence[ClashRow]
    entries: Sequence[EntryRow]


class ComparedSide(NamedTuple):
    """An implementation on the page that compares two of them."""

    name: str
    address: str
    compiler: str
    href: str


class PlaceView(NamedTuple):
    """A variable's position in storage, on the page of a comparison."""

    label: str  # the variable's name; empty if it equals the name of the row
    slot: str
    offset: str
    type: str


class StorageRow(NamedTuple):
    """A storage variable that changed, on the page of a comparison."""

    label: str
    change: str
    is_hazard: bool
    before: PlaceView | None
    after: PlaceView | None


Lines = Sequence[tuple[str, str]]
"""Lines of a difference: `+`, `-`, a space or nothing, then the text."""


class FileView(NamedTuple):
    """A source file that changed, on the page of a comparison."""

    path: str
    change: str
    lines: Lines
    is_cut: bool


class ChangesPageView(NamedTuple):
    """The values that the template of a comparison needs."""

    name: str
    chain: str
    chain_href: str
    proxy_href: str
    json: str
    before: ComparedSide
    after: ComparedSide
    hazards: int
    verdict: str
    has_namespaces: bool
    storage: Sequence[StorageRow]
    abi: Lines
    sources: Sequence[FileView]


def iter_proxy_pages(
    site: SiteContent, proxy: ResolvedProxy, changes: Mapping[Pair, ImplementationChanges]
) -> Iterator[Document]:
    """Render the page of a proxy, and pages that compare its implementations.

    Args:
        proxy: the proxy with its implementations.
        changes: the differences for each pair of implementations.
    """
    context = contract_page_context(site)
    if context is not None:
        pages = _ProxyPages(context, proxy, changes)
        yield pages.make_proxy_page()
        yield from (pages.make_changes_page(pair, change) for pair, change in changes.items())


class _ProxyPages:
    def __init__(
        self,
        context: ContractPageContext,
        proxy: ResolvedProxy,
        changes: Mapping[Pair, ImplementationChanges],
    ) -> None:
        self._context, self._proxy, self._changes = context, proxy, changes
        self._renderer: Renderer = renderer_of(context.site)
        self._texts = self._renderer.localization.texts
        self._chain_id, self._address = proxy.location
        self._name = visible_name(proxy.name) or self._address

    def make_proxy_page(self) -> Document:
        proxy = self._proxy
        place = {"chain_id": self._chain_id, "address": self._address}
        title = self._texts("apis.proxy.title", name=self._name)
        head = PageHead(
            path=urls.PROXY_PAGE.path(**place),
            title=title,
            description=f"{title}, {self._address}",
            section="contracts",
        )
        entries = []
        for entry in sorted(proxy.merged_abi.entries, key=lambda entry: KINDS.index(entry.kind)):
            origins = ", ".join(map(self._format_implementation, entry.addresses))
            row = EntryRow(entry.kind, visible_name(entry.signature), _shorten_hash(entry.key), origins)
            entries.append(row)
        view = ProxyPageView(
            name=self._name,
            address=self._address,
            kind=one_line(proxy.facts.proxy_type),
            chain=self._context.chain_name(self._chain_id),
            chain_href=CHAIN_PAGE.path(chain_id=self._chain_id),
            contract_href=CONTRACT_PAGE.path(**place),
            json=urls.PROXY.path(**place),
            abi_json=urls.PROXY_ABI.path(**place),
            complete=proxy.is_complete,
            versions=[self._make_version_row(at) for at in range(len(proxy.history) - 1, -1, -1)],
            clashes=[self._make_clash_row(clash) for clash in proxy.merged_abi.clashes],
            entries=entries,
        )
        return self._renderer.page(urls.PROXY_PAGE, "apis_proxy.html", head, view)

    def _make_version_row(self, version_index: int) -> VersionRow:
        history = self._proxy.history
        version: ProxyVersion = history[version_index]
        links = []
        compared_versions = [
            (version_index + 1, "apis.proxy.to_next"),
            (len(history) - 1, "apis.proxy.to_present"),
        ]
        pairs: dict[Pair, str] = {}
        for other_version, key in compared_versions:
            if other_version < len(history):
                pairs.setdefault((version.implementations[0], history[other_version].implementations[0]), key)
        for pair, key in pairs.items():
            if pair in self._changes:
                href = self._proxy.changes_path(pair, of_page=True)
                links.append(ChangeLink(self._texts(key), href, self._changes[pair].hazards))
        implementations = []
        for address in version.implementations:
            name = self._proxy.names.get(address)
            href = "" if name is None else CONTRACT_PAGE.path(chain_id=self._chain_id, address=address)
            implementations.append(ListedImplementation(address, visible_name(name or ""), href))
        moment = self._renderer.localization.dates.moment
        return VersionRow(
            since=moment(parse_instant(version.since)) if version.since else None,
            block=version.block,
            is_seen=version.stated_by == "site",
            implementations=implementations,
            changes=links,
        )

    def _format_implementation(self, address: str) -> str:
        name = self._name if address == self._address else visible_name(self._proxy.names.get(address, ""))
        return f"{name} ({address[:6]}…{address[-4:]})" if name else address

    def _make_clash_row(self, clash: Clash) -> ClashRow:
        sentence = self._texts(
            f"apis.proxy.{clash.kind}",
            first=visible_name(clash.first.signature),
            second=visible_name(clash.second.signature),
            of_first=self._format_implementation(clash.first.addresses[0]),
            of_second=self._format_implementation(clash.second.addresses[0]),
        )
        return ClashRow(_shorten_hash(clash.key), sentence, clash.first.signature != clash.second.signature)

    def make_changes_page(self, pair: Pair, change: ImplementationChanges) -> Document:
        path = self._proxy.changes_path(pair, of_page=True)
        old_side = self._make_compared_side(change.before)
        new_side = self._make_compared_side(change.after)
        title = f"{old_side.name} → {new_side.name}"
        verdict = self._format_verdict(change)
        head = PageHead(
            path=path, title=title, description=f"{self._name}: {title}. {verdict}", section="contracts"
        )
        view = ChangesPageView(
            name=self._name,
            chain=self._context.chain_name(self._chain_id),
            chain_href=CHAIN_PAGE.path(chain_id=self._chain_id),
            proxy_href=urls.PROXY_PAGE.path(chain_id=self._chain_id, address=self._address),
            json=self._proxy.changes_path(pair),
            before=old_side,
            after=new_side,
            hazards=change.hazards,
            verdict=verdict,
            has_namespaces=change.before.has_namespaces or change.after.has_namespaces,
            storage=[_make_storage_row(row) for row in change.storage or ()],
            abi=list(_iter_abi_diff_lines(change)),
            sources=[
                FileView(
                    visible_name(file.path),
                    file.change,
                    [(line[0], visible_text(line[1:])) for line in file.lines],
                    file.is_cut,
                )
                for file in change.sources
            ],
        )
        return self._renderer.page(urls.PROXY_CHANGES_PAGE, "apis_proxy_changes.html", head, view)

    def _format_verdict(self, change: ImplementationChanges) -> str:
        if change.storage is None:
            return self._texts("apis.changes.no_layout")
        if change.hazards:
            return self._texts.count("apis.proxy.hazards", change.hazards)
        return self._texts("apis.changes.safe")

    def _make_compared_side(self, side: ComparedImplementation) -> ComparedSide:
        href = CONTRACT_PAGE.path(chain_id=self._chain_id, address=side.address)
        return ComparedSide(visible_name(side.name), side.address, one_line(side.compiler), href)


def _shorten_hash(selector_or_topic: str) -> str:
    """Shorten an event's topic; return a function's selector as it is."""
    return selector_or_topic if len(selector_or_topic) <= SELECTOR else f"{selector_or_topic[:SELECTOR]}…"


def _make_storage_row(change: StorageChange) -> StorageRow:
    after_label = "" if change.after is None or change.after.label == change.label else change.after.label
    return StorageRow(
        visible_name(change.label),
        change.change,
        change.is_hazard,
        _make_place_view(change.before, ""),
        _make_place_view(change.after, after_label),
    )


def _make_place_view(variable: Variable | None, new_label: str) -> PlaceView | None:
    if variable is None:
        return None
    slot, offset = divmod(variable.start, 32)
    return PlaceView(visible_name(new_label), str(slot), str(offset), visible_name(variable.type))


def _iter_abi_diff_lines(change: ImplementationChanges) -> Iterator[tuple[str, str]]:
    for entry in change.abi:
        text = f"{entry.kind} {visible_name(entry.signature)}".rstrip()
        details = f": {', '.join(map(visible_name, entry.details))}" if entry.details else ""
        yield {"added": "+", "removed": "-"}.get(entry.change, " "), f"{text}{details}"
