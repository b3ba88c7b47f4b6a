"""Sites that are built into a folder again and again, and what is in that folder."""

import subprocess
from pathlib import Path

from statuary.build.build import BuildResult, build_site
from statuary.build.execution.options import ExecutionOptions
from statuary.build.progress import NoProgress
from statuary.content.git_state import GitQuery
from statuary.domain.primitives import parse_instant
from statuary.publishing.folder.folder_target import FolderTarget
from support.sites import NOW


def build(content: Path, out: Path, *, git: bool = False, verify: bool = False) -> BuildResult:
    """Build as the command does."""
    query = GitQuery(content) if git else None
    with FolderTarget(out) as target:
        options = ExecutionOptions(git=query, verify=verify)
        return build_site(content, target, parse_instant(NOW), NoProgress(), execution=options)


def files_in(site: Path) -> dict[str, bytes]:
    """Return the site's files, but for what tells of the build before."""
    return {
        file.relative_to(site).as_posix(): file.read_bytes()
        for file in site.rglob("*")
        if file.is_file() and ".statuary" not in file.parts and file.name != "changes.json"
    }


def git(folder: Path, *arguments: str) -> None:
    """Run git."""
    command = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
