"""The workers of a Dask cluster."""

from concurrent.futures import CancelledError, Executor
from types import ModuleType
from typing import Any

from typing_extensions import override

from statuary.optional import optional
from statuary.pipeline.executor import CHECK_INTERVAL, WorkerPool, WorkersLostError

WAIT_SECONDS = 30
"""Seconds to wait for a scheduler, and for its first worker."""

DASK_CONFIG = {"distributed.admin.low-level-log-length": 1}
"""Without this, a client keeps its last thousand messages: 40 MiB of tasks (measured)."""


class DaskPool(WorkerPool):
    """A Dask cluster, used through `concurrent.futures`."""

    runs_tasks_here = False

    def __init__(self, address: str) -> None:
        self._distributed, self._config = _module("distributed"), _module("dask.config")
        self.address = address
        self._client = self._connected()
        self._executor: Executor = self._client.get_executor(pure=False)
        self._seconds_alone = 0.0
        self.size = sum(self._client.nthreads().values())

    def _connected(self) -> Any:
        client = None
        try:
            with self._config.set(DASK_CONFIG):
                client = self._distributed.Client(self.address, timeout=WAIT_SECONDS, set_as_default=False)
            client.wait_for_workers(1, timeout=WAIT_SECONDS)
        except (OSError, TimeoutError) as error:
            if client is not None:
                client.close()
            raise WorkersLostError(
                f"the cluster at {self.address} accepts no work: {error}",
                "start `dask scheduler` there, and `dask worker` on the machines that do the work",
            ) from None
        return client

    @override
    def executor(self) -> Executor:
        if self._client.status != "running":
            raise self._gone("scheduler")
        return self._executor

    @override
    def is_broken(self, error: BaseException) -> bool:
        """Return whether a worker is lost; Dask gives up a task after losing several workers with it."""
        return isinstance(error, self._distributed.KilledWorker | CancelledError)

    @override
    def check_alive(self) -> None:
        if self._client.status != "running":
            raise self._gone("scheduler")
        self._seconds_alone = 0.0 if self._client.nthreads() else self._seconds_alone + CHECK_INTERVAL
        if self._seconds_alone >= WAIT_SECONDS:
            raise self._gone("last worker")

    def _gone(self, who: str) -> WorkersLostError:
        hint = "run the build again; it resumes this one"
        return WorkersLostError(f"the {who} of the cluster at {self.address} has stopped", hint)

    @override
    def close(self) -> None:
        self._client.close()


def _module(name: str) -> ModuleType:
    return optional(name, extra="dask", purpose="--engine dask")
