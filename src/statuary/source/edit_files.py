"""A change to one file of the content folder, and writing it."""

import getpass
import os
import shlex
import sqlite3
import sys
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import gettempdir
from typing import NamedTuple

from statuary.base.errors import StatuaryError
from statuary.base.findings import Position
from statuary.source.schema_line import with_schema_line
from statuary.system.databases import open_database
from statuary.system.files import read_file
from statuary.system.programs import ProgramError, ProgramOutput, run_git
from statuary.system.writing import atomic_file, lock_folder


class EditError(StatuaryError):
    """An edit is ambiguous, or cannot be written or committed."""

    def __init__(self, message: str, hint: str = "", position: Position | None = None) -> None:
        super().__init__(message, hint)
        self.position = position  # the place in the file that prevents the edit, if there is one

    def with_file(self, file: Path) -> "EditError":
        """Return a copy of the error with file, line and column in its message.

        Args:
            file: the file in which the error is; the line and column come from the error.
        """
        place = f":{self.position.line}:{self.position.column}" if self.position else ""
        return EditError(f"{file}{place}: {self}", self.hint, self.position)


class FileEdit(NamedTuple):
    """An edit of a content file: its text before and after."""

    path: str  # relative to the content folder, with forward slashes
    text_before: str | None  # None if the edit creates the file
    text_after: str


def write_edit(root: Path, edit: FileEdit) -> Path:
    """Replace a file in one step, keeping its permissions and links.

    Returns:
        The path of the written file.

    Raises:
        EditError: if the file has changed since it was read, or a link leads out of the content folder.
        PublishingError: if the file cannot be written; it is then unchanged.
    """
    file = (root / edit.path).resolve()
    if not file.is_relative_to(root.resolve()):
        raise EditError(
            f"{root / edit.path} leads out of the content folder, to {file}", "remove the symbolic link"
        )
    mode = file.stat().st_mode & 0o7777 if file.exists() else None
    current_bytes = read_file(file) if file.exists() else None
    mark = BOM_UTF8 if current_bytes is not None and current_bytes.startswith(BOM_UTF8) else b""
    if current_bytes != (None if edit.text_before is None else mark + edit.text_before.encode("utf-8")):
        raise EditError(f"{file} has changed since it was read", "run the command again")
    with atomic_file(file) as stream:
        if mode is not None:
            os.fchmod(stream.fileno(), mode)
        text = edit.text_after
        if edit.text_before is None:
            text = with_schema_line(root, edit.path, text)
        stream.write(mark + text.encode("utf-8"))
    return file


LONGEST_WAIT = 600.0
"""Seconds that an edit waits for another one where a database is locked."""


@contextmanager
def content_lock(root: Path) -> Iterator[None]:
    """Lock a content folder for a `with` block, waiting for other commands.

    The folder itself is locked, so git sees no lock file, and a killed process loses its lock. Windows cannot
    lock folders: there, a database in the folder for temporary files is locked, which excludes only commands
    of the same user.

    Raises:
        EditError: if the folder cannot be opened or locked.
    """
    if not root.is_dir():
        raise EditError(
            f"there is no content folder {str(root)!r}",
            "run `statuary init`, or choose the folder with --content",
        )
    if sys.platform == "win32":
        with database_lock(root):
            yield
        return
    try:
        descriptor = lock_folder(root)
    except OSError as error:
        raise EditError(
            f"{root} cannot be locked: {error.strerror}", "check the permissions of the folder"
        ) from None
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


@contextmanager
def database_lock(root: Path) -> Iterator[None]:
    """Lock a folder for a `with` block by locking an empty database.

    The database is in the system's folder for temporary files.

    Raises:
        EditError: if the database cannot be locked.
    """
    name = sha256(os.path.normcase(root.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    file = Path(gettempdir()) / f"statuary-edits-{name}.sqlite3"
    try:
        connection = open_database(file, wait=LONGEST_WAIT)
        with closing(connection):
            connection.execute("BEGIN EXCLUSIVE")
            yield
    except sqlite3.Error as error:
        raise EditError(
            f"{root} cannot be locked by {file}: {error}",
            "wait for the other command, and run this one again",
        ) from None


OPERATIONS_IN_PROGRESS = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
}
"""Files that git keeps during an operation that would absorb a commit."""


def check_can_commit(file: Path) -> None:
    """Check that git can commit a file without other changes.

    Call this function before writing the file.

    Raises:
        EditError: if the file is in no repository, is ignored or has uncommitted changes, or if a merge or a
            similar operation is in progress.
    """
    path = str(file.resolve())
    folder = next(parent for parent in file.resolve().parents if parent.is_dir())
    if _git(folder, "rev-parse", "--is-inside-work-tree").text != "true":
        raise EditError(f"{folder} is not in a git repository", "run `git init`, or leave out --commit")
    for name, operation in OPERATIONS_IN_PROGRESS.items():
        if (folder / _git(folder, "rev-parse", "--git-path", name).text).exists():
            raise EditError(f"{operation} is in progress", "finish it first, or leave out --commit")
    if _git(folder, "check-ignore", "--quiet", "--", path).exit_code == 0:
        raise EditError(f"git ignores {file}", "change .gitignore, or leave out --commit")
    if _git(folder, "status", "--porcelain", "--", path).stdout:
        words = shlex.quote(str(file))
        raise EditError(
            f"{file} has uncommitted changes",
            f"commit them first: `git add {words} && git commit -m 'Status' {words}`; or leave out --commit",
        )


def is_in_repository(folder: Path) -> bool:
    """Return whether an existing folder is in a git repository.

    The answer is False if git is not installed.
    """
    try:
        return _git(folder, "rev-parse", "--is-inside-work-tree").text == "true"
    except EditError:
        return False


class Commit(NamedTuple):
    """A commit that statuary made."""

    name: str  # the abbreviated id of the commit
    stated_author: str = ""  # the author that statuary stated; empty if git knows one

    @property
    def summary_line(self) -> str:
        """The commit's id, as a line for the user who made it.

        If git does not know the user's name, a hint says how to set it.
        """
        if not self.stated_author:
            return self.name
        return (
            f"{self.name} by {self.stated_author}, because git does not know your name; "
            'run `git config --global user.name "YOUR NAME"` and `git config --global user.email YOU@EXAMPLE.ORG`'
        )


def init_repository(folder: Path) -> None:
    """Run `git init` in a folder that is not in a repository.

    Raises:
        EditError: if git is missing or fails.
    """
    if not is_in_repository(folder):
        _run_git("the files are written", folder, "init", "--quiet")


def init_and_commit(folder: Path, paths: Iterable[Path]) -> Commit:
    """Commit files to git, after `git init` if necessary.

    Args:
        folder: the folder in the repository.
        paths: the files to commit.

    Raises:
        EditError: if git is missing or fails to commit; the files stay.
    """
    init_repository(folder)
    return _commit_paths("the files are written", folder, [str(path.resolve()) for path in paths], "Start")


def _commit_paths(subject: str, folder: Path, names: list[str], message: str) -> Commit:
    """Commit some files, without other changes that are staged.

    Args:
        subject: says what was written, at the beginning of the error if git fails.
        folder: the folder in which git runs.
        names: the paths of the files.
        message: the commit message.
    """
    author = _fallback_author(folder)
    _run_git(subject, folder, "add", "--", *names)
    arguments = ("commit", "--quiet", "--file=-", "--", *names)
    _run_git(subject, folder, *_identity_options(author), *arguments, text=message)
    return Commit(_git(folder, "rev-parse", "--short", "HEAD").text, author)


def _fallback_author(folder: Path) -> str:
    """Return an author made from the user's account, if git knows none.

    Returns:
        The author as `NAME <ADDRESS>`; empty if git knows one, or if its settings forbid a commit without one.
    """
    if _git(folder, "var", "GIT_AUTHOR_IDENT").exit_code == 0:
        return ""
    if _git(folder, "config", "--type=bool", "user.useConfigOnly").text == "true":
        return ""
    try:
        account = getpass.getuser()
    except (KeyError, OSError):  # in a container, the account may have no name
        account = "statuary"
    name = _git(folder, "config", "user.name").text or account
    address = _git(folder, "config", "user.email").text or f"{account}@localhost"
    return f"{name} <{address}>"


def _identity_options(author: str) -> tuple[str, ...]:
    if not author:
        return ()
    name, _, address = author.removesuffix(">").partition(" <")
    return "-c", f"user.name={name}", "-c", f"user.email={address}"


NO_IDENTITY = ("user.email", "user.name")


def _run_git(subject: str, folder: Path, *arguments: str, text: str = "") -> None:
    done = _git(folder, *arguments, text=text)
    if done.exit_code == 0:
        return
    output = done.stderr.strip() or done.text
    if any(key in output for key in NO_IDENTITY):
        raise EditError(
            f"{subject}, but not committed: git does not know your name and address",
            'run `git config --global user.name "YOUR NAME"` and `git config --global user.email YOU@EXAMPLE.ORG`, then commit it yourself',
        )
    raise EditError(f"{subject}, but git did not commit it: {output}", "commit it yourself")


def is_detached(file: Path) -> bool:
    """Return whether the repository of a file has a detached HEAD.

    A commit would then be lost at the next checkout of a branch.
    """
    return _git(file.resolve().parent, "symbolic-ref", "--quiet", "HEAD").exit_code != 0


def commit_file(file: Path, message: str) -> Commit:
    """Commit one file to git, without other changes that are staged.

    Args:
        message: the commit message.

    Raises:
        EditError: if git fails to commit it; the file is unchanged.
    """
    return _commit_paths(f"{file} was written", file.parent, [file.name], message)


def _git(folder: Path, *arguments: str, text: str = "") -> ProgramOutput:
    try:
        return run_git(folder, *arguments, text=text)
    except ProgramError as error:
        raise EditError(str(error), error.hint and f"{error.hint}, or leave out --commit") from None
