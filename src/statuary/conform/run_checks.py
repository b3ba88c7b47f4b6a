"""Runs checks against a deployment; a check that fails is repeated once."""

from collections.abc import Iterator, Sequence
from time import perf_counter

from statuary.conform.checked_deployment import CheckedDeployment, NotApplicableError
from statuary.conform.conformance import (
    ConformanceArea,
    ConformanceCheck,
    ConformanceLevel,
    ConformanceOutcome,
    ConformanceResult,
)
from statuary.conform.conformance_checks import CHECKS
from statuary.conform.http_requests import UnreachableError

MAX_REPORTED_PROBLEMS = 20
"""Problems of one check that are reported."""


def select_checks(level: ConformanceLevel, areas: frozenset[ConformanceArea]) -> tuple[ConformanceCheck, ...]:
    """Return the checks that a deployment of a level must pass, for some areas."""
    return tuple(check for check in CHECKS if check.level <= level and check.area in areas)


def run_checks(
    deployment: CheckedDeployment, checks: Sequence[ConformanceCheck]
) -> Iterator[ConformanceResult]:
    """Yield the result of each check; raise UnreachableError if the deployment cannot be reached."""
    deployment.get("/")
    for check in checks:
        verdict = _judge(deployment, check)
        if verdict.outcome is ConformanceOutcome.FAILED:
            # a page may have changed between two requests
            deployment.clear_cache()
            verdict = _judge(deployment, check)
        yield verdict


def _judge(deployment: CheckedDeployment, check: ConformanceCheck) -> ConformanceResult:
    began = perf_counter()
    try:
        problems = tuple(check.run(deployment))
        outcome = ConformanceOutcome.FAILED if problems else ConformanceOutcome.PASSED
    except NotApplicableError as nothing:
        problems, outcome = (str(nothing),), ConformanceOutcome.SKIPPED
    except UnreachableError as unreachable:
        problems, outcome = (str(unreachable),), ConformanceOutcome.FAILED
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as odd:
        # a response can have any shape
        problems, outcome = (
            (f"cannot read the responses: {type(odd).__name__}: {odd}",),
            ConformanceOutcome.FAILED,
        )
    return ConformanceResult(
        check=check,
        outcome=outcome,
        problems=problems[:MAX_REPORTED_PROBLEMS],
        seconds=perf_counter() - began,
    )
