"""Install this version of statuary on a host, as here."""

import importlib.util
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import url2pathname

from statuary.base.errors import StatuaryError
from statuary.base.installation import read_direct_url
from statuary.system.files import read_file
from statuary.system.programs import INSTALLER_VARIABLES, ProgramError, RunLimits, git_output, run_program
from statuary.system.writing import replace_file
from statuary.version import VERSION

WHEEL_FOLDER = "wheels"
"""The folder of wheels in the project."""

BUILT_WHEEL = f"statuary-{VERSION}-py3-none-any.whl"
"""The name of the wheel that a folder of sources is built into."""


class Installation(NamedTuple):
    """The source from which a host installs this version of statuary.

    `requirement` is for pip.
    """

    requirement: str  # the argument for pip, quoted for a shell
    source: Path | None = None
    """The wheel to copy, or the folder of sources to build one from; None if no wheel is needed."""
    note: str = ""  # why the requirement may not work; empty if nothing is wrong


def detect_installation(project_folder: Path) -> Installation:
    """Find out how a host can install the running version of statuary.

    Args:
        project_folder: the folder that the host builds.
    """
    return make_installation(read_direct_url(), project_folder)


def make_installation(direct_url: dict[str, Any] | None, project_folder: Path) -> Installation:
    """Find out how a host can install the same version of statuary.

    For example, from the same commit of a git repository.

    Args:
        direct_url: where pip installed statuary from (PEP 610), such as a git repository; None for a package
            index.
        project_folder: the folder that the host builds.
    """
    if direct_url is None:
        return Installation(f"statuary=={VERSION}")
    url = direct_url["url"]
    below = direct_url.get("subdirectory", "")
    if "vcs_info" in direct_url:
        vcs = direct_url["vcs_info"]
        return Installation(_format_requirement_at_commit(f"{vcs['vcs']}+{url}", vcs["commit_id"], below))
    path = Path(url2pathname(urlsplit(url).path))
    if "archive_info" in direct_url:
        return _make_archive_installation(url, path, direct_url["archive_info"].get("hashes", {}))
    return _make_folder_installation(path, project_folder)


def copy_or_build_wheel(wheel_or_source: Path, project_folder: Path) -> Path:
    """Put a wheel of statuary into the project.

    A given wheel is copied; otherwise one is built from the source code.

    Args:
        wheel_or_source: a wheel, or a folder with the source code.
        project_folder: the folder that the host builds.

    Returns:
        The path of the wheel in the project.

    Raises:
        StatuaryError: if the source code cannot be built.
    """
    folder = project_folder / WHEEL_FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    if wheel_or_source.is_file():
        place = folder / wheel_or_source.name
        if not (place.exists() and place.samefile(wheel_or_source)):
            replace_file(place, read_file(wheel_or_source))
        return place
    if importlib.util.find_spec("pip"):
        build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir"]
    else:
        build = ["uv", "build", "--quiet", "--wheel", "--out-dir"]
    try:
        command = [*build, str(folder.resolve()), str(wheel_or_source.resolve())]
        ended = run_program(RunLimits(), command, variables=INSTALLER_VARIABLES)
        reason = (ended.stderr.strip() or f"exit code {ended.exit_code}") if ended.exit_code else ""
    except ProgramError as error:
        reason = str(error)
    if reason:
        raise StatuaryError(
            f"the host cannot reach {wheel_or_source}, from which statuary is installed here, and building a wheel from this source failed: {reason.splitlines()[-1]}",
            "name with --install what pip should install on the host, such as 'git+https://…' or a wheel",
        ) from None
    return folder / BUILT_WHEEL


def _make_archive_installation(archive_url: str, archive_path: Path, hashes: dict[str, str]) -> Installation:
    if not archive_url.startswith("file:"):
        digest = f"#sha256={hashes['sha256']}" if "sha256" in hashes else ""
        return Installation(f"'statuary @ {archive_url}{digest}'")
    requirement = f"./{WHEEL_FOLDER}/{archive_path.name}"
    if archive_path.is_file():
        return Installation(requirement, archive_path)
    return Installation(
        requirement, note=f"{archive_path} no longer exists; copy that file into {WHEEL_FOLDER}/"
    )


def _make_folder_installation(source_folder: Path, project: Path) -> Installation:
    if source_folder.resolve() == project.resolve():
        return Installation(".")
    commit = _make_pushed_commit_requirement(source_folder)
    return Installation(commit) if commit else Installation(f"./{WHEEL_FOLDER}/{BUILT_WHEEL}", source_folder)


def _make_pushed_commit_requirement(checkout: Path) -> str | None:
    """Return the requirement for pip that installs a checkout's commit.

    Returns:
        The requirement; None if files changed, the commit was not pushed, or the server needs more than an
        https URL.
    """
    url = git_output(checkout, "remote", "get-url", "origin")
    if not url.startswith("https://") or "@" in urlsplit(url).netloc:
        return None
    pushed = git_output(checkout, "branch", "--remotes", "--contains", "HEAD")
    changed_files = git_output(checkout, "status", "--porcelain", "--", ".")
    if not pushed or changed_files:
        return None
    below = git_output(checkout, "rev-parse", "--show-prefix").rstrip("/")
    return _format_requirement_at_commit(f"git+{url}", git_output(checkout, "rev-parse", "HEAD"), below)


def _format_requirement_at_commit(repository_url: str, commit: str, subfolder: str) -> str:
    return f"'statuary @ {repository_url}@{commit}{f'#subdirectory={subfolder}' if subfolder else ''}'"


def read_checked_out_branch(checkout: Path) -> str:
    """Return the git branch of a folder, or `main` without git."""
    return git_output(checkout, "symbolic-ref", "--quiet", "--short", "HEAD") or "main"


def add_extras(requirement: str, extras: Sequence[str]) -> str:
    """Add extras to a pip requirement, and quote it for a shell.

    For example, the extra `chain` makes `statuary[chain]` of `statuary`. A requirement that already has
    extras is returned unchanged.

    Args:
        requirement: a name, a URL, a wheel or a folder, as on the command line of pip.
        extras: the names of the extras.
    """
    if not extras:
        return requirement
    [text] = shlex.split(requirement)
    names = f"[{','.join(extras)}]"
    if "[" in text:
        return requirement
    if text.startswith((".", "/")):
        return shlex.quote(text + names)
    name, separator, rest = text.partition(" @ ") if " @ " in text else text.partition("==")
    return shlex.quote(f"{name}{names}{separator}{rest}")
