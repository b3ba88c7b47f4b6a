"""`statuary hosting`: write the configuration of a host."""

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import click

from statuary.cli.options import content_option
from statuary.engine.read_content import read_content
from statuary.extensions.hosting.host_files import HostFile, HostOptions
from statuary.extensions.hosting.hosts import HOSTS, Host, is_edge_file
from statuary.extensions.hosting.installation import (
    Installation,
    detect_installation,
    read_checked_out_branch,
)
from statuary.extensions.hosting.project_commands import (
    format_paths_to_commit,
    refuse_edited_files,
    write_files,
)
from statuary.site.settings import HostingSettings, PathLayout
from statuary.source.file_kinds import FileKind, pattern_of

DEFAULT = HostOptions()


@click.command()
@click.argument("name", metavar="HOST", type=click.Choice(list(HOSTS)))
@content_option
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=None,
    help="Write the configuration files into this project folder. Default: print them.",
)
@click.option(
    "--edge-only",
    is_flag=True,
    help="Write only the edge program, without the host's configuration files.",
)
@click.option("--force", is_flag=True, help="Overwrite existing files that differ. Default: fail.")
@click.option(
    "--publish",
    metavar="FOLDER",
    default=DEFAULT.publish,
    show_default=True,
    help="Serve this folder of the project as the site.",
)
@click.option(
    "--install",
    metavar="REQUIREMENT",
    help="Make the host install statuary from this pip requirement, such as a wheel or git+https://…. Default: the version that you run, from where you installed it.",
)
@click.option(
    "--root",
    metavar="FOLDER",
    default=DEFAULT.root,
    show_default=True,
    help="For nginx and caddy: set the folder of the built site on the server.",
)
@click.option(
    "--domain",
    metavar="NAME",
    help="For nginx and caddy: answer only requests for this host name, such as status.example.org. Use this if the server has other sites.",
)
@click.option(
    "--listen",
    metavar="PORT|ADDRESS:PORT",
    help="For nginx and caddy: listen on this port, or on ADDRESS:PORT. Default: 8080, or the ports of HTTP and HTTPS with --domain.",
)
@click.option(
    "--branch", metavar="BRANCH", help="Publish the site from this git branch. Default: the current branch."
)
@click.option(
    "--edge",
    metavar="ADDRESS:PORT",
    help="For nginx and caddy: forward requests to the edge program that `deno serve` runs at this address, such as 127.0.0.1:8001.",
)
def hosting_command(
    name: str,
    content: Path,
    out: Path | None,
    edge_only: bool,
    force: bool,
    install: str | None,
    branch: str | None,
    **option_values: Any,
) -> None:
    """Write the configuration and the edge program for a host.

    To also get a schedule that keeps the site up to date, run `statuary setup HOST` instead.
    """
    host = HOSTS[name]
    settings, on, source = read_hosting_settings(content)
    has_edge = host.runs_edge_module or bool(option_values["edge"])
    require_suitable_host(name, host, settings, content / source, has_edge=has_edge)
    project = out or Path()
    installation = detect_installation(project) if install is None else Installation(install)
    branch = branch or read_checked_out_branch(project)
    options = replace(
        DEFAULT,
        settings=settings,
        install=installation.requirement,
        enabled=on,
        branch=branch,
        **option_values,
    )
    files = [*host.files(options)]
    if edge_only:
        files = [*filter(is_edge_file, files)]
    if out is None:
        _print_written_files(files)
        return
    refuse_edited_files(files, out, force=force)
    wheel = write_files(files, installation, out)
    if not edge_only:
        names = format_paths_to_commit(files, wheel, content, out)
        for number, step in enumerate(host.steps, 1):
            click.echo(f"{number}. {step.format(files=names)}", err=True)


hosting_command.epilog = "\b\nHosts:\n" + "\n".join(
    f"  {name:17} {host.description}" for name, host in HOSTS.items()
)


class _ContentSettings(NamedTuple):
    """The settings in the content that affect a host's configuration."""

    hosting: HostingSettings = HostingSettings()
    extension_keys: frozenset[str] = frozenset()
    source: str = pattern_of(FileKind.SITE).pattern  # the path of site.yaml


def read_hosting_settings(content: Path) -> _ContentSettings:
    """Read the settings in site.yaml that affect a host's configuration.

    If the content is missing or has errors, the default settings are returned.
    """
    site = read_content(content).site if content.is_dir() else None
    if site is None:
        return _ContentSettings()
    return _ContentSettings(site.hosting, frozenset(dict(site.extensions)) | site.faulty_keys, site.source)


def require_suitable_host(
    host_name: str, host: Host, settings: HostingSettings, settings_file: Path, *, has_edge: bool
) -> None:
    """Raise an error if a host cannot serve the site.

    If the site only lacks files that the host needs, a note says how to add them.

    Args:
        host: the description of the host.
        settings: what site.yaml says under `hosting`.
        settings_file: the path of site.yaml, for messages.
        has_edge: whether the host runs the edge program, JavaScript that computes responses which are not
            files.

    Raises:
        click.UsageError: if the host cannot serve a site with these settings.
    """
    require_supported_settings(host_name, settings, settings_file, has_edge=has_edge)
    if host.site_files is not None and host.site_files not in settings.files:
        click.echo(
            f"statuary: {host_name} needs files that the site does not contain yet; add to {settings_file}:\n"
            f"    hosting: {{files: [{host.site_files}]}}",
            err=True,
        )


def require_supported_settings(
    host_name: str, settings: HostingSettings, settings_file: Path, *, has_edge: bool
) -> None:
    """Raise an error if a host does not support the site's settings.

    Args:
        host_name: the name of the host, such as `netlify`.
        settings: what site.yaml says under `hosting`.
        settings_file: the path of site.yaml, for messages.
        has_edge: whether the host runs the edge program, JavaScript that computes responses which are not
            files.

    Raises:
        click.UsageError: if the host cannot serve a site with these settings.
    """
    if settings.layout is PathLayout.SHARDED and not HOSTS[host_name].runs_edge_module:
        raise click.UsageError(
            f"{host_name} cannot serve the sharded layout; remove hosting.layout from {settings_file}"
        )
    if not settings.lower_case_names and not has_edge:
        alternative = (
            " or put the edge module behind it with --edge" if host_name in ("nginx", "caddy") else ""
        )
        raise click.UsageError(
            f"{host_name} needs a file for each address in lower case; "
            f"remove `lower_case_names: false` from `hosting` in {settings_file}{alternative}"
        )


def _print_written_files(host_files: list[HostFile]) -> None:
    other_files = [file for file in host_files if not is_edge_file(file)]
    for file in other_files:
        if len(other_files) > 1:
            click.echo(f"==> {file.path}")
        click.echo(file.text, nl=False)
    if len(other_files) < len(host_files):
        click.echo(
            f"--out FOLDER also writes {len(host_files) - len(other_files)} files of the edge module",
            err=True,
        )
