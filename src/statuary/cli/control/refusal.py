"""How a command says no."""

from pathlib import Path
from typing import IO, Any

import click
from typing_extensions import override

from statuary.cli.exit_codes import ExitCode
from statuary.content.editing.refused import EditRefused


class Refusal(click.ClickException):
    """A command refuses, and the exit code says so; nothing was written unless the message says what was."""

    exit_code = ExitCode.REFUSED

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy

    @override
    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(
            f"statuary: {self.message}" + (f"\n    {self.remedy}" if self.remedy else ""), file, err=True
        )


def refusal_of_edit(refused: EditRefused, file: Path) -> Refusal:
    """Return an editor's refusal with the place in the file."""
    place = f":{refused.position.line}:{refused.position.column}" if refused.position else ""
    return Refusal(f"{file}{place}: {refused}", refused.remedy)
