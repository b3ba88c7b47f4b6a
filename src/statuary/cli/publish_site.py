"""Publish a built site to a folder or an object store, for `statuary publish` and `statuary build --to`."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from time import monotonic, sleep
from typing import NamedTuple

import click

from statuary.build.progress import stage
from statuary.cli.options.common_options import utc_now, with_options
from statuary.cli.options.log_options import site_reader
from statuary.cli.output.plain_text import changes_line, changes_lines, count_text, size_text
from statuary.cli.output.printable import printable
from statuary.cli.output.progress import progress
from statuary.documents.url_table import LOG_CHECKPOINT
from statuary.domain.primitives import format_instant
from statuary.publishing.folder.folder_target import FolderTarget
from statuary.publishing.folder_documents import folder_documents
from statuary.publishing.object_store.lease import Lease, LeaseHeldError
from statuary.publishing.object_store.published_sites import PublishedFolder, PublishedSite
from statuary.publishing.object_store.store import ObjectStore, is_store_url
from statuary.publishing.object_store.store_target import ObjectStoreTarget, RequestCounts
from statuary.publishing.plan import Plan
from statuary.snapshots.build_notes import noted_origin
from statuary.snapshots.manifest import UTC, SiteOrigin

LEASE_POLL_SECONDS = 5.0
"""Seconds between two attempts to take a lease that another publisher holds."""

LEASE_SECONDS = 120

TERMINATED = 128 + signal.SIGTERM


class StoreOptions(NamedTuple):
    """The options of publishing to an object store."""

    dry_run: bool = False
    adopt: bool = False  # replace objects at the site's paths that statuary did not write
    verify: bool = False  # request every object instead of trusting the store's ledger
    no_lease: bool = False
    lease_seconds: int = LEASE_SECONDS  # how long a lease lasts that is not renewed
    wait: int = 0  # seconds to wait for another publisher


store_options = with_options(
    click.option(
        "--adopt", is_flag=True, help="Replace objects at the site's paths that statuary did not write."
    ),
    click.option(
        "--verify",
        is_flag=True,
        help="Ask the store for every object instead of trusting the ledger there.",
    ),
    click.option(
        "--no-lease",
        is_flag=True,
        help="Publish without a lease: for a store without conditional requests, and only one publisher.",
    ),
    click.option(
        "--lease-seconds",
        type=click.IntRange(2, 3600),
        default=LEASE_SECONDS,
        show_default=True,
        help="How long the lease of a killed publisher blocks others.",
    ),
    click.option(
        "--wait",
        type=click.IntRange(0, 86_400),
        default=0,
        metavar="SECONDS",
        help="Wait this long for another publisher to finish.",
    ),
)


def publish_to_store(
    site: PublishedSite,
    origin: SiteOrigin | None,
    location: str,
    url: str,
    options: StoreOptions,
    *,
    to_error: bool = False,
) -> None:
    """Publish a site to an object store; print the changes and the number of requests.

    Raises:
        PublishingError: if the store does not take it, or another publisher holds the lease.
    """
    with _exit_on_sigterm(), progress() as announcer:
        store = ObjectStore(url)
        with (
            stage(announcer, "Objects"),
            _open_target(store, site, options, announcer.advance) as target,
        ):
            target.instant = "" if origin is None else format_instant(origin.instant, UTC)
            target.verified = verify_log_grows(location, url)
            target.offer(site.objects())
            plan, cost = target.plan(), target.cost()
            if options.dry_run:
                for line in changes_lines(plan.changes()):
                    click.echo(line, err=to_error)
            else:
                target.apply()
    click.echo(
        f"{count_text(plan.documents, 'document')}, {size_text(plan.size)}, in {printable(url)}", err=to_error
    )
    click.echo(changes_line(plan, applied=not options.dry_run), err=to_error)
    would = "would take" if options.dry_run else "took"
    click.echo(
        f"comparing took {format_requests(target.asked)}; publishing {would} {format_requests(cost)}",
        err=to_error,
    )
    for path in plan.conflicts:
        click.echo(f"not replaced: {printable(path)} (statuary did not write it; see --adopt)", err=to_error)


def publish_folder(folder: Path, to: str, options: StoreOptions, *, to_error: bool = False) -> None:
    """Publish the folder of a build, and print the changes; raise PublishingError if that fails."""
    if is_store_url(to):
        site = PublishedFolder(folder)
        publish_to_store(site, noted_origin(folder), str(folder), to, options, to_error=to_error)
        return
    with FolderTarget(Path(to), dry_run=options.dry_run) as publication:
        verify_log_grows(str(folder), to)
        publication.offer(folder_documents(folder))
        plan = publication.plan()
        apply_or_show(publication, plan, to, to_error=to_error)


def verify_log_grows(location: str, to: str) -> dict[str, str | None]:
    """Verify that a site's log continues the one at a target; return the SHA-256 of the checkpoint that it replaces.

    Raises:
        LogError: if it does not.
        PublishingError: if one of the two cannot be read.
    """
    from statuary.publishing.log.published_log import require_growth

    there = site_reader(to)
    if there(LOG_CHECKPOINT.path()) is None:
        return {LOG_CHECKPOINT.path(): None}
    return require_growth(location, site_reader(location), to, there)


def apply_or_show(publication: FolderTarget, plan: Plan, to: str, *, to_error: bool = False) -> None:
    """Apply the plan, or show it in a dry run, and print a summary."""
    if publication.dry_run:
        for line in changes_lines(plan.changes()):
            click.echo(line, err=to_error)
    else:
        publication.apply()
    click.echo(
        f"{count_text(plan.documents, 'document')}, {size_text(plan.size)}, in {printable(to)}/", err=to_error
    )
    click.echo(changes_line(plan, applied=not publication.dry_run), err=to_error)


def _open_target(
    store: ObjectStore, site: PublishedSite, options: StoreOptions, advance: Callable[[int], None]
) -> ObjectStoreTarget:
    """Open the target as soon as no other publisher holds the lease."""
    until = monotonic() + options.wait
    duration = timedelta(seconds=options.lease_seconds)
    while True:
        has_lease = not options.dry_run and not options.no_lease
        lease = Lease(store, utc_now, duration) if has_lease else None
        try:
            return ObjectStoreTarget(
                store,
                site,
                lease=lease,
                dry_run=options.dry_run,
                adopt=options.adopt,
                verify=options.verify,
                advance=advance,
            )
        except LeaseHeldError:
            if monotonic() >= until:
                raise
            sleep(min(LEASE_POLL_SECONDS, max(0.1, until - monotonic())))


@contextmanager
def _exit_on_sigterm() -> Iterator[None]:
    """Exit normally on SIGTERM, so that the lease is released."""
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def format_requests(requests: RequestCounts) -> str:
    """Return the number of requests of each kind."""
    counts = requests._asdict().items()
    return ", ".join(count_text(count, name) for name, count in counts if count) or "no requests"
