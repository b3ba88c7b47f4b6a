"""Options of a build: its workers, and which checks run."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

import click

from statuary.base.cpus import available_cpus
from statuary.cli.options import option_group
from statuary.registry import load, providers
from statuary.section import CheckOptions
from statuary.workers.executor import Executor, prepare_worker, process_executor

ENGINES = providers("workers")
"""The functions that start an engine's workers, given its scheduler's address."""


class WorkerOptions(NamedTuple):
    """The options for building contracts in several processes."""

    workers: int | None
    engine: str
    scheduler: str | None


with_worker_options = option_group(
    "worker_options",
    WorkerOptions,
    click.option(
        "--workers",
        type=click.IntRange(1, 1024),
        metavar="N",
        help="Use this many worker processes. Default: one per CPU core, or fewer for a small site.",
    ),
    click.option(
        "--engine",
        type=click.Choice(["processes", *ENGINES]),
        default="processes",
        show_default=True,
        help="Build contracts in processes on this machine (processes), or on the Dask cluster of --scheduler (dask).",
    ),
    click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="For --engine dask: use the Dask scheduler at this address, such as tcp://10.0.0.5:8786. Its workers need this version of statuary, and the content and the site under the same paths.",
    ),
)


def open_executor(worker_options: WorkerOptions) -> Executor:
    """Start the workers that the options ask for.

    Raises:
        click.UsageError: if the options contradict each other.
        WorkersLostError: if the cluster does not answer, or the extra `dask` is not installed.
    """
    workers, engine, scheduler = worker_options
    if engine == "processes":
        if scheduler is not None:
            raise click.UsageError(f"--scheduler requires --engine {' or '.join(ENGINES)}")
        return process_executor(workers or available_cpus(), prepare_worker)
    if workers is not None:
        raise click.UsageError(
            f"--workers cannot be used with --engine {engine}: the cluster has its own workers"
        )
    if scheduler is None:
        raise click.UsageError(f"--engine {engine} requires --scheduler ADDRESS")
    executor: Executor = load(ENGINES[engine])(scheduler)
    return executor


class CheckSelection(NamedTuple):
    """The options --skip, --only and --strict, which choose the checks."""

    skip: tuple[str, ...]
    only: tuple[str, ...]
    strict: bool


with_check_selection = option_group(
    "selection",
    CheckSelection,
    click.option(
        "--skip",
        multiple=True,
        metavar="CHECK",
        help="Skip this check, such as `invalid-identifier`, or all checks of the group `proof` or `status` (repeatable). `statuary check --list` prints the names.",
    ),
    click.option(
        "--only",
        multiple=True,
        metavar="CHECK",
        help="Run only this check, or the checks of this group (repeatable). Default: all checks.",
    ),
    click.option(
        "--strict",
        is_flag=True,
        help="Fail if there is any error or warning: exit with 1, and publish nothing.",
    ),
)


def read_check_options(selection: CheckSelection) -> CheckOptions:
    """Convert --skip, --only and --strict to the checks that run.

    Raises:
        click.BadParameter: for an unknown check.
    """
    skip, only, strict = selection
    if not skip and not only:
        return CheckOptions(strict=strict)
    from statuary.engine.rule_catalogue import all_rules

    rules = list(all_rules())
    names = {rule.name for rule in rules}
    optional = {rule.name: rule.group for rule in rules if rule.can_skip}
    skipped = _select_checks(skip, optional, names, "--skip")
    selected = _select_checks(only, optional, names, "--only")
    excluded = skipped | (optional.keys() - selected if selected else set())
    return CheckOptions(frozenset(excluded), strict)


def _select_checks(
    names_or_groups: Iterable[str], optional_checks: Mapping[str, str], all_checks: Collection[str], flag: str
) -> set[str]:
    names: set[str] = set()
    for word in names_or_groups:
        group = {check for check, group in optional_checks.items() if group == word}
        if not group and word not in optional_checks:
            raise click.BadParameter(
                _unknown_name_message(word, optional_checks, all_checks), param_hint=flag
            )
        names |= group or {word}
    return names


def _unknown_name_message(name: str, optional_checks: Mapping[str, str], all_checks: Collection[str]) -> str:
    from difflib import get_close_matches

    from statuary.cli.old_names import OLD_RULES

    renamed = [OLD_RULES[name]] if OLD_RULES.get(name) in optional_checks else []
    close = renamed or get_close_matches(name, [*optional_checks, *set(optional_checks.values())], 1)
    if close:
        return f"unknown check {name!r}; did you mean {close[0]!r}?"
    if name in all_checks:
        return f"{name!r} checks the form of the content and cannot be skipped"
    return f"unknown check {name!r}; `statuary check --list` shows all"


def list_rules() -> None:
    """Print every rule: a table on a terminal, tab-separated lines elsewhere."""
    from rich.console import Console
    from rich.table import Table

    from statuary.engine.rule_catalogue import all_rules

    console = Console()
    if not console.is_terminal:
        for rule in all_rules():
            click.echo(f"{rule.name}\t{rule.severity}\t{rule.group}\t{rule.sentence}")
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("check", "severity", "group", "rule"):
        table.add_column(heading, no_wrap=heading != "rule")
    for rule in all_rules():
        table.add_row(rule.name, rule.severity, rule.group, rule.sentence)
    console.print(table)


def _list_and_exit(ctx: click.Context, _param: click.Parameter, is_set: bool) -> None:
    if is_set:
        list_rules()
        ctx.exit()


list_option = click.option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_and_exit,
    help="Print the names that --skip and --only accept, and exit.",
)
