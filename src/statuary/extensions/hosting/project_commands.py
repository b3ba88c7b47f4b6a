"""Write the files of a host into the project."""

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

import click

from statuary.base.errors import StatuaryError
from statuary.extensions.hosting.host_files import HostFile
from statuary.extensions.hosting.hosts import EDGE_FOLDER, is_edge_file
from statuary.extensions.hosting.installation import Installation, copy_or_build_wheel
from statuary.source.git_ignore import add_ignore_lines
from statuary.system.files import read_text
from statuary.system.programs import git_output
from statuary.system.writing import replace_file


def format_paths_to_commit(
    files: list[HostFile], wheel: Path | None, content: Path, project_folder: Path
) -> str:
    """Return the files to commit after a set-up, quoted for a shell.

    The edge program is left out, because each build generates it.

    Args:
        wheel: the wheel in the project, or None.
        content: the content folder.
    """
    names = [Path(file.path).parts[0] for file in files if not is_edge_file(file)]
    if wheel is not None:
        names.append(wheel.relative_to(project_folder).as_posix())
    if content.is_dir() and content.resolve().is_relative_to(project_folder.resolve()):
        names.append(content.resolve().relative_to(project_folder.resolve()).as_posix())
    return shlex.join(
        sorted({*names, ".gitignore"} if (project_folder / ".gitignore").exists() else set(names))
    )


def refuse_edited_files(files: list[HostFile], project_folder: Path, *, force: bool) -> None:
    """Raise an error if an edited file would be overwritten.

    Args:
        files: the files to write.
        force: whether edited files may be overwritten.

    Raises:
        StatuaryError: if an existing file differs from the one that was generated.
    """
    stored = dict(_stored_digests(project_folder / file.path for file in files))
    edited = [file for file in files if _was_edited(file, project_folder / file.path, stored.get(file.path))]
    if edited and not force:
        names = ", ".join(str(project_folder / file.path) for file in edited)
        raise StatuaryError(f"{names} already exists with other content", "use --force to replace it")


def write_files(
    files: list[HostFile], installation: Installation, project_folder: Path, *, is_installed: bool = False
) -> Path | None:
    """Write the files for a host, and statuary's wheel if necessary.

    Args:
        installation: where the host installs this version of statuary from.
        is_installed: whether the host installs statuary, even if no file contains `pip install`.

    Returns:
        The wheel, or None if the host needs none.

    Raises:
        StatuaryError: if the wheel cannot be built.
    """
    is_installed |= any("pip install" in file.text for file in files if not is_edge_file(file))
    wheel = _put_wheel_if_needed(installation, project_folder) if is_installed else None
    for file in files:
        path = project_folder / file.path
        replace_file(path, file.text.encode())
        if file.path.endswith(".sh"):
            path.chmod(0o755)
    click.echo(f"wrote {len(files)} files into {project_folder}/", err=True)
    has_edge_module = any(map(is_edge_file, files))
    if has_edge_module and (
        (project_folder / ".gitignore").exists() or git_output(project_folder, "rev-parse", "HEAD")
    ):
        for line in add_ignore_lines(project_folder, [f"/{EDGE_FOLDER}/"]):
            click.echo(f"added {line} to {project_folder / '.gitignore'}", err=True)
    return wheel


def _put_wheel_if_needed(installation: Installation, project_folder: Path) -> Path | None:
    if installation.note:
        click.echo(f"note: {installation.note}", err=True)
    if installation.source is None:
        return None
    wheel = copy_or_build_wheel(installation.source, project_folder)
    click.echo(f"the wheel of statuary is {wheel}", err=True)
    return wheel


def _was_edited(file: HostFile, existing_path: Path, stored_digest: str | None) -> bool:
    if is_edge_file(file) or not existing_path.exists():
        return False
    text = read_text(existing_path)
    if stored_digest == _hash_file_text(text):
        return False
    content = _without_digest(text)
    # `hosting` writes the same files as `setup`, but without digests
    return content == text and content != _without_digest(file.text)


def _stored_digests(existing_paths: Iterable[Path]) -> Iterator[tuple[str, str]]:
    """Yield the path and digest of each file whose digest is in a comment of another file."""
    for path in existing_paths:
        if path.is_file() and not path.is_symlink():
            yield from DIGEST_OF_OTHER.findall(read_text(path))


def _without_digest(file_text: str) -> str:
    """Return the text above the digest, or the whole text if no digest fits."""
    body, mark, digest = file_text.rpartition(AS_WRITTEN)
    above = body[: body.rfind("\n") + 1]
    return above if mark and digest.strip() == _hash_file_text(above) else file_text


AS_WRITTEN = "as written: "
"""The mark before the digest on the last line of a file, by which edits are recognized."""


DIGEST_OF_OTHER: Final = re.compile(rf"^# (\S+) {AS_WRITTEN}([0-9a-f]+)$", re.MULTILINE)
"""A comment with the path and the digest of another file, whose format has no comments."""


def add_digests_of_others(files: Sequence[HostFile]) -> list[HostFile]:
    """Add the digests of files without comments, such as `vercel.json`, to a file with comments.

    Args:
        files: the files to write.
    """
    marked = [file for file in files if _without_digest(file.text) != file.text]
    lines = [
        f"# {file.path} {AS_WRITTEN}{_hash_file_text(file.text)}\n"
        for file in files
        if file not in marked and not is_edge_file(file)
    ]
    carrier = next(filter(_has_hash_comments, marked), None)
    if carrier is None or not lines:
        return list(files)
    text = add_digest_comment("".join([_without_digest(carrier.text), *lines]), "#")
    return [file._replace(text=text) if file is carrier else file for file in files]


def _has_hash_comments(file: HostFile) -> bool:
    return not file.path.endswith((".js", ".jsonc"))


def add_digest_comment(file_text: str, comment_start: str) -> str:
    """Append a comment with a digest of the file to its text.

    `refuse_edited_files` detects by it later whether somebody has edited the file.

    Args:
        file_text: the content of a file.
        comment_start: the characters that begin a comment in the file.
    """
    return f"{file_text}{comment_start} {AS_WRITTEN}{_hash_file_text(file_text)}\n"


def _hash_file_text(file_text: str) -> str:
    return sha256(file_text.encode()).hexdigest()[:16]
