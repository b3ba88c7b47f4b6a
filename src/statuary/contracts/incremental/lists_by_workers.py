"""Make the lists of all contracts on the workers of a build.

Workers read the rows of the build themselves, so that the building process only assigns them. The documents are
those that `lists.py` makes in one process.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from statuary.base.budget import run_guarded
from statuary.base.findings import Finding
from statuary.contracts.api.lists import all_chains_document, chain_documents, group_rows_by_address
from statuary.contracts.incremental.contract_table import BuiltRows
from statuary.contracts.pages.list_documents import ListPageSettings
from statuary.contracts.pages.previous_pages import PreviousPages, no_previous_pages
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
    task.output.add(apply_host_layout(map(all_chains_document, addresses), task.hosting))
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


MakePages = Callable[["ListTask", PreviousPages], Iterator[Document]]
"""Makes the pages of a task, and notes what they were made from."""


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
    pages: tuple[str, ...]  # the paths of the pages
    digests: dict[str, str]  # the digests of the inputs of the pages, as in `PreviousPages`
    failed: bool  # whether the pages could not be made, so that `pages` is empty


def make_list_documents(task: ListTask) -> MadeLists:
    """Make the API lists and list pages of one worker's task.

    If the pages cannot be made, the result has only the API lists, and is marked as failed.
    """
    if task.chain is not None:
        chain_id = task.chain.chain_id
        task.output.add(
            apply_host_layout(chain_documents(chain_id, task.rows.rows_of_chain(chain_id)), task.hosting)
        )
    noted = no_previous_pages()
    pages = run_guarded(lambda: tuple(task.make(task, noted)), "", "making the lists of contracts")
    failed = isinstance(pages, Finding)
    paths = (
        () if isinstance(pages, Finding) else tuple(task.output.add(apply_host_layout(pages, task.hosting)))
    )
    return MadeLists(task.output.result(0), paths, noted.digests, failed)


def _chain_list_pages(task: ListTask, noted: PreviousPages) -> Iterator[Document]:
    if task.pages is not None and task.pages.is_complete and task.chain is not None:
        lists = task.pages.renderer_of_lists(list(task.rows.rows_of_chain(task.chain.chain_id)))
        yield from task.pages.chain_documents(task.chain, lists, noted)


def _home_page(task: ListTask, _: PreviousPages) -> Iterator[Document]:
    if task.pages is not None:
        entries = list(task.rows.page_rows()) if task.pages.is_complete else []
        yield from task.pages.home_documents(task.pages.renderer_of_lists(entries))


def _search_files(task: ListTask, noted: PreviousPages) -> Iterator[Document]:
    if task.pages is not None and task.pages.has_search:
        yield from task.pages.search_files(list(task.rows.all_rows()), noted)


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
