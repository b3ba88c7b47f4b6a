"""A folder as a target: files written beside and renamed into place, so that each is always whole."""

import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from statuary.publishing.refused import PublishingRefused
from statuary.publishing.safe_path import OWN_FOLDER, checked_path


class FileState(NamedTuple):
    """What stands at a path.

    Attributes:
        size: in bytes; -1 if nothing is there, -2 for what may not be replaced.
        modified: `st_mtime_ns`, or 0.
    """

    size: int
    modified: int


ABSENT = FileState(-1, 0)
"""Nothing is there."""

OBSTACLE = FileState(-2, 0)
"""A folder, a link or a device stands there, or a file or a link where one of its folders should be."""


class Folder:
    """A folder that a site is published into.

    Nothing is written through a symbolic link, nothing outside of `root`, and nothing that is not ours is
    removed. Staged bodies lie in `.statuary/staged/`, on the same file system as their destination, so that
    the last step is one rename each.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.own = root / OWN_FOLDER
        self.staging = self.own / "staged"
        self.prefix = f"{root}/"
        self.staging_prefix = f"{self.staging}/"
        self.made: set[str] = set()
        self.clear = {"": True}
        self.staged = 0

    @property
    def ledger_file(self) -> Path:
        """Where the ledger lies."""
        return self.own / "ledger.sqlite3"

    def open(self) -> None:
        """Make ready for staging; what an earlier build left staged is thrown away.

        Raises:
            PublishingRefused: if the folder cannot be made or is no folder.
        """
        try:
            shutil.rmtree(self.staging, ignore_errors=True)
            self.staging.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise PublishingRefused(f"{self.root} cannot take the site: {error.strerror}") from None
        self.folds_case = (self.root / OWN_FOLDER.upper()).exists()

    def close(self) -> None:
        """Remove the staging folder with what is left in it."""
        shutil.rmtree(self.staging, ignore_errors=True)

    def stage(self, body: bytes) -> str:
        """Write a body beside its destination and return its staged name."""
        self.staged += 1
        name = str(self.staged)
        descriptor = os.open(self.staging_prefix + name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            view = memoryview(body)
            while view:
                view = view[os.write(descriptor, view) :]
        finally:
            os.close(descriptor)
        return name

    def state(self, path: str) -> FileState:
        """Return what stands at a path: nothing, a regular file, or something that may not be replaced."""
        if not self._is_clear(path.rpartition("/")[0]):
            return OBSTACLE
        try:
            found = os.lstat(self.prefix + path)
        except FileNotFoundError:
            return ABSENT
        if not stat.S_ISREG(found.st_mode):
            return OBSTACLE
        return FileState(found.st_size, found.st_mtime_ns)

    def _is_clear(self, folder: str) -> bool:
        """Say whether a folder is one, or can be made, without passing through a link or over a file."""
        known = self.clear.get(folder)
        if known is None:
            try:
                is_folder = stat.S_ISDIR(os.lstat(self.prefix + folder).st_mode)
            except FileNotFoundError:
                is_folder = True
            except NotADirectoryError:
                is_folder = False
            known = self.clear[folder] = is_folder and self._is_clear(folder.rpartition("/")[0])
        return known

    def holds(self, path: str, body: bytes) -> bool:
        """Say whether the regular file at a path holds exactly these bytes."""
        with open(self.prefix + path, "rb") as file:
            return file.read() == body

    def read(self, path: str) -> bytes | None:
        """Return what the regular file at a path holds; None if there is none."""
        if self.state(path).size < 0:
            return None
        with open(self.prefix + path, "rb") as file:
            return file.read()

    def place(self, staged: str, path: str) -> int:
        """Move a staged body into place and return its modification time in nanoseconds."""
        self._make_folder(path)
        target = self.prefix + checked_path(path)
        os.replace(self.staging_prefix + staged, target)
        return os.lstat(target).st_mtime_ns

    def place_twin(self, original: str, path: str) -> int:
        """Give a file a second name; on a file system without hard links, a copy."""
        self._make_folder(path)
        target = self.prefix + checked_path(path)
        beside = self.staging_prefix + "twin"
        with suppress(FileNotFoundError):
            os.unlink(beside)
        try:
            os.link(self.prefix + original, beside)
        except OSError:
            shutil.copyfile(self.prefix + original, beside)
        os.replace(beside, target)
        with suppress(
            FileNotFoundError
        ):  # renaming one name of a file onto another of the same file does nothing
            os.unlink(beside)
        return os.lstat(target).st_mtime_ns

    def remove(self, path: str) -> None:
        """Remove a file that is ours, and the folders that this leaves empty."""
        file = self.root / checked_path(path)
        with suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError):
            file.unlink()
        for folder in file.parents:
            if folder == self.root or not folder.is_relative_to(self.root):
                return
            try:
                folder.rmdir()
            except OSError:
                return

    def _make_folder(self, path: str) -> None:
        """Make the folders of a path, one by one, refusing to pass through a symbolic link."""
        folder = path.rpartition("/")[0]
        if not folder or folder in self.made:
            return
        self._make_folder(folder)
        target = self.prefix + folder
        with suppress(FileExistsError):
            os.mkdir(target)
        if os.path.islink(target) or not os.path.isdir(target):
            raise PublishingRefused(
                f"{target} is a symbolic link or a file, where the site needs a folder", "move it away"
            )
        self.made.add(folder)
