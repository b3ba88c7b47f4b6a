"""Refuse names and files of new keys."""

import os
from pathlib import Path

import click

from statuary.base.files import PublishingError, overlap_of_folders


def refuse_content(out: Path, content: Path) -> None:
    """Raise an error if a private key would be in git.

    Args:
        out: the file for the private key.
        content: the content folder, which is in git.

    Raises:
        click.UsageError: if the file is inside the content folder.
    """
    if overlap_of_folders(content, out, "--out"):
        raise click.UsageError(
            f"--out {out} is inside the content folder {content}; write the private key outside, such as ../{out.name}"
        )


def refuse_url(origin: str) -> None:
    """Raise an error if the name of a new log is a URL instead of a host and a path.

    Args:
        origin: the name, such as `status.example.org/log`.

    Raises:
        click.UsageError: if the name contains `://`.
    """
    if "://" in origin:
        raise click.UsageError(f"{origin} is a URL; give the name alone: {origin.partition('://')[2]}")


def refuse_existing_key(out: Path) -> None:
    """Raise an error if the file for a new key already exists.

    Raises:
        PublishingError: if there is a file, folder or link at the path.
    """
    if os.path.lexists(out):
        raise existing_key_error(out)


def existing_key_error(out: Path) -> PublishingError:
    """Return the error that a new key would replace an existing file.

    Args:
        out: the path of the file.
    """
    return PublishingError(
        f"{out} exists, and statuary never overwrites a key",
        "choose another file with --out, or use this key",
    )
