"""Telling a refusal the same way in every command that publishes or reads a site."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from statuary.cli.exit_codes import ExitCode
from statuary.publishing.refused import PublishingRefused


@contextmanager
def told_refusals() -> Iterator[None]:
    """Print why something is refused and what to do, and exit so."""
    try:
        yield
    except PublishingRefused as refused:
        click.echo(f"statuary: {refused}" + (f"\n    {refused.remedy}" if refused.remedy else ""), err=True)
        sys.exit(ExitCode.REFUSED)
