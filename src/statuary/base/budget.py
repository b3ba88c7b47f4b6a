"""Work on one thing of the content: what goes wrong with it becomes a finding, and a budget bounds it.

The budget counts steps and not seconds, so that the verdict is the same on every machine.
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
"""The rule of findings about exceptions that nobody foresaw; they never keep the rest of a site from being published."""

BEYOND_LIMIT: Final = "limit-exceeded"
"""The rule that sources keep to the limits."""

INTERRUPTIONS: Final = (KeyboardInterrupt, SystemExit, GeneratorExit)
"""What is no error of the work that it interrupts."""


class StepLimitError(StatuaryError):
    """Something takes more steps than anything genuine does."""


@dataclass(slots=True)
class _Budget:
    steps: int


_budget: ContextVar[_Budget | None] = ContextVar("budget", default=None)


@contextmanager
def step_budget() -> Iterator[None]:
    """Bound the work within the context to `MAX_STEPS`."""
    token = _budget.set(_Budget(MAX_STEPS))
    try:
        yield
    finally:
        _budget.reset(token)


def consume(steps: int) -> None:
    """Count steps of the work that is being done: each about a tenth of a microsecond.

    Raises:
        StepLimitError: if nothing is left.
    """
    budget = _budget.get()
    if budget is not None:
        budget.steps -= steps
        if budget.steps < 0:
            raise StepLimitError(f"it takes more than {MAX_STEPS:,} steps of work", "make it smaller")


def steps_left() -> int:
    """Return how many steps the work that is being done may still take."""
    budget = _budget.get()
    return MAX_STEPS if budget is None else budget.steps


def consume_for_text(characters: int) -> None:
    """Count the steps of a search through some characters."""
    consume(1 + characters // TEXT_OF_A_STEP)


def run_guarded(
    work: Callable[[], Result],
    path: str,
    action: str,
    reraise: tuple[type[BaseException], ...] = INTERRUPTIONS,
) -> Result | Finding:
    """Return the result of bounded work; a finding about a content file if it raises anything but an interruption.

    Args:
        path: the file.
        action: what the work does with the file, such as `checking the record`.
        reraise: the exceptions that are raised all the same, interruptions among them.
    """
    token = _budget.set(_Budget(MAX_STEPS))  # as `bounded` does, in a third of its time
    try:
        return work()
    except BaseException as error:
        if isinstance(error, reraise):
            raise
        return exception_finding(error, path, action)
    finally:
        _budget.reset(token)


def exception_finding(error: BaseException, path: str, action: str) -> Finding:
    """Return an exception as a finding: of an error that was foreseen its words, of another one its type and place."""
    if isinstance(error, StepLimitError):
        return Finding(rule=BEYOND_LIMIT, path=path, message=f"{action}: {error}", hint=error.hint)
    if isinstance(error, StatuaryError):
        return Finding(rule=DEFECT, path=path, message=f"{action}: {error}", hint=error.hint)
    return Finding(
        rule=DEFECT, path=path, message=f"{action}: {describe_exception(error)}", hint=BUG_REPORT_HINT
    )
