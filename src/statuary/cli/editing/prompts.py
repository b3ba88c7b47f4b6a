"""Prompts for missing options, and the completion of names.

Without a terminal, an error names the missing option.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import click
from typing_extensions import override

from statuary.base.limits import LARGEST_SOURCE_FILE
from statuary.base.primitives import Instant, parse_duration
from statuary.cli.options import INSTANT, InstantType
from statuary.source.edit_files import EditError
from statuary.source.source_files import SourceFile
from statuary.source.unreadable import UnreadableError
from statuary.status.editing.updates import (
    STATUSES,
    find_component,
    find_incident,
    incident_status_at,
    incidents_with_status,
    join_first_ids,
    parse_statuses,
    settable_component_keys,
)
from statuary.status.model.incident_history import IncidentHistory
from statuary.status.model.records import Incident, StatusCatalogue
from statuary.status.model.vocabulary import ComponentStatus

Value = TypeVar("Value")
Choice = TypeVar("Choice", bound=str)

NONE = "none"
"""The answer that ends the questions about components."""


def is_interactive() -> bool:
    """Return whether the command runs in a terminal, and can ask questions."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def value_or_ask(value: Value | None, name: str, ask: Callable[[], Value], hint: str = "") -> Value:
    """Return the value of an option or argument, or ask for it.

    Args:
        value: the value; None if the command line has none.
        name: the name for messages: `--name` of an option, capitals for an argument.
        ask: asks the user, and returns the answer.
        hint: a sentence to add to the error message.

    Raises:
        click.UsageError: if there is neither a value nor a terminal to ask in.
    """
    if value is not None:
        return value
    if is_interactive():
        return ask()
    kind = "option" if name.startswith("-") else "argument"
    raise click.UsageError(f"Missing {kind} {name!r}." + (f" {hint}" if hint else ""))


def ask_text(question: str, default: str | None = None) -> str:
    """Ask the user for a text until the answer is not empty.

    Args:
        question: the question, without a colon.
        default: the answer if the user only presses Enter; None to require an answer.
    """
    answer: str = click.prompt(question, default=default)
    return answer


def ask_choice(question: str, choices: Sequence[Choice], default: str | None = None) -> Choice:
    """Ask the user to type one of several words, and return it.

    Args:
        question: the question, without a colon.
        choices: the words.
        default: the answer if the user only presses Enter; None to require an answer.
    """
    answer = click.prompt(
        question, type=click.Choice(choices), default=default if default in choices else None
    )
    return next(choice for choice in choices if choice == answer)


def ask_numbered_choice(question: str, lines: Sequence[tuple[str, str]]) -> str:
    """Ask the user for the number of one of several printed lines.

    Args:
        lines: the name and the description to print on each line.

    Returns:
        The name on the chosen line.
    """
    for number, (name, description) in enumerate(lines, 1):
        click.echo(f"{number:>3}  {name}  {description}")
    number = click.prompt(
        question, type=click.IntRange(1, len(lines)), default=1 if len(lines) == 1 else None
    )
    return lines[number - 1][0]


def ask_instant(question: str) -> Instant:
    """Ask the user for a point in time, and return it."""
    instant: Instant = click.prompt(question, type=INSTANT)
    return instant


def ask_end_time(question: str, start: Instant) -> Instant:
    """Ask the user when a period ends, and return the time.

    The answer can be a time, or the length of the period, such as `2h`.

    Args:
        question: the question, without a colon.
        start: the start of the period, to which a length is added.
    """
    end: Instant = click.prompt(question, type=EndType(start))
    return end


class EndType(InstantType):
    """Parses the end of a maintenance window: a time, or its length."""

    def __init__(self, start: Instant) -> None:
        self.start = start

    @override
    def convert(
        self, value: str | Instant, param: click.Parameter | None, ctx: click.Context | None
    ) -> Instant:
        duration = parse_duration(str(value))
        return Instant(self.start + duration) if duration else super().convert(value, param, ctx)


def ask_in_editor(text_name: str) -> str | None:
    """Let the user write a longer text in their editor.

    Args:
        text_name: a noun for the text, which the editor shows below it.

    Returns:
        The text, or None if it is empty.
    """
    marker = f"# {text_name}. Write above this line; the rest is ignored."
    edited_text = click.edit(f"\n\n{marker}\n", extension=".txt") or ""
    return edited_text.partition(marker)[0].strip() or None


def incident_or_ask(
    typed_name: str | None,
    histories: Sequence[IncidentHistory],
    record_noun: str,
    at: Instant,
    is_wanted: Callable[[str], bool],
) -> Incident:
    """Find the incident that the user named, or ask for one.

    Args:
        typed_name: the id or file name that the user typed; None if the command line has none.
        histories: the incidents or maintenance windows to choose from.
        record_noun: `incident` or `maintenance`, for messages.
        at: the time of the status.
        is_wanted: returns whether to list an incident with the given status in the question.

    Raises:
        EditError: if no incident matches, several match, or there is none to choose from.
        click.UsageError: if no name was typed, and there is no terminal to ask in.
    """
    choices = incidents_with_status(histories, at, is_wanted)
    hint = (
        f"Use one of {join_first_ids([choice.id for choice in choices])}"
        if choices
        else f"No {record_noun} fits; `statuary {record_noun} list --all` lists the ids."
    )
    name = value_or_ask(typed_name, "ID", lambda: _ask_incident(choices, record_noun, at), hint)
    return find_incident(name, histories, record_noun, at, is_wanted)


def _ask_incident(choices: Sequence[Incident], record_noun: str, at: Instant) -> str:
    if not choices:
        raise EditError(f"there is no {record_noun} to choose from")
    return ask_numbered_choice(
        f"Which {record_noun}",
        [(choice.id, f"{choice.name} ({incident_status_at(choice, at)})") for choice in choices],
    )


def statuses_or_ask(words: Sequence[str], catalogue: StatusCatalogue) -> dict[str, ComponentStatus | None]:
    """Parse `component=status` words, or ask the user for the statuses.

    Args:
        words: words such as `rpc=partial_outage`.
        catalogue: the components that exist.

    Returns:
        The status by component key.

    Raises:
        click.UsageError: if a component has no status, and there is no terminal to ask in.
    """
    statuses = parse_statuses(words, catalogue)
    if not is_interactive():
        for key in (key for key, status in statuses.items() if status is None):
            raise click.UsageError(
                f"--component {key} has no status. Write {key}=STATUS, with {', '.join(STATUSES)}"
            )
        return statuses
    keys = statuses if words else _ask_component_keys(catalogue)
    return {key: statuses.get(key) or ask_choice(f"Status of {key}", STATUSES) for key in keys}


def components_or_ask(names: Sequence[str], catalogue: StatusCatalogue) -> list[str]:
    """Return the keys of the components that the user named.

    If the user named none, and the command runs in a terminal, it asks.

    Args:
        names: the keys, ids or names that the user typed.
        catalogue: the components that exist.
    """
    if names or not is_interactive():
        return list(dict.fromkeys(find_component(name, catalogue).key for name in names))
    return list(_ask_component_keys(catalogue))


def _ask_component_keys(catalogue: StatusCatalogue) -> Iterator[str]:
    remaining_keys = settable_component_keys(catalogue)
    while remaining_keys:
        answer = click.prompt(
            f"Affected component ({', '.join([NONE, *remaining_keys])})",
            default=NONE,
            value_proc=lambda text: _component_key(text, catalogue, remaining_keys),
        )
        if answer == NONE:
            return
        remaining_keys.remove(answer)
        yield answer


def _component_key(typed_name: str, catalogue: StatusCatalogue, remaining_keys: Sequence[str]) -> str:
    if typed_name == NONE:
        return NONE
    try:
        key = find_component(typed_name, catalogue).key
    except EditError as error:
        raise click.UsageError(f"{error}; {error.hint}") from None
    if key not in remaining_keys:
        raise click.UsageError(f"{key} is already in the list")
    return key


def complete_incident_id(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Complete the name of an incident for the shell, newest first.

    For example, `2026-11` is completed to the names of the files of that month, without suffix.
    """
    return _record_names(_content_folder(ctx) / "incidents", incomplete)


def complete_maintenance_id(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Complete the name of a maintenance window for the shell, newest first.

    For example, `2026-11` is completed to the names of the files of that month, without suffix.
    """
    return _record_names(_content_folder(ctx) / "maintenances", incomplete)


def complete_template(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Complete the name of an incident template for the shell.

    The shell offers the names that begin with what the user has typed.
    """
    return sorted(_record_names(_content_folder(ctx) / "templates", incomplete))


def complete_component(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Complete the key of a component for the shell.

    For example, `rp` is completed to `rpc`.
    """
    return [key for key in _component_keys(_content_folder(ctx)) if key.startswith(incomplete)]


def complete_component_status(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Complete an argument `component=status` for the shell.

    Before the equals sign it offers component keys, and after it statuses.
    """
    key, equals, status = incomplete.partition("=")
    if not equals:
        return complete_component(ctx, param, incomplete)
    return [f"{key}={candidate}" for candidate in STATUSES if candidate.startswith(status)]


def _content_folder(ctx: click.Context) -> Path:
    return ctx.params.get("content") or Path("content")


def _record_names(folder: Path, incomplete: str) -> list[str]:
    names = (Path(name) for _, _, files in os.walk(folder) for name in files)
    stems = {
        name.stem for name in names if name.suffix in (".yaml", ".yml") and not name.stem.startswith(".")
    }
    return sorted((stem for stem in stems if stem.startswith(incomplete)), reverse=True)


def _component_keys(content: Path) -> Iterator[str]:
    from statuary.source.parse_yaml import parse_yaml

    for name in ("components.yaml", "components.yml"):
        try:
            tree = parse_yaml(SourceFile(content, name).load_text(LARGEST_SOURCE_FILE))
        except UnreadableError:
            continue
        yield from _keys_without_groups(tree.get("components") if isinstance(tree, dict) else None)


def _keys_without_groups(components: object) -> Iterator[str]:
    for key, inner in components.items() if isinstance(components, dict) else ():
        below = inner.get("components") if isinstance(inner, dict) else None
        if below is None:
            yield key
        else:
            yield from _keys_without_groups(below)
