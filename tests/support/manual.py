"""The reference pages of the manual, generated from the source models and from the commands.

python tests/support/manual.py          writes them to content/pages/manual again
python tests/support/manual.py NAME     prints one
"""

import html
import json
import re
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
        "JSON Schema for editors. Unknown keys are errors; dates are ISO 8601 with an offset. A default that is empty, or that\nof a table below, is not shown.\n",
    ]
    for name in SCHEMA_MODELS:
        if name != "record":  # a record is Sourcify's own format
            parts += _schema_section(json_schema(name))
    return "\n".join(parts) + "\n"


def _schema_section(schema: Any) -> Iterator[str]:
    title = schema["title"]
    enums = {name: part["enum"] for name, part in schema.get("$defs", {}).items() if "enum" in part}
    schema = _inlined(schema, enums)
    yield f"## {title}\n"
    yield from _table(schema, title)
    for name, part in sorted(schema.get("$defs", {}).items()):
        if "properties" in part:
            yield f"### {_part(name, title)}\n"
            if part.get("description"):
                yield f"{_one_line(part['description'])}\n"
            yield from _table(part, title)


def _inlined(value: Any, enums: Any) -> Any:
    """Return a schema with the words of a choice in the place of its name."""
    if isinstance(value, list):
        return [_inlined(item, enums) for item in value]
    if not isinstance(value, dict):
        return value
    name = str(value.get("$ref", "")).rpartition("/")[2]
    own = {"enum": enums[name]} if name in enums else {}
    return {key: _inlined(item, enums) for key, item in value.items() if not (own and key == "$ref")} | own


def _table(schema: Any, title: str) -> Iterator[str]:
    yield "| key | value | default | meaning |\n|---|---|---|---|"
    for key, value in schema["properties"].items():
        required = " (required)" if key in schema.get("required", ()) else ""
        meaning = _one_line(value.get("description", "")).replace("|", "\\|")
        yield f"| `{key}`{required} | {_kind(value, title)} | {_default(value)} | {meaning} |"
    yield ""


def _default(value: Any) -> str:
    """Return the default of a key; empty if there is none, or nothing is in it."""
    default = value.get("default")
    return (
        ""
        if default in (None, "", []) or isinstance(default, dict)
        else f"`{json.dumps(default)}`".replace('"', "")
    )


def _kind(value: Any, title: str) -> str:
    choices = value.get("anyOf") or value.get("oneOf") or value.get("allOf") or ()
    kinds = [
        *(_reference(value[key].rpartition("/")[2], title) for key in ("$ref",) if key in value),
        *(f"`{one}`" for one in value.get("enum", ())),
        *(_kind(one, title) for one in choices if one.get("type") != "null"),
        *(f"list of {_kind(value['items'], title)}" for key in ("items",) if value.get(key)),
    ]
    if isinstance(value.get("additionalProperties"), dict):
        kinds.append(f"mapping to {_kind(value['additionalProperties'], title)}")
    plain = KINDS.get(value.get("format") or value.get("type"), value.get("format") or value.get("type"))
    return " or ".join(dict.fromkeys(kinds)) or plain or "any value"


KINDS = {
    "string": "text",
    "boolean": "`true` or `false`",
    "integer": "whole number",
    "object": "mapping",
    "array": "list",
    "number": "number",
}
"""The types of JSON Schema in the words of the other pages."""


def _reference(name: str, title: str) -> str:
    """Return a link to the table of a part, or the name of a value that has none."""
    part = _part(name, title)
    anchor = re.sub(r"[^a-z0-9]+", "-", part.lower()).strip("-")
    return f"[{part.partition(' (')[0]}](#{anchor})"


def _part(name: str, title: str) -> str:
    """Return the heading of a part, which has to differ from those of other files."""
    return f"{_short(name)} ({title})"


def _short(name: str) -> str:
    """Return the name of a model in words: `StatusChangeSource` is "status change"."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.removesuffix("Source")).lower()
    return words[:1].upper() + words[1:]


def text_keys() -> str:
    """Return the page with the keys of all page texts, and the English texts."""
    parts = [
        "---\ntitle: Text keys\norder: 105\n---\n",
        "The texts of pages by key, in English. A [theme](theme.md) changes them in `theme/texts/<language>.yaml`, where a dot is a level.",
        "Words in braces are filled in.\n",
    ]
    for title, folder in TEXTS.items():
        texts = json.loads((folder / "en.json").read_text("utf-8"))
        rows = list(_texts("", texts))
        parts.append(f"## {title}\n\n{len(rows)} texts.\n\n| key | text |\n|---|---|")
        parts += [
            f"| `{key}` | {_one_line(html.escape(text, quote=False)).replace('|', '&#124;')} |"
            for key, text in rows
        ]
        parts.append("")
    return "\n".join(parts)


PACKAGE = CHECKOUT / "src/statuary"
TEXTS = {
    "All pages": PACKAGE / "documents/pages/texts",
    **{
        f"Extension {folder.parents[1].name}": folder
        for folder in sorted((PACKAGE / "extensions").glob("*/pages/texts"))
    },
}


def _texts(prefix: str, texts: Any) -> Iterator[tuple[str, str]]:
    for key, text in texts.items():
        if isinstance(text, str):
            yield prefix + key, text
        else:
            yield from _texts(f"{prefix}{key}.", text)


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


GENERATED = {
    "content-reference.md": content_reference,
    "text-keys.md": text_keys,
    "command-reference.md": command_reference,
}

if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.stdout.buffer.write(GENERATED[sys.argv[1]]().encode())
    else:
        for file_name, text in GENERATED.items():
            (MANUAL / file_name).write_text(text(), encoding="utf-8", newline="\n")
