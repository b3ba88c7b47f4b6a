"""The lists of the look-up: made anew for what has changed, left alone for the rest."""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import orjson

from statuary.build.contracts import BuiltContracts
from statuary.build.execution.options import TaskExecutor
from statuary.build.partitions import PartitionResult
from statuary.build.progress import Progress, stage
from statuary.documents.contract_api.contract_lists import (
    PAGE_SIZE,
    AddressRows,
    all_chains_document,
    chain_documents,
    rows_by_address,
)
from statuary.documents.document import Document
from statuary.documents.pages.contracts.listed_contract import ListedContract
from statuary.documents.url_table import CONTRACT_ALL_CHAINS, CONTRACTS_HOME, CONTRACTS_PAGES
from statuary.domain.catalogue import Catalogue
from statuary.domain.contracts.record import ContractRow
from statuary.domain.hosting_settings import HostingSettings
from statuary.publishing.folder.folder_target import FolderTarget
from statuary.publishing.folder.stager import OfferedFile, Stager
from statuary.publishing.host_layout import laid_out
from statuary.publishing.ledger.partition_file import write_partition_file
from statuary.publishing.ledger.source_rows import SourceTable
from statuary.publishing.target import Target

ADDRESSES = 250
"""Addresses of a partition."""

CONTRACTS_SOURCE = "contracts"
"""What pages that list contracts are made of, as documents and ledger tell it."""


class AddressPartition(NamedTuple):
    """Addresses whose documents are made together, by whoever has a hand free.

    Attributes:
        name: tells it from the others of the build.
        held: the addresses.
        hosting: how documents are arranged for hosts.
        stager: stages them.
        shard: where to write down what was staged; None hands it back.
    """

    name: str
    held: tuple[AddressRows, ...]
    hosting: HostingSettings
    stager: Stager
    shard: Path | None


def build_address_partition(partition: AddressPartition) -> PartitionResult:
    """Stage the documents of a partition's addresses.

    Raises:
        OSError: if a body cannot be staged.
    """
    stager = partition.stager
    offers: list[OfferedFile] = []
    for document in laid_out(map(all_chains_document, partition.held), partition.hosting):
        offers += stager.take(document)
    folders, count = tuple(sorted(stager.folders)), len(partition.held)
    if partition.shard is None:
        return PartitionResult(
            name=partition.name, count=count, shard=None, offers=tuple(offers), folders=folders
        )
    write_partition_file(partition.shard, offers, (), folders)
    return PartitionResult(name=partition.name, count=count, shard=partition.shard)


def offer_lists(
    publisher: Target,
    catalogue: Catalogue,
    contracts: BuiltContracts,
    progress_listener: Progress,
    executor: TaskExecutor,
) -> None:
    """Offer the lists of every chain, and of every address, of which something has changed.

    Args:
        publisher: where they go.
        catalogue: the site.
        contracts: what became of the contracts.
        announcer: whoever shows progress.
        hands: who makes the documents of addresses.
    """
    rows = contracts.rows
    with stage(progress_listener, "Addresses"):
        if isinstance(publisher, FolderTarget):
            for done in executor.map_unordered(
                build_address_partition, _partitions(publisher, catalogue, rows)
            ):
                if done.shard is None:
                    publisher.take(done.offers, (), done.folders)
                else:
                    publisher.take_partition_file(done.shard)
                progress_listener.advance(done.count)
            publisher.remove_unless_offered(_all_names(catalogue, rows.changed_addresses()))
        else:
            held = rows_by_address(rows.of_changed_addresses())
            publisher.offer(laid_out(map(all_chains_document, held), catalogue.hosting))
    with stage(progress_listener, "Lists"):
        for chain_id, standing in _changed_chains(catalogue, contracts).items():
            documents = chain_documents(chain_id, rows.of_chain(chain_id), standing)
            publisher.offer(laid_out(documents, catalogue.hosting))
            if isinstance(publisher, FolderTarget):
                _remove_surplus_pages(publisher, chain_id, rows)


def _partitions(
    publication: FolderTarget, catalogue: Catalogue, rows: SourceTable
) -> Iterator[AddressPartition]:
    held, number = rows_by_address(rows.of_changed_addresses()), 0
    while part := tuple(islice(held, ADDRESSES)):
        number += 1
        name = f"addresses-{number:07d}"
        yield AddressPartition(
            name=name,
            held=part,
            hosting=catalogue.hosting,
            stager=publication.stager,
            shard=publication.shard(name),
        )


def _all_names(catalogue: Catalogue, addresses: Iterable[str]) -> Iterator[str]:
    """Yield the paths under which the documents of addresses lie, with their compressed forms."""
    for address in addresses:
        bare = Document(path=CONTRACT_ALL_CHAINS.path(address=address), body=b"")
        for document in laid_out([bare], catalogue.hosting):
            yield document.path
            yield from (f"{document.path}.{form}" for form in catalogue.hosting.precompressed)


def _changed_chains(catalogue: Catalogue, contracts: BuiltContracts) -> dict[str, int]:
    """Return the chains whose lists are made anew, each with how many of its oldest contracts stand as they stood."""
    rows = contracts.rows
    if not rows.partial:
        return {chain.chain_id: 0 for chain in catalogue.chains}
    lost = {
        chain.chain_id: 0 for chain in catalogue.chains if f"contracts/{chain.chain_id}" in contracts.missing
    }
    return rows.changed_chains() | lost


def _remove_surplus_pages(publication: FolderTarget, chain_id: str, rows: SourceTable) -> None:
    """Have pages go that a chain has no more contracts for; those that stand are not offered, and stay."""
    folder = CONTRACTS_PAGES.path(chain_id=chain_id).rpartition("/")[0]
    pages = -(-rows.counts().get(chain_id, 0) // PAGE_SIZE)
    for path in publication.made_of(f"contracts/{chain_id}", folder):
        number = path.rpartition("/")[2].partition(".")[0]
        if number.isdecimal() and int(number) > pages:
            publication.remove_unless_offered([path])


def listed_contracts(
    publisher: Target, catalogue: Catalogue, contracts: BuiltContracts
) -> list[ListedContract] | None:
    """Return what pages list of contracts: none of them if they are too many, None if the pages stay as they are."""
    rows = contracts.rows
    if rows.partial and not rows.differ() and CONTRACTS_SOURCE not in contracts.missing:
        return None
    if isinstance(publisher, FolderTarget):
        publisher.remove_unless_offered(
            publisher.made_of(CONTRACTS_SOURCE, CONTRACTS_HOME.path().rpartition("/")[0])
        )
    if not catalogue.pages.lists_contracts(sum(rows.counts().values())):
        return []
    return [_entry(text, row) for text, row in rows.entries()]


def _entry(text: str, row: ContractRow) -> ListedContract:
    name, language, selectors = orjson.loads(text)
    return ListedContract(
        chain_id=row.chainId,
        address=row.address,
        name=name,
        language=language,
        match=row.match,
        verified_at=row.verifiedAt,
        match_id=int(row.matchId),
        selectors=bytes.fromhex(selectors),
    )
