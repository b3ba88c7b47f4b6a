"""A site folder on disk: files are staged beside it and renamed into place, so each is always whole."""

import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path

from statuary.documents.url_table import LOG_CHECKPOINT
from statuary.publishing.errors import PublishingError
from statuary.publishing.folder.stager import Stager
from statuary.publishing.safe_path import LEDGER, OWN_FOLDER, checked_path

BODIES, SITE = "bodies", "site"
"""The two staged trees: documents of single sources, and those of the whole site; put in place in this order."""

CHECKPOINT = LOG_CHECKPOINT.path().rpartition("/")[2]


class SiteFolder:
    """A folder that a site is published into.

    Nothing is written through a symbolic link or outside `root`, and files of other programs are never
    removed. A build stages in `.statuary/staged/<run>/`, on the same file system as the site, so the last
    step is a rename: of a whole folder where the site has none of that name.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.own = root / OWN_FOLDER
        self.staging = self.own / "staged"
        self.leftover = self.staging / "leftover"
        self.folds_case = False

    @property
    def ledger_file(self) -> Path:
        """The path of the ledger."""
        return self.root / LEDGER

    def open(self) -> None:
        """Create the folder if it is missing; raise PublishingError if it cannot be or is not a folder."""
        try:
            self.own.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise PublishingError(f"cannot publish to {self.root}: {error.strerror}") from None
        self.folds_case = (self.root / OWN_FOLDER.upper()).exists()

    def staged(self, run: int) -> Path:
        """Return the staging folder of a run."""
        return self.staging / str(run)

    def begin(self, run: int) -> None:
        """Prepare an empty staging folder.

        The one of an earlier build is renamed first, so that a process of that build that is still alive
        cannot write here.
        """
        runs = sorted(self._runs())
        if runs:
            shutil.rmtree(self.leftover, ignore_errors=True)
            os.rename(self.staged(runs[-1]), self.leftover)
        for older in runs[:-1]:
            shutil.rmtree(self.staged(older), ignore_errors=True)
        for tree in (BODIES, SITE):
            (self.staged(run) / tree).mkdir(parents=True, exist_ok=True)

    def _runs(self) -> list[int]:
        with suppress(FileNotFoundError):
            return [int(name) for name in os.listdir(self.staging) if name.isdecimal()]
        return []

    def discard_leftover(self) -> None:
        """Delete what an earlier build left."""
        shutil.rmtree(self.leftover, ignore_errors=True)

    def discard(self, run: int) -> None:
        """Delete what a run staged and what an earlier build left."""
        self.discard_leftover()
        shutil.rmtree(self.staged(run), ignore_errors=True)
        with suppress(OSError):
            self.staging.rmdir()

    def stager(self, staged: Path | None, tree: str) -> Stager:
        """Return a stager for a tree of a run's folder; without a run, it only compares."""
        tree_path = "" if staged is None else str(staged / tree)
        return Stager(root=str(self.root), tree=tree_path, folds_case=self.folds_case)

    def read(self, path: str) -> bytes | None:
        """Return the bytes of the regular file at a path; None if it does not exist or is behind a link."""
        folder, _, name = checked_path(path).rpartition("/")
        parts = folder.split("/") if folder else []
        above = ["/".join(parts[: end + 1]) for end in range(len(parts))]
        try:
            if any(os.path.islink(self.root / part) for part in (*above, path)) or not name:
                return None
            with open(self.root / path, "rb") as file:
                return file.read()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None

    def put_in_place(self, staged: Path) -> None:
        """Move everything that is staged into the site; safe to repeat."""
        for tree in (BODIES, SITE):
            if (staged / tree).is_dir():
                self._move(str(staged / tree), str(self.root))

    def _move(self, source: str, target: str) -> None:
        """Move a staged folder into the site; a folder that the site lacks is moved whole."""
        with os.scandir(source) as entries:
            # a log's checkpoint follows the tiles that it is about
            found = sorted(entries, key=lambda entry: (entry.name == CHECKPOINT, entry.name))
        for entry in found:
            path = f"{target}/{entry.name}"
            if not entry.is_dir(follow_symlinks=False):
                os.replace(entry.path, path)
                continue
            try:
                there = os.lstat(path)
            except FileNotFoundError:
                os.rename(entry.path, path)
                continue
            if not stat.S_ISDIR(there.st_mode):
                raise PublishingError(
                    f"{path} is a symbolic link or a file where the site needs a folder", "move it away"
                )
            self._move(entry.path, path)

    def remove(self, path: str) -> None:
        """Remove a file that statuary wrote, and the folders that become empty."""
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

    def folder_time(self, folder: str) -> int | None:
        """Return when a folder's list of names last changed (`st_mtime_ns`); None without the folder."""
        try:
            found = os.lstat(self.root / folder)
        except (FileNotFoundError, NotADirectoryError):
            return None
        return found.st_mtime_ns if stat.S_ISDIR(found.st_mode) else None

    def sizes(self, folder: str) -> dict[str, int]:
        """Return the size of each regular file in a folder of the site, by name."""
        try:
            with os.scandir(self.root / folder) as entries:
                files = (entry for entry in entries if entry.is_file(follow_symlinks=False))
                return {file.name: file.stat(follow_symlinks=False).st_size for file in files}
        except (FileNotFoundError, NotADirectoryError):
            return {}

    def sync(self) -> None:
        """Wait until everything written is on disk, where the system can tell."""
        from ctypes import CDLL  # noqa: PLC0415 - ten milliseconds that builds without changes do without

        system = CDLL(None) if os.name != "nt" else None
        if system is not None and hasattr(system, "syncfs"):
            descriptor = os.open(self.root, os.O_RDONLY)
            system.syncfs(descriptor)
            os.close(descriptor)
        elif hasattr(os, "sync"):
            os.sync()
