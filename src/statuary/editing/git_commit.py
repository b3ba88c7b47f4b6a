"""One git commit that holds one edited file and nothing else."""

import subprocess
from pathlib import Path

from statuary.editing.errors import EditError

OPERATIONS_IN_PROGRESS = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
}
"""The files that git keeps during an operation that a commit would become part of."""


def check_can_commit(file: Path) -> None:
    """Check, before a file is written, that its change can be committed on its own.

    Raises:
        EditError: if the file is in no repository, is ignored or has uncommitted changes, or if a merge or a
            similar operation is in progress.
    """
    path = str(file.resolve())
    folder = next(parent for parent in file.resolve().parents if parent.is_dir())
    if _git(folder, "rev-parse", "--is-inside-work-tree").stdout.strip() != "true":
        raise EditError(f"{folder} is not in a git repository", "run `git init`, or leave out --commit")
    for name, operation in OPERATIONS_IN_PROGRESS.items():
        if (folder / _git(folder, "rev-parse", "--git-path", name).stdout.strip()).exists():
            raise EditError(f"{operation} is in progress", "finish it first, or leave out --commit")
    if _git(folder, "check-ignore", "--quiet", "--", path).returncode == 0:
        raise EditError(f"git ignores {file}", "change .gitignore, or leave out --commit")
    if _git(folder, "status", "--porcelain", "--", path).stdout:
        raise EditError(f"{file} has uncommitted changes", "commit them first, or leave out --commit")


def is_detached(file: Path) -> bool:
    """Return whether HEAD is detached in the repository of a file: a later checkout would lose the commit."""
    return _git(file.resolve().parent, "symbolic-ref", "--quiet", "HEAD").returncode != 0


def commit_file(file: Path, message: str) -> str:
    """Commit one file as it is on disk, whatever else is staged, and return the commit's short name.

    Raises:
        EditError: if git does not commit it; the file is unchanged.
    """
    folder = file.parent
    for arguments in (("add", "--", file.name), ("commit", "--quiet", "--file=-", "--", file.name)):
        done = _git(folder, *arguments, text=message)
        if done.returncode:
            output = (done.stderr or done.stdout).strip()
            raise EditError(f"{file} was written, but git did not commit it: {output}", "commit it yourself")
    return _git(folder, "rev-parse", "--short", "HEAD").stdout.strip()


def _git(folder: Path, *arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            ["git", *arguments],
            cwd=folder,
            input=text,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    except FileNotFoundError:
        raise EditError("git is not installed", "install it, or leave out --commit") from None
