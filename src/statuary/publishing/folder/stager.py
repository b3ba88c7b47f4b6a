"""Compare bodies with the files of the site, and stage those that differ.

A stager is a small value that can be sent to any process that reaches the folder. Staged files form a tree
like the site's own, on its file system, so a whole folder may be moved by one rename. Staging a document
twice gives the same file.
"""

import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from hashlib import sha256

from statuary.documents.document import Document
from statuary.publishing.ledger.document_table import ADD, KEEP, OBSTRUCTED, REPLACE
from statuary.publishing.ledger.rows import LedgerEntry, OfferedFile
from statuary.publishing.safe_path import checked_path

PLAIN_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,200}")
"""Names that are certainly safe, as nearly all are."""

STAGED = (ADD, REPLACE)
"""The actions that need a staged file."""

NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


class FolderState(Enum):
    """What exists where a folder of the site should be."""

    ABSENT = "nothing"
    THERE = "a folder"
    BLOCKED = "a link or a file, there or above"


@dataclass
class Stager:
    """Stages documents for one target folder."""

    root: str
    tree: str  # the folder that bodies are staged in; empty for a dry run, which stages none
    folds_case: bool = False  # whether the file system ignores case
    # folders of the site with documents of single sources
    source_folders: set[str] = field(default_factory=set)
    # returns the ledger's entry of a path; without a ledger every file is read
    known: Callable[[str], LedgerEntry | None] | None = None
    states: dict[str, FolderState] = field(default_factory=lambda: {"": FolderState.THERE})

    def stage(self, document: Document) -> Iterator[OfferedFile]:
        """Compare a document with the files at its paths, stage its body if they differ, and yield the files.

        Raises:
            PublishingError: if a path is unsafe.
        """
        path, body = document.path, document.body
        digest = document.digest or sha256(body).digest()
        case_aliases, others = self._aliases(document)
        actions, modified = self._found(path, body, digest)
        if self.tree and actions in STAGED:
            modified = self._write(path, body)
        holder = f"{self.root if actions == KEEP else self.tree}/{path}"  # the file that holds the body
        for name in case_aliases:
            actions += self._stage_alias(holder, name, body, digest)[0]
        sources = "\n".join(document.sources)
        if document.sources:
            self.source_folders.add(path.rpartition("/")[0])
        aliases, persistent = "\n".join(case_aliases), document.persistent
        yield OfferedFile(path, aliases, digest, len(body), modified, sources, persistent, actions)
        for name in others:
            action, there = self._stage_alias(holder, name, body, digest)
            yield OfferedFile(name, "", digest, len(body), there or modified, sources, persistent, action)

    def _stage_alias(self, holder: str, name: str, body: bytes, digest: bytes) -> tuple[str, int]:
        """Link a name to the file that holds its body, if it has another; return the action and its time, or 0."""
        action, there = self._found(name, body, digest)
        if self.tree and action in STAGED:
            self._link(holder, name, body)
        return action, there

    def unchanged(self, path: str) -> OfferedFile | None:
        """Return an unchanged file as an offer; None if it differs from its ledger entry."""
        entry = self.known(path) if self.known else None
        if (
            entry is None
            or not entry.settled
            or self._state(path.rpartition("/")[0]) is not FolderState.THERE
        ):
            return None
        try:
            there = os.lstat(f"{self.root}/{path}")
        except FileNotFoundError:
            return None
        is_the_same = (there.st_size, there.st_mtime_ns) == (entry.size, entry.modified)
        if not stat.S_ISREG(there.st_mode) or not is_the_same:
            return None
        return OfferedFile(
            path, "", entry.digest, entry.size, entry.modified, entry.sources, persistent=False, actions=KEEP
        )

    def _aliases(self, document: Document) -> tuple[list[str], list[str]]:
        """Return a document's aliases: those that differ from its path only in case, and the others."""
        folded = document.path.lower()
        case_aliases: list[str] = []
        others: list[str] = []
        for name in document.aliases:
            if name.lower() != folded:
                others.append(name)
            elif name != document.path and not self.folds_case:
                case_aliases.append(name)
        return case_aliases, others

    def _found(self, path: str, body: bytes, digest: bytes) -> tuple[str, int]:
        """Return the action for a path, and the time of its file, or 0."""
        folder, _, name = path.rpartition("/")
        known = self.states.get(folder)
        if known is None or not PLAIN_NAME.fullmatch(name):
            checked_path(path)
            known = self._state(folder)
        if known is FolderState.ABSENT:
            return ADD, 0
        if known is FolderState.BLOCKED:
            return OBSTRUCTED, 0
        try:
            there = os.lstat(f"{self.root}/{path}")
        except FileNotFoundError:
            return ADD, 0
        if not stat.S_ISREG(there.st_mode):
            return OBSTRUCTED, 0
        if there.st_size == len(body) and self._holds(path, body, digest, there):
            return KEEP, there.st_mtime_ns
        return REPLACE, 0

    def _holds(self, path: str, body: bytes, digest: bytes, there: os.stat_result) -> bool:
        """Return whether the file at a path has this body."""
        entry = self.known(path) if self.known else None
        if entry and entry.settled and entry.digest == digest and entry.modified == there.st_mtime_ns:
            return True
        with open(f"{self.root}/{path}", "rb") as file:
            return file.read() == body

    def _state(self, folder: str) -> FolderState:
        """Return what exists where a folder of the site should be; links are not followed."""
        state = self.states.get(folder)
        if state is None:
            state = self._state(folder.rpartition("/")[0])
            if state is FolderState.THERE:
                try:
                    is_folder = stat.S_ISDIR(os.lstat(f"{self.root}/{folder}").st_mode)
                    state = FolderState.THERE if is_folder else FolderState.BLOCKED
                except FileNotFoundError:
                    state = FolderState.ABSENT
            self.states[folder] = state
        return state

    def _write(self, path: str, body: bytes) -> int:
        """Stage a body; return the time of its file."""
        file = f"{self.tree}/{path}"
        try:
            descriptor = os.open(file, NEW_FILE, 0o666)
        except (FileNotFoundError, FileExistsError) as error:
            descriptor = self._opened_again(file, error)
        try:
            written = os.write(descriptor, body)
            while written < len(body):
                written += os.write(descriptor, memoryview(body)[written:])
            return os.fstat(descriptor).st_mtime_ns
        finally:
            os.close(descriptor)

    def _opened_again(self, file: str, error: OSError) -> int:
        """Return a descriptor of a new file; a leftover of an earlier attempt is never written through."""
        if isinstance(error, FileExistsError):
            os.unlink(file)
        else:
            self._make_folder(os.path.dirname(file))
        return os.open(file, NEW_FILE, 0o666)

    def _link(self, source: str, path: str, body: bytes) -> None:
        """Stage a second name of a file: a hard link, or a copy with the same time."""
        file = f"{self.tree}/{path}"
        try:
            os.link(source, file)
        except FileExistsError:
            os.unlink(file)
            os.link(source, file)
        except FileNotFoundError:
            self._make_folder(os.path.dirname(file))
            os.link(source, file)
        except OSError:
            self._write(path, body)
            with suppress(OSError):
                shutil.copystat(source, file)

    def _make_folder(self, folder: str) -> None:
        """Create a folder of the staged tree; not the tree itself, which another build may have removed."""
        above = os.path.dirname(folder)
        if above != self.tree and not os.path.isdir(above):
            self._make_folder(above)
        with suppress(FileExistsError):
            os.mkdir(folder)
