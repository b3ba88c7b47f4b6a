"""One edited file to one git commit, which holds nothing else."""

import subprocess
from pathlib import Path


class CommitError(Exception):
    """Git cannot take exactly this change.

    Attributes:
        remedy: what to do, or empty.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


OPERATIONS_IN_PROGRESS = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
}
"""What git keeps in its folder while something is under way that a commit would become part of."""


def check_can_commit(file: Path) -> None:
    """Make sure, before a file is written, that its change can be committed, and alone.

    Raises:
        CommitRefused: if the file lies in no repository or is ignored, if it has changes already that are not
            committed, or if a merge or the like is under way.
    """
    folder = next(parent for parent in file.resolve().parents if parent.is_dir())
    if _git(folder, "rev-parse", "--is-inside-work-tree").stdout.strip() != "true":
        raise CommitError(f"{folder} is in no git repository", "run `git init`, or leave out --commit")
    for name, what in OPERATIONS_IN_PROGRESS.items():
        if (folder / _git(folder, "rev-parse", "--git-path", name).stdout.strip()).exists():
            raise CommitError(
                f"{what} is under way in this repository", "finish it first, or leave out --commit"
            )
    if _git(folder, "check-ignore", "--quiet", "--", str(file.resolve())).returncode == 0:
        raise CommitError(f"git ignores {file}", "mend .gitignore, or leave out --commit")
    if _git(folder, "status", "--porcelain", "--", str(file.resolve())).stdout:
        raise CommitError(
            f"{file} has changes that are not committed", "commit them first, or leave out --commit"
        )


def commit_file(file: Path, message: str) -> str:
    """Commit one file as it is on disk, whatever else is staged, and return the commit's short name.

    Raises:
        CommitRefused: with git's own words, if it refuses; the file stays as it is.
    """
    folder = file.parent
    for arguments in (("add", "--", file.name), ("commit", "--quiet", "--file=-", "--", file.name)):
        done = _git(folder, *arguments, text=message)
        if done.returncode:
            said = (done.stderr or done.stdout).strip()
            raise CommitError(f"{file} is written, but git did not commit it: {said}", "commit it by hand")
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
        raise CommitError("there is no git on this machine", "install it, or leave out --commit") from None
