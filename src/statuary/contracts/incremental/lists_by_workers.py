"""Make the lists of all contracts on the workers of a build.

Workers read the rows of the build themselves, so that the building process only assigns them. The documents are
those that `lists.py` makes in one process.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from statuary.base.budget import run_guarded
from statuary.base.findings import Finding
from statuary.contracts.api.list_pages import ChainList, PageSummary
from statuary.contracts.api.lists import address_list_document, chain_list_documents, group_rows_by_address
from statuary.contracts.incremental.built_rows import BuiltRows
from statuary.contracts.pages.list_documents import ListPageSettings
from statuary.contracts.pages.previous_pages import no_previous_pages
from statuary.contracts.paths import apply_host_layout
from statuary.contracts.settings import Chain
from statuary.publish.ledger.schema import PartitionOutput, PartitionResult
from statuary.site.document import Document
from statuary.site.settings import HostingSettings

Output = Callable[[str], PartitionOutput]
"""Returns the receiver for the documents of a partition, by its name."""


class AddressRange(NamedTuple):
    """A worker's task: to make the lists of addresses in a range."""

    rows: BuiltRows
    after: str  # the address before the first one; empty for none
    until: str | None  # the last address; None for the end
    hosting: HostingSettings
    output: PartitionOutput


def make_address_lists(task: AddressRange) -> PartitionResult:
    """Make the documents that list the contracts at each address.

    Args:
        task: the range of addresses, and the output that receives the documents.
    """
    addresses = list(group_rows_by_address(task.rows.rows_at_addresses(task.after, task.until)))
    task.output.add(apply_host_layout(map(address_list_document, addresses), task.hosting))
    return task.output.result(len(addresses))


def address_ranges(
    rows: BuiltRows, range_ends: list[str], hosting: HostingSettings, output: Output
) -> Iterator[AddressRange]:
    """Divide the addresses of a site into ranges for workers.

    Args:
        range_ends: the last address of each range except the final one, sorted.
        hosting: where the documents will be served.
        output: the receivers of the documents.
    """
    for number, (after, until) in enumerate(
        zip(["", *range_ends], [*range_ends, None], strict=True), start=1
    ):
        yield AddressRange(rows, after, until, hosting, output(f"addresses-{number:07d}"))


MakePages = Callable[["ListTask", ChainList | None], Iterator[Document]]
"""Makes the pages of a task, given the list of its chain."""


class ListTask(NamedTuple):
    """A worker's task: a chain's lists, the start page or the search."""

    make: MakePages  # a function of this module
    rows: BuiltRows
    pages: ListPageSettings | None  # None if the site has no pages
    chain: Chain | None  # the chain whose lists are made; None for other lists
    hosting: HostingSettings
    output: PartitionOutput


class MadeLists(NamedTuple):
    """The documents that a worker made for a `ListTask`."""

    result: PartitionResult
    paths: tuple[str, ...]  # the paths of the pages for people
    failed: bool  # whether these pages could not be made, so that `paths` is empty
    chain_id: str = ""  # the chain whose lists were made; empty for other lists
    pages: tuple[PageSummary, ...] = ()  # the pages of the chain's list


def make_list_documents(task: ListTask) -> MadeLists:
    """Make the API lists and list pages of one worker's task.

    If the pages cannot be made, the result has only the API lists, and is marked as failed.
    """
    chain_list = None
    if task.chain is not None:
        chain_list = _chain_list(task.rows, task.chain)
        task.output.add(apply_host_layout(chain_list_documents(chain_list), task.hosting))
    pages = run_guarded(lambda: tuple(task.make(task, chain_list)), "", "making the lists of contracts")
    failed = isinstance(pages, Finding)
    paths = (
        () if isinstance(pages, Finding) else tuple(task.output.add(apply_host_layout(pages, task.hosting)))
    )
    result = task.output.result(0)
    if chain_list is None:
        return MadeLists(result, paths, failed)
    return MadeLists(result, paths, failed, chain_list.chain_id, tuple(chain_list.pages))


def _chain_list(rows: BuiltRows, chain: Chain) -> ChainList:
    return ChainList(chain.chain_id, partial(rows.rows_after, chain.chain_id))


def _chain_list_pages(task: ListTask, chain_list: ChainList | None) -> Iterator[Document]:
    if task.pages is not None and task.pages.is_complete and task.chain is not None and chain_list:
        yield from task.pages.chain_documents(task.chain, chain_list, no_previous_pages())


def _home_page(task: ListTask, _: ChainList | None) -> Iterator[Document]:
    if task.pages is not None:
        chains = task.pages.chains if task.pages.is_complete else ()
        chain_lists: dict[str, ChainList] = {
            chain.chain_id: _chain_list(task.rows, chain) for chain in chains
        }
        for chain_list in chain_lists.values():
            chain_list.find_pages()
        yield from task.pages.home_documents(chain_lists)


def _search_files(task: ListTask, _: ChainList | None) -> Iterator[Document]:
    if task.pages is not None and task.pages.has_search:
        yield from task.pages.search_files(list(task.rows.all_rows()), no_previous_pages())


def plan_list_tasks(
    rows: BuiltRows,
    pages: ListPageSettings | None,
    chains: tuple[Chain, ...],
    hosting: HostingSettings,
    output: Output,
) -> Iterator[ListTask]:
    """Yield one task for the search, the start page and each chain.

    Workers run the tasks. The longest task, the search, is first.
    """
    whole = [("search", _search_files, None), ("home", _home_page, None)]
    of_chains = [(f"chain-{chain.chain_id}", _chain_list_pages, chain) for chain in chains]
    for name, make, chain in (*whole, *of_chains):
        yield ListTask(make, rows, pages, chain, hosting, output(f"lists-{name}"))
