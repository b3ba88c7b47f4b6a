"""A group of commands to which extensions add theirs."""

from collections.abc import Mapping

import click
from typing_extensions import override

from statuary.cli.examples import add_examples
from statuary.registry import EXTENSIONS, load


class ExtensibleGroup(click.Group):
    """A command group to which extensions add commands.

    A command's module is imported when the command runs.
    """

    @override
    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), *self._targets()]

    @override
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        target = self._targets().get(cmd_name)
        if target is None:
            return super().get_command(ctx, cmd_name)
        command: click.Command = load(target)
        add_examples(command, f"{self.name} {cmd_name}")
        return command

    def _targets(self) -> Mapping[str, str]:
        return {
            name.removeprefix(f"{self.name} "): command.target
            for row in EXTENSIONS
            for name, command in row.commands.items()
            if name.startswith(f"{self.name} ")
        }
