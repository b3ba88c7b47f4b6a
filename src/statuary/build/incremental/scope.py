"""What a build has to look into: the contracts that are new or have changed, and why; or all of them, and why."""

from collections.abc import Iterable, Iterator
from heapq import merge
from pathlib import Path
from typing import NamedTuple

from statuary.build.incremental.fingerprint import Fingerprint
from statuary.build.incremental.outdated import AnySource, OutdatedSource, SourceComparison
from statuary.build.incremental.reasons import RebuildReason
from statuary.content.contract_scan import ContractScan, ScanResult
from statuary.content.git_state import GitState
from statuary.domain.catalogue import Catalogue
from statuary.publishing.folder.folder_target import FolderTarget


class BuildScope(NamedTuple):
    """What a build has to look into.

    Attributes:
        outdated: the sources, in byte order of their paths, as they are found.
        gone: the paths of sources that are there no more, once all outdated ones have been found.
        touched: the paths of sources that hold what they held, with git's id, and size and time, as they are now.
        missing: what the documents are made of that were missing or damaged.
    """

    outdated: Iterable[OutdatedSource]
    gone: list[str]
    touched: list[tuple[str, str, str]]
    missing: frozenset[str] = frozenset()


def with_known_count(
    catalogue: Catalogue, publication: FolderTarget | None, tree: GitState | None
) -> Catalogue:
    """Return a site whose contracts need not be looked at to be counted, if git says that they are as they were."""
    contracts = catalogue.contracts
    if publication is None or tree is None or not isinstance(contracts, ContractScan):
        return catalogue
    if not tree.clean_id or tree.clean_id != publication.last_note("tree") or contracts.external:
        return catalogue
    known = ScanResult(count=int(publication.last_note("units")))
    return catalogue._replace(contracts=ContractScan(contracts.root, result=known))


def scope_of(
    root: Path,
    catalogue: Catalogue,
    publication: FolderTarget | None,
    tree: GitState | None,
    made: Fingerprint,
    *,
    verify: bool,
) -> BuildScope:
    """Return what a build has to look into; of a publication, all else is kept.

    Args:
        root: the content folder.
        catalogue: the site, as `with_known_count` gave it.
        publication: where the documents go; None looks into everything.
        tree: the content as git knows it; None if it does not.
        made: what documents are made of besides their sources.
        verify: whether every published file is held against the ledger.
    """
    sources: Iterable[AnySource] = catalogue.contracts
    if catalogue.bulk:
        sources = merge(catalogue.contracts, catalogue.bulk, key=lambda source: source.path)
    if publication is None:
        comparison = SourceComparison(root=root, tree=tree, all_because=RebuildReason.NO_LEDGER)
        return BuildScope(
            outdated=comparison.outdated(sources), gone=comparison.gone, touched=comparison.touched
        )
    if publication.resume(made.text):
        sources = _not_resumed(root, sources, publication, tree)
    because = reason_for_all(Fingerprint.read(publication.last_note("made of")), made)
    missing: frozenset[str] = frozenset()
    if because is None:
        publication.keep_unchanged_sources()
        missing = publication.missing(verify=verify)
        publication.drop(missing)
        if is_unchanged(publication, tree) and not missing:
            return BuildScope(outdated=(), gone=[], touched=[])
    known = () if because is not None else publication.rows.known()
    comparison = SourceComparison(root=root, known=known, tree=tree, all_because=because, missing=missing)
    return BuildScope(
        outdated=comparison.outdated(sources),
        gone=comparison.gone,
        touched=comparison.touched,
        missing=missing,
    )


def reason_for_all(last: Fingerprint, made: Fingerprint) -> RebuildReason | None:
    """Say why everything is to be looked into; None if it is not."""
    if last == made:
        return None
    if not last.statuary:
        return RebuildReason.NO_LEDGER
    return RebuildReason.STATUARY if last.statuary != made.statuary else RebuildReason.SETTINGS


def is_unchanged(publication: FolderTarget, tree: GitState | None) -> bool:
    """Say whether git has the folder of contracts under the id that the last build noted."""
    return tree is not None and bool(tree.clean_id) and tree.clean_id == publication.last_note("tree")


def build_notes(catalogue: Catalogue, tree: GitState | None, made: Fingerprint) -> dict[str, str]:
    """Return what to note for the next build.

    An id of git's stands for a folder only if everything in it is as it should be, and nothing lies elsewhere.
    """
    contracts = catalogue.contracts
    is_told = (
        isinstance(contracts, ContractScan)
        and not (contracts.external or contracts.bulk or contracts.findings)
        and not contracts.result.links
    )
    told = tree.clean_id if tree is not None and is_told else ""
    return {"made of": made.text, "tree": told, "units": str(len(contracts))}


def _not_resumed(
    root: Path, sources: Iterable[AnySource], publication: FolderTarget, tree: GitState | None
) -> Iterator[AnySource]:
    """Yield the sources that an interrupted build has not been through; what it made of changed ones is forgotten."""
    comparison = SourceComparison(root=root, known=publication.rows.resumed(), tree=tree)
    for outdated in comparison.outdated(sources):
        if outdated.reason is not RebuildReason.NEW:
            publication.drop([outdated.source.path])
        yield outdated.source
    publication.drop(comparison.gone)
