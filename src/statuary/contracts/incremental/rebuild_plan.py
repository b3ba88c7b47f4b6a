"""Which sources a build reads, and why; it keeps the documents of all others."""

from collections.abc import Container, Generator, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from heapq import merge
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from statuary.base.limits import LARGEST_RECORD
from statuary.contracts.incremental.built_contracts import CONTRACTS, Site
from statuary.contracts.incremental.partitions import AnySource, OutdatedSource, confirmed_git_id
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.contract_scan import ContractScan, ScanResult
from statuary.contracts.sources.contract_source import BulkForm, BulkSource, ContractForm, evidence_folder
from statuary.contracts.sources.source_stat import record_digest, source_stat
from statuary.publish.fingerprint import Fingerprint
from statuary.publish.ledger.ledger import Ledger
from statuary.publish.ledger.source_table import KnownSource
from statuary.publish.target import BuildTarget
from statuary.source.git_state import GitState
from statuary.source.source_files import SourceFile
from statuary.source.unreadable import UnreadableError


class RebuildReason(StrEnum):
    """Why a source is built again, as `statuary explain` prints it and the ledger keeps it."""

    NO_LEDGER = "there was no ledger of an earlier build"
    STATUARY = "statuary has changed"
    SETTINGS = "the settings have changed"
    NEW = "it is new"
    CHANGED = "it has changed"
    MISSING = "one of its documents was missing or damaged"
    VERIFIED = "it was verified"


TouchedSource = tuple[str, str, str]
"""A source whose content is unchanged: its path, and its new git id, size and time."""


class RemainingSources(NamedTuple):
    """The sources of the last build that are not built again but are not as they were."""

    gone: list[str]  # those that no longer exist
    touched: list[TouchedSource]


@dataclass(frozen=True, slots=True)
class SourceComparison:
    """The sources of a site compared with those of the last build; both in byte order of paths."""

    root: Path
    previous: Iterable[KnownSource] = ()  # the sources of the last build; empty if all are built anyway
    tree: GitState | None = None  # None outside git
    all_because: RebuildReason | None = None  # why all are built; None if only some are
    missing: Container[str] = frozenset()  # sources with a missing document
    verify: bool = False  # whether sources are read even if git, size and time show no change

    def outdated(
        self, sources: Iterable[AnySource]
    ) -> Generator[OutdatedSource[AnySource], None, RemainingSources]:
        """Yield the sources to build; return what became of the others."""
        ids, root = GitIds(self.tree), str(self.root)
        gone, touched = list[str](), list[TouchedSource]()
        for source, last in _paired(sources, self.previous):
            if source is not None:
                git = ids.of(source)
                change = self._change(root, source, git, last)
                if isinstance(change, RebuildReason):
                    yield OutdatedSource(source, change, git)
                elif change is not None:
                    touched.append(change)
            elif last is not None:
                gone.append(last[0])
        return RemainingSources(gone, touched)

    def _change(
        self, root: str, source: AnySource, git: str, last: KnownSource | None
    ) -> RebuildReason | TouchedSource | None:
        """Return why a source is built, or what else is new about it; None if nothing is."""
        if self.all_because is not None or last is None:
            return self.all_because or RebuildReason.NEW
        if source.path in self.missing:
            return RebuildReason.MISSING
        if self.verify:
            return self._verified(source, last[3])
        return None if git and git == last[1] else self._difference(root, source, git, last)

    def _difference(
        self, root: str, source: AnySource, git: str, last: KnownSource
    ) -> RebuildReason | TouchedSource | None:
        """Compare a source that git does not show to be unchanged by size and time, then by content."""
        path, last_git, last_stat, last_digest = last
        stat = source_stat(root, source).text
        # where git shows a change, equal times mean nothing: some tools set them
        if stat and stat == last_stat and not (git and last_git):
            return (path, git, stat) if git else None
        if last_digest and digest_of(self.root, source) == last_digest:
            return path, confirmed_git_id(self.root, source, git, last_digest), ""
        return RebuildReason.CHANGED

    def _verified(self, source: AnySource, last_digest: bytes) -> RebuildReason | None:
        """Return why a source is built after its content was read; one without a digest always is."""
        if not last_digest:
            return RebuildReason.VERIFIED
        return None if digest_of(self.root, source) == last_digest else RebuildReason.CHANGED


def _paired(
    sources: Iterable[AnySource], previous: Iterable[KnownSource]
) -> Iterator[tuple[AnySource | None, KnownSource | None]]:
    """Yield each source with that of the last build at its path, and those of the last build that are alone."""
    others = iter(previous)
    last = next(others, None)
    for source in sources:
        while last is not None and last[0] < source.path:
            yield None, last
            last = next(others, None)
        if last is None or last[0] != source.path:
            yield source, None
        else:
            yield source, last
            last = next(others, None)
    yield from ((None, other) for other in (last, *others) if other is not None)


class GitIds:
    """Git ids, taken from a stream in the order of paths."""

    def __init__(self, tree: GitState | None) -> None:
        self.tree = tree
        self.files = iter(() if tree is None else tree.files())
        self.next = next(self.files, None)

    def of(self, source: AnySource) -> str:
        """Return the git id of a source; for several files, a hash of their ids; empty if one is missing."""
        if self.next is None or self.tree is None:
            return ""
        folder = source_folder(source)
        if folder is not None:
            return self._of_folder(folder)
        record = self._of_file(source.path)
        if source.form is not ContractForm.RECORD_WITH_EVIDENCE or isinstance(source, BulkSource):
            return record
        evidence = self._of_folder(evidence_folder(source))
        return sha256(f"{record} {evidence}".encode()).hexdigest() if record and evidence else ""

    def _of_file(self, path: str) -> str:
        while self.next is not None and self.next.path < path:
            self.next = next(self.files, None)
        return self.next.id if self.next is not None and self.next.path == path else ""

    def _of_folder(self, folder: str) -> str:
        lines = []
        while self.next is not None and self.next.path < f"{folder}/":
            self.next = next(self.files, None)
        while self.next is not None and self.next.path.startswith(f"{folder}/"):
            lines.append(f"{self.next.path} {self.next.id}")
            self.next = next(self.files, None)
        if not lines or self.tree is None or self.tree.touches(folder):
            return ""
        return sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def source_folder(source: AnySource) -> str | None:
    """Return the folder with the files of a source; None for a single file."""
    if isinstance(source, BulkSource):
        return None if source.form is BulkForm.JSONL else source.path
    return source.path.rpartition("/")[0] if source.form is ContractForm.WORKSPACE else None


def digest_of(root: Path, source: AnySource) -> bytes:
    """Return the SHA-256 of a record's file as `record_digest` does; empty for any other source."""
    if source.form is not ContractForm.RECORD:
        return b""
    try:
        return record_digest(SourceFile(root, source.path).bytes(LARGEST_RECORD))
    except UnreadableError:
        return b""


GIT_TREE = "git tree"
"""The group of contracts with files of their own, as git knows them."""


Item = TypeVar("Item")
Value = TypeVar("Value")


class Returning(Generic[Item, Value]):
    """The items of a generator; `value` is what it returns, once they have been iterated."""

    value: Value

    def __init__(self, generator: Generator[Item, None, Value]) -> None:
        self.generator = generator

    def __iter__(self) -> Iterator[Item]:
        self.value = yield from self.generator


class BuildScope(NamedTuple):
    """What a build reads."""

    # the sources, in byte order of paths, as they are found; then what became of the others
    outdated: Generator[OutdatedSource[AnySource], None, RemainingSources]
    missing: frozenset[str] = frozenset()  # sources of published documents that were missing or damaged
    is_unchanged: bool = False  # whether git shows that no source changed, and none is compared


def with_known_count(catalogue: Site, ledger: Ledger, tree: GitState | None) -> Site:
    """Return a site with the last build's contract count if git shows that contracts are unchanged."""
    contracts = catalogue.contracts
    if not is_unchanged(ledger, tree) or not isinstance(contracts, ContractScan) or contracts.external:
        return catalogue
    result = ScanResult(count=ledger.kept(GIT_TREE).items)
    return catalogue.with_contracts(ContractScan(contracts.root, result=result))


def scope_of(
    root: Path,
    catalogue: SiteContracts,
    target: BuildTarget,
    tree: GitState | None,
    fingerprint: Fingerprint,
    *,
    verify: bool,
) -> BuildScope:
    """Return what a build reads; everything else in the target is kept."""
    sources: Iterable[AnySource] = catalogue.contracts
    if catalogue.bulk:
        sources = merge(catalogue.contracts, catalogue.bulk, key=lambda source: source.path)
    ledger = target.ledger
    if is_resumed := target.resume(fingerprint.text):
        sources = _not_resumed(root, sources, ledger, tree)
    because = reason_for_all(Fingerprint.read(ledger.kept(CONTRACTS).fingerprint), fingerprint)
    missing: frozenset[str] = frozenset()
    if because is None:
        ledger.keep_unchanged_sources()
        missing = target.missing(verify=verify)
        ledger.drop(missing)
        # the interrupted build may have read another commit
        if is_unchanged(ledger, tree) and not (missing or verify or is_resumed):
            return BuildScope(SourceComparison(root).outdated(()), is_unchanged=True)
    last_sources = () if because is not None else ledger.sources.known()
    comparison = SourceComparison(
        root=root, previous=last_sources, tree=tree, all_because=because, missing=missing, verify=verify
    )
    return BuildScope(comparison.outdated(sources), missing)


def reason_for_all(last: Fingerprint, fingerprint: Fingerprint) -> RebuildReason | None:
    """Return why every source is built; None if only some are."""
    if last == fingerprint:
        return None
    if not last.statuary:
        return RebuildReason.NO_LEDGER
    return RebuildReason.STATUARY if last.statuary != fingerprint.statuary else RebuildReason.SETTINGS


def is_unchanged(ledger: Ledger, tree: GitState | None) -> bool:
    """Return whether the folder of contracts has the git id of the last build."""
    return tree is not None and bool(tree.clean_id) and tree.clean_id == ledger.kept(GIT_TREE).fingerprint


def keep_contracts(
    ledger: Ledger, catalogue: SiteContracts, tree: GitState | None, fingerprint: Fingerprint
) -> None:
    """Record for the next build what the contracts of this one were made of.

    A git id identifies the folder only if all of it is committed and no contract is elsewhere.
    """
    contracts = catalogue.contracts
    is_whole = (
        isinstance(contracts, ContractScan)
        and not (contracts.external or contracts.bulk or contracts.findings)
        and not contracts.result.links
    )
    tree_id = tree.clean_id if tree is not None and is_whole else ""
    ledger.keep(CONTRACTS, fingerprint.text)
    ledger.keep(GIT_TREE, tree_id, items=len(contracts))


def _not_resumed(
    root: Path, sources: Iterable[AnySource], ledger: Ledger, tree: GitState | None
) -> Iterator[AnySource]:
    """Yield the sources that an interrupted build did not finish; documents of changed ones are dropped."""
    comparison = SourceComparison(root=root, previous=ledger.sources.resumed(), tree=tree)
    outdated = Returning(comparison.outdated(sources))
    for source, reason, _ in outdated:
        if reason is not RebuildReason.NEW:
            ledger.drop([source.path])
        yield source
    ledger.drop(outdated.value.gone)
