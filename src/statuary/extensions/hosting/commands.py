"""`statuary hosting`: write a host's configuration and installation."""

import importlib.util
import shlex
import shutil
import subprocess
import sys
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import url2pathname

import click
import orjson

from statuary.base.errors import StatuaryError
from statuary.cli.options import content_option
from statuary.engine.read_content import read_content
from statuary.extensions.hosting.hosts import HOSTS, Host, HostFile, HostOptions, is_edge_file
from statuary.site.settings import HostingSettings, PathLayout
from statuary.version import VERSION

WHEEL_FOLDER = "wheels"
"""The folder in the project that a wheel is put into."""

BUILT_WHEEL = f"statuary-{VERSION}-py3-none-any.whl"
"""The name of the wheel that a folder of sources is built into."""


class Installation(NamedTuple):
    """The way to install this version of statuary elsewhere."""

    requirement: str  # for the command line of pip, quoted for a shell
    # what the wheel that the requirement names comes from: a wheel to copy, or a folder of sources to build;
    # None if pip can get the requirement elsewhere
    source: Path | None = None
    note: str = ""  # why the requirement may not work; empty if it does


def read_installation(project: Path) -> Installation:
    """Find out how this statuary was installed.

    Args:
        project: the folder that the host builds.
    """
    try:
        text = distribution("statuary").read_text("direct_url.json")
    except PackageNotFoundError:
        text = None
    return installation_of(orjson.loads(text) if text else None, project)


def installation_of(direct_url: dict[str, Any] | None, project: Path) -> Installation:
    """Return the command that repeats an installation.

    Args:
        direct_url: None if a package index was used.
    """
    if direct_url is None:
        return Installation(f"statuary=={VERSION}")
    url, below = direct_url["url"], direct_url.get("subdirectory", "")
    if "vcs_info" in direct_url:
        vcs = direct_url["vcs_info"]
        return Installation(_at_commit(f"{vcs['vcs']}+{url}", vcs["commit_id"], below))
    path = Path(url2pathname(urlsplit(url).path))
    if "archive_info" in direct_url:
        return _of_archive(url, path, direct_url["archive_info"].get("hashes", {}))
    return _of_folder(path, project)


def put_wheel(source: Path, project: Path) -> Path:
    """Put the wheel of an installation into the project, and return its path.

    Args:
        source: a wheel, or a folder of sources to build.

    Raises:
        StatuaryError: if the folder cannot be built.
    """
    folder = project / WHEEL_FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    click.echo(f"the wheel of statuary goes into {folder}/", err=True)
    if source.is_file():
        place = folder / source.name
        return place if place.exists() and place.samefile(source) else shutil.copyfile(source, place)
    if importlib.util.find_spec("pip"):
        build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir"]
    else:
        build = ["uv", "build", "--quiet", "--wheel", "--out-dir"]
    try:
        subprocess.run([*build, str(folder), str(source)], check=True, capture_output=True, encoding="utf-8")
    except (OSError, subprocess.CalledProcessError) as error:
        reason = (getattr(error, "stderr", "") or str(error)).strip().splitlines()[-1]
        raise StatuaryError(
            f"the host cannot reach {source}, from which statuary is installed, and no wheel can be built from it: {reason}",
            "use --install with what pip installs on the host, such as 'git+https://…' or a wheel",
        ) from None
    return folder / BUILT_WHEEL


def _of_archive(url: str, path: Path, hashes: dict[str, str]) -> Installation:
    if not url.startswith("file:"):
        digest = f"#sha256={hashes['sha256']}" if "sha256" in hashes else ""
        return Installation(f"'statuary @ {url}{digest}'")
    requirement = f"./{WHEEL_FOLDER}/{path.name}"
    if path.is_file():
        return Installation(requirement, path)
    return Installation(requirement, note=f"{path} no longer exists; copy that file into {WHEEL_FOLDER}/")


def _of_folder(folder: Path, project: Path) -> Installation:
    """Return the installation from a folder: itself, a public commit, or a wheel."""
    if folder.resolve() == project.resolve():
        return Installation(".")
    commit = _public_commit(folder)
    return Installation(commit) if commit else Installation(f"./{WHEEL_FOLDER}/{BUILT_WHEEL}", folder)


def _public_commit(folder: Path) -> str | None:
    """Return the requirement of a clean, publicly available commit."""
    url = _git(folder, "remote", "get-url", "origin")
    if not url.startswith("https://") or "@" in urlsplit(url).netloc:
        return None
    pushed = _git(folder, "branch", "--remotes", "--contains", "HEAD")
    changed_files = _git(folder, "status", "--porcelain", "--", ".")
    if not pushed or changed_files:
        return None
    below = _git(folder, "rev-parse", "--show-prefix").rstrip("/")
    return _at_commit(f"git+{url}", _git(folder, "rev-parse", "HEAD"), below)


def _at_commit(url: str, commit: str, below: str) -> str:
    return f"'statuary @ {url}@{commit}{f'#subdirectory={below}' if below else ''}'"


def _git(folder: Path, *arguments: str) -> str:
    """Return git's output, or an empty string without git or a repository."""
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], check=False, capture_output=True, encoding="utf-8"
        )
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


DEFAULT = HostOptions()


@click.command()
@click.argument("name", metavar="NAME", type=click.Choice(list(HOSTS)))
@content_option
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=None,
    help="The project folder to write into. Default: only print the configuration.",
)
@click.option("--edge-only", is_flag=True, help="Write only the edge module, for the host's own build.")
@click.option("--force", is_flag=True, help="Replace files that differ.")
@click.option(
    "--publish",
    default=DEFAULT.publish,
    show_default=True,
    help="The site's folder, relative to the project.",
)
@click.option(
    "--install",
    metavar="REQUIREMENT",
    help="The package that the host installs with pip. Default: this version, from its source.",
)
@click.option("--root", default=DEFAULT.root, show_default=True, help="The site's folder on the web server.")
@click.option(
    "--listen",
    default=DEFAULT.listen,
    show_default=True,
    help="The web server's port, or address and port.",
)
@click.option(
    "--edge",
    metavar="ADDRESS:PORT",
    help="The address of a `deno serve` of the edge module, for a web server.",
)
def hosting_command(
    name: str,
    content: Path,
    out: Path | None,
    edge_only: bool,
    force: bool,
    install: str | None,
    **option_values: Any,
) -> None:
    """Write what a host needs to serve the site: its configuration and its edge module."""
    host = HOSTS[name]
    settings, on = _settings(content)
    _check(name, host, settings, content, has_edge=host.runs_edge_module or bool(option_values["edge"]))
    installation = read_installation(out or Path()) if install is None else Installation(install)
    options = replace(
        DEFAULT, settings=settings, install=installation.requirement, enabled=on, **option_values
    )
    files = [file for file in host.files(options) if is_edge_file(file) or not edge_only]
    source = _wheel_source(files, installation)
    if out is None:
        _print(files)
        return
    _stop_at_edited(files, out, force=force)
    wheel = None if source is None else put_wheel(source, out)
    _write(files, out)
    if not edge_only:
        _print_steps(host, _committed(files, wheel, content, out))


def _print_steps(host: Host, names: str) -> None:
    """Print the remaining steps.

    Args:
        names: the files that belong in git.
    """
    for number, step in enumerate(host.steps, 1):
        click.echo(f"{number}. {step.format(files=names)}", err=True)


def _committed(files: list[HostFile], wheel: Path | None, content: Path, out: Path) -> str:
    """Return the files that a host needs in git, quoted for a shell.

    The edge module is not among them if the host's build writes it.
    """
    names = [Path(file.path).parts[0] for file in files if not is_edge_file(file)]
    names += [wheel.relative_to(out).as_posix()] if wheel is not None else []
    if content.is_dir() and content.resolve().is_relative_to(out.resolve()):
        names.append(content.resolve().relative_to(out.resolve()).as_posix())
    return shlex.join(sorted({*names, ".gitignore"} if (out / ".gitignore").exists() else set(names)))


hosting_command.epilog = "\b\n" + "\n".join(f"{name:17} {host.description}" for name, host in HOSTS.items())


def _wheel_source(files: list[HostFile], installation: Installation) -> Path | None:
    """Return the source of the configuration's wheel, and print a note on installation."""
    if not any("pip install" in file.text for file in files if not is_edge_file(file)):
        return None
    if installation.note:
        click.echo(f"note: {installation.note}", err=True)
    return installation.source


class _ContentSettings(NamedTuple):
    """What hosts are told of the content."""

    hosting: HostingSettings = HostingSettings()
    extension_keys: frozenset[str] = frozenset()


def _settings(content: Path) -> _ContentSettings:
    """Return what hosts are told of the content, or defaults."""
    catalogue = read_content(content).catalogue if content.is_dir() else None
    if catalogue is None:
        return _ContentSettings()
    return _ContentSettings(catalogue.hosting, frozenset(dict(catalogue.extensions)))


def _check(name: str, host: Host, settings: HostingSettings, content: Path, *, has_edge: bool) -> None:
    if settings.layout is PathLayout.SHARDED and not host.runs_edge_module:
        raise click.UsageError(
            f"{name} cannot serve the sharded layout; remove hosting.layout from site.yaml"
        )
    if not settings.lower_case_names and not has_edge:
        alternative = " or put the edge module behind it with --edge" if name in ("nginx", "caddy") else ""
        raise click.UsageError(
            f"{name} cannot find a contract by its address in lower case without a file of that name; "
            f"remove hosting.lower_case_names from site.yaml{alternative}"
        )
    if host.site_files is not None and host.site_files not in settings.files:
        click.echo(
            f"statuary: {name} needs files that the site does not contain yet; add to {content / 'site.yaml'}:\n"
            f"    hosting: {{files: [{host.site_files}]}}",
            err=True,
        )


def _print(files: list[HostFile]) -> None:
    other_files = [file for file in files if not is_edge_file(file)]
    for file in other_files:
        if len(other_files) > 1:
            click.echo(f"==> {file.path}")
        click.echo(file.text, nl=False)
    if len(other_files) < len(files):
        click.echo(
            f"--out FOLDER also writes {len(files) - len(other_files)} files of the edge module", err=True
        )


def _stop_at_edited(files: list[HostFile], out: Path, *, force: bool) -> None:
    """Stop at files that were edited, unless they are to be replaced."""
    edited = [file for file in files if _was_edited(file, out / file.path)]
    if edited and not force:
        names = ", ".join(str(out / file.path) for file in edited)
        raise StatuaryError(f"{names} exists and differs", "use --force to replace it")


def _write(files: list[HostFile], out: Path) -> None:
    for file in files:
        path = out / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8", newline="\n")
        if file.path.endswith(".sh"):
            path.chmod(0o755)
    click.echo(f"{len(files)} files in {out}/", err=True)


def _was_edited(file: HostFile, path: Path) -> bool:
    return not is_edge_file(file) and path.exists() and path.read_text(encoding="utf-8") != file.text
