"""Worker processes of this machine."""

import atexit
import gc
import signal
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import connection, get_context, parent_process
from os import _exit
from threading import Thread

from statuary.pipeline.progress import enable_garbage_collection


class ProcessPool:
    """A `WorkerPool`: processes of this machine, including this one; they start with the first task.

    They are spawned, so they share nothing with this one. They end when it ends or is
    killed, and leave Ctrl-C to it.
    """

    runs_tasks_here = True

    def __init__(self, size: int) -> None:
        """Use `size` processes including this one, at least 2."""
        self.size = size
        self._pool: ProcessPoolExecutor | None = None
        self._is_broken = False

    def executor(self) -> ProcessPoolExecutor:
        """Return the processes; new ones if one was lost."""
        if self._is_broken:
            self.close()
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                self.size - 1, mp_context=get_context("spawn"), initializer=_begin_as_worker
            )
            self._is_broken = False
        return self._pool

    def is_broken(self, error: BaseException) -> bool:
        """Return whether an error means that a process is lost."""
        if isinstance(error, BrokenProcessPool):
            self._is_broken = True
        return isinstance(error, BrokenProcessPool)

    def check_alive(self) -> None:
        """Do nothing: the pool reports a lost worker itself."""

    def close(self) -> None:
        """Stop the processes and drop tasks that have not begun."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None


def _begin_as_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    gc.disable()  # imports leave no garbage
    atexit.register(gc.freeze)  # as in `__main__`
    from statuary.pipeline import build_contract, partitions  # noqa: F401 - what tasks need, before the first one

    enable_garbage_collection()


def _end_with_parent() -> None:
    """End this process when its parent has ended: no more tasks would come."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        _exit(1)
