"""Documents about proxies, made after all records are built.

The documents are made one proxy at a time.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from statuary.base.findings import Finding
from statuary.base.json_values import Json
from statuary.base.primitives import format_utc_milliseconds, parse_instant
from statuary.contracts.incremental.built_contracts import BuiltContracts
from statuary.contracts.incremental.bulk import open_bulk_source
from statuary.contracts.model.contract_row import ContractRow
from statuary.contracts.model.record import RecordValue
from statuary.contracts.paths import sharded_path
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.contract_source import ContractSource
from statuary.contracts.sources.parse_record import ParsedContract
from statuary.contracts.sources.read_contract import read_contract
from statuary.contracts.urls import CONTRACT
from statuary.extensions.apis import urls
from statuary.extensions.apis.implementation_changes import (
    ImplementationChanges,
    compare_proxy_implementations,
)
from statuary.extensions.apis.proxies import (
    ContractLocation,
    ProxyFacts,
    ProxyVersion,
    ResolvedProxy,
    merge_proxy_history,
    parse_published_versions,
    resolve_proxy,
)
from statuary.site.document import Document, encode_unchecked
from statuary.site.pages.try_make import render_with_fallback, try_make
from statuary.site.urls import Url

WHOLE_SITE = ("contracts",)


def list_proxy_folders(proxy_location: ContractLocation) -> list[str]:
    """Return the two folders of the site with a proxy's documents.

    Args:
        proxy_location: the chain and address of the proxy.

    Returns:
        The folder with the checksummed address, and the one with the lower-case address.
    """
    chain_id, address = proxy_location
    return [
        urls.PROXY.pattern.format(chain_id=chain_id, address=form).rpartition("/")[0]
        for form in dict.fromkeys((address, address.lower()))
    ]


class ListedProxy(NamedTuple):
    """A proxy of the site, with its implementations over time."""

    row: ContractRow
    facts: ProxyFacts
    history: list[ProxyVersion]

    @property
    def location(self) -> ContractLocation:
        """The chain id and address of the proxy."""
        return self.row.chainId, self.row.address


def list_proxies(
    contract_rows: Iterable[tuple[ContractRow, bytes]],
    stated_versions: Mapping[ContractLocation, list[ProxyVersion]],
    read_published: Callable[[str], bytes | None],
    now: str,
) -> list[ListedProxy]:
    """Find the proxies of a site, with their earlier implementations.

    If nothing is known about a proxy's past, its implementations start when its record was verified.

    Args:
        contract_rows: each proxy's entry in the list of contracts, with the line that `derive_record_output`
            stored.
        stated_versions: the implementations in files of the content, by proxy.
        read_published: a function that returns the bytes that the last build published at a path, or None.
        now: the time of the build.
    """
    proxies = []
    for row, line in contract_rows:
        facts = ProxyFacts.parse(line)
        place = (row.chainId, row.address)
        seen_versions = parse_published_versions(
            read_published(urls.PROXY.path(chain_id=place[0], address=place[1]))
        )
        has_none = not seen_versions and place not in stated_versions
        since = format_utc_milliseconds(parse_instant(row.verifiedAt)) if has_none else now
        history = merge_proxy_history(
            stated_versions.get(place, ()), seen_versions, facts.implementations, since
        )
        proxies.append(ListedProxy(row, facts, history))
    return proxies


def make_proxy_index(proxies: Iterable[ListedProxy]) -> Document:
    """Make the JSON document that lists all proxies of the site."""
    rows: list[Json] = [
        {
            "chainId": proxy.row.chainId,
            "address": proxy.row.address,
            "name": proxy.row.name,
            "proxyType": proxy.facts.proxy_type or None,
            "implementations": list(proxy.facts.implementations),
            "versions": len(proxy.history),
            "path": urls.PROXY.path(chain_id=proxy.row.chainId, address=proxy.row.address),
        }
        for proxy in sorted(proxies, key=lambda proxy: (int(proxy.row.chainId), proxy.row.address))
    ]
    body = encode_unchecked({"proxies": rows})
    return Document(path=urls.PROXIES.path(), body=body, sources=WHOLE_SITE, persistent=True)


class ProxyDocuments:
    """Makes the documents and pages about a site's proxies."""

    def __init__(
        self, content_folder: Path, built_contracts: BuiltContracts, proxies: list[ListedProxy]
    ) -> None:
        self._root, self._built, self._proxies = content_folder, built_contracts, proxies
        addresses = {
            (proxy.row.chainId, address)
            for proxy in proxies
            for version in proxy.history
            for address in version.implementations
        }
        self._records = dict(self._read_records(dict(self._find_published_sources(addresses))))

    def _find_published_sources(
        self, places: Iterable[ContractLocation]
    ) -> Iterator[tuple[str, ContractLocation]]:
        for place in places:
            contract = self._built.sources.contract_at(*place)
            path = CONTRACT.path(chain_id=place[0], address=place[1])
            if contract is None or contract.is_contradicted:
                continue
            if not {path, sharded_path(path)}.isdisjoint(contract.paths):
                yield contract.location, place

    def _read_records(
        self, locations: Mapping[str, ContractLocation]
    ) -> Iterator[tuple[ContractLocation, RecordValue]]:
        for source, read_source in self._iter_content_sources() if locations else ():
            place = locations.get(source.location)
            record = None if place is None else read_source().record
            if place is not None and record is not None:
                yield place, record

    def _iter_content_sources(self) -> Iterator[tuple[ContractSource, Callable[[], ParsedContract]]]:
        site = self._built.site
        for source in site.content_of(SiteContracts).sources:
            yield source, partial(read_contract, self._root, source)
        for bulk in site.content_of(SiteContracts).bulk:
            with open_bulk_source(self._root, site.content_of(SiteContracts), bulk) as parts:
                for part in parts:
                    for contract in () if isinstance(part, Finding) else part.read(self._root):
                        yield contract.source, partial(getattr, contract, "read")

    def documents(self, findings: list[Finding]) -> Iterator[tuple[ContractLocation, Sequence[Document]]]:
        """Make the JSON documents and pages of each proxy.

        A proxy forwards calls to other contracts. If its documents cannot be made, it is yielded without documents.

        Args:
            findings: a list to which a finding is added for each failure.
        """
        for proxy in self._proxies:
            name = f"the documents of the proxy {'/'.join(proxy.location)}"
            yield (
                proxy.location,
                try_make(name, partial(self._iter_proxy_documents, proxy, findings), findings),
            )

    def _iter_proxy_documents(self, proxy: ListedProxy, findings: list[Finding]) -> Iterator[Document]:
        chain_id = proxy.row.chainId
        records = {
            address: self._records[chain_id, address]
            for version in proxy.history
            for address in version.implementations
            if (chain_id, address) in self._records
        }
        resolved = resolve_proxy(proxy.location, proxy.row.name, proxy.facts, records, proxy.history)
        changes = {
            pair: compare_proxy_implementations(records[pair[0]], records[pair[1]]) for pair in resolved.pairs
        }
        yield _make_proxy_document(urls.PROXY, resolved, resolved.to_json())
        yield _make_proxy_document(urls.PROXY_ABI, resolved, resolved.merged_abi.abi)
        for (old_address, new_address), change in changes.items():
            body = change.to_json(chain_id, proxy.row.address)
            yield _make_proxy_document(
                urls.PROXY_CHANGES, resolved, body, before=old_address, after=new_address
            )
        yield from self._iter_proxy_pages(resolved, changes, findings)

    def _iter_proxy_pages(
        self,
        resolved: ResolvedProxy,
        changes: Mapping[tuple[str, str], ImplementationChanges],
        findings: list[Finding],
    ) -> Iterator[Document]:
        from statuary.extensions.apis.proxy_pages import iter_proxy_pages

        site = self._built.site
        if site.content_of(SiteContracts).have_pages(site.pages):
            name = f"the pages of the proxy {'/'.join(resolved.location)}"
            for page in render_with_fallback(
                name, lambda themed: iter_proxy_pages(themed, resolved, changes), site, findings
            ):
                yield page._replace(sources=WHOLE_SITE, persistent=True)


def _make_proxy_document(url: Url, proxy: ResolvedProxy, content: Json, **members: str) -> Document:
    """Make a document about a proxy.

    It has two paths: the address with capital letters, as its checksum requires, and in lower case.
    """
    chain_id, address = proxy.location
    paths = dict.fromkeys(
        url.path(chain_id=chain_id, address=form, **members) for form in (address, address.lower())
    )
    path, *aliases = paths
    encoded = encode_unchecked(content)
    return Document(path=path, aliases=tuple(aliases), body=encoded, sources=WHOLE_SITE, persistent=True)
