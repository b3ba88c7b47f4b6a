"""The reference pages of the manual, generated from the source models and from the commands.

python tests/support/manual.py          writes them to content/pages/manual again
python tests/support/manual.py NAME     prints one
"""

import sys
from collections.abc import Iterator
from typing import Any

import click

from statuary.cli.main import command as main
from statuary.content.json_schemas import SCHEMA_MODELS, json_schema
from support.requirements import CHECKOUT

MANUAL = CHECKOUT / "content" / "pages" / "manual"

WIDTH = 100
"""Characters of a line of help."""


def content_reference() -> str:
    """Return the page about the keys of all source files."""
    parts = [
        "---\ntitle: Content reference\norder: 100\n---\n",
        "The keys of every source file, generated from the models that read them. `statuary schema` prints the same as",
        "JSON Schema for editors. Unknown keys are errors; dates are ISO 8601 with an offset.\n",
    ]
    for name in SCHEMA_MODELS:
        if name != "record":  # a record is Sourcify's own format
            parts += _schema_section(json_schema(name))
    return "\n".join(parts) + "\n"


def _schema_section(schema: Any) -> Iterator[str]:
    yield f"## {schema['title']}\n"
    yield from _table(schema)
    for name, part in sorted(schema.get("$defs", {}).items()):
        if "properties" in part:
            yield f"### {_short(name)} of {schema['title']}\n"
            if part.get("description"):
                yield f"{_one_line(part['description'])}\n"
            yield from _table(part)


def _table(schema: Any) -> Iterator[str]:
    yield "| key | value | meaning |\n|---|---|---|"
    for key, value in schema["properties"].items():
        required = " (required)" if key in schema.get("required", ()) else ""
        meaning = _one_line(value.get("description", "")).replace("|", "\\|")
        yield f"| `{key}`{required} | {_kind(value)} | {meaning} |"
    yield ""


def _kind(value: Any) -> str:
    choices = value.get("anyOf") or value.get("oneOf") or value.get("allOf") or ()
    kinds = [
        *(_short(value[key].rpartition("/")[2]) for key in ("$ref",) if key in value),
        *(f"`{one}`" for one in value.get("enum", ())),
        *(_kind(one) for one in choices if one.get("type") != "null"),
        *(f"list of {_kind(value['items'])}" for key in ("items",) if value.get(key)),
    ]
    if isinstance(value.get("additionalProperties"), dict):
        kinds.append(f"mapping to {_kind(value['additionalProperties'])}")
    return " or ".join(dict.fromkeys(kinds)) or value.get("format") or value.get("type") or "any value"


def _short(name: str) -> str:
    return name.removesuffix("Source")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def command_reference() -> str:
    """Return the page with the help of all commands."""
    parts = [
        "---\ntitle: Command reference\norder: 110\n---\n",
        "The help of every command, generated from the commands themselves.\n",
    ]
    for path, command in _commands("statuary", main):
        context = click.Context(
            command,
            info_name=path,
            terminal_width=WIDTH,
            max_content_width=WIDTH,
            help_option_names=["-h", "--help"],
        )
        parts.append(f"## {path}\n\n```text\n{command.get_help(context).rstrip()}\n```\n")
    return "\n".join(parts)


def _commands(path: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=path)
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            if child is not None and not child.hidden:
                yield from _commands(f"{path} {name}", child)


GENERATED = {"content-reference.md": content_reference, "command-reference.md": command_reference}

if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.stdout.buffer.write(GENERATED[sys.argv[1]]().encode())
    else:
        for file_name, text in GENERATED.items():
            (MANUAL / file_name).write_text(text(), encoding="utf-8", newline="\n")
