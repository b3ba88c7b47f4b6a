"""Refuse names and files of new keys."""

import os
from pathlib import Path

import click

from statuary.base.files import PublishingError, describe_folder_overlap


def refuse_key_in_content(key_file: Path, content_folder: Path) -> None:
    """Raise an error if a private key would be stored in git.

    Args:
        key_file: the file for the private key.
        content_folder: the content folder, which is in git.

    Raises:
        click.UsageError: if the file is inside the content folder.
    """
    if describe_folder_overlap(content_folder, key_file, "--out"):
        raise click.UsageError(
            f"--out {key_file} is inside the content folder {content_folder}; write the private key outside, such as ../{key_file.name}"
        )


def refuse_url_as_log_name(log_name: str) -> None:
    """Raise an error if a new log's name is a URL.

    The name must be a host with a path, such as `status.example.org/log`.

    Args:
        log_name: the name of the log.

    Raises:
        click.UsageError: if the name contains `://`.
    """
    if "://" in log_name:
        raise click.UsageError(f"{log_name} is a URL; give the name alone: {log_name.partition('://')[2]}")


def refuse_existing_key(key_file: Path) -> None:
    """Raise an error if the file for a new key already exists.

    Raises:
        PublishingError: if there is a file, folder or link at the path.
    """
    if os.path.lexists(key_file):
        raise make_existing_key_error(key_file)


def make_existing_key_error(key_file: Path) -> PublishingError:
    """Return the error that the file for a key already exists.

    Args:
        key_file: the path of the file.
    """
    return PublishingError(
        f"{key_file} exists, and statuary never overwrites a key",
        "choose another file with --out, or use this key",
    )
