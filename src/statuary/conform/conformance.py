"""What a check of a deployment says."""

from collections.abc import Callable, Iterator
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from statuary.conform.checked_deployment import CheckedDeployment


class ConformanceArea(StrEnum):
    """What a check is about."""

    CONTRACTS = "contracts"
    STATUS = "status"
    SITE = "site"
    """What only a site of statuary has."""


class ConformanceLevel(IntEnum):
    """How much a deployment can answer: files alone, or what an edge runtime makes of them."""

    STATIC = 1
    EDGE = 2


class ConformanceOutcome(StrEnum):
    """How a check ended."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    """The deployment has nothing that the rule speaks of."""


class NotApplicableError(Exception):
    """A check finds nothing that its rule speaks of; `str(error)` says what is lacking."""


CheckFunction = Callable[["CheckedDeployment"], Iterator[str]]
"""Asks a deployment and yields what is wrong, in sentences."""


class ConformanceCheck(NamedTuple):
    """One rule that a deployment is held to.

    Attributes:
        run: the rule; its name is the check's, and the first line of its docstring says it.
        area: what it is about.
        level: what a deployment must be to follow it.
        feature: what users get of it, in a few words.
    """

    run: CheckFunction
    area: ConformanceArea
    level: ConformanceLevel
    feature: str

    @property
    def name(self) -> str:
        """The name, as it is written on the command line."""
        return self.run.__name__.replace("_", "-")

    @property
    def rule(self) -> str:
        """The rule as a sentence."""
        return (self.run.__doc__ or "").strip().partition("\n")[0]


class ConformanceResult(NamedTuple):
    """What a check said of a deployment.

    Attributes:
        check: the rule.
        outcome: how it ended.
        problems: what is wrong, or the one reason why nothing was judged.
        seconds: how long it took.
    """

    check: ConformanceCheck
    outcome: ConformanceOutcome
    problems: tuple[str, ...] = ()
    seconds: float = 0.0
