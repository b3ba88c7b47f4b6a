"""The lines of `.gitignore`, for built files and private keys."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from statuary.system.files import read_text
from statuary.system.programs import git_output
from statuary.system.writing import atomic_file

IGNORED_BY_DEFAULT: Final = ("/build/", "/.venv/", "/.edge/", "/keys/", "/notified.json")
"""What a project ignores: the built site, the environment, the edge module, private keys, and what was sent."""


def add_ignore_lines(folder: Path, lines: Iterable[str]) -> list[str]:
    """Add lines to a folder's `.gitignore`, unless it has them.

    Returns:
        The lines that were added.

    Raises:
        OSError: if the file cannot be read or written.
    """
    return add_missing_lines(folder / ".gitignore", lines)


def add_missing_lines(file: Path, lines: Iterable[str]) -> list[str]:
    """Add lines to a file such as `.gitignore`, unless it has them.

    Returns:
        The lines that were added.

    Raises:
        OSError: if the file cannot be read or written.
    """
    text = read_text(file) if file.exists() else ""
    present = {_without_slashes(line) for line in text.splitlines()}
    missing = [line for line in lines if _without_slashes(line) not in present]
    if missing:
        separator = "" if not text or text.endswith("\n") else "\n"
        with atomic_file(file) as stream:
            stream.write((text + separator + "\n".join(missing) + "\n").encode())
    return missing


def _without_slashes(line: str) -> str:
    return line.strip().strip("/")


def ignore_file(file: Path) -> str | None:
    """Add a private file to `.gitignore`, so that it is never committed.

    Returns:
        The line that was added, or None if git ignores the file already, or the file is outside the
        repository.
    """
    path = file.resolve()
    folder = next(parent for parent in path.parents if parent.is_dir())
    top = git_output(folder, "rev-parse", "--show-toplevel")
    if top and git_output(folder, "check-ignore", "--", str(path)):
        return None
    root = Path(top) if top else Path.cwd()
    if not path.is_relative_to(root):
        return None
    line = f"/{path.relative_to(root).as_posix()}"
    return line if add_ignore_lines(root, [line]) else None
