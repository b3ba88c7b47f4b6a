"""Decide which sources a build reads: those that changed.

The documents of all other sources stay.
"""

from collections.abc import Container, Generator, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from heapq import merge
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from statuary.base.limits import LARGEST_RECORD
from statuary.contracts.incremental.built_contracts import CONTRACTS
from statuary.contracts.incremental.contract_table import ContractTable, KnownSource
from statuary.contracts.incremental.partitions import RECENT, AnySource, OutdatedSource, verify_git_id
from statuary.contracts.incremental.unreadable_sources import HiddenContracts
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.contract_scan import ContractScan, ScanResult
from statuary.contracts.sources.contract_source import BulkForm, BulkSource, ContractForm, evidence_folder
from statuary.contracts.sources.source_stat import file_stat_text, record_digest, source_stat
from statuary.publish.fingerprint import Fingerprint
from statuary.publish.ledger.ledger import Ledger
from statuary.publish.target import BuildTarget
from statuary.source.git_state import GitState
from statuary.source.source_files import SourceFile
from statuary.source.unreadable import UnreadableError


class RebuildReason(StrEnum):
    """The reason for building a source, as `statuary explain` prints it."""

    NO_LEDGER = "there was no ledger of an earlier build"
    STATUARY = "statuary has changed"
    SETTINGS = "the settings have changed"
    NEW = "it is new"
    CHANGED = "it has changed"
    MISSING = "one of its documents was missing or damaged"
    VERIFIED = "it was verified"


MetadataChange = tuple[str, str, str]
"""A source whose content is unchanged: its path, and its new git id, size and time."""


SourcePair = tuple[AnySource | None, KnownSource | None]
"""A source and its row of the last build; None if it is new, or no longer exists."""


class RemainingSources(NamedTuple):
    """The sources that were removed, or that have only new metadata."""

    deleted: list[str]  # locations of sources that no longer exist
    metadata_changed: list[MetadataChange]


@dataclass(frozen=True, slots=True)
class SourceComparison:
    """Compares a site's source files with those of the last build.

    The files of both builds are sorted by path.
    """

    root: Path
    previous: Iterable[KnownSource] = ()  # the sources of the last build; empty if all are built anyway
    tree: GitState | None = None  # None outside git
    rebuild_reason: RebuildReason | None = None
    """The reason to build every contract, such as changed settings; None to build only changed sources."""
    sources_of_damaged_documents: Container[str] = frozenset()  # sources with a missing document
    verify: bool = False  # whether sources are read even if git, size and time show no change
    trusted_before: int = (
        0  # sources that changed later (in nanoseconds since 1970) are read by the next build
    )

    def find_outdated(
        self, sources: Iterable[AnySource]
    ) -> Generator[OutdatedSource[AnySource], None, RemainingSources]:
        """Yield the content files that this build must read.

        When it ends, the generator returns the files that were removed. It also returns files with new git
        ids, sizes or times but the same content.
        """
        ids, root = GitIds(self.tree), str(self.root)
        deleted = list[str]()
        metadata_changed = list[MetadataChange]()
        pairs = _pair_with_previous_sources(sources, self.previous)
        if self.tree is None and self.rebuild_reason is None and not self.verify:
            pairs = self._skip_unchanged_records(root, pairs)
        for source, previous_source in pairs:
            if source is not None:
                git = ids.find_git_id(source)
                change = self._find_change(root, source, git, previous_source)
                if isinstance(change, RebuildReason):
                    yield OutdatedSource(source, change, git)
                elif change is not None:
                    metadata_changed.append(change)
            elif previous_source is not None:
                deleted.append(previous_source[0])
        return RemainingSources(deleted, metadata_changed)

    def _skip_unchanged_records(self, root: str, pairs: Iterator[SourcePair]) -> Iterator[SourcePair]:
        """Skip records whose file has the size and time of the last build.

        A pair is a file of the content, and its row from the last build. Most files of most builds are unchanged records, and
        this takes a third less time than `_find_change`. It is used outside of git.
        """
        incomplete = self.sources_of_damaged_documents
        for pair in pairs:
            source, previous = pair
            if (
                source is None
                or previous is None
                or source.form is not ContractForm.RECORD
                or (
                    file_stat_text(f"{root}/{source.path}") != (previous[2] or None)
                    or source.path in incomplete
                )
            ):
                yield pair

    def _find_change(
        self, root: str, source: AnySource, git_id: str, previous_source: KnownSource | None
    ) -> RebuildReason | MetadataChange | None:
        if self.rebuild_reason is not None or previous_source is None:
            return self.rebuild_reason or RebuildReason.NEW
        if source.path in self.sources_of_damaged_documents:
            return RebuildReason.MISSING
        if self.verify:
            return self._compare_digest(source, previous_source[3])
        return (
            None
            if git_id and git_id == previous_source[1]
            else self._compare_stat_and_digest(root, source, git_id, previous_source)
        )

    def _compare_stat_and_digest(
        self, root: str, source: AnySource, git_id: str, previous_source: KnownSource
    ) -> RebuildReason | MetadataChange | None:
        path, last_git, last_stat, last_digest = previous_source
        stat = source_stat(root, source)
        # Some tools set a changed file's modification time back. So if git knows both versions of the file
        # and reports a change, an equal time does not show that the content is the same.
        if stat.text and stat.text == last_stat and not (git_id and last_git):
            return (path, git_id, stat.text) if git_id else None
        if last_digest and source_digest(self.root, source) == last_digest:
            if not git_id:
                return path, "", stat.text_if_before(self.trusted_before)
            return path, verify_git_id(self.root, source, git_id, last_digest), ""
        return RebuildReason.CHANGED

    def _compare_digest(self, source: AnySource, last_digest: bytes) -> RebuildReason | None:
        # A source without a digest is always built.
        if not last_digest:
            return RebuildReason.VERIFIED
        return None if source_digest(self.root, source) == last_digest else RebuildReason.CHANGED


def _pair_with_previous_sources(
    sources: Iterable[AnySource], previous: Iterable[KnownSource]
) -> Iterator[SourcePair]:
    previous_sources = iter(previous)
    previous_source = next(previous_sources, None)
    for source in sources:
        while previous_source is not None and previous_source[0] < source.path:
            yield None, previous_source
            previous_source = next(previous_sources, None)
        if previous_source is None or previous_source[0] != source.path:
            yield source, None
        else:
            yield source, previous_source
            previous_source = next(previous_sources, None)
    yield from (
        (None, previous_source_left)
        for previous_source_left in (previous_source, *previous_sources)
        if previous_source_left is not None
    )


class GitIds:
    """Looks up git's object ids of contract files, in path order.

    Files with the same id as in the last build are not read.
    """

    def __init__(self, git_state: GitState | None) -> None:
        self.tree = git_state
        self.files = iter(() if git_state is None else git_state.committed_files())
        self.next_file = next(self.files, None)

    def find_git_id(self, source: AnySource) -> str:
        """Return git's object id of a contract's file.

        For a contract in several files, the result is a hash of their ids.

        Returns:
            The id; empty if a file is not in git.
        """
        if self.next_file is None or self.tree is None:
            return ""
        folder = source_folder(source)
        if folder is not None:
            return self._git_folder_id(folder)
        record = self._git_file_id(source.path)
        if source.form is not ContractForm.RECORD_WITH_EVIDENCE or isinstance(source, BulkSource):
            return record
        evidence = self._git_folder_id(evidence_folder(source))
        return sha256(f"{record} {evidence}".encode()).hexdigest() if record and evidence else ""

    def _git_file_id(self, path: str) -> str:
        while self.next_file is not None and self.next_file.path < path:
            self.next_file = next(self.files, None)
        return self.next_file.id if self.next_file is not None and self.next_file.path == path else ""

    def _git_folder_id(self, folder: str) -> str:
        lines = []
        while self.next_file is not None and self.next_file.path < f"{folder}/":
            self.next_file = next(self.files, None)
        while self.next_file is not None and self.next_file.path.startswith(f"{folder}/"):
            lines.append(f"{self.next_file.path} {self.next_file.id}")
            self.next_file = next(self.files, None)
        if not lines or self.tree is None or self.tree.has_uncommitted_changes(folder):
            return ""
        return sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def source_folder(source: AnySource) -> str | None:
    """Return the folder of a contract that consists of several files.

    Returns:
        The folder, or None if the contract is in a single file.
    """
    if isinstance(source, BulkSource):
        return None if source.form is BulkForm.JSONL else source.path
    return source.path.rpartition("/")[0] if source.form is ContractForm.WORKSPACE else None


def source_digest(root: Path, source: AnySource) -> bytes:
    """Return the SHA-256 of the file with a contract's record.

    Args:
        root: the content folder.
        source: the contract in the content folder.

    Returns:
        The digest from `record_digest`; empty if the file cannot be read, or is not a single record.
    """
    if source.form is not ContractForm.RECORD:
        return b""
    try:
        return record_digest(SourceFile(root, source.path).load_bytes(LARGEST_RECORD))
    except UnreadableError:
        return b""


GIT_TREE = "git tree"
"""The group of contracts with files of their own, as git knows them."""


Item = TypeVar("Item")
Value = TypeVar("Value")


class GeneratorResult(Generic[Item, Value]):
    """Iterates over a generator, and keeps its return value."""

    value: Value

    def __init__(self, generator: Generator[Item, None, Value]) -> None:
        self.generator = generator

    def __iter__(self) -> Iterator[Item]:
        self.value = yield from self.generator


class RebuildPlan(NamedTuple):
    """The sources that a build reads, and the state to compare with."""

    outdated: Generator[OutdatedSource[AnySource], None, RemainingSources]
    """Yields the sources to build, sorted by path. The generator returns the remaining sources."""
    sources_of_damaged_documents: frozenset[str] = frozenset()
    """The paths of sources whose published documents are missing or damaged."""
    is_unchanged: bool = False  # whether git shows that no source changed, and none is compared


def reuse_previous_count(
    contracts: SiteContracts, ledger: Ledger, git_state: GitState | None
) -> SiteContracts:
    """Reuse the last build's number of contracts if git shows no change.

    The build then need not search the content folder. If git shows a change, the contracts are returned as
    they are.
    """
    scan = contracts.sources
    if not is_unchanged(ledger, git_state) or not isinstance(scan, ContractScan) or scan.external:
        return contracts
    result = ScanResult(count=ledger.cached_group(GIT_TREE).items)
    return contracts._replace(sources=ContractScan(scan.root, result=result))


def plan_rebuild(
    root: Path,
    hidden: HiddenContracts,
    target: BuildTarget,
    git_state: GitState | None,
    fingerprint: Fingerprint,
    *,
    verify: bool,
) -> RebuildPlan:
    """Decide which content files a build has to read.

    The published documents of all other files are reused.

    Args:
        root: the content folder.
        hidden: the contracts of the content, and the sources that cannot be listed now, whose contracts stay.
        git_state: the state of git; None outside of git.
        fingerprint: a digest of the program and its settings. If it differs from that of the last build, all
            files are read.
        verify: whether to read files and documents even if git, size and time show no change.
    """
    contracts = hidden.contracts
    sources: Iterable[AnySource] = contracts.sources
    if contracts.bulk:
        sources = merge(contracts.sources, contracts.bulk, key=lambda source: source.path)
    ledger, table = target.ledger, target.ledger.table(ContractTable)
    if is_resumed := target.resume(fingerprint.text):
        table.discard_bulk_rows()
        sources = _unfinished_sources(root, sources, table, git_state)
    because = full_rebuild_reason(Fingerprint.parse(ledger.cached_group(CONTRACTS).fingerprint), fingerprint)
    sources_of_damaged_documents: frozenset[str] = frozenset()
    if because is None:
        ledger.keep_files_of_unchanged_sources()
        sources_of_damaged_documents = target.sources_of_damaged_documents(verify=verify)
        table.discard_documents(sources_of_damaged_documents)
        # Compare all sources after an interrupted build, because another commit may have been checked out
        # when that build read them.
        if is_unchanged(ledger, git_state) and not (sources_of_damaged_documents or verify or is_resumed):
            return RebuildPlan(SourceComparison(root).find_outdated(()), is_unchanged=True)
    last_sources = () if because is not None else hidden.visible_sources(table.previous_sources())
    comparison = SourceComparison(
        root=root,
        previous=last_sources,
        tree=git_state,
        rebuild_reason=because,
        sources_of_damaged_documents=sources_of_damaged_documents,
        verify=verify,
        trusted_before=target.started_at_ns - RECENT,
    )
    return RebuildPlan(comparison.find_outdated(sources), sources_of_damaged_documents)


def full_rebuild_reason(previous_fingerprint: Fingerprint, fingerprint: Fingerprint) -> RebuildReason | None:
    """Return the reason why every contract has to be built again.

    For example, a new version of statuary is a reason.

    Args:
        previous_fingerprint: the digests of the program and the settings in the last build.
        fingerprint: the digests in this build.

    Returns:
        The reason, or None if only changed sources have to be built.
    """
    if previous_fingerprint == fingerprint:
        return None
    if not previous_fingerprint.statuary:
        return RebuildReason.NO_LEDGER
    return (
        RebuildReason.STATUARY
        if previous_fingerprint.statuary != fingerprint.statuary
        else RebuildReason.SETTINGS
    )


def is_unchanged(ledger: Ledger, git_state: GitState | None) -> bool:
    """Return whether git shows that no contract changed since the last build.

    Args:
        ledger: the build database, with the commit of the last build.
        git_state: the state of the git work tree; None without git.
    """
    return (
        git_state is not None
        and bool(git_state.unchanged_tree_id)
        and git_state.unchanged_tree_id == ledger.cached_group(GIT_TREE).fingerprint
    )


def save_contract_state(
    ledger: Ledger, contracts: SiteContracts, git_state: GitState | None, fingerprint: Fingerprint
) -> None:
    """Store what the next build needs to find changed contracts.

    Args:
        ledger: the build's database.
        git_state: the state of git; None outside of git.
        fingerprint: a digest of the program and settings. If it changes, the next build reads all contracts.
    """
    scan = contracts.sources
    is_whole = (
        isinstance(scan, ContractScan)
        and not (scan.external or scan.bulk or scan.findings)
        and not (scan.result.links or scan.result.hidden)
    )
    tree_id = git_state.unchanged_tree_id if git_state is not None and is_whole else ""
    ledger.save_group(CONTRACTS, fingerprint.text)
    ledger.save_group(GIT_TREE, tree_id, items=len(scan))


def _unfinished_sources(
    root: Path, sources: Iterable[AnySource], table: ContractTable, git_state: GitState | None
) -> Iterator[AnySource]:
    # Drop documents of sources that have changed since the interruption.
    comparison = SourceComparison(root=root, previous=table.finished_sources(), tree=git_state)
    outdated = GeneratorResult(comparison.find_outdated(sources))
    for source, reason, _ in outdated:
        if reason is not RebuildReason.NEW:
            table.discard_documents([source.path])
        yield source
    table.discard_documents(outdated.value.deleted)
