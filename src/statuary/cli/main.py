"""The command line: names and help of commands, imported on use."""

import sys

import click
from typing_extensions import override

from statuary.base.errors import error_for_user
from statuary.cli.escape import print_error
from statuary.cli.examples import add_examples
from statuary.cli.exit_codes import ExitCode
from statuary.registry import EXTENSIONS, Command, load
from statuary.version import VERSION

CORE_COMMANDS = {
    "init": Command("statuary.cli.init:init_command", "Write a content folder that is ready to build."),
    "build": Command(
        "statuary.cli.build:build_command",
        "Check the content and publish the site into a folder.",
        interrupted="the published files are intact; run the command again to finish",
    ),
    "check": Command(
        "statuary.cli.check:check_command",
        "Check the content and every contract record without publishing anything.",
    ),
    "tick": Command(
        "statuary.cli.tick:tick_command", "Update a published site to the current time, without a build."
    ),
    "next": Command(
        "statuary.cli.tick:next_change_command",
        "Print when to run `statuary tick` next: the time of the next change.",
    ),
    "incident": Command(
        "statuary.cli.editing.incident:incident_command",
        "Open, update and resolve incidents, and publish postmortems.",
    ),
    "maintenance": Command(
        "statuary.cli.editing.maintenance:maintenance_command",
        "Schedule maintenance, and start, complete, move or cancel it by hand.",
    ),
    "component": Command(
        "statuary.cli.editing.component:component_command",
        "Set a component's status, and list all components.",
    ),
    "merge-records": Command(
        "statuary.cli.merge_records:merge_records_command",
        "Merge what two people changed in the same content file.",
    ),
    "explain": Command(
        "statuary.cli.explain:explain_command",
        "Show what a published path contains, and which sources it was made from.",
    ),
    "schema": Command(
        "statuary.cli.init:schema_command", "Print the JSON Schema of a content file, for editors."
    ),
}

COMMANDS = {
    **CORE_COMMANDS,
    **{
        name: row
        for extension in EXTENSIONS
        for name, row in extension.commands.items()
        if " " not in name  # a command of a group
    },
}
"""Every command by name, the core's first."""

COMMAND_GROUPS = {
    "Site": ("init", "build", "serve", "tick", "next", "theme", "explain", "schema"),
    "Status": (
        "incident",
        "maintenance",
        "component",
        "merge-records",
        "notify",
        "probe",
        "upstream",
        "report",
    ),
    "Contracts": ("contract", "signing", "pack"),
    "Publish": ("setup", "hosting", "publish", "snapshot", "extract", "mirror", "log"),
    "Check": ("check", "conform"),
    "Migrate": ("import",),
}
"""The commands in the order of `statuary --help`."""

IMPORTS_DEFERRED = frozenset({"build"})
"""Commands that import most of what they need while they run, and enable garbage collection then."""


class LazyGroup(click.Group):
    """A command group that imports a command only when it runs."""

    @override
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    @override
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = load(COMMANDS[cmd_name].target)
        add_examples(command, cmd_name)
        if cmd_name not in IMPORTS_DEFERRED:
            from statuary.base.progress import enable_garbage_collection

            enable_garbage_collection()
        return command

    @override
    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, names in COMMAND_GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name, COMMANDS[name].help) for name in names if name in COMMANDS])

    @override
    def invoke(self, ctx: click.Context) -> object:
        """Run the command that the user typed, and return its exit code."""
        try:
            code = super().invoke(ctx)
        except click.UsageError as error:
            raise _add_usage_hint(error, ctx) from None
        except BaseException as error:
            if _is_interruption(error):
                row = COMMANDS.get(ctx.invoked_subcommand or "")
                note = row.interrupted if row else ""
                click.echo("\nstatuary: interrupted" + (f"; {note}" if note else ""), err=True)
                ctx.exit(ExitCode.INTERRUPTED)
            if isinstance(error, EXPECTED_ERRORS) or sys.flags.dev_mode:
                raise
            print_error(error_for_user(error))
            code = ExitCode.FAILED
        ctx.exit(code or ExitCode.OK)

    @override
    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        ctx.meta[TYPED] = tuple(args)
        if name not in COMMANDS and not name.startswith("-"):
            from difflib import get_close_matches

            close = get_close_matches(name, COMMANDS, 1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            ctx.fail(f"No such command {name!r}.{hint}")
        return super().resolve_command(ctx, args)


TYPED = "statuary.typed"
"""The key of the typed words in a context."""

EXPECTED_ERRORS = (click.ClickException, click.Abort, click.exceptions.Exit, SystemExit, OSError)
"""Errors that click and `__main__` report; `python -X dev` shows the traceback of all others."""


def _add_usage_hint(error: click.UsageError, root: click.Context) -> click.UsageError:
    if isinstance(error, click.NoSuchOption):
        return _suggest_current_flag(error)
    from statuary.cli.usage_hints import with_usage_hint

    return with_usage_hint(error, root, root.meta.get(TYPED, ()))


def _suggest_current_flag(error: click.NoSuchOption) -> click.NoSuchOption:
    """Suggest the current flag in the error about a renamed option."""
    from statuary.cli.old_names import OLD_OPTIONS

    flag = OLD_OPTIONS.get(error.option_name)
    parameters = error.ctx.command.params if error.ctx is not None else []
    if flag is None or not any(flag in parameter.opts for parameter in parameters):
        return error
    message = f"No such option {error.option_name!r}. Did you mean {flag!r}?"
    return click.NoSuchOption(error.option_name, message, ctx=error.ctx)


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

    Exit codes: 0 done; 1 the content has errors; 2 wrong usage; 3 failed, nothing was published;
    4 published with faults; 5 a build is due; 6 built, but --to failed; 130 interrupted.
    """
