"""`statuary hosting`: write the configuration of a host."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from statuary.cli.installation import Installation, put_wheel, read_installation
from statuary.cli.options.common_options import content_option
from statuary.documents.hosting.host_files import HostFile, HostOptions, is_edge_file
from statuary.documents.hosting.hosts import HOSTS, Host
from statuary.domain.errors import StatuaryError
from statuary.domain.hosting_settings import HostingSettings, PathLayout

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
    help="What pip installs when the host builds. Default: this version, from where it was installed.",
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
    **given: Any,
) -> None:
    """Write what a host needs to serve the site: its configuration, and the edge module if it can run one."""
    host = HOSTS[name]
    settings = _settings(content)
    _check(name, host, settings, content)
    installation = read_installation(out or Path()) if install is None else Installation(install)
    options = replace(DEFAULT, settings=settings, install=installation.requirement, **given)
    files = [file for file in host.files(options) if is_edge_file(file) or not edge_only]
    source = _wheel_source(files, installation)
    if out is None:
        _print(files)
        return
    _stop_at_edited(files, out, force=force)
    if source is not None:
        click.echo(f"wrote {put_wheel(source, out)}", err=True)
    _write(files, out)
    if not edge_only:
        for number, step in enumerate(host.steps, 1):
            click.echo(f"{number}. {step}", err=True)


hosting_command.epilog = "\b\n" + "\n".join(f"{name:17} {host.description}" for name, host in HOSTS.items())


def _wheel_source(files: list[HostFile], installation: Installation) -> Path | None:
    """Return what the configuration's wheel comes from, and print a note about the installation, if there are any."""
    if not any("pip install" in file.text for file in files if not is_edge_file(file)):
        return None
    if installation.note:
        click.echo(f"note: {installation.note}", err=True)
    return installation.source


def _settings(content: Path) -> HostingSettings:
    """Return the hosting settings of the content; the defaults without content."""
    if not content.is_dir():
        return HostingSettings()
    from statuary.content.read_content import read_content

    catalogue, _ = read_content(content)
    return catalogue.hosting if catalogue is not None else HostingSettings()


def _check(name: str, host: Host, settings: HostingSettings, content: Path) -> None:
    if settings.layout is PathLayout.SHARDED and not host.supports_sharding:
        raise click.UsageError(
            f"{name} cannot serve the sharded layout; remove hosting.layout from site.yaml"
        )
    if host.site_files is not None and host.site_files not in settings.files:
        click.echo(
            f"statuary: {name} needs files that the site does not contain yet; add to {content / 'site.yaml'}:\n"
            f"    hosting: {{files: [{host.site_files}]}}",
            err=True,
        )


def _print(files: list[HostFile]) -> None:
    shown = [file for file in files if not is_edge_file(file)]
    for file in shown:
        if len(shown) > 1:
            click.echo(f"==> {file.path}")
        click.echo(file.text, nl=False)
    if len(shown) < len(files):
        click.echo(f"--out FOLDER also writes {len(files) - len(shown)} files of the edge module", err=True)


def _stop_at_edited(files: list[HostFile], out: Path, *, force: bool) -> None:
    """Stop at files that were edited, unless they are to be replaced."""
    kept = [file for file in files if _was_edited(file, out / file.path)]
    if kept and not force:
        names = ", ".join(str(out / file.path) for file in kept)
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
