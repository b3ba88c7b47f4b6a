"""The filters of theme templates, and a page's budget."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import wraps
from itertools import count
from time import monotonic
from typing import ParamSpec, TypeVar

from jinja2 import Undefined
from jinja2.exceptions import SecurityError
from jinja2.runtime import markup_join

P = ParamSpec("P")
R = TypeVar("R")

MAX_STEPS = 1_000_000
"""Loop iterations, calls, filters and included templates of one page."""

MAX_SECONDS = 5.0
"""Seconds of rendering of one page."""

MAX_PAGE_LENGTH = 32_000_000
"""Characters of a page; that of a contract shows up to a million characters of sources."""

MAX_TEXT_LENGTH = 1_000_000
"""Characters of a text that an expression produces."""

MAX_LITERAL_ITEMS = 10_000
"""Items of a list literal, those of lists in it included."""


@dataclass(slots=True)
class Budget:
    """The limit on steps and time for rendering a page with a theme."""

    steps: Iterator[int] = field(default_factory=count)
    deadline: float = field(default_factory=lambda: monotonic() + MAX_SECONDS)

    def consume_step(self) -> None:
        """Count a step of rendering, such as a call or a pass of a loop.

        Raises:
            SecurityError: if no step is left in the budget.
        """
        if next(self.steps) >= MAX_STEPS:
            raise SecurityError(f"rendering the template takes more than the limit of {MAX_STEPS:,} steps")
        if monotonic() > self.deadline:
            raise SecurityError(
                f"rendering the template takes more than the limit of {MAX_SECONDS:.0f} seconds"
            )


_budget: ContextVar[Budget | None] = ContextVar("budget", default=None)


@contextmanager
def limit_rendering() -> Iterator[None]:
    """Limit the work of a theme's templates in a `with` block."""
    token = _budget.set(Budget())
    try:
        yield
    finally:
        _budget.reset(token)


def count_step() -> None:
    """Count a step of rendering against the page's budget.

    While a template is compiled, there is no limit.

    Raises:
        SecurityError: if no step is left in the budget.
    """
    budget = _budget.get()
    if budget is not None:
        budget.consume_step()


def count_calls_as_steps(function: Callable[P, R]) -> Callable[P, R]:
    """Wrap a function so that each call counts against a template's limit.

    The limit stops templates that do too much.
    """

    @wraps(function)
    def bounded(*arguments: P.args, **options: P.kwargs) -> R:
        count_step()
        return function(*arguments, **options)

    return bounded


def reject_list_argument(function: Callable[..., object]) -> Callable[..., object]:
    """Wrap a template filter so that it rejects lists.

    The filter would convert the list to a string, which may be much longer than the list.
    """

    @wraps(function)
    def bounded(value: object, *arguments: object, **options: object) -> object:
        return function(require_printable(value), *arguments, **options)

    return bounded


def count_loop_steps(items: Iterable[R]) -> Iterator[R]:
    """Yield a loop's items, and count a step for each.

    The number of steps is limited, which stops templates that do too much.
    """
    for item in items:
        count_step()
        yield item


def require_string_length(length: int) -> None:
    """Check that a template does not make too long a string.

    Args:
        length: the number of characters of the string.

    Raises:
        SecurityError: if the string would be too long.
    """
    if length > MAX_TEXT_LENGTH:
        raise SecurityError(f"the template makes a text of more than {MAX_TEXT_LENGTH:,} characters")


def require_number(value: object) -> int:
    """Check that a template calculates with a number, and return it.

    Raises:
        SecurityError: if the value is not a number.
    """
    if isinstance(value, int | float):
        return int(value)
    raise SecurityError(f"a template cannot calculate with a value of type {type(value).__name__}")


def require_scalar(value: object) -> object:
    """Check that a value can be compared fast, and return it.

    Raises:
        SecurityError: for lists and other objects.
    """
    if value is None or isinstance(value, str | int | float | Undefined):
        return value
    raise SecurityError(f"a template cannot compare a value of type {type(value).__name__}")


def require_printable(value: object) -> object:
    """Check that a template may print a value, and return it.

    Raises:
        SecurityError: for lists and other objects.
    """
    if value is None or isinstance(value, str | int | float | Undefined):
        return value
    raise SecurityError(f"a template cannot print a value of type {type(value).__name__}")


def join_page(parts: Iterable[str]) -> str:
    """Join the strings that a template, macro or block wrote.

    Raises:
        SecurityError: if the page would be too long.
    """
    printed, length = [], 0
    for part in parts:
        length += len(part)
        if length > MAX_PAGE_LENGTH:
            raise SecurityError(f"the template makes a page of more than {MAX_PAGE_LENGTH:,} characters")
        printed.append(part)
    return "".join(printed)


def join_texts(items: Iterable[object], separator: str = "", attribute: str | None = None) -> str:
    """Join strings, like Jinja's filter `join`.

    Raises:
        SecurityError: if `attribute` is given, an item is a list or another object, or the result would be
            too long.
    """
    if attribute is not None:
        raise SecurityError("join takes no attribute in a theme: use map(attribute=...) first")
    separators = (part for item in items for part in (separator, item))
    next(separators, None)
    return concat_texts(separators)


def concat_texts(items: Iterable[object]) -> str:
    """Join values to a string, like Jinja's operator `~`.

    For example, `{{ 1 ~ "a" }}` prints `1a`.

    Raises:
        SecurityError: if a value is a list or another object, or the result would be too long.
    """
    texts, length = [], 0
    for item in items:
        count_step()
        text = require_printable(item)
        length += len(text) if isinstance(text, str) else 1
        require_string_length(length)
        texts.append(text)
    return markup_join(texts)


def replace_text(text: str, old: str, new: str) -> str:
    """Replace a part of a string, like Jinja's filter `replace`.

    Raises:
        SecurityError: if the result could be too long.
    """
    require_string_length(len(text) + text.count(old) * len(new))
    return text.replace(old, new)


def require_literal_size(value: R) -> R:
    """Check the size of a list, tuple or mapping, and return it.

    Raises:
        SecurityError: if the value has more than `MAX_LITERAL_ITEMS` items, nested ones included.
    """
    if _count_nested_items(value, MAX_LITERAL_ITEMS) > MAX_LITERAL_ITEMS:
        raise SecurityError(f"the template makes a list of more than {MAX_LITERAL_ITEMS:,} items")
    return value


def _count_nested_items(value: object, max_count: int) -> int:
    """Count the items of a value, and of the lists nested in it, up to a maximum.

    An item that occurs in several lists counts several times.
    """
    if isinstance(value, Mapping):
        return _count_nested_items(list(value.values()), max_count)
    if not isinstance(value, list | tuple) or hasattr(value, "_fields"):
        return 1
    total = 1
    for item in value:
        total += _count_nested_items(item, max_count - total)
        if total > max_count:
            break
    return total
