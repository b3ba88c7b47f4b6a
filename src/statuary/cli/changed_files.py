"""What commands say about a build's folder whose files are not those that the build wrote."""

from pathlib import Path

import click

from statuary.cli.escape import escape_control_chars
from statuary.publish.folder.changed_files import changed_files, sentences_about
from statuary.publish.folder.reader import REPAIR, FileChange

HINTS = {
    FileChange.CHANGED: REPAIR,
    FileChange.REMOVED: REPAIR,
    FileChange.ADDED: "a web server sends them; what statuary copies, packs or publishes does not have them",
}


def print_changed_files(root: Path) -> None:
    """Print how many files of each kind of change a folder has, the first of them, and what to do."""
    for change, sentence in sentences_about(root, changed_files(root)).items():
        click.echo(f"statuary: {escape_control_chars(sentence)}\n    {HINTS[change]}", err=True)
