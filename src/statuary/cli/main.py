"""The command line: names and help of all commands; each is imported when it runs."""

from importlib import import_module
from typing import Any

import click
from typing_extensions import override

from statuary.cli.exit_codes import ExitCode
from statuary.cli.output.printable import print_error
from statuary.domain.errors import StatuaryError
from statuary.version import VERSION

COMMANDS = {
    "init": ("statuary.cli.init:init_command", "Write a content folder that is ready to build."),
    "build": ("statuary.cli.build:build_command", "Check the content and publish the site into a folder."),
    "check": ("statuary.cli.check:check_command", "Check the content without publishing it."),
    "serve": ("statuary.cli.serve:serve_command", "Serve the site on this machine."),
    "tick": (
        "statuary.cli.tick:tick_command",
        "Update a published site to the current time, without a build.",
    ),
    "next": ("statuary.cli.next:next_command", "Print when the published status changes next."),
    "incident": ("statuary.cli.editing.incident:incident_command", "Open, update and resolve incidents."),
    "maintenance": (
        "statuary.cli.editing.maintenance:maintenance_command",
        "Schedule, start, complete or cancel maintenances.",
    ),
    "import": ("statuary.cli.importing.command:import_command", "Import a status page from another system."),
    "contract": (
        "statuary.cli.contract:contract_command",
        "Add contracts from Foundry, Hardhat, a compiler or a node.",
    ),
    "component": (
        "statuary.cli.editing.component:component_command",
        "Set a component's status; list all components.",
    ),
    "snapshot": (
        "statuary.cli.snapshot:snapshot_command",
        "Pack a site into one file; verify, compare and sign snapshots.",
    ),
    "extract": ("statuary.cli.extract:extract_command", "Read documents from a snapshot, a folder or a URL."),
    "publish": ("statuary.cli.publish:publish_command", "Publish a site to a folder or an object store."),
    "log": ("statuary.cli.log:log_command", "Keep and verify the log of everything that was published."),
    "conform": ("statuary.cli.conform:conform_command", "Test a deployment against both APIs over HTTP."),
    "hosting": ("statuary.cli.hosting:hosting_command", "Write the configuration of a host."),
    "explain": (
        "statuary.cli.explain:explain_command",
        "Show what a published path is and which sources made it.",
    ),
    "schema": ("statuary.cli.schema:schema_command", "Print the JSON Schema of a source file."),
}
"""Command by name: `module:function`, and its line of help."""

AFTER_INTERRUPTION = {
    "build": "the published files are intact; run the command again to finish",
    "publish": "each published file is old or new; run the command again to finish",
}
"""Messages after Ctrl-C for commands that may leave work unfinished."""

IMPORTS_DEFERRED = frozenset({"build"})
"""Commands that import most of what they need while they run, and enable garbage collection then."""


class LazyGroup(click.Group):
    """A group that imports a command only when it runs, so that `--help` costs no more than click itself."""

    @override
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    @override
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, function = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), function)
        if cmd_name not in IMPORTS_DEFERRED:
            from statuary.build.garbage_collection import enable_garbage_collection

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
            if _is_interruption(error):
                note = AFTER_INTERRUPTION.get(ctx.invoked_subcommand or "")
                click.echo("\nstatuary: interrupted" + (f"; {note}" if note else ""), err=True)
                ctx.exit(ExitCode.INTERRUPTED)
            if not isinstance(error, StatuaryError):
                raise
            print_error(error)
            ctx.exit(ExitCode.FAILED)

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
    """Return whether an error is Ctrl-C, or was raised while handling Ctrl-C."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__ or error.__context__
    return False


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="statuary")
def command() -> None:
    """Publish verified contracts and network status as static files.

    Exit codes: 0 done; 1 the content has errors; 2 wrong usage; 3 failed, nothing was published; 130 interrupted.
    """
