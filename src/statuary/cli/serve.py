"""`statuary serve`: the site as it will be, on this machine."""

import sys
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import click

from statuary.build.build import build_site
from statuary.cli.exit_codes import ExitCode
from statuary.cli.options.common_options import InstantType, content_option
from statuary.cli.output.findings_report import format_findings
from statuary.cli.output.progress import progress
from statuary.cli.output.summary import findings_line
from statuary.domain.primitives import Instant, instant
from statuary.publishing.errors import PublishingError
from statuary.publishing.folder.folder_target import FolderTarget
from statuary.serving.asgi_app import ServedRequest, SiteApp
from statuary.serving.live_reload import ReloadEvents
from statuary.serving.server import LOOPBACK, ServerError, WatchedContent, listen, serve
from statuary.snapshots.site_reader import SiteReader, open_site


@click.command()
@click.argument("site", required=False)
@content_option
@click.option(
    "--at",
    type=InstantType(),
    default=None,
    help="Look at the site as it is at this instant, such as 2026-12-24T18:00:00Z. Default: the clock.",
)
@click.option("--host", default=LOOPBACK, show_default=True, help="The address to listen on.")
@click.option("--port", default=8000, show_default=True, help="The port to listen on; 0 takes a free one.")
def command(site: str | None, content: Path, at: Instant | None, host: str, port: int) -> None:
    """Serve the site on this machine, exactly as an edge runtime would.

    SITE is a folder that holds a published site, a snapshot (a zip, served as it is: nothing is unpacked), or
    the URL of either. Without it the content is built into a temporary folder, and again whenever it changes;
    open pages reload by themselves. The build folder is left alone.
    """
    clock = (lambda: at) if at is not None else the_clock
    try:
        with ExitStack() as stack:
            reader, watched = (open_site(site), None) if site else _built(content, clock, stack)
            changes = ReloadEvents() if watched else None
            web = SiteApp(stack.enter_context(reader).read, clock, new_error_id, _say_served, changes)
            listening = stack.enter_context(listen(host, port))
            _say_where(str(site or content), listening.getsockname()[1], host, at)
            serve(web, listening, watched)
    except (ServerError, PublishingError) as refused:
        click.echo(f"statuary: {refused}", err=True)
        sys.exit(ExitCode.FAILED)


def the_clock() -> Instant:
    """Return the present instant."""
    return instant(datetime.now(UTC))


def new_error_id() -> str:
    """Return a new UUID, version 4."""
    return str(uuid4())


def _built(
    content: Path, clock: Callable[[], Instant], stack: ExitStack
) -> tuple[SiteReader, WatchedContent]:
    """Build the content into a folder that goes when the server does."""
    folder = Path(stack.enter_context(TemporaryDirectory(prefix="statuary-")))

    def rebuild() -> None:
        with FolderTarget(folder) as publication, progress() as announcer:
            outcome = build_site(content, publication, clock(), announcer)
        if outcome.checked.all_findings:
            click.echo(format_findings(outcome.checked.all_findings, str(content), "text"), err=True)
        kept = "" if outcome.plan is not None else "; what was served before is served on"
        click.echo(f"{findings_line(outcome.checked)}{kept}", err=True)

    rebuild()
    return open_site(folder), WatchedContent(content, rebuild)


def _say_where(what: str, port: int, host: str, at: Instant | None) -> None:
    when = f" as of {at.isoformat()}" if at is not None else ""
    click.echo(f"Serving {what}{when} at http://{host}:{port}/ (Ctrl-C ends it)", err=True)


def _say_served(served: ServedRequest) -> None:
    """Print one line for a request."""
    told = (
        f"{datetime.now(UTC):%H:%M:%S} {served.status} {served.method:7} {served.target} "
        f"{served.size:,} bytes, {served.seconds * 1000:.1f} ms"
    )
    click.echo(told.encode("unicode_escape").decode() if not told.isprintable() else told, err=True)
    if served.failure is not None:
        click.echo(f"    {type(served.failure).__name__}: {served.failure}", err=True)
