"""The registry of checks: functions with `@check`.

The first line of a check's docstring is its rule; the function's name in kebab-case is the rule's id.
"""

from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any, Final, NamedTuple, TypeVar, overload

from statuary.base.findings import Rule, Severity

Function = TypeVar("Function", bound=Callable[..., object])


class RegisteredCheck(NamedTuple):
    """A function that is registered with `@check`."""

    name: str
    rule: str  # a sentence
    severity: Severity  # the severity of findings, unless a finding has another one
    function: Any


_SEVERITIES: Final[dict[Callable[..., object], Severity]] = {}


@overload
def check(function: Function, /) -> Function: ...
@overload
def check(severity: Severity, /) -> Callable[[Function], Function]: ...
def check(function_or_severity: Function | Severity, /) -> Function | Callable[[Function], Function]:
    """Register a function as a check of a rule.

    The name of the rule is that of the function, and the first line of its docstring is the rule. Findings of
    `@check` are errors; `@check(Severity.WARNING)` sets another severity.
    """
    severity = function_or_severity if isinstance(function_or_severity, Severity) else Severity.ERROR

    def register(function: Function) -> Function:
        _SEVERITIES[function] = severity
        return function

    return register if isinstance(function_or_severity, Severity) else register(function_or_severity)


class RuleText(NamedTuple):
    """A rule's name and sentence, as lists and the manual show them."""

    name: str  # the id of the rule
    sentence: str


def rule_text(function: Callable[..., object]) -> RuleText:
    """Return the name and sentence of the rule that a function checks.

    The name is that of the function, with hyphens. The sentence is the first line of its docstring.
    """
    sentence = (function.__doc__ or "").strip().partition("\n")[0]
    return RuleText(function.__name__.replace("_", "-"), sentence)


def registered_checks(*modules: ModuleType) -> Iterator[RegisteredCheck]:
    """Yield all functions in some modules that are decorated with `@check`.

    Each function is yielded with the name, sentence and severity of its rule, in the order of the code.
    """
    for module in modules:
        for value in vars(module).values():
            if (
                isinstance(value, FunctionType)
                and value.__module__ == module.__name__
                and value in _SEVERITIES
            ):
                yield RegisteredCheck(*rule_text(value), _SEVERITIES[value], value)


def rule_of_function(function: Callable[..., object], group: str) -> Rule:
    """Make a rule from a function's name and docstring.

    For example, the function `path_mismatch` makes the rule `path-mismatch`.

    Args:
        function: the function, whose docstring begins with the rule's sentence.
        group: the heading under which `statuary check --list` prints the rule.
    """
    name, sentence = rule_text(function)
    return Rule(name, Severity.ERROR, group, sentence)
