"""`statuary import` of status pages: one command for each system."""

import sys
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import click

from statuary.cli.options.common_options import build_instant, content_option, now_option, with_options
from statuary.domain.primitives import Instant


class StatusKind(NamedTuple):
    """A system whose status pages can be imported.

    Attributes:
        name: the command.
        title: the name of the system.
        source: what SOURCE may be.
        reader: module and function that read it.
    """

    name: str
    title: str
    source: str
    reader: str


STATUS_KINDS = (
    StatusKind(
        "statuspage",
        "Statuspage",
        "the URL of a public page, or a folder or file of saved documents",
        "statuary.importing.statuspage:read_statuspage",
    ),
)

IMPORT_OPTIONS = (
    content_option,
    now_option,
    click.option("--dry-run", is_flag=True, help="Report what would be brought without writing it."),
)
"""Options of every kind."""


def _command(kind: StatusKind) -> click.Command:
    def run(source: str, content: Path, now: Instant | None, dry_run: bool) -> None:
        from statuary.cli.importing.run_import import run_status_import

        module, _, function = kind.reader.partition(":")
        read = getattr(import_module(module), function)
        sys.exit(run_status_import(read, source, content, build_instant(now), dry_run=dry_run))

    decorated = click.argument("source", metavar="SOURCE")(with_options(*IMPORT_OPTIONS)(run))
    about = f"SOURCE is {kind.source}."
    return click.command(kind.name, help=f"Bring a status page of {kind.title}.\n\n{about}")(decorated)


STATUS_COMMANDS = tuple(map(_command, STATUS_KINDS))
"""A command for each kind."""
