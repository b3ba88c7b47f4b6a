"""All findings about a site: from reading it and from building its contracts."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

from statuary.build.contracts import BuiltContracts
from statuary.build.read import ReadSite
from statuary.content.locate import locate_findings
from statuary.documents.pages.theme_findings import template_finding
from statuary.domain.catalogue import Catalogue
from statuary.domain.contracts.contract_counts import ContractCounts
from statuary.domain.findings import Finding, Severity, has_errors, has_warnings, sorted_findings
from statuary.domain.page_settings import ThemeError
from statuary.domain.primitives import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedSite:
    """A checked site."""

    root: Path  # the content folder
    catalogue: Catalogue | None  # the site; None if it could not be read
    # what is wrong with the content, located and in order; an error forbids publishing
    findings: tuple[Finding, ...]
    # why single contracts, incidents, maintenances or pages are withheld; the rest is published
    rejections: tuple[Finding, ...] = ()
    rejected: int = 0
    contracts: ContractCounts = field(default_factory=ContractCounts)
    # when the published status next changes; None if not before the horizon
    next_transition: Instant | None = None
    # when the next build is due; None if nothing changes until the content does
    horizon: Instant | None = None

    @property
    def may_publish(self) -> bool:
        """Whether the site could be read and has no errors."""
        return self.catalogue is not None and not has_errors(self.findings)

    @property
    def is_clean(self) -> bool:
        """Whether the content has no errors and no record is rejected."""
        return self.may_publish and not self.rejected

    @property
    def all_findings(self) -> list[Finding]:
        """All findings in order, rejections included."""
        return sorted_findings((*self.findings, *self.rejections))

    @property
    def has_warnings(self) -> bool:
        """Whether there is a finding other than a note."""
        return has_warnings((*self.findings, *self.rejections))

    def count(self, severity: Severity) -> int:
        """Return the number of findings of a severity."""
        return Counter(finding.severity for finding in (*self.findings, *self.rejections))[severity]

    def with_theme_error(self, error: ThemeError) -> Self:
        """Return the site with a finding about a template that cannot be rendered."""
        return replace(self, findings=_located(self.root, [*self.findings, template_finding(error)]))


def check(root: Path, site: ReadSite, contracts: BuiltContracts | None = None) -> CheckedSite:
    """Gather the findings about a site; `contracts` is None if they were not built."""
    if contracts is None or site.status is None:
        findings = _located(root, [*site.findings, *site.left_out])
        return CheckedSite(root=root, catalogue=site.catalogue, findings=findings)
    scanned = contracts.catalogue.contracts.findings
    return CheckedSite(
        root=root,
        catalogue=contracts.catalogue,
        findings=_located(root, [*site.findings, *contracts.findings]),
        rejections=_located(root, [*site.left_out, *scanned, *contracts.rejections]),
        rejected=len(site.left_out) + contracts.rejected + has_errors(scanned),
        contracts=contracts.counts,
        next_transition=site.status.next_transition,
        horizon=site.status.horizon,
    )


def _located(root: Path, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted_findings(locate_findings(root, findings)))
