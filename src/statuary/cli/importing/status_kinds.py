"""`statuary import` of status pages: one command for each system."""

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import click

from statuary.cli.options.common_options import build_instant, content_option, now_option, with_options
from statuary.domain.primitives import Instant


class StatusKind(NamedTuple):
    """A system whose status pages can be imported."""

    title: str
    source: str  # what SOURCE may be
    key: str = ""  # the environment variable with the key that its API may need

    @property
    def name(self) -> str:
        """The command, and the module that reads it."""
        return self.title.lower().replace(" ", "")


STATUS_KINDS = (
    StatusKind("Statuspage", "the URL of a public page, or a folder or file of saved documents"),
    StatusKind("cState", "a checkout of its repository, or one issue"),
    StatusKind(
        "Upptime", "the URL of its repository on GitHub, or a checkout with saved issues", "GITHUB_TOKEN"
    ),
    StatusKind("Gatus", "its configuration (a file or folder), or the URL of its page"),
    StatusKind(
        "Instatus",
        "https://api.instatus.com/v1/PAGE-ID, the URL of a public page (what is active alone), or saved documents",
        "INSTATUS_API_KEY",
    ),
    StatusKind("Better Stack", "the URL of a public page, or its saved index.json"),
    StatusKind("Cachet", "the URL of a page of version 2 or 3, or saved lists of its API", "CACHET_API_KEY"),
)

IMPORT_OPTIONS = (
    content_option,
    now_option,
    click.option("--dry-run", is_flag=True, help="Report what would be imported, without writing it."),
)
"""Options of every kind."""


def _command(kind: StatusKind) -> click.Command:
    def run(source: str, content: Path, now: Instant | None, dry_run: bool) -> None:
        from statuary.cli.importing.run_import import run_status_import

        read = getattr(import_module(f"statuary.importing.{kind.name}"), f"read_{kind.name}")
        key = os.environ.get(kind.key, "") if kind.key else ""
        sys.exit(run_status_import(read, source, content, build_instant(now), key, dry_run=dry_run))

    decorated = click.argument("source", metavar="SOURCE")(with_options(*IMPORT_OPTIONS)(run))
    about = f"SOURCE is {kind.source}."
    if kind.key:
        about += f"\n\n{kind.key} in the environment is sent as the key of the API."
    return click.command(kind.name, help=f"Import a status page of {kind.title}.\n\n{about}")(decorated)


STATUS_COMMANDS = tuple(map(_command, STATUS_KINDS))
"""A command for each kind."""
