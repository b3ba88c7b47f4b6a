"""Build the contracts of a site: which ones, on which workers, with which results."""

import re
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from statuary.build.check_options import CheckOptions
from statuary.build.execution.options import ExecutionOptions
from statuary.build.incremental.fingerprint import ContractBuildSettings, fingerprint_of
from statuary.build.incremental.outdated import AnySource, RebuildReason
from statuary.build.incremental.scope import BuildScope, build_notes, scope_of, with_known_count
from statuary.build.partitions import (
    RECENT,
    ContractPartition,
    Partitioner,
    PartitionSettings,
    build_partition,
)
from statuary.build.progress import Progress, stage
from statuary.checks.record_location import one_record_per_contract, one_record_per_match_id
from statuary.content.git_state import GitQuery, GitState
from statuary.content.source_stat import SourceStat, source_stat
from statuary.documents.pages.contracts.contract_page_context import contract_page_context
from statuary.domain.catalogue import BulkSource, Catalogue, ContractForm, ContractSource
from statuary.domain.contracts.contract_counts import ContractCounts
from statuary.domain.contracts.record import ContractRow
from statuary.domain.findings import Finding, Position, Severity, has_errors
from statuary.optional import can_recover_senders
from statuary.publishing.ledger.rows import DuplicateContract, SourceRow
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
    rejections: tuple[Finding, ...]
    rejected: int
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
    """Build every contract that has changed, or all of them; those that repeat one another are rejected.

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
    with stage(progress, "Contracts"), _scratch_directory(catalogue) as scratch:
        partitions = _partitions(root, catalogue, scope.outdated, partitioner, read=read, scratch=scratch)
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
    findings, rejections, rejected = _findings(sources)
    return BuiltContracts(
        catalogue=catalogue,
        sources=sources,
        counts=sources.summary(),
        findings=tuple(findings),
        rejections=rejections,
        rejected=rejected,
        built=built,
        missing=scope.missing,
    )


def _scratch_directory(catalogue: Catalogue) -> AbstractContextManager[Path]:
    """Return a temporary folder for what bulk sources are joined in; a site without them needs none."""
    if not catalogue.bulk:
        return nullcontext(Path())
    from statuary.content.bulk.scratch import scratch_directory

    return scratch_directory()


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
    scratch: Path,
) -> Iterator[ContractPartition]:
    """Yield the partitions to build: contracts with files of their own first, then bulk sources, noted in `read`."""
    bulk: list[BulkSource] = []
    yield from partitioner.divide(_single_sources(outdated, bulk), len(catalogue.contracts))
    if not bulk:
        return
    from statuary.build.bulk_contracts import BulkSourceRange, bulk_partitions

    for number, source in enumerate(bulk):
        findings: list[Finding] = []
        read.append(ReadBulkSource(source, source_stat(root, source), findings))
        for part in bulk_partitions(root, catalogue, [source], scratch / str(number)):
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
        # an unreadable source withholds its contracts, but never the news of an outage
        rejected=has_errors(findings),
        published=False,
    )


def _findings(sources: SourceTable) -> tuple[list[Finding], tuple[Finding, ...], int]:
    """Return findings about sources, findings that reject records, and the number of rejected records."""
    findings: list[Finding] = []
    rejections: list[Finding] = []
    rejected = 0
    for found, is_rejection in sources.findings():
        rejected += is_rejection
        (rejections if is_rejection else findings).extend(map(read_finding, orjson.loads(found)))
    return findings, tuple(rejections), rejected


def _withhold_duplicates(target: BuildTarget) -> None:
    """Reject the records that repeat one another: nothing shows which of them is right."""
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
