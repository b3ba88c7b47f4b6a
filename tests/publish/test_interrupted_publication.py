"""A build that ends at any moment leaves each file old or new, and the next build finishes the work."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import sleep

import pytest

from statuary.publish.folder.folder_target import FolderTarget
from statuary.site.document import Document
from support.sites import tree

pytestmark = pytest.mark.thorough

OLD = [Document(path=f"d{n % 3}/{n}", aliases=(f"d{n % 3}/twin-{n}",), body=b"old %d" % n) for n in range(5)]
NEW = [
    Document(path=f"d{n % 4}/{n}", aliases=(f"d{n % 4}/twin-{n}",), body=b"new %d" % n) for n in range(2, 7)
]
CALLS = ("open", "write", "replace", "link", "mkdir", "unlink", "rmdir", "lstat")


class Ended(BaseException):
    """The process ended here, as far as the test is concerned."""


def publish(root: Path, documents: list[Document]) -> None:
    with FolderTarget(root) as publication:
        publication.add(documents)
        publication.apply()


def bodies(documents: list[Document]) -> dict[str, bytes]:
    return {path: one.body for one in documents for path in (one.path, *one.aliases)}


def ending_at(count: int, error: Callable[[], BaseException], monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Make the `count`-th call of the operating system raise; return a counter of the calls."""
    calls = [0]
    for name in CALLS:
        real = getattr(os, name)

        def call(*args: object, real: Callable[..., object] = real, **kwargs: object) -> object:
            calls[0] += 1
            if calls[0] == count:
                raise error()
            return real(*args, **kwargs)

        monkeypatch.setattr(f"statuary.publish.folder.site_folder.os.{name}", call)
    return calls


def calls_of_a_build(tmp_path: Path) -> int:
    root = tmp_path / "count"
    publish(root, OLD)
    with pytest.MonkeyPatch.context() as patch:
        calls = ending_at(-1, Ended, patch)
        publish(root, NEW)
    return calls[0]


@pytest.mark.parametrize(
    "error", [Ended, lambda: OSError(28, "No space left on device"), lambda: OSError(5, "I/O error")]
)
def test_publication_recovers_from_each_failed_syscall(
    error: Callable[[], BaseException], tmp_path: Path
) -> None:
    total = calls_of_a_build(tmp_path)
    assert total > 40
    old, new = bodies(OLD), bodies(NEW)
    for count in range(1, total + 1):
        root = tmp_path / str(count)
        publish(root, OLD)
        with pytest.MonkeyPatch.context() as patch:
            ending_at(count, error, patch)
            try:
                publish(root, NEW)
            except (Ended, OSError):
                pass
            except Exception as refused:  # noqa: BLE001 - a refusal is a sentence, any other is a defect
                assert type(refused).__name__ == "PublishingError", refused  # noqa: PT017
        for path, body in tree(root).items():
            assert body in (old.get(path), new.get(path)), (count, path)
        publish(root, NEW)
        assert tree(root) == new, count


BUILD = """
import sys
from pathlib import Path
from test_interrupted_world import WORLD
from statuary.publish.folder.folder_target import FolderTarget
with FolderTarget(Path(sys.argv[1])) as publication:
    publication.add(WORLD)
    publication.apply()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL on Windows")
def test_publication_recovers_from_random_kill(tmp_path: Path) -> None:
    """A real process, really killed; the moments spread over its life."""
    world = (
        "from statuary.site.document import Document\n"
        "WORLD = [Document(path=f'{n % 50}/{n}', aliases=(f'{n % 50}/t{n}',), body=b'x' * n) for n in range(3000)]\n"
    )
    (tmp_path / "test_interrupted_world.py").write_text(world)
    expected = {f"{n % 50}/{name}": b"x" * n for n in range(3000) for name in (f"{n}", f"t{n}")}
    root = tmp_path / "site"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    arguments = [sys.executable, "-c", BUILD, str(root)]
    for moment in range(6):
        process = subprocess.Popen(arguments, env=environment)
        sleep(0.15 + 0.1 * moment)
        process.send_signal(signal.SIGKILL)
        process.wait()
        for path, body in tree(root).items():
            assert body == expected[path]
    subprocess.run(arguments, env=environment, check=True)
    assert tree(root) == expected
