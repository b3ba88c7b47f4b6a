"""What the checks made of a record, as values: what is published beside it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from statuary.domain.findings import Finding, has_errors

EvidenceValue = str | int
"""Something that a check saw, for the published proof: a number, a digest, a name."""


class CheckOutcome(StrEnum):
    """How a record came out of a check."""

    PASSED = "passed"
    FAILED = "failed"
    WARNED = "warned"
    NOT_APPLICABLE = "not applicable"
    """The record has nothing that the rule speaks of."""


class CheckResult(NamedTuple):
    """What one check made of one record.

    Attributes:
        check: its name.
        outcome: how it ended.
        saw: what it looked at.
        findings: what it has to say.
    """

    check: str
    outcome: CheckOutcome
    evidence: Mapping[str, EvidenceValue] = MappingProxyType({})
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Proof:
    """What the checks made of one record.

    Attributes:
        results: one per check that ran, in the table's order.
    """

    results: tuple[CheckResult, ...]

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Everything that the checks have to say, in the table's order."""
        return tuple(finding for result in self.results for finding in result.findings)

    @cached_property
    def holds(self) -> bool:
        """Whether no check contradicts the record; warnings do not."""
        return not has_errors(self.findings)
