"""The content folder in git: uncommitted changes, and file ids.

File times mean nothing in a fresh clone; git's ids do, and reading them costs a fifth of a stat of every file
(measured with 100,000 files). The git processes run in the background, as early as possible, on another core.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from statuary.system.files import read_text
from statuary.system.programs import GitProcess, MissingProgramError, ProgramOutput

FOLDER = "contracts"
"""The folder whose files are compared by id; every build reads all other files."""

LINKS = (b"120000", b"160000")
"""Modes of symbolic links and submodules, which have no content."""

IGNORED = "!!"


class GitFile(NamedTuple):
    """A committed file: its path, and git's hash of its content."""

    path: str
    id: str


@dataclass(frozen=True, kw_only=True)
class GitState:
    """The content folder in git: the commit, uncommitted changes, and hashes.

    Attributes:
        changed_paths: paths in the content folder that are new or differ from the commit; a folder stands for
            all files in it.
        ignored: the paths that git ignores; a build may read them.
        index: the identity of the index file; every checkout writes a new file, so if the identity is equal,
            nothing else was checked out in between.
    """

    root: Path
    commit: str  # the commit that is checked out
    id: str  # the id of the folder of contracts as committed; empty if it is not committed
    changed_paths: frozenset[str] = field(default_factory=frozenset)
    ignored: frozenset[str] = field(default_factory=frozenset)
    index: tuple[int, ...] = ()

    @property
    def revision(self) -> str:
        """The id of the commit, with `+` if content changed since then."""
        return self.commit + ("+" if self.changed_paths else "")

    @property
    def unchanged_tree_id(self) -> str:
        """The hash by which git identifies the committed contracts folder.

        Returns:
            The hash of git's tree object; empty if the folder contains a changed or ignored file.
        """
        unclean_paths = self.changed_paths | self.ignored
        return (
            "" if any(path == FOLDER or path.startswith(f"{FOLDER}/") for path in unclean_paths) else self.id
        )

    def committed_files(self) -> Iterator[GitFile]:
        """Yield the contract files without uncommitted changes, sorted by path.

        Each file has its path, and the hash that git gives to its content (the blob id).
        """
        for line in GitProcess(
            self.root, "ls-files", "--stage", "-z", "--", f"{FOLDER}/"
        ).null_separated_output():
            entry, _, path = line.partition(b"\t")
            mode, identity, _ = entry.split(b" ")
            name = path.decode("utf-8", "surrogateescape")
            if mode not in LINKS and not self._is_changed(name):
                yield GitFile(name, identity.decode())

    def has_uncommitted_changes(self, folder: str) -> bool:
        """Return whether a folder contains changes that are not committed.

        New files count, too, even if git ignores them.
        """
        return folder in self._changed_folders or self._is_changed(folder)

    @cached_property
    def _changed_folders(self) -> frozenset[str]:
        parents = (PurePosixPath(path).parents for path in self.changed_paths | self.ignored)
        return frozenset(str(parent) for above in parents for parent in above)

    def _is_changed(self, path: str) -> bool:
        while path and (self.changed_paths or self.ignored):
            if path in self.changed_paths or path in self.ignored:
                return True
            path = path.rpartition("/")[0]
        return False


class GitQuery:
    """Runs git in the background, to find which content files have changed."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._processes: list[GitProcess] = []
        self._index: tuple[int, ...] = ()
        above = (folder / ".git" for folder in (root.absolute(), *root.absolute().parents))
        if (repository := next((git for git in above if git.exists()), None)) is not None:
            # Read the identity of git's index before git runs. If the identity is the same afterwards, no
            # other commit was checked out meanwhile.
            self._index = _index_signature(repository)
            with suppress(MissingProgramError):
                self._processes = [GitProcess(root, *command) for command in GIT_COMMANDS]

    @cached_property
    def wait_for_state(self) -> GitState | None:
        """The state of the repository, after waiting for git.

        Returns:
            The state, or None outside a repository or before its first commit.
        """
        results = [process.result() for process in self._processes]
        if not results or results[0].exit_code or results[2].exit_code:
            return None
        prefix, _, commit = _decode_output(results[0]).rstrip("\n").partition("\n")
        signs = _status_by_path(_decode_output(results[2]), prefix)
        return GitState(
            root=self.root,
            commit=commit,
            id=results[1].text if results[1].exit_code == 0 else "",
            changed_paths=frozenset(path for path, sign in signs.items() if sign != IGNORED),
            ignored=frozenset(path for path, sign in signs.items() if sign == IGNORED),
            index=self._index,
        )


def _decode_output(output: ProgramOutput) -> str:
    return output.stdout.decode("utf-8", "surrogateescape")


def _index_signature(git_path: Path) -> tuple[int, ...]:
    """Return inode, size and times of git's index, to notice a checkout.

    Args:
        git_path: the `.git` folder, or the file that names it in a work tree.
    """
    with suppress(OSError, UnicodeDecodeError):
        if git_path.is_file():
            git_path = git_path.parent / read_text(git_path).removeprefix("gitdir:").strip()
        stat = (git_path / "index").stat()
        return stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns
    return ()


def _status_by_path(status: str, prefix: str) -> dict[str, str]:
    """Parse the output of `git status`: the two letters of each path, such as ` M`.

    Args:
        prefix: the content folder's path in the repository; git's paths start at the repository.
    """
    return {line[3:].removeprefix(prefix).rstrip("/"): line[:2] for line in status.split("\0") if line}


GIT_COMMANDS = (
    ("rev-parse", "--show-prefix", "HEAD"),
    ("rev-parse", "--verify", "--quiet", f"HEAD:./{FOLDER}"),
    (
        "status",
        "--porcelain=v1",
        "-z",
        "--no-renames",
        "--untracked-files=normal",
        "--ignored=matching",
        "--",
        ".",
    ),
)
