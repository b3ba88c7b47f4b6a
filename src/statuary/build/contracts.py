"""All contracts of a site: which are pressed anew, by whom, and what came of it."""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import orjson

from statuary.build.check_options import CheckOptions
from statuary.build.contract import ContractBuildSettings
from statuary.build.execution.options import ExecutionOptions
from statuary.build.incremental.fingerprint import fingerprint_of
from statuary.build.incremental.outdated import OutdatedSource
from statuary.build.incremental.reasons import RebuildReason
from statuary.build.incremental.scope import build_notes, scope_of, with_known_count
from statuary.build.partitions import (
    BulkPartition,
    ContractPartition,
    Partitioner,
    PartitionResult,
    PartitionSettings,
    SingleContract,
    build_partition,
    built_contracts,
)
from statuary.build.progress import Progress, stage
from statuary.checks.record_location import one_record_per_contract, one_record_per_match_id
from statuary.checks.rule_catalogue import proof_rules
from statuary.content.source_stat import source_stat
from statuary.documents.document import Document
from statuary.documents.pages.contracts.contract_page_context import contract_page_context
from statuary.domain.catalogue import BulkSource, Catalogue, ContractForm, ContractSource
from statuary.domain.findings import Finding, Position, Severity
from statuary.publishing.errors import PublishingError
from statuary.publishing.folder.folder_target import FolderTarget
from statuary.publishing.host_layout import laid_out
from statuary.publishing.ledger.source_rows import DuplicateContract, SourceRow, SourceTable

Offer = Callable[[Iterator[Document]], None]
"""Takes documents into the site."""


def nowhere(_: Iterator[Document]) -> None:
    """Take documents to nowhere, which is what checking does: they may be made by anybody then."""


class BuiltContracts(NamedTuple):
    """What became of all contracts.

    Attributes:
        catalogue: the site, its contracts looked at no more often than they must be.
        rows: a row of each.
        findings: what is wrong with their sources.
        refused: why some are not believed.
        refusals: how many those are.
        pressed: how many sources were looked into.
        missing: what the documents are made of that were missing or damaged.
    """

    catalogue: Catalogue
    rows: SourceTable
    findings: tuple[Finding, ...]
    refused: tuple[Finding, ...]
    refusals: int
    built: int
    missing: frozenset[str] = frozenset()


def build_contracts(
    root: Path,
    catalogue: Catalogue,
    into: FolderTarget | Offer,
    progress_listener: Progress,
    *,
    check_options: CheckOptions,
    execution: ExecutionOptions,
) -> BuiltContracts:
    """Press every contract that has changed, or all of them; one that repeats another is an error.

    Args:
        root: the content folder.
        catalogue: the site.
        into: where the documents go; of a publication, what has not changed stays.
        announcer: whoever shows progress.
        rigour: how strictly records are judged.
        effort: who does it, and how closely it is looked.

    Raises:
        PublishingRefused: if two documents claim one path.
    """
    publication = into if isinstance(into, FolderTarget) else None
    tree = None if execution.git is None else execution.git.answer
    catalogue = with_known_count(catalogue, publication, tree)
    demanded = contract_build_settings(catalogue, check_options)
    made = fingerprint_of(demanded, catalogue.hosting)
    scope = scope_of(root, catalogue, publication, tree, made, verify=execution.verify)
    rows = SourceTable.apart() if publication is None else publication.rows
    settings = PartitionSettings(
        root=root,
        build_contract=demanded,
        hosting=catalogue.hosting,
        began=0 if publication is None else publication.began,
    )
    partitioner = Partitioner(
        settings=settings.packed(),
        stager=None if publication is None else publication.stager,
        shard=(lambda _: None) if publication is None else publication.shard,
        pages=demanded.pages is not None,
    )
    count = 0
    with stage(progress_listener, "Contracts"), TemporaryDirectory(prefix="statuary-join-") as scratch:
        partitions = _partitions(
            root, catalogue, scope.outdated, partitioner, rows=rows, scratch=Path(scratch)
        )
        for done in _built(partitions, into, rows, catalogue, execution):
            count += done.count
            progress_listener.advance(done.count)
    rows.change(scope.gone)
    rows.touch(scope.touched)
    rows.prepare(RebuildReason.MISSING)
    if publication is not None:
        publication.note(build_notes(catalogue, tree, made))
    return _built_contracts(catalogue, rows, publication, count, scope.missing)


def contract_build_settings(catalogue: Catalogue, check_options: CheckOptions) -> ContractBuildSettings:
    """Return what a site demands of each contract."""
    return ContractBuildSettings(
        chains=frozenset(chain.chain_id for chain in catalogue.chains),
        contracts=catalogue.contract_settings,
        checks=check_options.checks,
        pages=contract_page_context(catalogue, proof_rules()),
        listed=catalogue.pages.lists_contracts(len(catalogue.contracts)),
    )


def _partitions(
    root: Path,
    catalogue: Catalogue,
    outdated: Iterable[OutdatedSource],
    partitioner: Partitioner,
    *,
    rows: SourceTable,
    scratch: Path,
) -> Iterator[ContractPartition]:
    """Yield what is to be pressed, in partitions: contracts with files of their own first, then bulk sources."""
    bulk: list[OutdatedSource] = []
    yield from partitioner.plain(_plain(outdated, bulk))
    if not bulk:
        return
    from statuary.build.bulk_contracts import bulk_partitions

    for number, one in enumerate(bulk):
        assert isinstance(one.source, BulkSource)  # noqa: S101 - collected as such
        findings: list[Finding] = []
        for part in bulk_partitions(root, catalogue, [one.source], scratch / str(number)):
            if isinstance(part, Finding):
                findings.append(part)
            else:
                yield partitioner.one(BulkPartition(unit=one.source.path, part=part, reason=one.reason))
        rows.add([_bulk_row(root, one.source, one, findings)])


def _plain(outdated: Iterable[OutdatedSource], bulk: list[OutdatedSource]) -> Iterator[SingleContract]:
    """Yield the contracts with files of their own, and collect the bulk sources."""
    for one in outdated:
        if isinstance(one.source, BulkSource):
            bulk.append(one)
        else:
            source = one.source
            yield SingleContract(
                source.path, source.chain_id, source.address, source.form.value, one.git, one.reason.value
            )


def _bulk_row(root: Path, source: BulkSource, one: OutdatedSource, findings: list[Finding]) -> SourceRow:
    """Return the row of a bulk source itself, which its contracts' rows refer to."""
    return SourceRow(
        place=source.path,
        unit=source.path,
        git=one.git,
        stat=source_stat(root, source).text,
        digest=b"",
        documents="",
        reason=one.reason.value,
        findings=orjson.dumps(findings).decode() if findings else "",
        refused=False,
        published=False,
        entry="",
    )


def _built(
    partitions: Iterator[ContractPartition],
    into: FolderTarget | Offer,
    rows: SourceTable,
    catalogue: Catalogue,
    execution: ExecutionOptions,
) -> Iterator[PartitionResult]:
    """Have every partition pressed, and take over what comes of it."""
    if isinstance(into, FolderTarget):
        for done in execution.executor.map_unordered(build_partition, partitions):
            if done.shard is None:
                into.take(done.offers, done.rows, done.folders)
            else:
                into.take_partition_file(done.shard)
            yield done
    elif into is nowhere:
        for done in execution.executor.map_unordered(build_partition, partitions):
            rows.add(done.rows)
            yield done
    else:
        yield from _offered(partitions, into, rows, catalogue)


def _offered(
    partitions: Iterator[ContractPartition], offer: Offer, rows: SourceTable, catalogue: Catalogue
) -> Iterator[PartitionResult]:
    """Press in this process, and offer each contract's documents unless it repeats another."""
    seen: set[tuple[str, str]] = set()
    for partition in partitions:
        held = []
        for built, row in built_contracts(partition):
            held.append(row)
            if built.row is not None and (built.row.chainId, built.row.address) not in seen:
                seen.add((built.row.chainId, built.row.address))
                offer(laid_out(built.all_documents(), catalogue.hosting))
        rows.add(held)
        yield PartitionResult(name=partition.name, count=len(held), shard=None)


def _built_contracts(
    catalogue: Catalogue,
    rows: SourceTable,
    publication: FolderTarget | None,
    count: int,
    missing: frozenset[str],
) -> BuiltContracts:
    findings: list[Finding] = []
    refused: list[Finding] = []
    refusals = 0
    for said, is_refusal in rows.findings():
        refusals += is_refusal
        (refused if is_refusal else findings).extend(map(read_finding, orjson.loads(said)))
    twins = [one_record_per_contract(*_duplicate_for_rules(twin)) for twin in rows.twins("chain_id, address")]
    twins += [one_record_per_match_id(*_duplicate_for_rules(twin)) for twin in rows.twins("match_order")]
    if publication is not None and publication.claimed and not twins:
        raise PublishingError("two documents claim the same path")
    return BuiltContracts(
        catalogue=catalogue,
        rows=rows,
        findings=(*findings, *twins),
        refused=tuple(refused),
        refusals=refusals,
        built=count,
        missing=missing,
    )


def _duplicate_for_rules(twin: DuplicateContract) -> tuple[Any, ContractSource, str]:
    """Return a contract that repeats another as the rules look at it."""
    path, line = twin.place, 0
    if twin.unit != twin.place and (found := LINE.fullmatch(twin.place)):
        path, line = found[1], int(found[2])
    form = ContractForm.LINE if line else ContractForm.RECORD
    source = ContractSource(
        path=path, chain_id=twin.row.chainId, address=twin.row.address, form=form, line=line
    )
    return twin.row, source, twin.first


LINE = re.compile(r"(.*):(\d+)", re.DOTALL)
"""A place in a bulk file, as `ContractSource.place` spells it."""


def read_finding(members: dict[str, Any]) -> Finding:
    """Return a finding that was kept as JSON."""
    position = members["position"]
    return Finding(
        **{
            **members,
            "pointer": tuple(members["pointer"]),
            "severity": Severity(members["severity"]),
            "position": None if position is None else Position(**position),
        }
    )
