"""Messages about built folders whose files were changed."""

from pathlib import Path

import click

from statuary.cli.escape import escape_control_chars
from statuary.publish.folder.changed_files import changed_files, describe_changed_files
from statuary.publish.folder.reader import REPAIR, FileChange

HINTS = {
    FileChange.CHANGED: REPAIR,
    FileChange.REMOVED: REPAIR,
    FileChange.ADDED: "web servers send whatever lies there; snapshots, extracts and publications leave it out",
}


def print_changed_files(root: Path) -> None:
    """Print the files of a site that were changed after publishing.

    Each kind of change is followed by what to do about it.

    Args:
        root: the folder of the site.
    """
    for change, sentence in describe_changed_files(root, changed_files(root)).items():
        click.echo(f"statuary: {escape_control_chars(sentence)}\n    {HINTS[change]}", err=True)
