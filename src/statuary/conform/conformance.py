"""Checks of a deployment, and their results."""

from collections.abc import Callable, Iterator
from enum import IntEnum, StrEnum
from typing import NamedTuple

from statuary.conform.checked_deployment import CheckedDeployment


class ConformanceArea(StrEnum):
    """The subject of a check."""

    CONTRACTS = "contracts"
    STATUS = "status"
    SITE = "site"
    """Only for sites of statuary."""


class ConformanceLevel(IntEnum):
    """The abilities of a deployment: plain files, or an edge runtime."""

    STATIC = 1
    EDGE = 2


class ConformanceOutcome(StrEnum):
    """The outcome of a check."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    """The rule does not apply to the deployment."""


CheckFunction = Callable[[CheckedDeployment], Iterator[str]]
"""Yields what is wrong with a deployment."""


class ConformanceCheck(NamedTuple):
    """A rule for deployments."""

    # the function; its name is the check's, and the first line of its docstring is the rule
    run: CheckFunction
    area: ConformanceArea
    level: ConformanceLevel  # the lowest level that must satisfy it
    feature: str

    @property
    def name(self) -> str:
        """The name on the command line."""
        return self.run.__name__.replace("_", "-")

    @property
    def rule(self) -> str:
        """The rule."""
        return (self.run.__doc__ or "").strip().partition("\n")[0]


class ConformanceResult(NamedTuple):
    """The result of a check."""

    check: ConformanceCheck
    outcome: ConformanceOutcome
    problems: tuple[str, ...] = ()  # what is wrong, or why the rule does not apply
    seconds: float = 0.0
