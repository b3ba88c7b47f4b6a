"""`statuary init` writes a content folder that is ready to build; `statuary schema` prints the schemas that editors use."""

from collections.abc import Mapping
from datetime import timedelta
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Annotated

import click
import orjson

from statuary.cli.options import FOLDER, Content, Now, argument, build_instant, option, options
from statuary.content.json_schemas import SCHEMA_MODELS, json_schema
from statuary.domain.errors import StatuaryError
from statuary.domain.primitives import Instant, InvalidValueError, format_utc, parse_chain_id
from statuary.editing.yaml_nodes import inline_scalar


@click.command()
@options
def schema_command(
    name: Annotated[str | None, argument(type=click.Choice(list(SCHEMA_MODELS)), required=False)],
    folder: Annotated[Path | None, option("--all", type=FOLDER, help="Write every schema into this folder.")],
) -> None:
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


def write_schemas(folder: Path) -> None:
    """Write every schema into a folder, as `<name>.json`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in SCHEMA_MODELS:
        (folder / f"{name}.json").write_text(_text(name) + "\n", encoding="utf-8")


def _text(name: str) -> str:
    return orjson.dumps(json_schema(name), option=orjson.OPT_INDENT_2).decode()


DAY, HOUR = timedelta(days=1), timedelta(hours=1)


@click.command()
@options
def init_command(
    content: Content,
    name: Annotated[
        str, option(default="Example Network", show_default=True, help="The name of the network.")
    ],
    url: Annotated[
        str, option(default="https://status.example.org", show_default=True, help="The URL of the site.")
    ],
    chain_id: Annotated[str, option(default="1337", show_default=True, help="The network's chain id.")],
    now: Now,
) -> None:
    """Write a content folder that is ready to build.

    It holds settings, three components, a resolved incident, a scheduled maintenance, and JSON Schemas for editors.
    Existing files are never touched.
    """
    if content.exists() and any(content.iterdir()):
        raise StatuaryError(
            f"{content} is not empty; nothing was written", "use --content to choose another folder"
        )
    try:
        parse_chain_id(chain_id)
    except InvalidValueError as error:
        raise click.BadParameter(f"{error}; {error.hint}", param_hint="--chain-id") from None
    try:
        _write(content, starter_files(name, url, chain_id, build_instant(now)))
    except OSError as error:
        raise StatuaryError(f"{error.filename or content} cannot be written: {error.strerror}") from None
    option = "" if content == Path("content") else f" --content {content}"
    click.echo(f"\nNow run: statuary build{option}")


def _write(content: Path, texts: Mapping[str, str]) -> None:
    """Write the content folder, and a .gitignore beside it if there is none."""
    for path, text in texts.items():
        file = content / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        click.echo(f"wrote {file}")
    write_schemas(content / ".schema")
    click.echo(f"wrote {content / '.schema'}/")
    ignore = content.parent / ".gitignore"
    if not ignore.exists():
        ignore.write_text("/build/\n/.venv/\n", encoding="utf-8")
        click.echo(f"wrote {ignore}")


def starter_files(name: str, url: str, chain_id: str, now: Instant) -> dict[str, str]:
    """Return the files of the starter by their path in the content folder."""
    today = Instant(now.replace(hour=0, minute=0, second=0, microsecond=0))
    instants = {
        "today": today,
        "created": today - DAY,
        "incident_start": today - DAY + 9 * HOUR,
        "incident_end": today - DAY + 10 * HOUR,
        "maintenance_start": today + 7 * DAY + 22 * HOUR,
        "maintenance_end": today + 7 * DAY + 23 * HOUR,
    }
    values = {key: format_utc(Instant(value)) for key, value in instants.items()}
    values |= {"name": inline_scalar(name), "url": inline_scalar(url.rstrip("/")), "chain_id": chain_id}
    paths = {
        "site": "site.yaml",
        "components": "components.yaml",
        "incident": f"incidents/{(today - DAY).date()}-slow-rpc.yaml",
        "maintenance": f"maintenances/{(today + 7 * DAY).date()}-rpc-upgrade.yaml",
    }
    folder = files("statuary.cli") / "starter"
    return {
        path: Template((folder / f"{kind}.yaml").read_text("utf-8")).substitute(values)
        for kind, path in paths.items()
    }
