"""A site's folder: files are staged beside it, then renamed."""

import os
import re
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from statuary.base.files import (
    FOLDER,
    LEDGER,
    LONGEST_PATH,
    OWN_FOLDER,
    PublishingError,
    ignores_case,
    require_safe_path,
)
from statuary.base.reserved_names import DEVICES
from statuary.publish.ledger.document_table import ADD, KEEP, OBSTRUCTED, REPLACE
from statuary.publish.ledger.schema import AddedFile, LedgerEntry
from statuary.registry import providers
from statuary.site.document import Document
from statuary.system.files import NotRegularFileError, read_file
from statuary.system.writing import create_file, sync_file_system

PLAIN_NAME = re.compile(rf"(?:[0-9_]|(?!{DEVICES})[A-Za-z])(?:[A-Za-z0-9._-]{{0,198}}[A-Za-z0-9_-])?")
"""Names that are certainly safe, as nearly all are.

No device has a name that begins with a digit, as those of addresses do.
"""

STAGED = (ADD, REPLACE)
"""The actions that need a staged file."""


class FolderState(Enum):
    """The state of a path where a build needs a folder."""

    ABSENT = "nothing"
    THERE = "a folder"
    BLOCKED = "a link or a file, there or above"


class _FileAction(NamedTuple):
    """The action for a file of the site: add, replace or keep."""

    action: str
    modified: int = 0  # when the file was written, in nanoseconds, if the published file stays


_ADDED = _FileAction(ADD)


class _Aliases(NamedTuple):
    by_case: list[str]  # names that differ from the path only in case
    others: list[str]


def _aliases_of(document: Document) -> _Aliases:
    if not document.aliases:
        return _NO_ALIASES
    path, folded = document.path, document.path.lower()
    by_case = [name for name in document.aliases if name != path and name.lower() == folded]
    return _Aliases(by_case, [name for name in document.aliases if name.lower() != folded])


_NO_ALIASES = _Aliases([], [])


@dataclass
class Stager:
    """Writes new documents to a staging folder, before they replace old ones.

    Attributes:
        entry_of: returns what the ledger, the database of published files, says about a path. Without a
            ledger, every file is read.
    """

    root: str
    tree: str  # the folder of staged bodies; empty for a dry run
    ignores_case: bool = False  # whether names that differ only in case are one file
    entry_of: Callable[[str], LedgerEntry | None] | None = None
    states: dict[str, FolderState] = field(default_factory=lambda: {"": FolderState.THERE})

    def stage(self, document: Document) -> Iterator[AddedFile]:
        """Write a document to the staging folder, unless it is unchanged.

        The staging folder has the files that a build has not published yet. A dry run writes nothing.

        Yields:
            A row for the database of published files; one more for each alias that differs in more than case.

        Raises:
            PublishingError: if a path is unsafe.
        """
        path, body = document.path, document.body
        digest = document.digest or sha256(body).digest()
        case_aliases, other_aliases = _aliases_of(document)
        actions, modified = self._file_action_at(path, body, digest)
        if self.tree and actions in STAGED:
            modified = self._write_body(path, body)
        holder = f"{self.root if actions == KEEP else self.tree}/{path}"  # the file that holds the body
        for name in case_aliases:
            actions += (
                actions[0] if self.ignores_case else self._stage_alias(holder, name, body, digest).action
            )
        sources = "\n".join(document.sources)
        aliases = "\n".join(case_aliases)
        persistent = document.persistent
        yield AddedFile(path, aliases, digest, len(body), modified, sources, persistent, actions)
        for name in other_aliases:
            staged = self._stage_alias(holder, name, body, digest)
            yield AddedFile(
                name, "", digest, len(body), staged.modified or modified, sources, persistent, staged.action
            )

    def _stage_alias(self, staged_path: str, alias: str, body: bytes, digest: bytes) -> _FileAction:
        at_name = self._file_action_at(alias, body, digest)
        if self.tree and at_name.action in STAGED:
            self._link_name(staged_path, alias, body)
        return at_name

    def unchanged(self, path: str) -> AddedFile | None:
        """Return the database row of a published file if it was not changed.

        Returns:
            The row, or None if the file's size or modification time differs, or the database cannot tell.
        """
        entry = self.entry_of(path) if self.entry_of else None
        if (
            entry is None
            or not entry.settled
            or self._folder_state(path.rpartition("/")[0]) is not FolderState.THERE
        ):
            return None
        try:
            there = os.lstat(f"{self.root}/{path}")
        except FileNotFoundError:
            return None
        is_the_same = (there.st_size, there.st_mtime_ns) == (entry.size, entry.modified)
        if not stat.S_ISREG(there.st_mode) or not is_the_same:
            return None
        return AddedFile(
            path, "", entry.digest, entry.size, entry.modified, entry.sources, persistent=False, actions=KEEP
        )

    def _file_action_at(self, path: str, body: bytes, digest: bytes) -> _FileAction:
        folder, _, name = path.rpartition("/")
        state = self.states.get(folder)
        if state is None or len(path) > LONGEST_PATH or not PLAIN_NAME.fullmatch(name):
            require_safe_path(path)
            state = self._folder_state(folder)
        if state is FolderState.ABSENT:
            return _ADDED
        if state is FolderState.BLOCKED:
            return _FileAction(OBSTRUCTED)
        try:
            there = os.lstat(f"{self.root}/{path}")
        except FileNotFoundError:
            return _ADDED
        if not stat.S_ISREG(there.st_mode):
            return _FileAction(OBSTRUCTED)
        if there.st_size == len(body) and self._has_body(path, body, digest, there):
            return _FileAction(KEEP, there.st_mtime_ns)
        return _FileAction(REPLACE)

    def _has_body(self, path: str, body: bytes, digest: bytes, file_status: os.stat_result) -> bool:
        entry = self.entry_of(path) if self.entry_of else None
        if entry and entry.settled and entry.digest == digest and entry.modified == file_status.st_mtime_ns:
            return True
        return read_file(f"{self.root}/{path}") == body

    def _folder_state(self, folder: str) -> FolderState:
        """Return whether a folder exists, is absent, or is blocked by a link or file."""
        state = self.states.get(folder)
        if state is None:
            state = self._folder_state(folder.rpartition("/")[0])
            if state is FolderState.THERE:
                try:
                    is_folder = stat.S_ISDIR(os.lstat(f"{self.root}/{folder}").st_mode)
                    state = FolderState.THERE if is_folder else FolderState.BLOCKED
                except FileNotFoundError:
                    state = FolderState.ABSENT
            self.states[folder] = state
        return state

    def _write_body(self, path: str, body: bytes) -> int:
        file = f"{self.tree}/{path}"
        try:
            return create_file(file, body)
        except FileExistsError:
            os.unlink(file)  # a leftover, which is never written through
        except FileNotFoundError:
            self._make_staged_folder(os.path.dirname(file))
        return create_file(file, body)

    def _link_name(self, source: str, path: str, body: bytes) -> None:
        """Give a staged file another name: by a hard link, or else by a copy."""
        file = f"{self.tree}/{path}"
        try:
            os.link(source, file)
        except FileExistsError:
            os.unlink(file)
            os.link(source, file)
        except FileNotFoundError:
            self._make_staged_folder(os.path.dirname(file))
            os.link(source, file)
        except OSError:
            self._write_body(path, body)
            with suppress(OSError):
                shutil.copystat(source, file)

    def _make_staged_folder(self, folder: str) -> None:
        """Create a folder of the staged tree.

        The tree itself is not created: another build may have removed it.
        """
        above = os.path.dirname(folder)
        if above != self.tree and not os.path.isdir(above):
            self._make_staged_folder(above)
        with suppress(FileExistsError):
            os.mkdir(folder)


BODIES, SITE = "bodies", "site"
"""The two staged trees, in the order of publication: documents of single sources, and those of the whole site."""

MARKERS = frozenset((*(path.rpartition("/")[2] for path in providers("replacement")), FOLDER))
"""Names that are moved into place last, because they vouch for the files beside them."""


class SiteFolder:
    """A folder to publish a site into.

    Nothing is written through a symbolic link or outside `root`, and files of other programs are never
    removed. A build first writes to `.statuary/staged/<run>/`, on the same file system as the site. The last
    step is then a rename, of a whole folder if the site has none of that name.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.own_folder = root / OWN_FOLDER
        self.staging = self.own_folder / "staged"
        self.leftover = self.staging / "leftover"
        self.ignores_case = False

    @property
    def ledger_file(self) -> Path:
        """The path of the ledger, the database of published files."""
        return self.root / LEDGER

    def create(self) -> None:
        """Create the folder if it is missing.

        Raises:
            PublishingError: if the folder cannot be created, or something else is at its path.
        """
        try:
            self.own_folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            is_file = isinstance(error, FileExistsError | NotADirectoryError)
            hint = "remove the file, or name another folder" if is_file else "check the permissions"
            message = f"the site cannot be written to {self.root}: {error.strerror}: {error.filename}"
            raise PublishingError(message, hint) from None
        self.ignores_case = ignores_case(self.root)

    def staging_folder(self, run: int) -> Path:
        """Return the folder for files that a build has not published yet.

        Args:
            run: the number of the build.
        """
        return self.staging / str(run)

    def prepare_staging(self, run: int) -> None:
        """Prepare an empty staging folder.

        The staging folder of an earlier build is renamed first. If a process of that build is still alive, it
        cannot write into the new one.

        Args:
            run: the number of the build.
        """
        runs = []
        with suppress(FileNotFoundError):
            runs = sorted(int(name) for name in os.listdir(self.staging) if name.isdecimal())
        if runs:
            shutil.rmtree(self.leftover, ignore_errors=True)
            os.rename(self.staging_folder(runs[-1]), self.leftover)
        for older in runs[:-1]:
            shutil.rmtree(self.staging_folder(older), ignore_errors=True)
        for tree in (BODIES, SITE):
            (self.staging_folder(run) / tree).mkdir(parents=True, exist_ok=True)

    def discard_leftovers(self) -> None:
        """Delete the unpublished files that an interrupted build has left."""
        shutil.rmtree(self.leftover, ignore_errors=True)

    def discard(self, run: int) -> None:
        """Delete the staging folder of a build, and leftovers of earlier builds.

        Args:
            run: the number of the build.
        """
        self.discard_leftovers()
        shutil.rmtree(self.staging_folder(run), ignore_errors=True)
        with suppress(OSError):
            self.staging.rmdir()

    def stager(self, staged: Path | None, tree: str) -> Stager:
        """Return an object that writes documents to a staging folder.

        Args:
            staged: the staging folder of the run; None for a dry run, which only compares.
            tree: the name of the folder in the staging folder to write to.
        """
        tree_path = "" if staged is None else str(staged / tree)
        return Stager(root=str(self.root), tree=tree_path, ignores_case=self.ignores_case)

    def read(self, path: str) -> bytes | None:
        """Read the regular file at a path.

        Returns:
            The bytes of the file, or None if it does not exist or is behind a link.
        """
        folder, _, name = require_safe_path(path).rpartition("/")
        parts = folder.split("/") if folder else []
        above = ["/".join(parts[: end + 1]) for end in range(len(parts))]
        try:
            if any(os.path.islink(self.root / part) for part in (*above, path)) or not name:
                return None
            return read_file(self.root / path)
        except (FileNotFoundError, NotADirectoryError, NotRegularFileError):
            return None

    def move_into_place(self, staged: Path) -> None:
        """Move all files of a staging folder into the site.

        If the move is interrupted, repeat it: files that were moved are not touched again.
        """
        for tree in (BODIES, SITE):
            if (staged / tree).is_dir():
                self._move_folder(str(staged / tree), str(self.root))

    def _move_folder(self, source: str, target: str) -> None:
        with os.scandir(source) as entries:
            # Move files that contain the digests of other files last: a log's checkpoint after its tiles, and
            # the manifest after everything else.
            children = sorted(entries, key=lambda entry: (entry.name in MARKERS, entry.name))
        for entry in children:
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
                    f"{path} is a file or a symbolic link, but the site needs a folder there",
                    "move it away, and run the command again",
                )
            self._move_folder(entry.path, path)

    def remove(self, path: str) -> None:
        """Remove a published file, and the folders that become empty.

        Nothing happens if the file does not exist.
        """
        file = self.root / require_safe_path(path)
        with suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError):
            file.unlink()
        for folder in file.parents:
            if folder == self.root or not folder.is_relative_to(self.root):
                return
            try:
                folder.rmdir()
            except OSError:
                return

    def find_resized(self, files: Iterable[tuple[str, str, int, bytes, str]]) -> Iterator[str]:
        """Find published files that are missing or have another size.

        Args:
            files: for each file: its path, aliases, size in bytes, SHA-256, and the content files that it was
                made from. Aliases and content files are strings with one path on each line.

        Yields:
            For each such file, the content files that it was made from, one path on each line.
        """
        root = str(self.root)
        lstat = os.lstat
        is_file = stat.S_ISREG
        for path, aliases, size, _, sources in files:
            try:
                there = lstat(f"{root}/{path}")
                alias_names = aliases.split("\n") if aliases else ()
                if there.st_nlink != 1 + len(alias_names):  # else these are all names of the file
                    for name in alias_names:
                        if lstat(f"{root}/{name}").st_size != size:
                            yield sources
                if there.st_size != size or not is_file(there.st_mode):
                    yield sources
            except (FileNotFoundError, NotADirectoryError):
                yield sources

    def sync(self) -> None:
        """Wait until all written files are on disk, if possible."""
        sync_file_system(self.root)
