"""What a build reads: contracts that are new or changed, or all of them, and why."""

from collections.abc import Iterable, Iterator
from heapq import merge
from pathlib import Path
from typing import NamedTuple

from statuary.build.incremental.fingerprint import Fingerprint
from statuary.build.incremental.outdated import AnySource, RebuildReason, SourceComparison
from statuary.content.contract_scan import ContractScan, ScanResult
from statuary.content.git_state import GitState
from statuary.domain.catalogue import Catalogue
from statuary.publishing.ledger.ledger import Ledger
from statuary.publishing.target import BuildTarget

FINGERPRINT, GIT_TREE, CONTRACTS = "fingerprint", "git tree", "contracts"
"""The notes of a build for the scope of the next one."""


class BuildScope(NamedTuple):
    """What a build reads."""

    outdated: Iterable[AnySource]  # the sources, in byte order of paths, as they are found
    gone: list[str]  # sources that no longer exist, complete after `outdated`
    # sources whose content is unchanged, with their new git id, size and time
    touched: list[tuple[str, str, str]]
    missing: frozenset[str] = frozenset()  # sources of published documents that were missing or damaged
    is_unchanged: bool = False  # whether git shows that no source changed, and none is compared


def with_known_count(catalogue: Catalogue, ledger: Ledger, tree: GitState | None) -> Catalogue:
    """Return a site with the last build's contract count if git shows that contracts are unchanged."""
    contracts = catalogue.contracts
    if not is_unchanged(ledger, tree) or not isinstance(contracts, ContractScan) or contracts.external:
        return catalogue
    known = ScanResult(count=int(ledger.note(CONTRACTS)))
    return catalogue._replace(contracts=ContractScan(contracts.root, result=known))


def scope_of(
    root: Path,
    catalogue: Catalogue,
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
    because = reason_for_all(Fingerprint.read(ledger.note(FINGERPRINT)), fingerprint)
    missing: frozenset[str] = frozenset()
    if because is None:
        ledger.keep_unchanged_sources()
        missing = target.missing(verify=verify)
        ledger.drop(missing)
        # the interrupted build may have read another commit
        if is_unchanged(ledger, tree) and not (missing or verify or is_resumed):
            return BuildScope(outdated=(), gone=[], touched=[], is_unchanged=True)
    known = () if because is not None else ledger.sources.known()
    comparison = SourceComparison(
        root=root, known=known, tree=tree, all_because=because, missing=missing, verify=verify
    )
    return BuildScope(comparison.outdated(sources), comparison.gone, comparison.touched, missing)


def reason_for_all(last: Fingerprint, fingerprint: Fingerprint) -> RebuildReason | None:
    """Return why every source is built; None if only some are."""
    if last == fingerprint:
        return None
    if not last.statuary:
        return RebuildReason.NO_LEDGER
    return RebuildReason.STATUARY if last.statuary != fingerprint.statuary else RebuildReason.SETTINGS


def is_unchanged(ledger: Ledger, tree: GitState | None) -> bool:
    """Return whether the folder of contracts has the git id of the last build."""
    return tree is not None and bool(tree.clean_id) and tree.clean_id == ledger.note(GIT_TREE)


def build_notes(catalogue: Catalogue, tree: GitState | None, fingerprint: Fingerprint) -> dict[str, str]:
    """Return the notes for the next build.

    A git id identifies the folder only if all of it is committed and no contract is elsewhere.
    """
    contracts = catalogue.contracts
    is_whole = (
        isinstance(contracts, ContractScan)
        and not (contracts.external or contracts.bulk or contracts.findings)
        and not contracts.result.links
    )
    tree_id = tree.clean_id if tree is not None and is_whole else ""
    return {FINGERPRINT: fingerprint.text, GIT_TREE: tree_id, CONTRACTS: str(len(contracts))}


def _not_resumed(
    root: Path, sources: Iterable[AnySource], ledger: Ledger, tree: GitState | None
) -> Iterator[AnySource]:
    """Yield the sources that an interrupted build did not finish; documents of changed ones are dropped."""
    comparison = SourceComparison(root=root, known=ledger.sources.resumed(), tree=tree)
    for source in comparison.outdated(sources):
        if source.reason is not RebuildReason.NEW:
            ledger.drop([source.path])
        yield source
    ledger.drop(comparison.gone)
