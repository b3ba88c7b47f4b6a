"""Rebuild the lists of contracts: by chain, by address, and as pages."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple

import orjson

from statuary.base.findings import Finding
from statuary.base.progress import Progress, report_stage
from statuary.contracts.api.list_pages import ChainList, PageSummary
from statuary.contracts.api.lists import (
    AddressContracts,
    address_list_document,
    chain_list_documents,
    group_rows_by_address,
)
from statuary.contracts.incremental.built_contracts import LIST_PAGES, BuiltContracts
from statuary.contracts.incremental.built_rows import BuiltRows, EntriesInMemory, ListEntries
from statuary.contracts.pages.previous_pages import PreviousPages, no_previous_pages
from statuary.contracts.paths import apply_host_layout
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.urls import CONTRACT_ALL_CHAINS, CONTRACTS_HOME, CONTRACTS_PAGE, CONTRACTS_PAGES
from statuary.publish.ledger.ledger import Ledger
from statuary.publish.ledger.schema import PartitionOutput, PartitionResult
from statuary.publish.target import BuildTarget
from statuary.site.document import Document, uncompressed_path
from statuary.site.pages.try_make import render_with_fallback
from statuary.site.settings import HostingSettings
from statuary.site.site_content import SiteContent
from statuary.workers.executor import Executor

ADDRESSES = 250
"""Addresses of a partition."""

ADDRESSES_OF_RANGE = 1_000
"""Addresses of a range that a worker reads itself: a tenth of a second of work."""

CONTRACTS_SOURCE = "contracts"
"""The source of the pages that list contracts, as documents and ledger name it."""


class AddressPartition(NamedTuple):
    """A worker's task: to make the lists of some addresses."""

    name: str
    addresses: tuple[AddressContracts, ...]
    hosting: HostingSettings
    output: PartitionOutput


def build_address_partition(partition: AddressPartition) -> PartitionResult:
    """Make the documents that list the contracts at some addresses.

    The documents are in a temporary folder until the build ends and publishes them.

    Raises:
        OSError: if a document cannot be written.
    """
    partition.output.add(
        apply_host_layout(map(address_list_document, partition.addresses), partition.hosting)
    )
    return partition.output.result(len(partition.addresses))


def add_contract_lists(
    target: BuildTarget,
    contracts: BuiltContracts,
    progress: Progress,
    executor: Executor,
    skipped: list[Finding],
    *,
    is_same_site: bool,
) -> None:
    """Make the changed lists of contracts, as API documents and pages.

    Args:
        skipped: receives a finding for each page that cannot be made.
        is_same_site: whether the site's name, theme and chains are as in the last build.
    """
    site, sources = contracts.site, contracts.sources
    rows = sources.rows_for_workers() if executor.has_workers else None
    # In a site with one chain, an address has at most one contract. The build of that contract has already
    # made the document of the address.
    if len(site.content_of(SiteContracts).chains) > 1:
        if rows is not None:
            _add_address_lists_by_workers(target, contracts, rows, executor, progress)
        else:
            _add_address_lists(target, contracts, progress, executor)
    with report_stage(progress, "Lists"):
        if rows is not None:
            _add_lists_by_workers(target, contracts, rows, executor, skipped)
            return
        changes = _changed_match_ids(contracts)
        entries = _list_entries(contracts)
        chain_lists = _add_chain_lists(target, contracts, entries, changes)
        is_same_list = sources.keeps_unreplaced and not sources.has_changed_entries()
        if not (
            is_same_site and is_same_list and CONTRACTS_SOURCE not in contracts.sources_of_damaged_documents
        ):
            former = _previous_list_pages(target, contracts, changes) if is_same_site else no_previous_pages()
            _add_list_pages(target, contracts, entries, chain_lists, former, skipped=skipped)


def _list_entries(contracts: BuiltContracts) -> ListEntries:
    site, sources = contracts.site, contracts.sources
    is_searched = site.pages.search and site.pages.lists_contracts(contracts.counts.contracts)
    if is_searched and not sources.keeps_unreplaced:  # the search needs all entries in memory anyway
        return EntriesInMemory(sources.list_entries())
    return sources


def _add_chain_lists(
    target: BuildTarget,
    contracts: BuiltContracts,
    entries: ListEntries,
    changes: Mapping[str, list[str] | None],
) -> dict[str, ChainList]:
    """Add the API lists of chains with changed contracts.

    Returns:
        The list of each chain, divided into pages.
    """
    chain_lists = _chain_lists(target.ledger, contracts, entries, changes)
    for chain_id, chain_list in chain_lists.items():
        if chain_id in changes:
            target.add(apply_host_layout(chain_list_documents(chain_list), contracts.site.hosting))
            _remove_outdated_pages(target.ledger, chain_list)
        else:
            chain_list.find_pages()
    _save_pages(target.ledger, {chain_id: one.pages for chain_id, one in chain_lists.items()})
    return chain_lists


def _add_address_lists_by_workers(
    target: BuildTarget, contracts: BuiltContracts, rows: BuiltRows, executor: Executor, progress: Progress
) -> None:
    from statuary.contracts.incremental.lists_by_workers import address_ranges, make_address_lists

    results = list[PartitionResult]()
    with report_stage(progress, "Addresses"):
        size = max(ADDRESSES_OF_RANGE, contracts.counts.contracts // executor.most_tasks)
        ends = contracts.sources.range_end_addresses(size)
        ranges = address_ranges(rows, ends, contracts.site.hosting, target.output_for_task)
        for result in executor.map_unordered(make_address_lists, ranges):
            results.append(result)  # nothing is added while workers read
            progress.advance(result.items)
        executor.merge_partitions(results, target)


def _add_lists_by_workers(
    target: BuildTarget,
    contracts: BuiltContracts,
    rows: BuiltRows,
    executor: Executor,
    skipped: list[Finding],
) -> None:
    from statuary.contracts.incremental.lists_by_workers import make_list_documents, plan_list_tasks
    from statuary.contracts.pages.list_documents import list_page_settings

    site, counts, chains = contracts.site, contracts.counts, contracts.site.content_of(SiteContracts).chains
    pages = list_page_settings(site, counts, is_complete=site.pages.lists_contracts(counts.contracts))
    tasks = plan_list_tasks(rows, pages, chains, site.hosting, target.output_for_task)
    lists = list(executor.map_unordered(make_list_documents, tasks))  # nothing is added while workers read
    for made in lists:
        target.merge_partition(made.result)
    _save_pages(target.ledger, {made.chain_id: made.pages for made in lists if made.chain_id})
    if any(made.failed for made in lists):  # make the pages again, here, where the reason is reported
        target.discard(path for made in lists for path in made.paths)
        sources, changes = contracts.sources, _changed_match_ids(contracts)
        chain_lists = _chain_lists(target.ledger, contracts, sources, changes)
        for chain_list in chain_lists.values():
            chain_list.find_pages()
        _add_list_pages(target, contracts, sources, chain_lists, no_previous_pages(), skipped=skipped)


def _add_address_lists(
    target: BuildTarget, contracts: BuiltContracts, progress: Progress, executor: Executor
) -> None:
    site, sources = contracts.site, contracts.sources
    with report_stage(progress, "Addresses"):
        addresses = group_rows_by_address(sources.rows_of_changed_addresses())
        partitions = _address_partitions(addresses, site.hosting, target.output_for_task)
        for result in executor.map_unordered(build_address_partition, partitions):
            target.merge_partition(result)
            progress.advance(result.items)
        names = _address_document_paths(site, sources.changed_addresses())
        target.ledger.documents.remove_unless_added(names)


def _address_partitions(
    addresses: Iterator[AddressContracts], hosting: HostingSettings, output: Callable[[str], PartitionOutput]
) -> Iterator[AddressPartition]:
    number = 0
    while batch := tuple(islice(addresses, ADDRESSES)):
        number += 1
        name = f"addresses-{number:07d}"
        yield AddressPartition(name, batch, hosting, output(name))


def _address_document_paths(site: SiteContent, addresses: Iterable[str]) -> Iterator[str]:
    for address in addresses:
        bare = Document(path=CONTRACT_ALL_CHAINS.path(address=address), body=b"")
        for document in apply_host_layout([bare], site.hosting):
            yield document.path
            yield from (f"{document.path}.{form}" for form in site.hosting.precompressed)


def _changed_match_ids(contracts: BuiltContracts) -> dict[str, list[str] | None]:
    """Return the changed contracts of each chain whose list is made again.

    Returns:
        By chain id, the match ids at which the list has changed; None if all of the list is made again.
    """
    chains = [chain.chain_id for chain in contracts.site.content_of(SiteContracts).chains]
    if not contracts.sources.keeps_unreplaced:
        return dict.fromkeys(chains)
    lost = [
        chain_id for chain_id in chains if f"contracts/{chain_id}" in contracts.sources_of_damaged_documents
    ]
    return {**contracts.sources.changed_match_ids(), **dict.fromkeys(lost)}


def _chain_lists(
    ledger: Ledger,
    contracts: BuiltContracts,
    entries: ListEntries,
    changes: Mapping[str, list[str] | None],
) -> dict[str, ChainList]:
    pages = orjson.loads(ledger.get_meta(LIST_PAGES) or "{}")
    return {
        chain.chain_id: ChainList(
            chain.chain_id,
            partial(entries.rows_after, chain.chain_id),
            [PageSummary(*values) for values in pages.get(chain.chain_id, ())],
            changes.get(chain.chain_id, []),
        )
        for chain in contracts.site.content_of(SiteContracts).chains
    }


def _save_pages(ledger: Ledger, pages: Mapping[str, Sequence[PageSummary]]) -> None:
    """Store the pages of each list, so that the next build reads only those that change."""
    values = {chain_id: [*map(tuple, pages_of_chain)] for chain_id, pages_of_chain in pages.items()}
    ledger.set_meta({LIST_PAGES: orjson.dumps(values).decode()})


def _remove_outdated_pages(ledger: Ledger, chain_list: ChainList) -> None:
    chain_id = chain_list.chain_id
    index = CONTRACTS_PAGES.path(chain_id=chain_id)
    names = {CONTRACTS_PAGE.path(chain_id=chain_id, page=page.name) for page in chain_list.pages} | {index}
    for path in ledger.documents.paths_made_from(f"contracts/{chain_id}", index.rpartition("/")[0]):
        if uncompressed_path(path) not in names:
            ledger.documents.remove_unless_added([path])


def _add_list_pages(
    target: BuildTarget,
    contracts: BuiltContracts,
    entries: ListEntries,
    chain_lists: Mapping[str, ChainList],
    former: PreviousPages,
    *,
    skipped: list[Finding],
) -> None:
    from statuary.contracts.pages.list_documents import contract_list_pages

    site, counts, documents = contracts.site, contracts.counts, target.ledger.documents
    is_complete = site.pages.lists_contracts(counts.contracts)
    pages = render_with_fallback(
        "the lists of contracts",
        lambda site: contract_list_pages(
            site,
            counts,
            chain_lists if is_complete else {},
            lambda: list(entries.list_entries()),
            former,
        ),
        site,
        skipped,
    )
    target.add(apply_host_layout(pages, site.hosting))
    gone = [path for path in _published_list_pages(target) if uncompressed_path(path) not in former.kept]
    documents.remove_unless_added(gone)


def _previous_list_pages(
    target: BuildTarget, contracts: BuiltContracts, changes: Collection[str]
) -> PreviousPages:
    # Return no pages if a published page changed.
    if not contracts.sources.keeps_unreplaced or CONTRACTS_SOURCE in contracts.sources_of_damaged_documents:
        return no_previous_pages()
    published = frozenset(_published_list_pages(target))
    return PreviousPages(published, contracts.sources.search_changes(), changes)


def _published_list_pages(target: BuildTarget) -> list[str]:
    folder = CONTRACTS_HOME.path().rpartition("/")[0]
    return list(target.ledger.documents.paths_made_from(CONTRACTS_SOURCE, folder))
