"""Checks are functions: `@check` on a function, and its rule is the first line of its docstring.

The name of the rule is the function's, in kebab-case.
"""

from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any, Final, NamedTuple, TypeVar, overload

from statuary.base.findings import Severity

Function = TypeVar("Function", bound=Callable[..., object])


class RegisteredCheck(NamedTuple):
    """A function with `@check`."""

    name: str
    rule: str  # a sentence
    severity: Severity  # of its findings, unless one has its own
    function: Any


_SEVERITIES: Final[dict[Callable[..., object], Severity]] = {}


@overload
def check(argument: Function, /) -> Function: ...
@overload
def check(argument: Severity, /) -> Callable[[Function], Function]: ...
def check(argument: Function | Severity, /) -> Function | Callable[[Function], Function]:
    """Register a function as a check: `@check` if its findings are errors, else `@check(Severity.WARNING)`."""

    def register(function: Function) -> Function:
        _SEVERITIES[function] = argument if isinstance(argument, Severity) else Severity.ERROR
        return function

    return register if isinstance(argument, Severity) else register(argument)


def rule_of(function: Callable[..., object]) -> tuple[str, str]:
    """Return the name of a function's rule, and the rule."""
    sentence = (function.__doc__ or "").strip().partition("\n")[0]
    return function.__name__.replace("_", "-"), sentence


def checks_in(*modules: ModuleType) -> Iterator[RegisteredCheck]:
    """Yield the checks that modules define, in the order of the modules and of the functions in them."""
    for module in modules:
        for value in vars(module).values():
            if (
                isinstance(value, FunctionType)
                and value.__module__ == module.__name__
                and value in _SEVERITIES
            ):
                yield RegisteredCheck(*rule_of(value), _SEVERITIES[value], value)
