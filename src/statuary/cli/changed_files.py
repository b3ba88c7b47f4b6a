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
    """Print the files in a site's folder that were changed after publishing.

    It also says what to do.
    """
    for change, sentence in describe_changed_files(root, changed_files(root)).items():
        click.echo(f"statuary: {escape_control_chars(sentence)}\n    {HINTS[change]}", err=True)
