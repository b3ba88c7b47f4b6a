"""What a build has to look into: the contracts that are new or have changed, and why; or all of them, and why."""

from collections.abc import Iterable, Iterator
from heapq import merge
from pathlib import Path
from typing import NamedTuple

from statuary.content.contract_places import ContractPlaces, Survey
from statuary.content.git_tree import GitTree
from statuary.domain.catalogue import Catalogue
from statuary.pipeline.made_of import MadeOf
from statuary.pipeline.outdated import Comparison, Outdated, Source
from statuary.pipeline.reasons import Reason
from statuary.publishing.publication import Publication


class Scope(NamedTuple):
    """What a build has to look into.

    Attributes:
        outdated: the sources, in byte order of their paths, as they are found.
        gone: the paths of sources that are there no more, once all outdated ones have been found.
        touched: the paths of sources that hold what they held, with git's id, and size and time, as they are now.
        missing: what the documents are made of that were missing or damaged.
    """

    outdated: Iterable[Outdated]
    gone: list[str]
    touched: list[tuple[str, str, str]]
    missing: frozenset[str] = frozenset()


def surveyed(catalogue: Catalogue, publication: Publication | None, tree: GitTree | None) -> Catalogue:
    """Return a site whose contracts need not be looked at to be counted, if git says that they are as they were."""
    contracts = catalogue.contracts
    if publication is None or tree is None or not isinstance(contracts, ContractPlaces):
        return catalogue
    if not tree.clean_id or tree.clean_id != publication.noted("tree") or contracts.elsewhere:
        return catalogue
    known = Survey(count=int(publication.noted("units")))
    return catalogue._replace(contracts=ContractPlaces(contracts.root, survey=known))


def scope_of(
    root: Path,
    catalogue: Catalogue,
    publication: Publication | None,
    tree: GitTree | None,
    made: MadeOf,
    *,
    verify: bool,
) -> Scope:
    """Return what a build has to look into; of a publication, all else is kept.

    Args:
        root: the content folder.
        catalogue: the site, as `surveyed` gave it.
        publication: where the documents go; None looks into everything.
        tree: the content as git knows it; None if it does not.
        made: what documents are made of besides their sources.
        verify: whether every published file is held against the ledger.
    """
    sources: Iterable[Source] = catalogue.contracts
    if catalogue.bulk:
        sources = merge(catalogue.contracts, catalogue.bulk, key=lambda source: source.path)
    if publication is None:
        comparison = Comparison(root=root, tree=tree, all_because=Reason.NO_LEDGER)
        return Scope(outdated=comparison.outdated(sources), gone=comparison.gone, touched=comparison.touched)
    if publication.resume(made.text):
        sources = _not_resumed(root, sources, publication, tree)
    because = reason_for_all(MadeOf.read(publication.noted("made of")), made)
    missing: frozenset[str] = frozenset()
    if because is None:
        publication.keep_sources()
        missing = publication.missing(verify=verify)
        publication.drop(missing)
        if is_unchanged(publication, tree) and not missing:
            return Scope(outdated=(), gone=[], touched=[])
    known = () if because is not None else publication.rows.known()
    comparison = Comparison(root=root, known=known, tree=tree, all_because=because, missing=missing)
    return Scope(
        outdated=comparison.outdated(sources),
        gone=comparison.gone,
        touched=comparison.touched,
        missing=missing,
    )


def reason_for_all(last: MadeOf, made: MadeOf) -> Reason | None:
    """Say why everything is to be looked into; None if it is not."""
    if last == made:
        return None
    if not last.statuary:
        return Reason.NO_LEDGER
    return Reason.STATUARY if last.statuary != made.statuary else Reason.SETTINGS


def is_unchanged(publication: Publication, tree: GitTree | None) -> bool:
    """Say whether git has the folder of contracts under the id that the last build noted."""
    return tree is not None and bool(tree.clean_id) and tree.clean_id == publication.noted("tree")


def notes(catalogue: Catalogue, tree: GitTree | None, made: MadeOf) -> dict[str, str]:
    """Return what to note for the next build.

    An id of git's stands for a folder only if everything in it is as it should be, and nothing lies elsewhere.
    """
    contracts = catalogue.contracts
    is_told = (
        isinstance(contracts, ContractPlaces)
        and not (contracts.elsewhere or contracts.bulk or contracts.findings)
        and not contracts.survey.links
    )
    told = tree.clean_id if tree is not None and is_told else ""
    return {"made of": made.text, "tree": told, "units": str(len(contracts))}


def _not_resumed(
    root: Path, sources: Iterable[Source], publication: Publication, tree: GitTree | None
) -> Iterator[Source]:
    """Yield the sources that an interrupted build has not been through; what it made of changed ones is forgotten."""
    comparison = Comparison(root=root, known=publication.rows.resumed(), tree=tree)
    for outdated in comparison.outdated(sources):
        if outdated.reason is not Reason.NEW:
            publication.drop([outdated.source.path])
        yield outdated.source
    publication.drop(comparison.gone)
