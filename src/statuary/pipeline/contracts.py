"""All contracts of a site, one after the other."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from statuary.checks.catalogue import proof_rules
from statuary.checks.placement import UniqueContracts
from statuary.documents.document import Document
from statuary.documents.pages.contracts.contract_entry import ContractEntry
from statuary.documents.pages.page_documents import contract_pages_of
from statuary.domain.catalogue import Catalogue
from statuary.domain.contracts.record import ContractRow
from statuary.domain.findings import Finding
from statuary.pipeline.announcements import Announcer, counted, stage
from statuary.pipeline.bulk import press_bulk
from statuary.pipeline.checked import Rigour
from statuary.pipeline.press import Pressed, PressSettings, press

Offer = Callable[[Iterator[Document]], None]
"""Takes documents into the site; what `check` gives takes them nowhere."""


@dataclass(slots=True)
class PressedContracts:
    """What became of all contracts.

    Attributes:
        rows: the entries of those that are published.
        entries: what pages list of them; fewer than rows if they are too many to be listed.
        findings: what is wrong with their sources.
        refused: why some are not believed.
        refusals: how many those are.
    """

    rows: list[ContractRow] = field(default_factory=list)
    entries: list[ContractEntry] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    refused: list[Finding] = field(default_factory=list)
    refusals: int = 0


def press_contracts(
    root: Path, catalogue: Catalogue, announcer: Announcer, offer: Offer, rigour: Rigour
) -> PressedContracts:
    """Press every contract source and offer its documents; a contract that repeats another is left out."""
    done, unique = PressedContracts(), UniqueContracts()
    for pressed in _each(root, catalogue, announcer, rigour):
        done.findings.extend(pressed.findings)
        done.refused.extend(pressed.refused)
        done.refusals += bool(pressed.refused)
        if pressed.row is None:
            continue
        twins = list(unique.findings(pressed.row, pressed.source))
        done.findings.extend(twins)
        if not twins:
            offer(pressed.all_documents())
            done.rows.extend([pressed.row] if pressed.published else [])
            if pressed.published and pressed.entry and catalogue.pages.lists_contracts(len(done.rows)):
                done.entries.append(pressed.entry)
    return done


def _each(root: Path, catalogue: Catalogue, announcer: Announcer, rigour: Rigour) -> Iterator[Pressed]:
    settings = PressSettings(
        chains=frozenset(chain.chain_id for chain in catalogue.chains),
        contracts=catalogue.contract_settings,
        checks=rigour.checks,
        pages=contract_pages_of(catalogue, proof_rules()),
        listed=catalogue.pages.lists_contracts(len(catalogue.contracts)),
    )
    with stage(announcer, "Contracts", len(catalogue.contracts)):
        for source in counted(announcer, catalogue.contracts):
            yield press(root, source, settings)
    if catalogue.bulk:
        yield from press_bulk(root, catalogue, announcer, settings)
