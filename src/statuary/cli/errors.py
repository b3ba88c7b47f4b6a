"""Telling a refusal the same way in every command that publishes or reads a site."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from statuary.cli.exit_codes import ExitCode
from statuary.publishing.errors import PublishingError


@contextmanager
def exit_on_error() -> Iterator[None]:
    """Print why something is refused and what to do, and exit so."""
    try:
        yield
    except PublishingError as refused:
        click.echo(f"statuary: {refused}" + (f"\n    {refused.hint}" if refused.hint else ""), err=True)
        sys.exit(ExitCode.FAILED)
