"""The options that say who does the work of a build."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from statuary.build.execution.options import TaskExecutor

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def execution_options(function: Decorated) -> Decorated:
    """Add `--workers`, `--engine` and `--scheduler`."""
    options = (
        click.option(
            "--workers",
            type=click.IntRange(1, 1024),
            metavar="N",
            help="Processes that press contracts. Default: one for each core; a small site needs one.",
        ),
        click.option(
            "--engine",
            type=click.Choice(["processes", "dask"]),
            default="processes",
            show_default=True,
            help="Who presses contracts: processes of this machine, or a Dask cluster.",
        ),
        click.option(
            "--scheduler",
            metavar="ADDRESS",
            help="The cluster's scheduler, such as tcp://10.0.0.5:8786. Its workers run the same statuary and "
            "see content and site under the same paths.",
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


def open_executor(workers: int | None, engine: str, scheduler: str | None) -> TaskExecutor:
    """Return who does the work.

    Raises:
        click.UsageError: if the options do not go together.
        WorkersLost: if there is no cluster, or the extra that reaches it is not installed.
    """
    from statuary.build.execution.executors import dask_executor, process_executor, usable_cores

    if engine == "processes":
        if scheduler is not None:
            raise click.UsageError("--scheduler is for --engine dask")
        return process_executor(workers or usable_cores())
    if workers is not None:
        raise click.UsageError("--workers is for --engine processes: a cluster has as many as it has")
    if scheduler is None:
        raise click.UsageError("--engine dask needs --scheduler ADDRESS")
    return dask_executor(scheduler)
