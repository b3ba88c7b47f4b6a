"""`statuary schema`: print the JSON Schema of a source file, for editors."""

import sys
from pathlib import Path

import click
import orjson

from statuary.cli.exit_codes import ExitCode
from statuary.content.json_schemas import SCHEMA_MODELS, json_schema


@click.command()
@click.argument("name", type=click.Choice(list(SCHEMA_MODELS)), required=False)
@click.option(
    "--all",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write every schema into this folder.",
)
def schema_command(name: str | None, folder: Path | None) -> None:
    """Print the JSON Schema of a source file, for editors.

    An editor with the YAML language server completes and checks a file that begins with this line:

    \b
      # yaml-language-server: $schema=../.schema/incident.json

    `statuary init` writes the schemas to content/.schema; `statuary schema --all content/.schema` updates them.
    """  # noqa: D301 - for click, the backspace means "do not wrap these lines"
    if folder is not None:
        write_schemas(folder)
        click.echo(f"{len(SCHEMA_MODELS)} schemas in {folder}/")
    elif name is not None:
        click.echo(_text(name))
    else:
        click.echo("\n".join(SCHEMA_MODELS))
    sys.exit(ExitCode.OK)


def write_schemas(folder: Path) -> None:
    """Write every schema into a folder, as `<name>.json`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in SCHEMA_MODELS:
        (folder / f"{name}.json").write_text(_text(name) + "\n", encoding="utf-8")


def _text(name: str) -> str:
    return orjson.dumps(json_schema(name), option=orjson.OPT_INDENT_2).decode()
