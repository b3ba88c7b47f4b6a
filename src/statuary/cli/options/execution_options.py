"""The options of a build's workers: processes of this machine, or a Dask cluster."""

import click

from statuary.build.execution.executor import Executor
from statuary.cli.options.common_options import with_options

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
    from statuary.build.execution.pooled_executor import DaskExecutor, process_executor
    from statuary.cores import usable_cores

    if engine == "processes":
        if scheduler is not None:
            raise click.UsageError("--scheduler requires --engine dask")
        return process_executor(workers or usable_cores())
    if workers is not None:
        raise click.UsageError("--workers cannot be used with --engine dask: the cluster has its own workers")
    if scheduler is None:
        raise click.UsageError("--engine dask requires --scheduler ADDRESS")
    return DaskExecutor(scheduler)
