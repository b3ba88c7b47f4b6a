"""Build the contracts of a site on its workers, then their lists."""

import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson

from statuary.base.findings import Finding, Position, Severity, has_errors
from statuary.base.optional import can_recover_senders
from statuary.base.primitives import Instant, format_utc
from statuary.base.progress import Progress, report_stage
from statuary.contracts.incremental.build_settings import ContractBuildSettings, RecordRecompiler
from statuary.contracts.incremental.built_contracts import BuiltContracts, contract_build_settings
from statuary.contracts.incremental.contract_table import ContractTable
from statuary.contracts.incremental.partitions import (
    RECENT,
    ContractPartition,
    OutdatedSource,
    Partitioner,
    PartitionSettings,
    build_partition,
)
from statuary.contracts.incremental.rebuild_plan import (
    GeneratorResult,
    RebuildPlan,
    RebuildReason,
    RemainingSources,
    plan_rebuild,
    reuse_previous_count,
    save_contract_state,
)
from statuary.contracts.incremental.record_location import (
    duplicate_contract,
    duplicate_match_id,
    verified_in_future,
)
from statuary.contracts.incremental.table_schema import UNREAD, LocatedContract, SourceRow
from statuary.contracts.incremental.unreadable_sources import (
    find_hidden_contracts,
    restore_unread_documents,
    restore_unread_rows,
)
from statuary.contracts.pages.context import contract_page_context
from statuary.contracts.paths import apply_host_layout
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.contract_source import BulkSource, ContractForm, ContractSource
from statuary.contracts.sources.source_stat import SourceStat, source_stat
from statuary.publish.fingerprint import fingerprint_of
from statuary.publish.target import BuildTarget
from statuary.site.document import Document
from statuary.site.pages.theme_findings import THEME_TEMPLATES
from statuary.site.site_content import SiteContent
from statuary.source.git_state import GitQuery, GitState
from statuary.workers.executor import Executor
from statuary.workers.options import ExecutionOptions

if TYPE_CHECKING:
    from statuary.contracts.checks.check import ContractCheck
    from statuary.contracts.sources.parse_record import ParsedContract

BULK_LOCATION = re.compile(r"(.*):(\d+)", re.DOTALL)
"""A place in a bulk file, as `ContractSource.location` writes it."""


DUPLICATES = {"chain_id, address": duplicate_contract, "match_order": duplicate_match_id}
"""The columns in which no two records may be equal, with the rule."""


def build_contracts(
    root: Path,
    site: SiteContent,
    target: BuildTarget,
    progress: Progress,
    *,
    checks: "Sequence[ContractCheck] | None",
    execution: ExecutionOptions,
    now: Instant,
    recompiler: RecordRecompiler | None = None,
) -> BuiltContracts:
    """Check the contracts that have changed, and add their documents.

    If two records have the same contract or match id, the one that was published first is kept. A record with
    a verification date after `now` is excluded, and the next build reads it again.

    Args:
        root: the content folder.
        checks: the checks to run on each record; None for all.
        execution: the executor, the state of git, and whether to verify unchanged files.
        now: the time of the build.
        recompiler: the compilers of this build; None to recompile no records.

    Raises:
        PublishingError: if a document cannot be part of the site.
        WorkersLostError: if workers are lost repeatedly.
    """
    tree = None if execution.git is None else execution.git.wait_for_state
    sources, built_count = target.ledger.table(ContractTable), 0
    contracts = reuse_previous_count(site.content_of(SiteContracts), target.ledger, tree)
    hidden = find_hidden_contracts(contracts, sources)
    contracts = hidden.contracts
    site = site.with_section_content(contracts)
    settings = contract_build_settings(site, checks, contract_page_context(site), recompiler)
    fingerprint = fingerprint_of(settings, site.hosting, can_recover_senders())
    scope = plan_rebuild(root, hidden, target, tree, fingerprint, verify=execution.verify)
    shared = PartitionSettings(root, settings, site.hosting, target.started_at_ns)
    partitioner = Partitioner(shared, target.output_for_task, target.partition_size)
    with report_stage(progress, "Contracts"), ExitStack() as bulk:
        partitions = GeneratorResult(_divide_sources(contracts, scope, partitioner, bulk, execution.executor))
        for count in execution.executor.merge_partition_tasks(build_partition, partitions, target):
            built_count += count
            progress.advance(count)
    (deleted, metadata_changed), bulk_sources = partitions.value
    sources.add(_bulk_row(root, source, target.started_at_ns) for source in bulk_sources)
    if tree is not None and not scope.is_unchanged:
        if GitQuery(root).wait_for_state != tree:
            sources.forget_git_ids()
            tree, metadata_changed = None, []
        elif not (sources.have_git_ids() and all(git for _, git, _ in metadata_changed)):
            tree = None  # git's state does not cover all files that were read
    sources.mark_changed(deleted)
    sources.update_file_states(metadata_changed)
    sources.mark_superseded_rows()
    restore_unread_rows(sources, hidden)
    tree = _exclude_future_contracts(target, sources, now, tree)
    replaced = _exclude_duplicates(target, sources)
    target.add(apply_host_layout(_remake_documents(root, contracts, settings, replaced), site.hosting))
    restore_unread_documents(sources, hidden, target, site)
    sources.mark_changed_entries(RebuildReason.MISSING)
    save_contract_state(target.ledger, contracts, tree, fingerprint)
    built = _collect_contracts(sources, site)
    return built._replace(
        built_count=built_count,
        skipped=(*hidden.findings, *built.skipped),
        sources_of_damaged_documents=scope.sources_of_damaged_documents,
    )


def reuse_previous_contracts(
    site: SiteContent, target: BuildTarget, reasons: Iterable[Finding]
) -> BuiltContracts:
    """Keep the contracts of the last build, because this build failed.

    The next build compares all content files again.

    Args:
        reasons: the findings that report the failure.
    """
    sources = target.ledger.table(ContractTable)
    sources.discard_added_rows()
    target.ledger.restore_previous_documents()
    contracts = _collect_contracts(sources, site)
    return contracts._replace(skipped=(*reasons, *contracts.skipped))


def _divide_sources(
    contracts: SiteContracts,
    plan: RebuildPlan,
    partitioner: Partitioner,
    open_sources: ExitStack,
    executor: Executor,
) -> Generator[ContractPartition, None, tuple[RemainingSources, list["ReadBulkSource"]]]:
    """Divide a build into partitions: single files first, then bulk files.

    Bulk sources stay open in `open_sources`, because workers may read parts after the last one is yielded.

    Returns:
        The sources that were removed or have only new metadata, and the bulk sources that were read.
    """
    single = GeneratorResult(_outdated_single_sources(plan))
    yield from partitioner.divide(single, len(contracts.sources))
    remaining, bulk = single.value
    root, sources = partitioner.root, []
    if bulk:
        from statuary.contracts.incremental.bulk import BulkSourceRange, open_bulk_source
    for outdated in bulk:
        findings: list[Finding] = []
        sources.append(ReadBulkSource(outdated, source_stat(root, outdated.source), findings))
        for part in open_sources.enter_context(open_bulk_source(root, contracts, outdated.source, executor)):
            if isinstance(part, Finding):
                findings.append(part)
            else:
                yield partitioner.make_partition(BulkSourceRange(outdated, part))
    return remaining, sources


Bulk = OutdatedSource[BulkSource]


def _outdated_single_sources(
    plan: RebuildPlan,
) -> Generator[OutdatedSource[ContractSource], None, tuple[RemainingSources, list[Bulk]]]:
    bulk = list[Bulk]()
    sources = GeneratorResult(plan.outdated)
    for source, reason, git in sources:
        if isinstance(source, BulkSource):
            bulk.append(OutdatedSource(source, reason, git))
        else:
            yield OutdatedSource(source, reason, git)
    return sources.value, bulk


class ReadBulkSource(NamedTuple):
    """A bulk file (with many contracts) that was read, with its findings."""

    outdated: OutdatedSource[BulkSource]
    stat: SourceStat
    findings: list[Finding]


def _bulk_row(root: Path, bulk_source: ReadBulkSource, started_at_ns: int) -> SourceRow:
    # If a source changed while it was read, the next build reads it again.
    (source, reason, git), stat, findings = bulk_source
    is_same = source_stat(root, source) == stat
    return SourceRow(
        location=source.path,
        unit=source.path,
        git=git if is_same else "",
        stat=stat.text_if_before(started_at_ns - RECENT) if is_same else "",
        digest=b"",
        documents="",
        reason=UNREAD if findings else reason,
        findings=orjson.dumps(findings).decode() if findings else "",
        published=False,
    )


def _collect_contracts(sources: ContractTable, site: SiteContent) -> BuiltContracts:
    findings: list[Finding] = []
    exclusion_reasons: list[Finding] = []
    skipped: dict[Finding, None] = {}
    excluded_count = 0
    for stored, is_published in sources.stored_findings():
        of_theme, own_findings = list[Finding](), list[Finding]()
        for finding in map(finding_from_json, orjson.loads(stored)):
            (of_theme if finding.rule == THEME_TEMPLATES else own_findings).append(finding)
        skipped |= dict.fromkeys(of_theme)
        if has_errors(own_findings):
            exclusion_reasons += own_findings
            excluded_count += not is_published
        else:
            findings += own_findings
    return BuiltContracts(
        site=site,
        sources=sources,
        counts=sources.contract_counts(),
        findings=tuple(findings),
        exclusion_reasons=tuple(exclusion_reasons),
        excluded_count=excluded_count,
        built_count=0,
        skipped=tuple(skipped),
    )


def _exclude_duplicates(target: BuildTarget, sources: ContractTable) -> set[str]:
    """Exclude records that repeat a contract or match id of another record.

    Returns:
        The locations of the kept records whose documents must be made again: those of the duplicate replaced them.
    """
    replaced = set[str]()
    for columns, rule in DUPLICATES.items():
        for kept, newcomers in sources.find_duplicates(columns):
            for newcomer in newcomers:
                finding = rule(newcomer.row, _contract_source(newcomer), kept.location)
                target.discard(sources.exclude_contract(newcomer, orjson.dumps(finding).decode()))
            if rule is duplicate_contract and (paths := sources.built_documents(kept.location)):
                target.discard(paths)
                replaced.add(kept.location)
            # Two sources can only have documents at the same path if they describe the same contract. All
            # such duplicates are excluded now, so no conflict is left.
            target.ledger.documents.path_conflict = None
    return {location for location in replaced if sources.built_documents(location)}


def _remake_documents(
    root: Path, contracts: SiteContracts, settings: ContractBuildSettings, locations: set[str]
) -> Iterator[Document]:
    if not locations:
        return
    from statuary.contracts.incremental.build_contract import build_contract_batch

    for source, parsed in _read_contracts_at(root, contracts, locations):
        for contract in build_contract_batch([(source, parsed)], settings):
            yield from contract.with_documents().documents


def _read_contracts_at(
    root: Path, contracts: SiteContracts, locations: set[str]
) -> Iterator[tuple[ContractSource, "ParsedContract"]]:
    from statuary.contracts.sources.read_contract import read_contract

    bulk_paths = {match[1] for location in locations if (match := BULK_LOCATION.fullmatch(location))}
    for source in contracts.sources:
        if source.location in locations:
            yield source, read_contract(root, source)
    for bulk in contracts.bulk:
        if bulk.path in bulk_paths:
            for source, parsed in _read_bulk_source(root, contracts, bulk):
                if source.location in locations:
                    yield source, parsed


def _read_bulk_source(
    root: Path, contracts: SiteContracts, bulk: BulkSource
) -> Iterator[tuple[ContractSource, "ParsedContract"]]:
    from statuary.contracts.incremental.bulk import open_bulk_source

    with open_bulk_source(root, contracts, bulk) as parts:
        for part in parts:
            for contract in () if isinstance(part, Finding) else part.read(root):
                yield contract.source, contract.parsed_contract


MAX_CLOCK_SKEW: Final = timedelta(days=1)
"""The largest lead of a verifier's clock."""


def _exclude_future_contracts(
    target: BuildTarget, sources: ContractTable, now: Instant, git_state: GitState | None
) -> GitState | None:
    """Exclude records that claim a verification later than the build.

    Returns:
        The git state by which the next build may skip unchanged files; None if it must read these again.
    """
    late_contracts = sources.verified_after(format_utc(now + MAX_CLOCK_SKEW))
    for contract in late_contracts:
        finding = orjson.dumps(verified_in_future(contract.row, _contract_source(contract))).decode()
        target.discard(sources.exclude_contract(contract, finding))
    return None if late_contracts else git_state


def _contract_source(contract: LocatedContract) -> ContractSource:
    path, line = contract.location, 0
    if contract.unit != path and (match := BULK_LOCATION.fullmatch(path)):
        path, line = match[1], int(match[2])
    form = ContractForm.LINE if line else ContractForm.RECORD
    return ContractSource(path, contract.row.chainId, contract.row.address, form, line)


def finding_from_json(members: dict[str, Any]) -> Finding:
    """Restore a finding from the JSON that an earlier build stored."""
    position = members["position"]
    return Finding(
        **{
            **members,
            "pointer": tuple(members["pointer"]),
            "severity": Severity(members["severity"]),
            "position": None if position is None else Position(**position),
        }
    )
