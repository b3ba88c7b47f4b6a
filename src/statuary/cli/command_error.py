"""How a command says no."""

from pathlib import Path
from typing import IO, Any

import click
from typing_extensions import override

from statuary.cli.exit_codes import ExitCode
from statuary.editing.edit_error import EditError


class CommandError(click.ClickException):
    """A command refuses, and the exit code says so; nothing was written unless the message says what was."""

    exit_code = ExitCode.FAILED

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint

    @override
    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"statuary: {self.message}" + (f"\n    {self.hint}" if self.hint else ""), file, err=True)


def command_error_from(refused: EditError, file: Path) -> CommandError:
    """Return an editor's refusal with the place in the file."""
    place = f":{refused.position.line}:{refused.position.column}" if refused.position else ""
    return CommandError(f"{file}{place}: {refused}", refused.hint)
