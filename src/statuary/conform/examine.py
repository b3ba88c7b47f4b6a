"""One examination: the checks of a level, one after the other, each asked twice before it fails."""

from collections.abc import Iterator, Sequence
from time import perf_counter

from statuary.conform.ask import Unreachable
from statuary.conform.checks import CHECKS
from statuary.conform.deployment import Deployment
from statuary.conform.verdict import Area, Check, Level, NothingToJudge, Outcome, Verdict

MOST_PROBLEMS = 20
"""Problems of one check that are told."""


def wanted_checks(level: Level, areas: frozenset[Area]) -> tuple[Check, ...]:
    """Return the checks of some areas that a deployment of a level must pass."""
    return tuple(check for check in CHECKS if check.level <= level and check.area in areas)


def examine(deployment: Deployment, checks: Sequence[Check]) -> Iterator[Verdict]:
    """Yield what each check says of a deployment.

    Raises:
        Unreachable: if the deployment cannot be asked at all.
    """
    deployment.get("/")
    for check in checks:
        verdict = _judge(deployment, check)
        if verdict.outcome is Outcome.FAILED:
            # a page may have changed between two of the questions
            deployment.forget()
            verdict = _judge(deployment, check)
        yield verdict


def _judge(deployment: Deployment, check: Check) -> Verdict:
    began = perf_counter()
    try:
        problems = tuple(check.run(deployment))
        outcome = Outcome.FAILED if problems else Outcome.PASSED
    except NothingToJudge as nothing:
        problems, outcome = (str(nothing),), Outcome.SKIPPED
    except Unreachable as unreachable:
        problems, outcome = (str(unreachable),), Outcome.FAILED
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as odd:
        # whatever shape a stranger's answer has, it is the stranger's
        problems, outcome = (f"the answers cannot be read: {type(odd).__name__}: {odd}",), Outcome.FAILED
    return Verdict(
        check=check, outcome=outcome, problems=problems[:MOST_PROBLEMS], seconds=perf_counter() - began
    )
