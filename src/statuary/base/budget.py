"""Guarded work: exceptions become findings, and a budget of steps bounds it.

The budget counts steps, not seconds, so that every machine reaches the same result.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final, TypeVar

from statuary.base.errors import BUG_REPORT_HINT, StatuaryError, describe_exception
from statuary.base.findings import Finding
from statuary.base.limits import MAX_STEPS, TEXT_OF_A_STEP

Result = TypeVar("Result")

DEFECT: Final = "internal-error"
"""The rule of findings about unexpected exceptions. Only what raised one is missing from the site."""

BEYOND_LIMIT: Final = "limit-exceeded"
"""The rule of findings about sources that exceed a limit."""

INTERRUPTIONS: Final = (KeyboardInterrupt, SystemExit, GeneratorExit)
"""Exceptions that stop a command; they are never reported as findings."""


class StepLimitError(StatuaryError):
    """The work takes more steps than any genuine content needs."""


@dataclass(slots=True)
class _Budget:
    steps: int


_budget: ContextVar[_Budget | None] = ContextVar("budget", default=None)


@contextmanager
def limit_steps() -> Iterator[None]:
    """Raise `StepLimitError` if a `with` block does more than `MAX_STEPS` steps."""
    token = _budget.set(_Budget(MAX_STEPS))
    try:
        yield
    finally:
        _budget.reset(token)


def consume_steps(steps: int) -> None:
    """Count steps of work against the current limit.

    A step is about 0.1 microseconds of work. Outside `run_guarded` and `limit_steps` there is no limit, and
    nothing is counted.

    Raises:
        StepLimitError: if the limit is exceeded.
    """
    budget = _budget.get()
    if budget is not None:
        budget.steps -= steps
        if budget.steps < 0:
            raise StepLimitError(
                f"the input is too large: processing takes more than {MAX_STEPS:,} steps",
                "make the input smaller",
            )


def remaining_steps() -> int:
    """Return the number of steps that the running work may still take.

    Without a limit, the result is `MAX_STEPS`.
    """
    budget = _budget.get()
    return MAX_STEPS if budget is None else budget.steps


def consume_search_steps(characters: int) -> None:
    """Count the steps of searching a string with this many characters.

    A step covers several characters, because a search is fast.
    """
    consume_steps(1 + characters // TEXT_OF_A_STEP)


def run_guarded(
    work: Callable[[], Result],
    path: str,
    action: str,
    reraise: tuple[type[BaseException], ...] = INTERRUPTIONS,
) -> Result | Finding:
    """Call a function, and turn an exception into a finding.

    A finding is an error report about a content file. The function may take `MAX_STEPS` steps of work. A call of
    `run_guarded` within `work` has a full limit of its own.

    Args:
        work: the function to call.
        path: the content file that the finding is about.
        action: the work as the message begins, such as `checking the record`.
        reraise: exceptions that are raised instead of reported.

    Returns:
        The result of `work`, or the finding if `work` raised an exception.
    """
    token = _budget.set(_Budget(MAX_STEPS))  # the same as `limit_steps`, at a third of the cost
    try:
        return work()
    except BaseException as error:
        if isinstance(error, reraise):
            raise
        return exception_finding(error, path, action)
    finally:
        _budget.reset(token)


def exception_finding(error: BaseException, path: str, action: str) -> Finding:
    """Convert an exception to a finding, the report of an error.

    Errors of statuary keep their message; other exceptions are described by type and code location.

    Args:
        path: the content file that the finding is about.
        action: the failed work as the message begins, such as `checking the record`.
    """
    if isinstance(error, StepLimitError):
        return Finding(rule=BEYOND_LIMIT, path=path, message=f"{action}: {error}", hint=error.hint)
    if isinstance(error, StatuaryError):
        return Finding(rule=DEFECT, path=path, message=f"{action}: {error}", hint=error.hint)
    return Finding(
        rule=DEFECT, path=path, message=f"{action}: {describe_exception(error)}", hint=BUG_REPORT_HINT
    )
