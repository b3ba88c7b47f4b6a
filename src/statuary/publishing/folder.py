"""A folder as a target: files written beside and renamed into place, so that each is always whole."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

from statuary.publishing.refused import PublishingRefused
from statuary.publishing.safe_path import OWN_FOLDER, checked_path


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
        self.made: set[str] = set()
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
        descriptor = os.open(f"{self.staging}/{name}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            view = memoryview(body)
            while view:
                view = view[os.write(descriptor, view) :]
        finally:
            os.close(descriptor)
        return name

    def state(self, path: str) -> tuple[int, int] | None:
        """Return size in bytes and modification time in nanoseconds of a file; None if there is none."""
        try:
            found = os.lstat(f"{self.root}/{path}")
        except (FileNotFoundError, NotADirectoryError):
            return None
        return found.st_size, found.st_mtime_ns

    def holds(self, path: str, body: bytes) -> bool:
        """Say whether a regular file holds exactly these bytes."""
        file = self.root / path
        return not file.is_symlink() and file.is_file() and file.read_bytes() == body

    def is_foreign_obstacle(self, path: str) -> bool:
        """Say whether something stands at a path, or above it, that statuary may not replace."""
        file = self.root / path
        if file.is_symlink() or file.is_dir():
            return True
        return any(
            part.is_symlink() or part.is_file() for part in file.parents if part.is_relative_to(self.root)
        )

    def place(self, staged: str, path: str) -> int:
        """Move a staged body into place and return its modification time in nanoseconds."""
        self._make_folder(path)
        target = f"{self.root}/{checked_path(path)}"
        os.replace(f"{self.staging}/{staged}", target)
        return os.lstat(target).st_mtime_ns

    def place_twin(self, original: str, path: str) -> int:
        """Give a file a second name; on a file system without hard links, a copy."""
        self._make_folder(path)
        target = f"{self.root}/{checked_path(path)}"
        beside = f"{self.staging}/twin"
        with suppress(FileNotFoundError):
            os.unlink(beside)
        try:
            os.link(f"{self.root}/{original}", beside)
        except OSError:
            shutil.copyfile(f"{self.root}/{original}", beside)
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
        target = f"{self.root}/{folder}"
        with suppress(FileExistsError):
            os.mkdir(target)
        if os.path.islink(target) or not os.path.isdir(target):
            raise PublishingRefused(
                f"{target} is a symbolic link or a file, where the site needs a folder", "move it away"
            )
        self.made.add(folder)
