"""Asking a person for what a command still needs; without one, saying which option would have told it."""

import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

import click

Value = TypeVar("Value")
Choice = TypeVar("Choice", bound=str)


def is_interactive() -> bool:
    """Say whether somebody sits at a terminal who can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def value_or_ask(given: Value | None, name: str, ask: Callable[[], Value], hint: str = "") -> Value:
    """Return what was given, or a person's answer.

    Args:
        given: the value of the option or argument, None if it was left out.
        name: the option, such as `--name`, or the argument in capitals.
        ask: asks for it.
        hint: what the value can be, for a caller who cannot be asked.

    Raises:
        click.UsageError: if it was not given and nobody is there.
    """
    if given is not None:
        return given
    if is_interactive():
        return ask()
    kind = "option" if name.startswith("-") else "argument"
    raise click.UsageError(f"Missing {kind} {name!r}." + (f" {hint}" if hint else ""))


def ask_text(question: str, default: str | None = None) -> str:
    """Ask for a text that is not empty."""
    answer: str = click.prompt(question, default=default)
    return answer


def ask_choice(question: str, choices: Sequence[Choice], default: str | None = None) -> Choice:
    """Ask for one of a few words."""
    answer = click.prompt(
        question, type=click.Choice(choices), default=default if default in choices else None
    )
    return next(choice for choice in choices if choice == answer)


def ask_line(question: str, lines: Sequence[tuple[str, str]]) -> str:
    """Ask for one of several things, shown with a number each; return its name.

    Args:
        question: what is asked.
        lines: name and description of each.
    """
    for number, (name, described) in enumerate(lines, 1):
        click.echo(f"{number:>3}  {name}  {described}")
    number = click.prompt(
        question, type=click.IntRange(1, len(lines)), default=1 if len(lines) == 1 else None
    )
    return lines[number - 1][0]


def ask_in_editor(what: str) -> str | None:
    """Let a person write a longer text in their editor; None if nothing came of it."""
    marker = f"# {what}: write it above this line; the rest is left out."
    written = click.edit(f"\n\n{marker}\n", extension=".txt") or ""
    return written.partition(marker)[0].strip() or None
