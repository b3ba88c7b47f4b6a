"""The command line: names and help of all commands; each is imported when it runs."""

from importlib import import_module
from typing import Any

import click
from typing_extensions import override

from statuary.cli.exit_codes import ExitCode
from statuary.cli.garbage_collection import enable_garbage_collection
from statuary.version import VERSION

COMMANDS = {
    "init": ("statuary.cli.init", "Write a content folder that can be published at once."),
    "build": ("statuary.cli.build", "Check the content and publish the site into a folder."),
    "check": ("statuary.cli.check", "Check the content and publish nothing."),
    "serve": ("statuary.cli.serve", "Serve the site on this machine as it will be."),
    "tick": ("statuary.cli.tick", "Make a published site tell the present, without a build."),
    "next": ("statuary.cli.next", "Print when a published site changes by itself."),
    "incident": ("statuary.cli.incident", "Open, update and resolve incidents."),
    "maintenance": ("statuary.cli.maintenance", "Schedule maintenances, and begin, complete or cancel them."),
    "contract": ("statuary.cli.contract", "Add contracts from what compilers, tool chains and nodes say."),
    "component": ("statuary.cli.component", "Record a component's status, and list all components."),
    "snapshot": ("statuary.cli.snapshot", "Pack the whole site into one file; verify, compare, convert it."),
    "extract": ("statuary.cli.extract", "Take documents out of a snapshot, a folder or a site."),
    "publish": ("statuary.cli.publish", "Publish a site into a folder or an object store."),
    "conform": ("statuary.cli.conform", "Hold a deployment to both APIs, over HTTP."),
    "hosting": ("statuary.cli.hosting", "Write what a host needs to serve the site."),
    "explain": ("statuary.cli.explain", "Say what a published path is and which source made it."),
    "schema": ("statuary.cli.schema", "Print the JSON Schema of a source file, for editors."),
}
"""Command by name: its module, which holds it as `command`, and its line of help."""


AFTER_INTERRUPTION = {
    "build": "what is published is whole, and the same command goes on",
    "publish": "each published file is old or new, and the same command goes on",
}
"""What to know after Ctrl-C, of commands that leave something half done."""


IMPORTS_DEFERRED = frozenset({"build"})
"""Commands that import most of what they need when they run, and settle then."""


class LazyGroup(click.Group):
    """A group that imports a command only when it runs, so that `--help` costs no more than click itself."""

    @override
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    @override
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[cmd_name][0]).command
        if cmd_name not in IMPORTS_DEFERRED:
            enable_garbage_collection()
        return command

    @override
    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])

    @override
    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BaseException as error:
            if not _is_interruption(error):
                raise
            told = AFTER_INTERRUPTION.get(ctx.invoked_subcommand or "")
            click.echo("\nstatuary: interrupted" + (f"; {told}" if told else ""), err=True)
            ctx.exit(ExitCode.INTERRUPTED)

    @override
    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            from difflib import get_close_matches

            close = get_close_matches(name, COMMANDS, 1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            ctx.fail(f"No such command {name!r}.{hint}")
        return super().resolve_command(ctx, args)


def _is_interruption(error: BaseException | None) -> bool:
    """Say whether an error is Ctrl-C, or one that came of cleaning up after it."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__ or error.__context__
    return False


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="statuary")
def command() -> None:
    """Publish verified contracts and network status as static files.

    Exit codes: 0 done; 1 the content has errors; 2 wrong usage; 3 refused; 130 interrupted.
    """
