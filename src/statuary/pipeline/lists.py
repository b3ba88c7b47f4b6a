"""The lists of the look-up: made anew for what has changed, left alone for the rest."""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import orjson

from statuary.documents.contract_api.lists import (
    PAGE_SIZE,
    AddressRows,
    all_chains_document,
    by_address,
    chain_documents,
)
from statuary.documents.document import Document
from statuary.documents.pages.contracts.contract_entry import ContractEntry
from statuary.documents.url_table import CONTRACT_ALL_CHAINS, CONTRACTS_HOME, CONTRACTS_PAGES
from statuary.domain.catalogue import Catalogue
from statuary.domain.contracts.record import ContractRow
from statuary.domain.hosting import HostingSettings
from statuary.pipeline.announcements import Announcer, stage
from statuary.pipeline.contracts import PressedContracts
from statuary.pipeline.effort import Hands
from statuary.pipeline.partition import Done
from statuary.publishing.arrange import arranged
from statuary.publishing.publication import Publication
from statuary.publishing.publisher import Publisher
from statuary.publishing.shard import write_shard
from statuary.publishing.source_rows import SourceRows
from statuary.publishing.stager import Offer, Stager

ADDRESSES = 250
"""Addresses of a partition."""

CONTRACTS = "contracts"
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


def list_addresses(partition: AddressPartition) -> Done:
    """Stage the documents of a partition's addresses.

    Raises:
        OSError: if a body cannot be staged.
    """
    stager = partition.stager
    offers: list[Offer] = []
    for document in arranged(map(all_chains_document, partition.held), partition.hosting):
        offers += stager.take(document)
    folders, count = tuple(sorted(stager.folders)), len(partition.held)
    if partition.shard is None:
        return Done(name=partition.name, count=count, shard=None, offers=tuple(offers), folders=folders)
    write_shard(partition.shard, offers, (), folders)
    return Done(name=partition.name, count=count, shard=partition.shard)


def offer_lists(
    publisher: Publisher,
    catalogue: Catalogue,
    contracts: PressedContracts,
    announcer: Announcer,
    hands: Hands,
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
    with stage(announcer, "Addresses"):
        if isinstance(publisher, Publication):
            for done in hands.each(list_addresses, _partitions(publisher, catalogue, rows)):
                if done.shard is None:
                    publisher.take(done.offers, (), done.folders)
                else:
                    publisher.take_shard(done.shard)
                announcer.advance(done.count)
            publisher.suspect(_all_names(catalogue, rows.changed_addresses()))
        else:
            held = by_address(rows.of_changed_addresses())
            publisher.offer(arranged(map(all_chains_document, held), catalogue.hosting))
    with stage(announcer, "Lists"):
        for chain_id, standing in _changed_chains(catalogue, contracts).items():
            documents = chain_documents(chain_id, rows.of_chain(chain_id), standing)
            publisher.offer(arranged(documents, catalogue.hosting))
            if isinstance(publisher, Publication):
                _suspect_pages(publisher, chain_id, rows)


def _partitions(
    publication: Publication, catalogue: Catalogue, rows: SourceRows
) -> Iterator[AddressPartition]:
    held, number = by_address(rows.of_changed_addresses()), 0
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
        for document in arranged([bare], catalogue.hosting):
            yield document.path
            yield from (f"{document.path}.{form}" for form in catalogue.hosting.precompressed)


def _changed_chains(catalogue: Catalogue, contracts: PressedContracts) -> dict[str, int]:
    """Return the chains whose lists are made anew, each with how many of its oldest contracts stand as they stood."""
    rows = contracts.rows
    if not rows.partial:
        return {chain.chain_id: 0 for chain in catalogue.chains}
    lost = {
        chain.chain_id: 0 for chain in catalogue.chains if f"contracts/{chain.chain_id}" in contracts.missing
    }
    return rows.changed_chains() | lost


def _suspect_pages(publication: Publication, chain_id: str, rows: SourceRows) -> None:
    """Have pages go that a chain has no more contracts for; those that stand are not offered, and stay."""
    folder = CONTRACTS_PAGES.path(chain_id=chain_id).rpartition("/")[0]
    pages = -(-rows.counts().get(chain_id, 0) // PAGE_SIZE)
    for path in publication.made_of(f"contracts/{chain_id}", folder):
        number = path.rpartition("/")[2].partition(".")[0]
        if number.isdecimal() and int(number) > pages:
            publication.suspect([path])


def page_entries(
    publisher: Publisher, catalogue: Catalogue, contracts: PressedContracts
) -> list[ContractEntry] | None:
    """Return what pages list of contracts: none of them if they are too many, None if the pages stay as they are."""
    rows = contracts.rows
    if rows.partial and not rows.differ() and CONTRACTS not in contracts.missing:
        return None
    if isinstance(publisher, Publication):
        publisher.suspect(publisher.made_of(CONTRACTS, CONTRACTS_HOME.path().rpartition("/")[0]))
    if not catalogue.pages.lists_contracts(sum(rows.counts().values())):
        return []
    return [_entry(text, row) for text, row in rows.entries()]


def _entry(text: str, row: ContractRow) -> ContractEntry:
    name, language, selectors = orjson.loads(text)
    return ContractEntry(
        chain_id=row.chainId,
        address=row.address,
        name=name,
        language=language,
        match=row.match,
        verified_at=row.verifiedAt,
        match_id=int(row.matchId),
        selectors=bytes.fromhex(selectors),
    )
