"""Worker processes of this machine."""

import atexit
import gc
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import connection, get_context, parent_process
from os import _exit
from threading import Thread, current_thread, main_thread

from statuary.base.progress import enable_garbage_collection
from statuary.workers.task_window import Result, Task


class ProcessPool:
    """Worker processes on this machine, started with the first task.

    This process takes part too. Workers share nothing with this process, end when it ends or is killed, and
    ignore Ctrl-C.
    """

    runs_tasks_here = True

    def __init__(self, size: int, prepare: Callable[[], object] | None = None) -> None:
        """Use `size` processes including this one, at least 2.

        Args:
            prepare: a module-level function that each other process runs before its first task, such as slow
                imports.
        """
        self.size = size
        self._prepare = prepare
        self._pool: ProcessPoolExecutor | None = None
        self._is_broken = False

    def submit(
        self, work: Callable[[Task], Result], task: Task, on_done: Callable[[Future[Result]], None]
    ) -> Future[Result]:
        """Give a task to a worker process, replacing processes that died.

        Args:
            work: the function to call; it must be at the top level of a module.
            task: its argument.
            on_done: called in any thread when the task is done, or its process has died.
        """
        with _delay_interrupts():
            future = self._get_running_pool().submit(work, task)
            future.add_done_callback(on_done)
        return future

    def _get_running_pool(self) -> ProcessPoolExecutor:
        if self._is_broken:
            self.close()
        if self._pool is None:
            context = get_context("spawn")
            self._pool = ProcessPoolExecutor(self.size - 1, context, _begin_as_worker, (self._prepare,))
            self._is_broken = False
        return self._pool

    def is_worker_death(self, error: BaseException) -> bool:
        """Return whether an exception means that a worker process died."""
        self._is_broken |= isinstance(error, BrokenProcessPool)
        return isinstance(error, BrokenProcessPool)

    def check_alive(self) -> None:
        """Do nothing, because this pool reports by itself that a process died."""

    def close(self) -> None:
        """Stop the worker processes, and discard tasks that have not started."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None


@contextmanager
def _delay_interrupts() -> Iterator[None]:
    """Delay Ctrl-C to the end of the block.

    An interruption between acquiring a lock and its block would leave the lock acquired. The thread that
    manages the processes would then wait for that lock forever, and so would the end of this process.
    """
    if current_thread() is not main_thread():  # Ctrl-C interrupts only the main thread
        yield
        return
    came: list[object] = []
    previous_handler = signal.signal(signal.SIGINT, lambda *arrived: came.append(arrived))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous_handler)
        if came:
            signal.raise_signal(signal.SIGINT)


def _begin_as_worker(prepare: Callable[[], object] | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_exit_with_parent, daemon=True).start()
    gc.disable()  # importing modules leaves no garbage to collect
    atexit.register(gc.freeze)  # as in `__main__`
    if prepare is not None:
        prepare()
    enable_garbage_collection()


def _exit_with_parent() -> None:
    """End this process when its parent has ended."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        _exit(1)
