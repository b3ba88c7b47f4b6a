"""Hints in errors of usage: values, options, commands."""

import re
from collections.abc import Sequence
from difflib import get_close_matches

import click

from statuary.cli.examples import read_examples

WRONG_CHOICE = re.compile(r"'(?P<value>.*)' is not one of ")
WRONG_NUMBER = re.compile(r"(?P<value>'.*') is not a valid integer")
LEAST_SIMILARITY = 0.55
"""How much a value has to be like a choice, so that `githb` means `github-pages`, and `fixed` not `identified`."""

MAX_COMMANDS = 20
"""The most commands of a group that an error lists."""


WITHOUT_VALUE = re.compile(r"Option '(?P<flag>.*)' requires (an|\d+) arguments?\.")


def with_usage_hint(
    error: click.UsageError, root: click.Context, typed_words: Sequence[str]
) -> click.UsageError:
    """Add a hint to a usage error, such as the possible values.

    For example, the error about an unknown command gets a list of the commands. Other errors are returned as
    they are.

    Args:
        root: the context of the program, with all commands.
        typed_words: the words that the user typed after the program's name.
    """
    if isinstance(error, click.BadOptionUsage) and (match := WITHOUT_VALUE.fullmatch(error.message)):
        return _add_metavar(error, match["flag"], root, typed_words)
    if isinstance(error, click.MissingParameter):
        return _add_option_help(error)
    if isinstance(error, click.BadParameter):
        return _add_possible_values(error)
    message = error.message or ""
    is_unknown = message.startswith("No such command") and "Did you mean" not in error.format_message()
    if is_unknown and error.ctx is not None:
        return click.UsageError(message + _list_commands(error.ctx), error.ctx)
    return error


def _add_possible_values(error: click.BadParameter) -> click.BadParameter:
    if match := WRONG_NUMBER.match(error.message):
        message = f"{match['value']} is not a whole number" + _value_range_text(error.param)
        return click.BadParameter(message, error.ctx, error.param, error.param_hint)
    choice = _suggest_choice(error, error.message)
    if not choice:
        return error
    return click.BadParameter(error.message + choice, error.ctx, error.param, error.param_hint)


def _add_metavar(
    error: click.BadOptionUsage, flag: str, root: click.Context, words: Sequence[str]
) -> click.UsageError:
    command, context = root.command, root
    for word in words:
        member = command.get_command(context, word) if isinstance(command, click.Group) else None
        if member is None:
            break
        command, context = member, click.Context(member, context, word)
    option = next((option for option in command.params if flag in option.opts), None)
    if option is None:
        return error
    message = f"{error.message.rstrip('.')}: write {flag} {option.make_metavar(context)}."
    return click.BadOptionUsage(flag, message, context)


def _add_option_help(error: click.MissingParameter) -> click.UsageError:
    """Add the missing option's help, or an example of the command, unless the error has a hint."""
    parameter = error.param or _missing_parameter(error)
    if error.message or parameter is None or isinstance(parameter.type, click.Choice):
        return error
    help_text = parameter.help if isinstance(parameter, click.Option) else _example_sentence(error.ctx)
    if not help_text:
        return error
    return click.MissingParameter(help_text, error.ctx, error.param, error.param_hint, error.param_type)


def _example_sentence(context: click.Context | None) -> str:
    words = "" if context is None else context.command_path.partition(" ")[2]
    examples = read_examples().get(words)
    return f"For example: {examples[0]}" if examples else ""


def _value_range_text(parameter: click.Parameter | None) -> str:
    kind = None if parameter is None else parameter.type
    if not isinstance(kind, click.IntRange) or kind.min is None:
        return ""
    return f" from {kind.min} to {kind.max}" if kind.max is not None else f" of at least {kind.min}"


def _missing_parameter(error: click.MissingParameter) -> click.Parameter | None:
    flag = str(error.param_hint or "").strip("'")
    parameters = error.ctx.command.params if error.ctx is not None else []
    return next((parameter for parameter in parameters if flag in parameter.opts), None)


def _suggest_choice(error: click.BadParameter, message: str) -> str:
    match = WRONG_CHOICE.match(message)
    kind = error.param.type if error.param is not None else None
    if match is None or not isinstance(kind, click.Choice):
        return ""
    value = match["value"].lower()
    choices = [str(choice) for choice in kind.choices]
    begun = [choice for choice in choices if value and choice.startswith(value)]
    close = begun or get_close_matches(value, choices, 1, LEAST_SIMILARITY)
    return f" Did you mean {close[0]!r}?" if close else ""


def _list_commands(context: click.Context) -> str:
    group = context.command
    names = group.list_commands(context) if isinstance(group, click.Group) else []
    return f" Use one of {', '.join(names)}." if 0 < len(names) <= MAX_COMMANDS else ""
