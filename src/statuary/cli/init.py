"""`statuary init`: write a content folder that is ready to build."""

import sys
from datetime import timedelta
from importlib.resources import files
from pathlib import Path
from string import Template

import click

from statuary.cli.exit_codes import ExitCode
from statuary.cli.options.common_options import build_instant, content_option, now_option
from statuary.cli.output.plain_text import format_instant
from statuary.cli.schema import write_schemas
from statuary.domain.primitives import Instant, InvalidValueError, parse_chain_id

DAY, HOUR = timedelta(days=1), timedelta(hours=1)


@click.command()
@content_option
@click.option("--name", default="Example Network", show_default=True, help="The name of the network.")
@click.option("--url", default="https://status.example.org", show_default=True, help="The URL of the site.")
@click.option("--chain-id", default="1337", show_default=True, help="The network's chain id.")
@now_option
def command(content: Path, name: str, url: str, chain_id: str, now: Instant | None) -> None:
    """Write a content folder that is ready to build.

    It holds settings, three components, a resolved incident, a scheduled maintenance, and JSON Schemas for editors.
    Existing files are never touched.
    """
    if content.exists() and any(content.iterdir()):
        click.echo(f"statuary: {content} is not empty; nothing was written", err=True)
        sys.exit(ExitCode.FAILED)
    try:
        parse_chain_id(chain_id)
    except InvalidValueError as malformed:
        raise click.BadParameter(f"{malformed}; {malformed.hint}", param_hint="--chain-id") from None
    for path, text in starter_files(name, url, chain_id, build_instant(now)).items():
        file = content / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        click.echo(f"wrote {file}")
    write_schemas(content / ".schema")
    click.echo(f"wrote {content / '.schema'}/\n\nNow run: statuary build")
    sys.exit(ExitCode.OK)


def starter_files(name: str, url: str, chain_id: str, now: Instant) -> dict[str, str]:
    """Return the files of the starter by their path in the content folder."""
    today = Instant(now.replace(hour=0, minute=0, second=0, microsecond=0))
    instants = {
        "today": today,
        "incident_start": today - DAY + 9 * HOUR,
        "incident_end": today - DAY + 10 * HOUR,
        "maintenance_start": today + 7 * DAY + 22 * HOUR,
        "maintenance_end": today + 7 * DAY + 23 * HOUR,
    }
    values = {key: format_instant(Instant(value)) for key, value in instants.items()}
    values |= {"name": quoted(name), "url": quoted(url.rstrip("/")), "chain_id": chain_id}
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


def quoted(text: str) -> str:
    """Return a text as a YAML scalar: plain if that is safe, else in double quotes."""
    plain = text[:1].isalnum() and all(letter.isalnum() or letter in " .-_/" for letter in text)
    if plain and text == text.strip():
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
