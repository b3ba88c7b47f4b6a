"""Serve a site on this machine (`statuary serve`)."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from uuid import uuid4

import click

from statuary.base.clock import utc_now
from statuary.base.errors import error_for_user
from statuary.base.primitives import Instant, format_utc
from statuary.cli.changed_files import print_changed_files
from statuary.cli.escape import print_error
from statuary.cli.findings_report import format_findings
from statuary.cli.options import INSTANT, content_option
from statuary.cli.output import show_progress
from statuary.cli.summary import finding_counts_line
from statuary.engine.build import build_site
from statuary.extensions.serving.allowed_hosts import parse_host_name
from statuary.extensions.serving.server import (
    LOOPBACK,
    ReloadEvents,
    ServedRequest,
    SiteApp,
    WatchedContent,
    read_content_state,
    serve,
)
from statuary.extensions.snapshots.site_reader import SiteReader, open_site
from statuary.publish.folder.folder_target import FolderTarget
from statuary.system.network.listening import MAX_PORT, ServerError, listen


@click.command()
@click.argument("site", required=False)
@content_option
@click.option(
    "--at",
    type=INSTANT,
    default=None,
    help="Show the status as of this time, such as 2026-12-24T18:00:00Z. Default: the current time.",
)
@click.option(
    "--host",
    metavar="ADDRESS",
    default=LOOPBACK,
    show_default=True,
    help="Listen on this address. Use 0.0.0.0 to let other machines read the site.",
)
@click.option(
    "--port",
    metavar="PORT",
    type=click.IntRange(0, MAX_PORT),
    default=8000,
    show_default=True,
    help="Listen on this port. Use 0 to choose a free port.",
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="Also answer requests for this host name (repeatable). IP addresses, localhost, --host and the host of the site's URL are always allowed.",
)
def serve_command(
    site: str | None, content: Path, at: Instant | None, host: str, port: int, hosts: tuple[str, ...]
) -> None:
    """Serve the site on this machine, like a host with the edge program.

    SITE is the folder of a built site, a snapshot (a zip file of a site), or the URL of a site or snapshot. The command
    serves a snapshot without unpacking it.

    Without SITE, the command builds your content into a temporary folder, not the build folder. When you change the
    content, it builds again, and reloads open pages.
    """
    clock = (lambda: at) if at is not None else utc_now
    with ExitStack() as stack:
        opened = (
            _OpenedSite(_open_site_to_serve(site)) if site else _build_content_to_serve(content, clock, stack)
        )
        events = ReloadEvents() if opened.watched else None
        names = frozenset(map(parse_host_name, (*hosts, host)))
        read_document = stack.enter_context(opened.reader).read
        app = SiteApp(read_document, clock, lambda: str(uuid4()), _echo_request, events, names)
        listening = stack.enter_context(listen(host, port))
        when = f" as of {format_utc(at)}" if at is not None else ""
        url = f"http://{host}:{listening.getsockname()[1]}/"
        click.echo(f"Serving {site or content}{when} at {url} (press Ctrl-C to stop)", err=True)
        serve(app, listening, opened.watched)


def _open_site_to_serve(site_location: str) -> SiteReader:
    """Open a site, and report files that its build did not write.

    Raises:
        ServerError: if a folder has no site.
    """
    folder = Path(site_location)
    if folder.is_dir() and not any((folder / name).exists() for name in NAMES_OF_SITE):
        raise ServerError(
            f"{site_location} does not contain a site",
            "name the folder of a build, such as `statuary serve build`, or no folder",
        )
    reader = open_site(site_location, as_served=True)
    if folder.is_dir():
        print_changed_files(folder)
    return reader


NAMES_OF_SITE = ("index.html", "404.html", "api", "v2", "_r", "packs")
"""Names at the root of sites, of which each site has one."""


class _OpenedSite(NamedTuple):
    reader: SiteReader
    watched: WatchedContent | None = None  # the content that the site is built from


def _build_content_to_serve(
    content_folder: Path, clock: Callable[[], Instant], cleanups: ExitStack
) -> _OpenedSite:
    """Build the content into a temporary folder, deleted when the server ends.

    Raises:
        ServerError: if there is no content folder.
    """
    if not content_folder.is_dir():
        raise ServerError(
            f"there is no folder {content_folder} to build",
            "name the content folder with --content, or the folder of a site; `statuary init` makes new content",
        )
    folder = Path(cleanups.enter_context(TemporaryDirectory(prefix="statuary-")))

    def build() -> None:
        with FolderTarget(folder) as target, show_progress() as progress:
            outcome = build_site(content_folder, target, clock(), progress)
        if outcome.checked.all_findings:
            click.echo(format_findings(outcome.checked.all_findings, str(content_folder), "text"), err=True)
        unchanged = "" if outcome.plan is not None else "; the site before it is still served"
        click.echo(f"{finding_counts_line(outcome.checked)}{unchanged}", err=True)

    def rebuild() -> None:
        try:
            build()
        except Exception as error:  # noqa: BLE001 - the server goes on, with the site before the change
            print_error(error_for_user(error))

    state = read_content_state(content_folder)
    build()
    return _OpenedSite(open_site(folder, as_served=True), WatchedContent(content_folder, rebuild, state))


def _echo_request(served: ServedRequest) -> None:
    line = (
        f"{utc_now():%H:%M:%S} {served.status} {served.method:7} {served.target} "
        f"{served.size:,} bytes, {served.seconds * 1000:.1f} ms"
    )
    click.echo(line.encode("unicode_escape").decode() if not line.isprintable() else line, err=True)
    if served.failure is not None:
        click.echo(f"    {type(served.failure).__name__}: {served.failure}", err=True)
