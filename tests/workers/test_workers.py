"""Many workers: each task is done whichever worker is killed, and no worker outlives its parent."""

import os
import signal
import subprocess
import sys
import time
from itertools import count
from pathlib import Path

import pytest

from statuary.workers.executor import InProcessExecutor, prepare_worker, process_executor
from statuary.workers.task_window import ATTEMPTS, WorkersLostError
from support.worker_tasks import Square, fail, imported_modules, square, whose

pytestmark = pytest.mark.thorough

TESTS = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def driver(monkeypatch):
    monkeypatch.setenv("STATUARY_DRIVER", str(os.getpid()))
    monkeypatch.setenv("PYTHONPATH", str(TESTS))


def squares(number: int, **of_the_tenth) -> list[Square]:
    tasks = [Square(f"{one}", one) for one in range(number)]
    return [Square("10", 10, **of_the_tenth) if task.number == 10 else task for task in tasks]


@pytest.mark.parametrize(
    "executor", [InProcessExecutor(), process_executor(1), process_executor(2), process_executor(4)]
)
@pytest.mark.parametrize("number", [0, 1, 2, 3, 40])
def test_every_worker_task_runs_once(executor, number):
    with executor:
        assert sorted(executor.map_unordered(square, squares(number))) == [one**2 for one in range(number)]
        assert sorted(executor.map_unordered(square, squares(number))) == [one**2 for one in range(number)]


def test_every_worker_receives_tasks():
    with process_executor(3) as executor:
        assert len(set(executor.map_unordered(whose, squares(60)))) == 3


def test_few_tasks_run_without_worker_process():
    with process_executor(8) as executor:
        assert set(executor.map_unordered(whose, squares(4))) == {os.getpid()}


def test_tasks_are_generated_lazily():
    taken = count()
    tasks = (Square(f"{next(taken)}", 1) for _ in range(1000))
    with process_executor(2) as executor:
        results = executor.map_unordered(square, tasks)
        for _ in range(5):
            next(results)
        assert next(taken) < 20
        results.close()


def test_task_of_killed_worker_is_retried(tmp_path):
    tasks = squares(40, trace=tmp_path / "trace", kills=2)
    with process_executor(2) as executor:
        assert sorted(executor.map_unordered(square, tasks)) == [one**2 for one in range(40)]


def test_task_killing_every_worker_is_abandoned(tmp_path):
    tasks = [Square(f"part-{one}", one, tmp_path / f"{one}", 1000) for one in range(40)]
    with (
        process_executor(2) as executor,
        pytest.raises(WorkersLostError, match=f"lost {ATTEMPTS} times .* part part-") as lost,
    ):
        list(executor.map_unordered(square, tasks))
    assert "--workers 1" in lost.value.hint


@pytest.mark.parametrize("count", [1, 2])
def test_worker_task_exception_keeps_details(count):
    with process_executor(count) as executor, pytest.raises(OSError, match="No space left") as raised:
        list(executor.map_unordered(fail, squares(40)))
    assert (raised.value.errno, raised.value.filename) == (28, "build/.statuary")


DRIVER = """
import os, sys
from statuary.workers.executor import process_executor
from support.worker_tasks import Square, whose
if __name__ == "__main__":
    with process_executor(3) as executor:
        seen = set()
        for worker in executor.map_unordered(whose, (Square("", 0) for _ in range(10_000))):
            if worker not in seen:
                seen.add(worker)
                print(worker, flush=True)
"""


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_worker_processes_end_with_parent(tmp_path, end):
    script = tmp_path / "driver.py"
    script.write_text(DRIVER)
    command = [sys.executable, str(script)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
    ) as process:
        workers = {int(process.stdout.readline()) for _ in range(3)}
        if end is signal.SIGINT:  # Ctrl-C reaches everybody
            os.killpg(process.pid, end)
        else:
            process.send_signal(end)
        process.wait(timeout=60)
    until = time.monotonic() + 60
    while alive := [worker for worker in workers if is_alive(worker)]:
        assert time.monotonic() < until, alive
        time.sleep(0.05)


INTERRUPTED = """
import signal, sys, threading
from statuary.workers.executor import process_executor
from support.worker_tasks import Square, square

instant = int(sys.argv[1])
calls = 0

def trace(frame, event, _):  # Ctrl-C at the n-th line of the libraries' pools and locks, once workers run
    global calls
    if frame.f_code.co_filename.endswith(("threading.py", "queue.py", "_base.py", "futures/process.py")):
        calls += event != "call"
        if calls == instant:
            sys.settrace(None)
            signal.raise_signal(signal.SIGINT)
        return trace

if __name__ == "__main__":
    with process_executor(2) as executor:
        results = executor.map_unordered(square, (Square("", 0) for _ in range(1_000)))
        next(results)
        sys.settrace(trace)
        for _ in results:
            pass
"""


@pytest.mark.parametrize("instant", range(1, 121, 7))
def test_ctrl_c_always_ends_workers(tmp_path, instant):
    script = tmp_path / "interrupted.py"
    script.write_text(INTERRUPTED)
    done = subprocess.run(
        [sys.executable, str(script), str(instant)], check=False, timeout=60, capture_output=True, text=True
    )
    assert done.returncode == -signal.SIGINT, done.stderr


def is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_workers_started_early_preload_modules():
    with process_executor(2, prepare_worker) as executor:
        executor.start_workers_early()
        assert len(set(executor.map_unordered(whose, squares(60)))) == 2
        assert (
            "statuary.contracts.incremental.partitions"
            in executor.pool.submit(imported_modules, None, list).result()
        )
