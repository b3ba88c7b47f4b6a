"""All contracts of a site: which are pressed anew, by whom, and what came of it."""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import orjson

from statuary.checks.catalogue import proof_rules
from statuary.checks.placement import one_record_per_contract, one_record_per_match_id
from statuary.content.contract_places import stat_of
from statuary.documents.document import Document
from statuary.documents.pages.contracts.contract_pages import contract_pages_of
from statuary.domain.catalogue import BulkSource, Catalogue, ContractForm, ContractSource
from statuary.domain.findings import Finding, Position, Severity
from statuary.pipeline.announcements import Announcer, stage
from statuary.pipeline.effort import Effort
from statuary.pipeline.made_of import made_of
from statuary.pipeline.outdated import Outdated
from statuary.pipeline.partition import (
    BulkPart,
    Cutter,
    Done,
    Partition,
    PlainSource,
    Settings,
    press_all,
    pressed_of,
)
from statuary.pipeline.press import PressSettings
from statuary.pipeline.reasons import Reason
from statuary.pipeline.rigour import Rigour
from statuary.pipeline.scope import notes, scope_of, surveyed
from statuary.publishing.arrange import arranged
from statuary.publishing.publication import Publication
from statuary.publishing.refused import PublishingRefused
from statuary.publishing.source_rows import SourceRow, SourceRows, Twin

Offer = Callable[[Iterator[Document]], None]
"""Takes documents into the site."""


def nowhere(_: Iterator[Document]) -> None:
    """Take documents to nowhere, which is what checking does: they may be made by anybody then."""


class PressedContracts(NamedTuple):
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
    rows: SourceRows
    findings: tuple[Finding, ...]
    refused: tuple[Finding, ...]
    refusals: int
    pressed: int
    missing: frozenset[str] = frozenset()


def press_contracts(
    root: Path,
    catalogue: Catalogue,
    into: Publication | Offer,
    announcer: Announcer,
    *,
    rigour: Rigour,
    effort: Effort,
) -> PressedContracts:
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
    publication = into if isinstance(into, Publication) else None
    tree = None if effort.git is None else effort.git.answer
    catalogue = surveyed(catalogue, publication, tree)
    demanded = press_settings(catalogue, rigour)
    made = made_of(demanded, catalogue.hosting)
    scope = scope_of(root, catalogue, publication, tree, made, verify=effort.verify)
    rows = SourceRows.apart() if publication is None else publication.rows
    settings = Settings(
        root=root,
        press=demanded,
        hosting=catalogue.hosting,
        began=0 if publication is None else publication.began,
    )
    cutter = Cutter(
        settings=settings.packed(),
        stager=None if publication is None else publication.stager,
        shard=(lambda _: None) if publication is None else publication.shard,
        pages=demanded.pages is not None,
    )
    count = 0
    with stage(announcer, "Contracts"), TemporaryDirectory(prefix="statuary-join-") as workbench:
        partitions = _partitions(
            root, catalogue, scope.outdated, cutter, rows=rows, workbench=Path(workbench)
        )
        for done in _pressed(partitions, into, rows, catalogue, effort):
            count += done.count
            announcer.advance(done.count)
    rows.change(scope.gone)
    rows.touch(scope.touched)
    rows.prepare(Reason.MISSING)
    if publication is not None:
        publication.note(notes(catalogue, tree, made))
    return _outcome(catalogue, rows, publication, count, scope.missing)


def press_settings(catalogue: Catalogue, rigour: Rigour) -> PressSettings:
    """Return what a site demands of each contract."""
    return PressSettings(
        chains=frozenset(chain.chain_id for chain in catalogue.chains),
        contracts=catalogue.contract_settings,
        checks=rigour.checks,
        pages=contract_pages_of(catalogue, proof_rules()),
        listed=catalogue.pages.lists_contracts(len(catalogue.contracts)),
    )


def _partitions(
    root: Path,
    catalogue: Catalogue,
    outdated: Iterable[Outdated],
    cutter: Cutter,
    *,
    rows: SourceRows,
    workbench: Path,
) -> Iterator[Partition]:
    """Yield what is to be pressed, in partitions: contracts with files of their own first, then bulk sources."""
    bulk: list[Outdated] = []
    yield from cutter.plain(_plain(outdated, bulk))
    if not bulk:
        return
    from statuary.pipeline.bulk import bulk_partitions

    for number, one in enumerate(bulk):
        assert isinstance(one.source, BulkSource)  # noqa: S101 - collected as such
        findings: list[Finding] = []
        for part in bulk_partitions(root, catalogue, [one.source], workbench / str(number)):
            if isinstance(part, Finding):
                findings.append(part)
            else:
                yield cutter.one(BulkPart(unit=one.source.path, part=part, reason=one.reason))
        rows.add([_bulk_row(root, one.source, one, findings)])


def _plain(outdated: Iterable[Outdated], bulk: list[Outdated]) -> Iterator[PlainSource]:
    """Yield the contracts with files of their own, and collect the bulk sources."""
    for one in outdated:
        if isinstance(one.source, BulkSource):
            bulk.append(one)
        else:
            source = one.source
            yield PlainSource(
                source.path, source.chain_id, source.address, source.form.value, one.git, one.reason.value
            )


def _bulk_row(root: Path, source: BulkSource, one: Outdated, findings: list[Finding]) -> SourceRow:
    """Return the row of a bulk source itself, which its contracts' rows refer to."""
    return SourceRow(
        place=source.path,
        unit=source.path,
        git=one.git,
        stat=stat_of(root, source).text,
        digest=b"",
        documents="",
        reason=one.reason.value,
        findings=orjson.dumps(findings).decode() if findings else "",
        refused=False,
        published=False,
        entry="",
    )


def _pressed(
    partitions: Iterator[Partition],
    into: Publication | Offer,
    rows: SourceRows,
    catalogue: Catalogue,
    effort: Effort,
) -> Iterator[Done]:
    """Have every partition pressed, and take over what comes of it."""
    if isinstance(into, Publication):
        for done in effort.hands.each(press_all, partitions):
            if done.shard is None:
                into.take(done.offers, done.rows, done.folders)
            else:
                into.take_shard(done.shard)
            yield done
    elif into is nowhere:
        for done in effort.hands.each(press_all, partitions):
            rows.add(done.rows)
            yield done
    else:
        yield from _offered(partitions, into, rows, catalogue)


def _offered(
    partitions: Iterator[Partition], offer: Offer, rows: SourceRows, catalogue: Catalogue
) -> Iterator[Done]:
    """Press in this process, and offer each contract's documents unless it repeats another."""
    seen: set[tuple[str, str]] = set()
    for partition in partitions:
        held = []
        for pressed, row in pressed_of(partition):
            held.append(row)
            if pressed.row is not None and (pressed.row.chainId, pressed.row.address) not in seen:
                seen.add((pressed.row.chainId, pressed.row.address))
                offer(arranged(pressed.all_documents(), catalogue.hosting))
        rows.add(held)
        yield Done(name=partition.name, count=len(held), shard=None)


def _outcome(
    catalogue: Catalogue,
    rows: SourceRows,
    publication: Publication | None,
    count: int,
    missing: frozenset[str],
) -> PressedContracts:
    findings: list[Finding] = []
    refused: list[Finding] = []
    refusals = 0
    for said, is_refusal in rows.findings():
        refusals += is_refusal
        (refused if is_refusal else findings).extend(map(read_finding, orjson.loads(said)))
    twins = [one_record_per_contract(*_of(twin)) for twin in rows.twins("chain_id, address")]
    twins += [one_record_per_match_id(*_of(twin)) for twin in rows.twins("match_order")]
    if publication is not None and publication.claimed and not twins:
        raise PublishingRefused("two documents claim the same path")
    return PressedContracts(
        catalogue=catalogue,
        rows=rows,
        findings=(*findings, *twins),
        refused=tuple(refused),
        refusals=refusals,
        pressed=count,
        missing=missing,
    )


def _of(twin: Twin) -> tuple[Any, ContractSource, str]:
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
