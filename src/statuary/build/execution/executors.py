"""Who does the work of a build: this process, several of this machine, or a cluster."""

import os

from statuary.build.execution.options import InProcessExecutor, TaskExecutor
from statuary.build.execution.worker_pool import PoolExecutor, WorkerPool


def usable_cores() -> int:
    """Return how many cores this process may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return cores or 1


def process_executor(count: int) -> TaskExecutor:
    """Return the hands of so many processes of this machine.

    Args:
        count: how many; 1 is this one alone.
    """

    def pool() -> WorkerPool:
        from statuary.build.execution.processes import ProcessPool

        return ProcessPool(count)

    return InProcessExecutor() if count == 1 else PoolExecutor(pool)


def dask_executor(address: str) -> TaskExecutor:
    """Return the hands of a Dask cluster.

    Its workers run the same statuary, and see content and target under the same paths.

    Args:
        address: its scheduler's, such as `tcp://10.0.0.5:8786`.

    Raises:
        WorkersLost: if there is no scheduler, or it has no workers, or the extra `dask` is not installed.
    """
    from statuary.build.execution.dask_cluster import DaskPool

    executor = PoolExecutor(lambda: DaskPool(address))
    executor.started()
    return executor
