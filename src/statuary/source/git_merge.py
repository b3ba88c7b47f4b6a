"""Merges of content in git, by lines, then by values."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from statuary.source.edit_files import EditError
from statuary.source.git_ignore import add_missing_lines
from statuary.source.merge_yaml import merge_yaml
from statuary.source.parse_yaml import parse_yaml
from statuary.source.source_files import decode_utf8
from statuary.source.unreadable import UnreadableError
from statuary.system.files import read_file
from statuary.system.programs import ProgramError, ProgramOutput, run_git
from statuary.system.writing import atomic_file

MERGED_FILES: Final = ("components.yaml", "incidents/**/*.yaml", "maintenances/**/*.yaml")
"""The files of a content folder that commands edit."""

DRIVER: Final = (
    "statuary merge-records %O %A %B || git merge-file --marker-size=%L -L ours -L base -L theirs %A %O %B"
)
"""The command that git runs for such a file; without statuary it is git's own merge."""


def install_merge_driver(content: Path) -> Path:
    """Set up this clone so that git merges incidents and other records with statuary.

    `git merge` then runs `statuary merge-records` for these files, which `.gitattributes` names for all clones.
    The setting is for this clone only.

    Returns:
        The path of `.gitattributes`, relative to the current folder.

    Raises:
        EditError: if the folder is in no git repository, or the file cannot be written.
    """
    folder = content.resolve().parent
    settings = {"name": "records of statuary", "driver": DRIVER}
    for key, value in settings.items():
        if _run_git(folder, "config", f"merge.statuary.{key}", value).exit_code:
            raise EditError(f"{folder} is not in a git repository", "run `git init` first")
    file = folder / ".gitattributes"
    patterns = [f"{content.resolve().name}/{pattern}" for pattern in MERGED_FILES]
    quoted_patterns = [f'"{pattern}"' if " " in pattern else pattern for pattern in patterns]
    try:
        add_missing_lines(file, (f"{pattern} merge=statuary" for pattern in quoted_patterns))
    except OSError as error:
        raise EditError(f"{file} cannot be written: {error.strerror}") from None
    return file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file


def merge_files(base: Path, ours: Path, theirs: Path) -> str:
    """Merge two people's versions of a file, line by line or by YAML values.

    Values are compared if the lines conflict.

    Args:
        base: the version that both sides edited.
        ours: the version of one side.
        theirs: the version of the other side.

    Returns:
        The merged text.

    Raises:
        MergeConflictError: if both sides changed the same value.
        EditError: if a file cannot be read.
    """
    done = _run_git(
        ours.resolve().parent,
        "merge-file",
        "-p",
        "-q",
        *(str(file.resolve()) for file in (ours, base, theirs)),
    )
    if done.exit_code == 0 and _is_yaml(done.stdout):
        return done.stdout.decode()
    try:
        return merge_yaml(*(decode_utf8(read_file(file)) for file in (base, ours, theirs)))
    except (OSError, UnreadableError) as error:
        raise EditError(
            f"nothing was merged, because one of the three versions of the file cannot be read: {error}"
        ) from None


def _is_yaml(raw: bytes) -> bool:
    try:
        parse_yaml(decode_utf8(raw))
    except UnreadableError:
        return False
    return True


class Conflict(NamedTuple):
    """A file that git could not merge, with its three versions."""

    file: Path
    base: str  # empty if both sides added the file
    ours: str
    theirs: str


def unmerged_records(content: Path) -> Iterator[Conflict]:
    """Yield the records that git could not merge.

    Records that one side deleted are left to git.

    Raises:
        EditError: if the folder is in no git repository.
    """
    patterns = [f":(glob){pattern}" for pattern in MERGED_FILES]
    listed = _run_git(content, "ls-files", "--unmerged", "-z", "--", *patterns)
    if listed.exit_code:
        raise EditError(f"{content} is not in a git repository", "choose the content folder with --content")
    stages: dict[str, dict[str, str]] = {}
    for entry in listed.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1]:
        details, _, path = entry.partition("\t")
        _mode, digest, stage = details.split(" ")
        stages.setdefault(path, {})[stage] = digest
    for path, digests in stages.items():
        if "2" in digests and "3" in digests:
            texts = {
                stage: _run_git(content, "cat-file", "blob", digest).stdout
                for stage, digest in digests.items()
            }
            base, ours, theirs = (texts.get(stage, b"").decode("utf-8", "replace") for stage in "123")
            yield Conflict(content / path, base, ours, theirs)


def stage_merged_text(file: Path, text: str) -> None:
    """Write a file's merged text, and mark its conflict as resolved.

    Raises:
        EditError: if git cannot add the file.
    """
    with atomic_file(file) as stream:
        stream.write(text.encode("utf-8"))
    done = _run_git(file.parent, "add", "--", file.name)
    if done.exit_code:
        raise EditError(f"{file} was merged, but `git add` failed", f"run `git add {file}`")


def _run_git(folder: Path, *arguments: str) -> ProgramOutput:
    try:
        return run_git(folder, *arguments)
    except ProgramError as error:
        raise EditError(str(error), error.hint) from None
