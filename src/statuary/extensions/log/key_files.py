"""Refuse names and files of new keys."""

import os
from pathlib import Path

import click

from statuary.base.files import PublishingError, overlap_of_folders


def refuse_content(out: Path, content: Path) -> None:
    """Refuse to write a private key into the content folder, which is in git."""
    if overlap_of_folders(content, out, "--out"):
        raise click.UsageError(
            f"--out {out} is inside the content folder {content}; write the private key outside, such as ../{out.name}"
        )


def refuse_url(origin: str) -> None:
    """Refuse a URL as the name of a new log; one that exists keeps its name, which its checkpoints and key state."""
    if "://" in origin:
        raise click.UsageError(f"{origin} is a URL; give the name alone: {origin.partition('://')[2]}")


def refuse_existing_key(out: Path) -> None:
    """Raise PublishingError if there is a file at the path of a new key."""
    if os.path.lexists(out):
        raise existing_key(out)


def existing_key(out: Path) -> PublishingError:
    """Return the error about a key that exists."""
    return PublishingError(
        f"{out} exists, and statuary never overwrites a key",
        "choose another file with --out, or use this key",
    )
