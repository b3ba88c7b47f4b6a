"""Options of a build: its workers, and which checks run."""

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches

import click

from statuary.cli.options import with_options
from statuary.pipeline.executor import Executor
from statuary.pipeline.options import CheckOptions

execution_options = with_options(
    click.option(
        "--workers",
        type=click.IntRange(1, 1024),
        metavar="N",
        help="Worker processes. Default: one per core; a small build uses one.",
    ),
    click.option(
        "--engine",
        type=click.Choice(["processes", "dask"]),
        default="processes",
        show_default=True,
        help="Where contracts are built: processes of this machine, or a Dask cluster.",
    ),
    click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="The Dask scheduler, such as tcp://10.0.0.5:8786. Its workers must run the same statuary and "
        "see content and site under the same paths.",
    ),
)


def open_executor(workers: int | None, engine: str, scheduler: str | None) -> Executor:
    """Return the workers of a build.

    Raises:
        click.UsageError: if the options contradict each other.
        WorkersLostError: if the cluster does not answer, or the extra `dask` is not installed.
    """
    from statuary.cores import usable_cores
    from statuary.pipeline.workers import DaskExecutor, process_executor

    if engine == "processes":
        if scheduler is not None:
            raise click.UsageError("--scheduler requires --engine dask")
        return process_executor(workers or usable_cores())
    if workers is not None:
        raise click.UsageError("--workers cannot be used with --engine dask: the cluster has its own workers")
    if scheduler is None:
        raise click.UsageError("--engine dask requires --scheduler ADDRESS")
    return DaskExecutor(scheduler)


check_options = with_options(
    click.option(
        "--skip",
        multiple=True,
        metavar="CHECK",
        help="Skip this check (repeatable); `proof` and `status` are all checks of a group.",
    ),
    click.option("--only", multiple=True, metavar="CHECK", help="Run only this check (repeatable)."),
    click.option(
        "--strict",
        is_flag=True,
        help="Exit with 1 on warnings and withheld contracts; publish nothing while the site has a warning.",
    ),
)


def read_check_options(skip: Collection[str], only: Collection[str], *, strict: bool) -> CheckOptions:
    """Return the checks without skipped ones, or those named; raise click.BadParameter for an unknown one."""
    if not skip and not only:
        return CheckOptions(strict=strict)
    from statuary.checks.contracts.prove import CONTRACT_CHECKS
    from statuary.checks.rule_catalogue import PROOF, STATUS, all_rules

    groups = {rule.name: rule.group for rule in all_rules()}
    optional = {name: group for name, group in groups.items() if group in (PROOF, STATUS)}
    skipped, wanted = _names(skip, optional, groups, "--skip"), _names(only, optional, groups, "--only")
    left_out = skipped | (optional.keys() - wanted if wanted else set())
    return CheckOptions(
        checks=tuple(check for check in CONTRACT_CHECKS if check.name not in left_out),
        skipped=frozenset(left_out),
        strict=strict,
    )


def _names(
    given: Iterable[str], optional: Mapping[str, str], known: Collection[str], option: str
) -> set[str]:
    """Return the checks with the given names, or in groups of these names."""
    found: set[str] = set()
    for name in given:
        group = {check for check, group in optional.items() if group == name}
        if not group and name not in optional:
            raise click.BadParameter(_unknown(name, optional, known), param_hint=option)
        found |= group or {name}
    return found


def _unknown(name: str, optional: Mapping[str, str], known: Collection[str]) -> str:
    close = get_close_matches(name, [*optional, *set(optional.values())], 1)
    if close:
        return f"unknown check {name!r}; did you mean {close[0]!r}?"
    if name in known:
        return f"{name!r} checks the form of the content and cannot be skipped"
    return f"unknown check {name!r}; `statuary check --list` shows all"


def list_rules() -> None:
    """Print every rule: a table on a terminal, tab-separated lines elsewhere."""
    from rich.console import Console
    from rich.table import Table

    from statuary.checks.rule_catalogue import all_rules

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


def _list_and_exit(ctx: click.Context, _param: click.Parameter, given: bool) -> None:
    if given:
        list_rules()
        ctx.exit()


list_option = click.option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_and_exit,
    help="Print every rule and exit.",
)
