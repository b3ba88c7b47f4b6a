"""Build the contracts of a site: which ones, on which workers, with which results; then the lists of them."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from statuary.checks.record_location import one_record_per_contract, one_record_per_match_id
from statuary.content.git_state import GitQuery, GitState
from statuary.content.source_files import SourceStat, source_stat
from statuary.documents.all_documents import address_documents, chain_list_documents
from statuary.documents.contract_api.lists import PAGE_SIZE, AddressRows, rows_by_address
from statuary.documents.document import Document
from statuary.documents.pages.contract.context import contract_page_context
from statuary.documents.url_table import CONTRACT_ALL_CHAINS, CONTRACTS_HOME, CONTRACTS_PAGES
from statuary.domain.catalogue import BulkSource, Catalogue, ContractForm, ContractSource
from statuary.domain.contracts.record import ContractCounts, ContractRow
from statuary.domain.findings import Finding, Position, Severity, has_errors
from statuary.domain.settings import HostingSettings
from statuary.optional import can_recover_senders
from statuary.pipeline.changes import (
    AnySource,
    BuildScope,
    RebuildReason,
    build_notes,
    scope_of,
    with_known_count,
)
from statuary.pipeline.executor import Executor
from statuary.pipeline.fingerprint import ContractBuildSettings, fingerprint_of
from statuary.pipeline.options import CheckOptions, ExecutionOptions
from statuary.pipeline.partitions import (
    RECENT,
    ContractPartition,
    Partitioner,
    PartitionSettings,
    build_partition,
)
from statuary.pipeline.progress import Progress, stage
from statuary.publishing.host_layout import laid_out
from statuary.publishing.ledger.ledger import Ledger
from statuary.publishing.ledger.schema import DuplicateContract, PartitionOutput, PartitionResult, SourceRow
from statuary.publishing.ledger.source_table import SourceTable
from statuary.publishing.target import BuildTarget

BULK_LOCATION = re.compile(r"(.*):(\d+)", re.DOTALL)
"""A place in a bulk file, as `ContractSource.location` writes it."""


DUPLICATES = {"chain_id, address": one_record_per_contract, "match_order": one_record_per_match_id}
"""The columns in which no two records may be equal, with the rule."""


class BuiltContracts(NamedTuple):
    """The results of all contracts."""

    catalogue: Catalogue
    sources: SourceTable  # the rows that the site will have
    counts: ContractCounts
    findings: tuple[Finding, ...]
    withheld_because: tuple[Finding, ...]  # what is wrong with single contracts; the rest is published
    withheld: int  # how many are withheld
    built: int
    missing: frozenset[str]  # the sources of published documents that were missing or damaged


def build_contracts(
    root: Path,
    catalogue: Catalogue,
    target: BuildTarget,
    progress: Progress,
    *,
    check_options: CheckOptions,
    execution: ExecutionOptions,
) -> BuiltContracts:
    """Build every contract that has changed, or all of them; those that repeat one another are withheld.

    Raises:
        PublishingError: if a document cannot be part of the site.
        ThemeError: if a template of the site's own cannot be rendered.
    """
    tree = None if execution.git is None else execution.git.answer
    catalogue = with_known_count(catalogue, target.ledger, tree)
    settings = contract_build_settings(catalogue, check_options)
    fingerprint = fingerprint_of(settings, catalogue.hosting, can_recover_senders())
    scope = scope_of(root, catalogue, target, tree, fingerprint, verify=execution.verify)
    shared = PartitionSettings(root, settings, catalogue.hosting, target.began)
    partitioner = Partitioner(shared, target.output, target.partition_size)
    sources, built, read = target.ledger.sources, 0, list[ReadBulkSource]()
    with stage(progress, "Contracts"), ExitStack() as bulk:
        partitions = _partitions(root, catalogue, scope.outdated, partitioner, read=read, opened=bulk)
        for result in execution.executor.map_unordered(build_partition, partitions):
            target.take(result)
            built += result.items
            progress.advance(result.items)
    sources.add(_bulk_row(root, one, target.began) for one in read)
    if tree is not None and not scope.is_unchanged:
        tree = _confirmed(root, tree, sources, scope)
    sources.mark_changed(scope.gone)
    sources.touch(scope.touched)
    sources.supersede()
    _withhold_duplicates(target)
    sources.compare(RebuildReason.MISSING)
    target.ledger.add_notes(build_notes(catalogue, tree, fingerprint))
    findings, withheld_because, withheld = _findings(sources)
    return BuiltContracts(
        catalogue=catalogue,
        sources=sources,
        counts=sources.summary(),
        findings=tuple(findings),
        withheld_because=tuple(withheld_because),
        withheld=withheld,
        built=built,
        missing=scope.missing,
    )


def _confirmed(root: Path, tree: GitState, sources: SourceTable, scope: BuildScope) -> GitState | None:
    """Return git's state if it has not changed since before the content was read, and covers all files that were read."""
    if GitQuery(root).answer != tree:
        sources.forget_git_ids()
        scope.touched.clear()
        return None
    is_known = sources.have_git_ids() and all(git for _, git, _ in scope.touched)
    return tree if is_known else None


def contract_build_settings(catalogue: Catalogue, check_options: CheckOptions) -> ContractBuildSettings:
    """Return what the documents of each contract depend on besides its source."""
    return ContractBuildSettings(
        chains=frozenset(chain.chain_id for chain in catalogue.chains),
        contracts=catalogue.contract_settings,
        checks=check_options.checks,
        pages=contract_page_context(catalogue),
        listed=catalogue.pages.lists_contracts(len(catalogue.contracts)),
    )


def _partitions(
    root: Path,
    catalogue: Catalogue,
    outdated: Iterable[AnySource],
    partitioner: Partitioner,
    *,
    read: list["ReadBulkSource"],
    opened: ExitStack,
) -> Iterator[ContractPartition]:
    """Yield the partitions to build: contracts with files of their own first, then bulk sources, noted in `read`.

    Bulk sources stay open in `opened`: workers may read their parts after the last one is yielded.
    """
    bulk: list[BulkSource] = []
    yield from partitioner.divide(_single_sources(outdated, bulk), len(catalogue.contracts))
    if not bulk:
        return
    from statuary.pipeline.bulk import BulkSourceRange, open_bulk_source

    for source in bulk:
        findings: list[Finding] = []
        read.append(ReadBulkSource(source, source_stat(root, source), findings))
        for part in opened.enter_context(open_bulk_source(root, catalogue, source)):
            if isinstance(part, Finding):
                findings.append(part)
            else:
                yield partitioner.partition(BulkSourceRange(source, part))


def _single_sources(outdated: Iterable[AnySource], bulk: list[BulkSource]) -> Iterator[ContractSource]:
    """Yield the contracts with files of their own, and collect the bulk sources."""
    for source in outdated:
        if isinstance(source, BulkSource):
            bulk.append(source)
        else:
            yield source


class ReadBulkSource(NamedTuple):
    """A bulk source, its size and time before it was read, and what is wrong with it."""

    source: BulkSource
    stat: SourceStat
    findings: list[Finding]


def _bulk_row(root: Path, read: ReadBulkSource, began: int) -> SourceRow:
    """Return the row of a bulk source, which its contracts' rows refer to.

    One that changed while it was read is read again by the next build.
    """
    source, stat, findings = read
    is_same = source_stat(root, source) == stat
    return SourceRow(
        location=source.path,
        unit=source.path,
        git=source.git if is_same else "",
        stat=stat.text_if_before(began - RECENT) if is_same else "",
        digest=b"",
        documents="",
        reason=source.reason,
        findings=orjson.dumps(findings).decode() if findings else "",
        published=False,
    )


def _findings(sources: SourceTable) -> tuple[list[Finding], list[Finding], int]:
    """Return findings about sources, findings of sources with errors, and how many of these are withheld.

    An error withholds what is in its source, but never the news of an outage.
    """
    findings: list[Finding] = []
    withheld_because: list[Finding] = []
    withheld = 0
    for stored, published in sources.findings():
        of_source = list(map(read_finding, orjson.loads(stored)))
        if has_errors(of_source):
            withheld_because += of_source
            withheld += not published
        else:
            findings += of_source
    return findings, withheld_because, withheld


def _withhold_duplicates(target: BuildTarget) -> None:
    """Withhold the records that repeat one another: nothing shows which of them is right."""
    sources = target.ledger.sources
    for columns, rule in DUPLICATES.items():
        for one in sources.duplicates(columns):
            finding = orjson.dumps(rule(*_duplicate(one))).decode()
            target.withdraw(sources.withhold(one, finding))
            target.ledger.documents.clash = None  # only then do documents of two contracts have the same path


def _duplicate(one: DuplicateContract) -> tuple[ContractRow, ContractSource, str]:
    """Return a contract that repeats another, in the form that the rules expect."""
    path, line = one.location, 0
    if one.unit != one.location and (found := BULK_LOCATION.fullmatch(one.location)):
        path, line = found[1], int(found[2])
    form = ContractForm.LINE if line else ContractForm.RECORD
    source = ContractSource(path, one.row.chainId, one.row.address, form, line)
    return one.row, source, one.other


def read_finding(members: dict[str, Any]) -> Finding:
    """Return a finding that was stored as JSON."""
    position = members["position"]
    return Finding(
        **{
            **members,
            "pointer": tuple(members["pointer"]),
            "severity": Severity(members["severity"]),
            "position": None if position is None else Position(**position),
        }
    )


ADDRESSES = 250
"""Addresses of a partition."""

CONTRACTS_SOURCE = "contracts"
"""The source of the pages that list contracts, as documents and ledger name it."""


class AddressPartition(NamedTuple):
    """Addresses whose documents are made together; the name is unique in the build."""

    name: str
    addresses: tuple[AddressRows, ...]
    hosting: HostingSettings
    output: PartitionOutput


def build_address_partition(partition: AddressPartition) -> PartitionResult:
    """Make the documents of a partition's addresses; raise OSError if a body cannot be staged."""
    partition.output.add(laid_out(address_documents(partition.addresses), partition.hosting))
    return partition.output.result(len(partition.addresses))


def offer_lists(
    target: BuildTarget, contracts: BuiltContracts, progress: Progress, executor: Executor
) -> None:
    """Offer the lists of every chain and address with a change."""
    catalogue, sources = contracts.catalogue, contracts.sources
    if len(catalogue.chains) > 1:  # of one chain, each contract brings the document of its address
        _offer_addresses(target, contracts, progress, executor)
    with stage(progress, "Lists"):
        for chain_id, unchanged in _changed_chains(contracts).items():
            documents = chain_list_documents(chain_id, sources.rows_of_chain(chain_id), unchanged)
            target.offer(laid_out(documents, catalogue.hosting))
            _remove_surplus_pages(target.ledger, chain_id)


def _offer_addresses(
    target: BuildTarget, contracts: BuiltContracts, progress: Progress, executor: Executor
) -> None:
    catalogue, sources = contracts.catalogue, contracts.sources
    with stage(progress, "Addresses"):
        addresses = rows_by_address(sources.rows_of_changed_addresses())
        partitions = _address_partitions(addresses, catalogue.hosting, target.output)
        for result in executor.map_unordered(build_address_partition, partitions):
            target.take(result)
            progress.advance(result.items)
        names = _all_names(catalogue, sources.changed_addresses())
        target.ledger.documents.remove_unless_offered(names)


def _address_partitions(
    addresses: Iterator[AddressRows], hosting: HostingSettings, output: Callable[[str], PartitionOutput]
) -> Iterator[AddressPartition]:
    number = 0
    while held := tuple(islice(addresses, ADDRESSES)):
        number += 1
        name = f"addresses-{number:07d}"
        yield AddressPartition(name, held, hosting, output(name))


def _all_names(catalogue: Catalogue, addresses: Iterable[str]) -> Iterator[str]:
    """Yield the paths of the documents of addresses, and of their compressed forms."""
    for address in addresses:
        bare = Document(path=CONTRACT_ALL_CHAINS.path(address=address), body=b"")
        for document in laid_out([bare], catalogue.hosting):
            yield document.path
            yield from (f"{document.path}.{form}" for form in catalogue.hosting.precompressed)


def _changed_chains(contracts: BuiltContracts) -> dict[str, int]:
    """Return the chains whose lists are rebuilt, with how many of their oldest contracts are unchanged."""
    chains = contracts.catalogue.chains
    if not contracts.sources.partial:
        return {chain.chain_id: 0 for chain in chains}
    lost = {chain.chain_id: 0 for chain in chains if f"contracts/{chain.chain_id}" in contracts.missing}
    return contracts.sources.changed_chains() | lost


def _remove_surplus_pages(ledger: Ledger, chain_id: str) -> None:
    """Remove pages after the last one that a chain still fills; unchanged pages stay."""
    folder = CONTRACTS_PAGES.path(chain_id=chain_id).rpartition("/")[0]
    pages = -(-ledger.sources.counts().get(chain_id, 0) // PAGE_SIZE)
    for path in ledger.documents.made_from(f"contracts/{chain_id}", folder):
        number = path.rpartition("/")[2].partition(".")[0]
        if number.isdecimal() and int(number) > pages:
            ledger.documents.remove_unless_offered([path])


def listed_contracts(target: BuildTarget, contracts: BuiltContracts) -> list[ContractRow] | None:
    """Return the contracts that pages list: empty if too many, None if the pages are unchanged."""
    sources = contracts.sources
    if sources.partial and not sources.differ() and CONTRACTS_SOURCE not in contracts.missing:
        return None
    documents = target.ledger.documents
    folder = CONTRACTS_HOME.path().rpartition("/")[0]
    documents.remove_unless_offered(documents.made_from(CONTRACTS_SOURCE, folder))
    if not contracts.catalogue.pages.lists_contracts(contracts.counts.contracts):
        return []
    return list(sources.rows())
