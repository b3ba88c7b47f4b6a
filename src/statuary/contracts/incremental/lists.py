"""Rebuild the lists of contracts: by chain, by address, and as pages."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import orjson

from statuary.base.findings import Finding
from statuary.base.progress import Progress, report_stage
from statuary.contracts.api.lists import (
    AddressContracts,
    all_chains_document,
    chain_documents,
    group_rows_by_address,
)
from statuary.contracts.incremental.built_contracts import LIST_PAGES, BuiltContracts
from statuary.contracts.incremental.contract_table import BuiltRows
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

INDEX_NAME = CONTRACTS_PAGES.pattern.rpartition("/")[2]

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
    partition.output.add(apply_host_layout(map(all_chains_document, partition.addresses), partition.hosting))
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
    """Make the lists of contracts that changed, as API documents and pages.

    Args:
        skipped: receives a finding for each page that cannot be made.
        is_same_site: whether only contracts have changed since the last build made the pages.
    """
    site, sources = contracts.site, contracts.sources
    rows = None
    # In a site with one chain, an address has at most one contract. The build of that contract has already
    # made the document of the address.
    if len(site.of(SiteContracts).chains) > 1:
        rows = sources.rows_for_workers() if executor.has_workers else None
        if rows is not None:
            _add_address_lists_by_workers(target, contracts, rows, executor, progress)
        else:
            _add_address_lists(target, contracts, progress, executor)
    with report_stage(progress, "Lists"):
        if rows is not None:
            _add_lists_by_workers(target, contracts, rows, executor, skipped)
            return
        for chain_id, unchanged in _changed_chains(contracts).items():
            documents = chain_documents(chain_id, sources.rows_of_chain(chain_id), unchanged)
            index: list[Document] = []
            target.add(apply_host_layout(_capture_index_document(documents, index), site.hosting))
            _remove_outdated_pages(target.ledger, chain_id, index[0])
        is_same_list = sources.is_partial and not sources.has_changed_entries()
        if not (is_same_site and is_same_list and CONTRACTS_SOURCE not in contracts.incomplete_sources):
            _add_list_pages(target, contracts, skipped, is_same_site=is_same_site)


def _add_address_lists_by_workers(
    target: BuildTarget, contracts: BuiltContracts, rows: BuiltRows, executor: Executor, progress: Progress
) -> None:
    from statuary.contracts.incremental.lists_by_workers import address_ranges, make_address_lists

    results = list[PartitionResult]()
    with report_stage(progress, "Addresses"):
        ends = contracts.sources.range_end_addresses(ADDRESSES_OF_RANGE)
        ranges = address_ranges(rows, ends, contracts.site.hosting, target.output)
        for result in executor.map_unordered(make_address_lists, ranges):
            results.append(result)  # nothing is added while workers read
            progress.advance(result.items)
        for result in results:
            target.merge_partition(result)


def _add_lists_by_workers(
    target: BuildTarget,
    contracts: BuiltContracts,
    rows: BuiltRows,
    executor: Executor,
    skipped: list[Finding],
) -> None:
    from statuary.contracts.incremental.lists_by_workers import make_list_documents, plan_list_tasks
    from statuary.contracts.pages.list_documents import list_page_settings

    site, counts, chains = contracts.site, contracts.counts, contracts.site.of(SiteContracts).chains
    pages = list_page_settings(site, counts, is_complete=site.pages.lists_contracts(counts.contracts))
    tasks = plan_list_tasks(rows, pages, chains, site.hosting, target.output)
    lists = list(executor.map_unordered(make_list_documents, tasks))  # nothing is added while workers read
    for made in lists:
        target.merge_partition(made.result)
    if any(made.failed for made in lists):  # make the pages again, here, where the reason is reported
        target.discard(path for made in lists for path in made.pages)
        _add_list_pages(target, contracts, skipped, is_same_site=False)
        return
    digests = {path: digest for made in lists for path, digest in made.digests.items()}
    target.ledger.set_meta({LIST_PAGES: orjson.dumps(digests).decode()})


def _add_address_lists(
    target: BuildTarget, contracts: BuiltContracts, progress: Progress, executor: Executor
) -> None:
    site, sources = contracts.site, contracts.sources
    with report_stage(progress, "Addresses"):
        addresses = group_rows_by_address(sources.rows_of_changed_addresses())
        partitions = _address_partitions(addresses, site.hosting, target.output)
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


def _changed_chains(contracts: BuiltContracts) -> dict[str, int]:
    """Return changed chains, with the number of oldest contracts that stay."""
    chains = contracts.site.of(SiteContracts).chains
    if not contracts.sources.is_partial:
        return {chain.chain_id: 0 for chain in chains}
    lost = {
        chain.chain_id: 0 for chain in chains if f"contracts/{chain.chain_id}" in contracts.incomplete_sources
    }
    return contracts.sources.changed_chains() | lost


def _capture_index_document(
    documents: Iterable[Document], index_documents: list[Document]
) -> Iterator[Document]:
    for document in documents:
        if document.path.endswith(INDEX_NAME):
            index_documents.append(document)
        yield document


def _remove_outdated_pages(ledger: Ledger, chain_id: str, index: Document) -> None:
    pages = orjson.loads(index.body)["pages"]
    named_pages = {CONTRACTS_PAGE.path(chain_id=chain_id, page=page["page"]) for page in pages} | {index.path}
    for path in ledger.documents.paths_made_from(f"contracts/{chain_id}", index.path.rpartition("/")[0]):
        if uncompressed_path(path) not in named_pages:
            ledger.documents.remove_unless_added([path])


def _add_list_pages(
    target: BuildTarget, contracts: BuiltContracts, skipped: list[Finding], *, is_same_site: bool
) -> None:
    from statuary.contracts.pages.list_documents import contract_list_pages

    site, counts, documents = contracts.site, contracts.counts, target.ledger.documents
    former = _previous_list_pages(target, contracts) if is_same_site else no_previous_pages()
    entries = list(contracts.sources.list_entries()) if site.pages.lists_contracts(counts.contracts) else []
    pages = render_with_fallback(
        "the lists of contracts",
        lambda site: contract_list_pages(site, counts, entries, former),
        site,
        skipped,
    )
    target.add(apply_host_layout(pages, site.hosting))
    gone = [path for path in _published_list_pages(target) if uncompressed_path(path) not in former.kept]
    documents.remove_unless_added(gone)
    target.ledger.set_meta({LIST_PAGES: orjson.dumps(former.digests).decode()})


def _previous_list_pages(target: BuildTarget, contracts: BuiltContracts) -> PreviousPages:
    # Return no pages if the settings or a published page changed.
    noted = target.ledger.get_meta(LIST_PAGES)
    if not (noted and contracts.sources.is_partial) or CONTRACTS_SOURCE in contracts.incomplete_sources:
        return no_previous_pages()
    published = frozenset(_published_list_pages(target))
    return PreviousPages(
        orjson.loads(noted), published, contracts.sources.search_changes(), _changed_chains(contracts)
    )


def _published_list_pages(target: BuildTarget) -> list[str]:
    folder = CONTRACTS_HOME.path().rpartition("/")[0]
    return list(target.ledger.documents.paths_made_from(CONTRACTS_SOURCE, folder))
