"""Commands in this process: they begin at once, where `python -m statuary` imports everything first."""

from contextlib import chdir
from pathlib import Path

from click.testing import CliRunner, Result

from statuary.cli.main import command


def run_command(folder: Path, *arguments: str) -> Result:
    """Run a command in a folder; one that would end with a traceback raises."""
    with chdir(folder):
        return CliRunner().invoke(command, arguments, prog_name="statuary", catch_exceptions=False)
