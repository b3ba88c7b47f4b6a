"""Read, check, build, publish: the whole way from content to site."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from statuary.checks.contracts.check import Check
from statuary.checks.contracts.prove import CONTRACT_CHECKS
from statuary.checks.placement import UniqueContracts
from statuary.content.places import placed
from statuary.content.read import read_content
from statuary.documents.all_documents import whole_site_documents
from statuary.documents.document import Document
from statuary.domain.catalogue import Catalogue
from statuary.domain.contracts.record import ContractRow
from statuary.domain.findings import Finding, Severity, has_errors, in_order
from statuary.domain.primitives import Instant
from statuary.pipeline.announcements import Announcer, counted, stage
from statuary.pipeline.press import Pressed, PressSettings, press
from statuary.publishing.plan import Plan
from statuary.publishing.publication import Publication

Offer = Callable[[Iterator[Document]], None]
"""Takes documents into the site; what `check` gives takes them nowhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What reading and checking gave.

    Attributes:
        catalogue: the site, or None if it could not be read.
        findings: what is wrong with the content, placed and in order; an error forbids publishing.
        refused: why single records are not believed, placed and in order; the rest is published.
        refusals: how many records are refused.
        rows: the entries of the contracts that are published.
    """

    catalogue: Catalogue | None
    findings: tuple[Finding, ...]
    refused: tuple[Finding, ...]
    refusals: int
    rows: tuple[ContractRow, ...]

    @property
    def may_publish(self) -> bool:
        """Whether nothing stands in the way of publishing."""
        return self.catalogue is not None and not has_errors(self.findings)

    @property
    def is_clean(self) -> bool:
        """Whether the content has no errors and every record is believed."""
        return self.may_publish and not self.refusals

    @property
    def all_findings(self) -> list[Finding]:
        """Everything there is to say, in order."""
        return in_order((*self.findings, *self.refused))

    def count(self, severity: Severity) -> int:
        """Return how many findings are of a severity."""
        return Counter(finding.severity for finding in (*self.findings, *self.refused))[severity]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a build did.

    Attributes:
        checked: what was read, and what is wrong with it.
        plan: what changed in the target, or would have; None if findings forbade building.
        applied: whether the plan was applied.
        seconds: how long it took.
    """

    checked: Checked
    plan: Plan | None
    applied: bool
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Rigour:
    """How strictly a site is judged.

    Attributes:
        checks: what each record must prove.
        strict: whether warnings, and refused records, forbid publishing too.
    """

    checks: Sequence[Check] = CONTRACT_CHECKS
    strict: bool = False


def check_site(
    root: Path, now: Instant, announcer: Announcer, offer: Offer, rigour: Rigour = Rigour()
) -> Checked:
    """Read the content folder, run every check, and offer each contract's documents as they are made.

    Args:
        root: the content folder.
        now: the instant that the site tells.
        announcer: whoever shows progress.
        offer: takes the contracts' documents.
        rigour: how strictly it is judged.
    """
    with stage(announcer, "Reading content"):
        reading = read_content(root)
    findings, refused, refusals = list(reading.findings), list[Finding](), 0
    rows: list[ContractRow] = []
    if reading.catalogue is not None:
        unique = UniqueContracts()
        for pressed in _pressed(root, reading.catalogue, announcer, rigour):
            findings.extend(pressed.findings)
            refused.extend(pressed.refused)
            refusals += bool(pressed.refused)
            twins = [] if pressed.row is None else list(unique.findings(pressed.row, pressed.source.path))
            findings.extend(twins)
            if not twins:
                offer(iter(pressed.documents))
                rows.extend([pressed.row] if pressed.row and pressed.published else [])
    return Checked(
        catalogue=reading.catalogue,
        findings=tuple(in_order(placed(root, findings))),
        refused=tuple(in_order(placed(root, refused))),
        refusals=refusals,
        rows=tuple(rows),
    )


def _pressed(root: Path, catalogue: Catalogue, announcer: Announcer, rigour: Rigour) -> Iterator[Pressed]:
    settings = PressSettings(
        chains=frozenset(chain.chain_id for chain in catalogue.chains),
        contracts=catalogue.contract_settings,
        checks=rigour.checks,
    )
    with stage(announcer, "Contracts", len(catalogue.contracts)):
        for source in counted(announcer, catalogue.contracts):
            yield press(root, source, settings)


def build_site(
    root: Path, publication: Publication, now: Instant, announcer: Announcer, rigour: Rigour = Rigour()
) -> Outcome:
    """Build the site of a content folder into a target.

    Nothing of the target changes if there is an error among the findings, or, with `strict`, a warning or a
    refused record.

    Args:
        root: the content folder.
        publication: the target, opened; a dry run is shown, not applied.
        now: the instant that the site tells; the same content and instant give the same bytes.
        announcer: whoever shows progress.
        rigour: how strictly it is judged.

    Raises:
        PublishingRefused: if the target cannot take the site.
    """
    began = perf_counter()
    checked = check_site(root, now, announcer, publication.offer, rigour)
    if checked.catalogue is None or not checked.may_publish or (rigour.strict and checked.all_findings):
        return Outcome(checked=checked, plan=None, applied=False, seconds=perf_counter() - began)
    with stage(announcer, "Lists and status"):
        publication.offer(whole_site_documents(checked.catalogue, checked.rows, now))
    plan = publication.plan()
    if not publication.dry_run:
        with stage(announcer, "Publishing"):
            publication.apply()
    applied = not publication.dry_run
    return Outcome(checked=checked, plan=plan, applied=applied, seconds=perf_counter() - began)
