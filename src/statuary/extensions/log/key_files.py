"""Files of private keys, which commands write."""

import os
from pathlib import Path

import click

from statuary.base.files import PublishingError, overlap_of_folders
from statuary.cli.escape import escape_control_chars
from statuary.extensions.log.notes import PrivateKey
from statuary.source.git_ignore import ignore_file
from statuary.system.writing import create_file


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
        raise _existing_key(out)


def _existing_key(out: Path) -> PublishingError:
    return PublishingError(
        f"{out} exists, and statuary never overwrites a key",
        "choose another file with --out, or use this key",
    )


def write_key(key: PrivateKey, out: Path) -> None:
    """Write a new private key to a file, which git then ignores.

    Raises:
        PublishingError: if it cannot be written, or the file exists.
    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        create_file(out, f"{key.text}\n".encode(), mode=0o600)
    except FileExistsError:
        raise _existing_key(out) from None
    except OSError as error:
        raise PublishingError(f"{out} cannot be written: {error.strerror}") from None
    try:
        ignored_line = ignore_file(out)
    except (OSError, UnicodeDecodeError) as error:
        click.echo(
            f"warning: .gitignore cannot be edited: {error}; keep the key out of git yourself", err=True
        )
        return
    if ignored_line is not None:
        click.echo(f"added {escape_control_chars(ignored_line)} to .gitignore")
