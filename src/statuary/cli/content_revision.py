"""The revision of the content, as git knows it."""

import subprocess
from pathlib import Path


def content_revision(content: Path) -> str:
    """Return the commit that a content folder is at, with `+` behind it if it was changed since.

    Empty if the folder is in no repository, or there is no git.
    """
    commit = _git(content, "rev-parse", "--verify", "HEAD")
    if not commit:
        return ""
    return commit + ("+" if _git(content, "status", "--porcelain", "--", ".") else "")


def _git(folder: Path, *arguments: str) -> str:
    """Return what git says; nothing if it refuses."""
    command = ["git", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
