"""Which checks run: `--skip`, `--only`, `--strict`, and the table of all."""

from collections.abc import Callable, Collection
from typing import Any, TypeVar

import click

from statuary.build.check_options import CheckOptions

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def check_options(function: Decorated) -> Decorated:
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


def read_check_options(skip: Collection[str], only: Collection[str], *, strict: bool) -> CheckOptions:
    """Return what the options ask for.

    Raises:
        click.BadParameter: if a name is no check's.
    """
    if not skip and not only:
        return CheckOptions(strict=strict)
    from statuary.cli.options.check_names import select_checks

    return select_checks(skip, only, strict=strict)


def list_rules() -> None:
    """Print every rule: a table for a person, lines for a program."""
    from rich.console import Console
    from rich.table import Table

    from statuary.checks.rule_catalogue import all_rules

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
