"""Files are read if they are regular, inside their folder and not too large, and written whole."""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from statuary.base.files import PublishingError
from statuary.system.files import (
    NotRegularFileError,
    OpenFolder,
    OutsideFolderError,
    TooLargeError,
    open_below,
    open_file,
    read_below,
    read_descriptor,
    read_file,
    read_named_file,
    read_start,
)
from statuary.system.writing import append_to_file, atomic_file, create_file, lock_folder, replace_file

SECRET = "hunter2"

Reader = Callable[[Path], object]
READERS: dict[str, Reader] = {
    "read_file": read_file,
    "open_file": open_file,
    "read_start": lambda file: read_start(file, 10),
    "read_below": lambda file: read_below(file.parent, file.name, 1000),
    "open_below": lambda file: open_below(file.parent, file.name, links=True),
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_named_pipe_is_rejected_without_waiting(reader: Reader, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(NotRegularFileError):
        reader(tmp_path / "fifo")


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/ptmx", "/dev"])
def test_device_is_rejected_as_file(reader: Reader, device: str) -> None:
    with pytest.raises(NotRegularFileError):
        reader(Path(device))


@pytest.mark.parametrize("links", [False, True])
@pytest.mark.parametrize("path", ["link", "folder/secret", "hidden", "../outside/secret"])
def test_path_outside_folder_is_rejected(path: str, tmp_path: Path, *, links: bool) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret").write_text(SECRET)
    content = tmp_path / "content"
    (content / ".git").mkdir(parents=True)
    (content / ".git/config").write_text(SECRET)
    (content / "link").symlink_to("../outside/secret")
    (content / "folder").symlink_to("../outside")
    (content / "hidden").symlink_to(".git/config")
    (tmp_path / "outside/link").symlink_to("../content/.git/config")
    if path.startswith(".."):  # a source beside the content: its own links stay in its folder
        path = "../outside/link"
    with pytest.raises(OutsideFolderError):
        os.close(open_below(content, path, links=links))


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[OpenFolder]:
    """A folder in which a file was opened, so that its inner folder is open."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret").write_text(SECRET)
    (tmp_path / "content/inner").mkdir(parents=True)
    for name in ("one", "two"):
        (tmp_path / "content/inner" / name).write_text(name)
    with closing(OpenFolder(tmp_path / "content")) as folder:
        os.close(folder.open_file("inner/one"))
        yield folder


def test_open_folder_reads_file_in_subfolder(opened: OpenFolder) -> None:
    assert read_descriptor(opened.open_file("inner/two"), "two", 10) == b"two"


@pytest.mark.parametrize("links", [False, True])
def test_open_folder_never_follows_link_outside(opened: OpenFolder, tmp_path: Path, *, links: bool) -> None:
    (tmp_path / "content/inner/link").symlink_to("../../outside/secret")
    with pytest.raises(OutsideFolderError):
        opened.open_file("inner/link", links=links)


def test_replaced_subfolder_is_opened_again(opened: OpenFolder, tmp_path: Path) -> None:
    inner = tmp_path / "content/inner"
    inner.rename(tmp_path / "content/gone")
    inner.mkdir()
    (inner / "three").write_text("three")
    assert read_descriptor(opened.open_file("inner/three"), "three", 10) == b"three"
    (inner / "three").unlink()
    inner.rmdir()
    inner.symlink_to("../outside")
    with pytest.raises(OutsideFolderError):
        opened.open_file("inner/secret", links=True)


def test_open_folder_rejects_named_pipe(opened: OpenFolder, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "content/inner/fifo")
    with pytest.raises(NotRegularFileError):
        opened.open_file("inner/fifo")


def test_oversized_file_is_rejected_before_reading(tmp_path: Path) -> None:
    with (tmp_path / "large").open("wb") as stream:
        stream.truncate(4 << 40)  # a file of holes
    for read in (read_file, lambda file: read_named_file(file, 1000)):
        with pytest.raises(TooLargeError):
            read(tmp_path / "large")


def test_file_option_limits_size_of_pipe(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"x" * 1001)
    os.close(writing)
    with pytest.raises(TooLargeError):
        read_named_file(Path(f"/dev/fd/{reading}"), 1000)
    os.close(reading)
    assert read_named_file(create(tmp_path / "made"), 1000) == b"made"


def create(file: Path) -> Path:
    create_file(file, b"made")
    return file


@pytest.mark.parametrize("kind", ["link", "dangling", "file", "fifo"])
def test_creating_file_never_replaces_existing_path(kind: str, tmp_path: Path) -> None:
    target = tmp_path / "target"
    if kind == "fifo":
        os.mkfifo(target)
    elif kind == "file":
        target.write_text(SECRET)
    else:
        target.symlink_to(tmp_path / "elsewhere")
        if kind == "link":
            (tmp_path / "elsewhere").write_text(SECRET)
    with pytest.raises(FileExistsError):
        create_file(target, b"made")
    assert not (tmp_path / "elsewhere").exists() or (tmp_path / "elsewhere").read_text() == SECRET


def test_key_file_has_private_permissions(tmp_path: Path) -> None:
    create_file(tmp_path / "key", b"secret", mode=0o600)
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600


@pytest.mark.parametrize("kind", ["link", "fifo", "device"])
def test_appending_to_device_is_rejected(kind: str, tmp_path: Path) -> None:
    target = Path("/dev/null") if kind == "device" else tmp_path / "target"
    if kind == "link":
        (tmp_path / "elsewhere").write_text("")
        target.symlink_to("elsewhere")
    elif kind == "fifo":
        os.mkfifo(target)
    with pytest.raises(OSError, match=r"\[Errno"):
        append_to_file(target, b"made")
    append_to_file(tmp_path / "new", b"a")
    append_to_file(tmp_path / "new", b"b")
    assert (tmp_path / "new").read_bytes() == b"ab"


def test_failed_atomic_write_keeps_old_file(tmp_path: Path) -> None:
    replace_file(tmp_path / "file", b"old")
    with suppress(RuntimeError), atomic_file(tmp_path / "file") as stream:
        stream.write(b"new")
        raise RuntimeError
    assert (tmp_path / "file").read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]
    with pytest.raises(PublishingError):
        replace_file(tmp_path / "file/below", b"new")


def test_folder_lock_is_exclusive(tmp_path: Path) -> None:
    held = lock_folder(tmp_path)
    assert held is not None
    assert lock_folder(tmp_path, blocking=False) is None
    os.close(held)
