"""Which checks run: `--skip`, `--only`, `--strict`, and the table of all."""

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar

import click

from statuary.checks.catalogue import PROOF, STATUS, all_rules
from statuary.checks.contracts.prove import CONTRACT_CHECKS
from statuary.pipeline.checked import Rigour

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def rigour_options(function: Decorated) -> Decorated:
    """Add `--skip`, `--only` and `--strict`."""
    for option in (
        click.option("--strict", is_flag=True, help="Let warnings and refused records count as errors."),
        click.option("--only", multiple=True, metavar="CHECK", help="Run this check alone (repeatable)."),
        click.option(
            "--skip",
            multiple=True,
            metavar="CHECK",
            help="Do not run this check; `proof` and `status` are all of a kind.",
        ),
    ):
        function = option(function)
    return function


def rigour_of(skip: Iterable[str], only: Iterable[str], *, strict: bool) -> Rigour:
    """Return what the options ask for.

    Raises:
        click.BadParameter: if a name is no check's.
    """
    skippable = {rule.name: rule.group for rule in all_rules() if rule.group in (PROOF, STATUS)}
    skipped, wanted = _named(skip, skippable, "--skip"), _named(only, skippable, "--only")
    left_out = skipped | (skippable.keys() - wanted if wanted else set())
    return Rigour(
        checks=tuple(check for check in CONTRACT_CHECKS if check.name not in left_out),
        skipped=frozenset(left_out),
        strict=strict,
    )


def _named(names: Iterable[str], skippable: Mapping[str, str], option: str) -> set[str]:
    found: set[str] = set()
    for name in names:
        if name in (PROOF, STATUS):
            found.update(rule for rule, group in skippable.items() if group == name)
        elif name in skippable:
            found.add(name)
        else:
            raise click.BadParameter(_unknown(name, skippable), param_hint=option)
    return found


def _unknown(name: str, known: Iterable[str]) -> str:
    close = get_close_matches(name, [*known, PROOF, STATUS], 1)
    if close:
        return f"there is no check {name!r}; did you mean {close[0]!r}?"
    if any(rule.name == name for rule in all_rules()):
        return f"{name!r} is a rule of the content's form, which always holds"
    return f"there is no check {name!r}; see `statuary check --list`"


def list_rules() -> None:
    """Print every rule: a table for a person, lines for a program."""
    from rich.console import Console
    from rich.table import Table

    console = Console()
    if not console.is_terminal:
        for rule in all_rules():
            click.echo(f"{rule.name}\t{rule.severity}\t{rule.group}\t{rule.sentence}")
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("check", "severity", "of", "rule"):
        table.add_column(heading, no_wrap=heading != "rule")
    for rule in all_rules():
        table.add_row(rule.name, rule.severity, rule.group, rule.sentence)
    console.print(table)
