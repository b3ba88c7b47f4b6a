"""What reading, checking and building gave, as values."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from statuary.domain.catalogue import Catalogue
from statuary.domain.contracts.contract_counts import ContractCounts
from statuary.domain.contracts.record import ContractRow
from statuary.domain.findings import Finding, Severity, has_errors, sorted_findings
from statuary.domain.primitives import Instant
from statuary.publishing.plan import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedSite:
    """What reading and checking gave.

    Attributes:
        catalogue: the site, or None if it could not be read.
        findings: what is wrong with the content, placed and in order; an error forbids publishing.
        refused: why single records are not believed, placed and in order; the rest is published.
        refusals: how many records are refused.
        contracts: the published contracts in numbers.
        rows: their entries in lists, by the places they are written at, while their target is open.
        next_transition: when the published status changes by itself; None if it does not before the horizon.
    """

    catalogue: Catalogue | None
    findings: tuple[Finding, ...]
    refused: tuple[Finding, ...] = ()
    refusals: int = 0
    contracts: ContractCounts = field(default_factory=ContractCounts)
    rows: Iterable[ContractRow] = ()
    next_transition: Instant | None = None

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
        return sorted_findings((*self.findings, *self.refused))

    def count(self, severity: Severity) -> int:
        """Return how many findings are of a severity."""
        return Counter(finding.severity for finding in (*self.findings, *self.refused))[severity]


class BuildResult(NamedTuple):
    """What a build did.

    Attributes:
        checked: what was read, and what is wrong with it.
        plan: what changed in the target, or would have; None if findings forbade building.
        applied: whether the plan was applied.
        seconds: how long it took.
    """

    checked: CheckedSite
    plan: Plan | None
    applied: bool
    seconds: float
