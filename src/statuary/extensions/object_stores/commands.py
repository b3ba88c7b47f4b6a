"""Publish a site to a folder or an object store (`statuary publish`)."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, NamedTuple

import click

from statuary.base.clock import utc_now
from statuary.base.files import MANIFEST, PublishingError
from statuary.base.primitives import Instant, InvalidValueError, count_text, format_instant, parse_instant
from statuary.base.progress import report_stage
from statuary.cli.damaged_ledger import retry_with_new_ledger
from statuary.cli.escape import escape_control_chars
from statuary.cli.options import with_options
from statuary.cli.outcome_report import exit_code_of, outcome_line
from statuary.cli.output import show_progress
from statuary.cli.publication import (
    print_publication,
    publish_folder,
    publish_to_folder,
    report_publication,
)
from statuary.extensions.object_stores.objects import PublishedFolder, PublishedSite, PublishedSnapshot
from statuary.extensions.object_stores.store import Lease, LeaseHeldError, ObjectStore, is_store_url
from statuary.extensions.object_stores.store_comparison import (
    INDEX,
    DamagedStoreLedgerError,
    parse_store_index,
)
from statuary.extensions.object_stores.store_target import ObjectStoreTarget, RequestCounts
from statuary.extensions.packs.exclude import make_packed_path_filter
from statuary.extensions.snapshots.differences import refuse_older_snapshot
from statuary.extensions.snapshots.manifest_signature import verify_manifest_signature
from statuary.extensions.snapshots.options import public_key_option, read_public_key
from statuary.extensions.snapshots.snapshot_reader import iter_snapshot_documents, read_snapshot
from statuary.publish.folder.built_site import has_intact_listing, recorded_origin
from statuary.publish.listing import DamagedSnapshotError
from statuary.publish.locations import find_irreplaceable_folders
from statuary.publish.manifest import parse_manifest
from statuary.publish.origin import UTC, SiteOrigin
from statuary.publish.outcome import Outcome
from statuary.source.file_kinds import FileKind, pattern_of

if TYPE_CHECKING:
    from minisign import PublicKey


LEASE_POLL_SECONDS = 5.0
"""Seconds between two attempts to take a lease that another publisher holds."""

LEASE_SECONDS = 120

DEFAULT_WAIT = LEASE_SECONDS * 4 // 3
"""Seconds to wait for another publisher: longer than the lease of a dead one lasts."""

TERMINATED = 128 + signal.SIGTERM


SETTINGS_FILES = tuple(f"site{suffix}" for suffix in pattern_of(FileKind.SITE).suffixes)
"""Files that only a content folder has."""


class StoreOptions(NamedTuple):
    """The options of publishing to an object store."""

    dry_run: bool = False
    adopt: bool = False  # replace objects at the site's paths that statuary did not write
    verify: bool = False  # request every object instead of trusting the store's ledger
    no_lease: bool = False
    lease_seconds: int = LEASE_SECONDS  # the seconds that a lease lasts without renewal
    wait: int = DEFAULT_WAIT  # the seconds to wait for another publisher


DEFAULT_OPTIONS = StoreOptions()

store_options = with_options(
    click.option(
        "--adopt",
        is_flag=True,
        help="Overwrite objects that another program wrote, if files of the site have the same names. Default: keep them.",
    ),
    click.option(
        "--verify",
        is_flag=True,
        help="Ask the store about every object, to find changed ones. Default: trust the list that the last run saved there.",
    ),
    click.option(
        "--no-lease",
        is_flag=True,
        help="Don't lock the store against other publishers. Use this only if the store has no conditional requests.",
    ),
    click.option(
        "--lease-seconds",
        metavar="SECONDS",
        type=click.IntRange(2, 3600),
        default=LEASE_SECONDS,
        show_default=True,
        help="Let other publishers take over the lock (lease) of a killed publisher after this many seconds.",
    ),
    click.option(
        "--wait",
        type=click.IntRange(0, 86_400),
        default=DEFAULT_WAIT,
        show_default=True,
        metavar="SECONDS",
        help="Wait at most this many seconds for another publisher to release its lock.",
    ),
)


def publish_to_store(
    site: PublishedSite,
    origin: SiteOrigin | None,
    location: str,
    store_url: str,
    options: StoreOptions,
    *,
    to_error: bool = False,
    is_excluded: Callable[[str], bool] = lambda _: False,
) -> Outcome:
    """Publish a site to an object store, and print the result.

    Args:
        site: the files of the site, with their HTTP headers.
        origin: the time and revision of the site; None if unknown.
        location: the name of the site, for messages.
        store_url: the URL of the store, such as `s3://bucket/prefix`.
        options: the command-line options for stores.
        to_error: whether to print to standard error.
        is_excluded: a function that returns whether a path is not to be published.

    Returns:
        Whether everything was published.

    Raises:
        PublishingError: if the store rejects a request, or another publisher has locked the store.
    """
    with _exit_on_sigterm(), show_progress() as progress:
        store = ObjectStore(store_url)
        with (
            report_stage(progress, "Objects"),
            _open_target_when_free(store, site, options, progress.advance) as target,
        ):
            target.instant = "" if origin is None else format_instant(origin.instant, UTC)
            replacement = find_irreplaceable_folders(location, store_url)
            target.verified = replacement.verified
            selected_entries = (entry for entry in site.objects() if replacement.may_replace(entry.path))
            target.add(entry for entry in selected_entries if not is_excluded(entry.path))
            target.retain_folders(replacement.folders)
            plan, cost = target.plan(), target.count_requests()
            if target.lost_ledger:
                lost = escape_control_chars(target.lost_ledger)
                click.echo(
                    f"the ledger of the store is damaged: {lost}; every object was requested", err=True
                )
            if not options.dry_run:
                target.apply()
            print_publication(plan, store_url, applied=not options.dry_run, to_error=to_error)
    would = "would take" if options.dry_run else "took"
    click.echo(
        f"comparing took {format_requests(target.asked)}; publishing {would} {format_requests(cost)}",
        err=to_error,
    )
    for path in plan.conflicts:
        click.echo(
            f"not replaced: {escape_control_chars(path)} (statuary did not write it; see --adopt)",
            err=to_error,
        )
    return report_publication(replacement, store_url)


def publish_folder_to_store(
    folder: Path,
    to: str,
    *,
    options: StoreOptions = DEFAULT_OPTIONS,
    to_error: bool = False,
    is_excluded: Callable[[str], bool] = lambda _: False,
) -> Outcome:
    """Publish the folder of a built site to an object store.

    Args:
        folder: the folder of the built site.
        to: the URL of the store, such as `s3://bucket/prefix`.
        options: the command-line options for stores.
        to_error: whether to print to standard error.
        is_excluded: a function that returns whether a path is not to be published.

    Returns:
        Whether everything was published.

    Raises:
        PublishingError: if the store rejects a request, or another publisher has locked the store.
    """
    site = PublishedFolder(folder)
    origin = recorded_origin(folder)
    return publish_to_store(
        site, origin, str(folder), to, options, to_error=to_error, is_excluded=is_excluded
    )


def _open_target_when_free(
    target_store: ObjectStore, site: PublishedSite, options: StoreOptions, advance: Callable[[int], None]
) -> ObjectStoreTarget:
    """Wait until no other publisher has locked the store, and open it.

    Raises:
        LeaseHeldError: if that takes longer than the options allow.
    """
    until = monotonic() + options.wait
    has_warned = False
    duration = timedelta(seconds=options.lease_seconds)
    while True:
        has_lease = not options.dry_run and not options.no_lease
        lease = Lease(target_store, utc_now, duration) if has_lease else None
        try:
            return ObjectStoreTarget(
                target_store,
                site,
                lease=lease,
                dry_run=options.dry_run,
                adopt=options.adopt,
                verify=options.verify,
                advance=advance,
            )
        except LeaseHeldError as error:
            if monotonic() >= until:
                raise
            if not has_warned:
                click.echo(
                    f"{escape_control_chars(str(error))}; waiting up to {options.wait} seconds", err=True
                )
            has_warned = True
            sleep(min(LEASE_POLL_SECONDS, max(0.1, until - monotonic())))


@contextmanager
def _exit_on_sigterm() -> Iterator[None]:
    """Exit normally on SIGTERM, so that the lease is released."""
    previous_handler = signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous_handler)


def format_requests(requests: RequestCounts) -> str:
    """Format the number of requests by kind: `3 puts, 1 get`."""
    counts = requests._asdict().items()
    return ", ".join(count_text(count, name) for name, count in counts if count) or "no requests"


@click.command()
@click.argument("site", metavar="FILE|FOLDER|URL")
@click.option(
    "--to",
    metavar="FOLDER|URL",
    required=True,
    help="Publish to this folder or object store (s3://BUCKET/PREFIX, gs://BUCKET/PREFIX or az://CONTAINER/PREFIX).",
)
@public_key_option
@click.option(
    "--allow-older",
    is_flag=True,
    help="Publish the snapshot even if the site at --to is newer. Default: fail.",
)
@click.option(
    "--dry-run",
    is_flag=True,
    help="Print what would change and how many requests that takes, and write nothing.",
)
@click.option(
    "--exclude-packed",
    is_flag=True,
    help="Don't publish separate files for records and proofs that the site's packs contain. Only programs that read packs can then find them.",
)
@store_options
def publish_command(
    site: str,
    to: str,
    public_key: str | None,
    allow_older: bool,
    dry_run: bool,
    exclude_packed: bool,
    adopt: bool,
    verify: bool,
    no_lease: bool,
    lease_seconds: int,
    wait: int,
) -> None:
    """Publish a snapshot, or the folder of a build, to a folder or an object store.

    The command verifies a whole snapshot before it changes anything. It keeps unchanged files, removes obsolete files
    that statuary wrote, and never touches other files.

    To an object store, the command uploads only changes, and documents before the lists that name them. Each object
    gets its media type, cache rule and encoding. A lease (a lock on the store) prevents two publishers from writing at
    once.

    The command reads the address and credentials of the store from the usual environment variables, such as
    AWS_ENDPOINT_URL and AWS_ACCESS_KEY_ID.
    """
    options = StoreOptions(
        dry_run=dry_run,
        adopt=adopt,
        verify=verify,
        no_lease=no_lease,
        lease_seconds=lease_seconds,
        wait=wait,
    )
    folder = Path(site)
    if folder.is_dir() and (has_intact_listing(folder) or not (folder / MANIFEST).is_file()):
        if public_key is not None:
            raise PublishingError(
                f"{site} is not a snapshot, so it has no signature to verify", "remove --public-key"
            )
        _refuse_content_folder(folder)
        is_excluded = make_packed_path_filter(folder) if exclude_packed else None
        if is_store_url(to):
            outcome = publish_folder_to_store(
                folder, to, options=options, is_excluded=is_excluded or (lambda _: False)
            )
        else:
            outcome = publish_folder(folder, to, dry_run=options.dry_run, is_excluded=is_excluded)
    elif exclude_packed:
        raise PublishingError(
            f"{site} is a snapshot, which has every file",
            "publish the folder of the build with --exclude-packed",
        )
    else:
        outcome = retry_with_new_ledger(
            Path(to),
            lambda: _publish_snapshot_to(
                site, to, read_public_key(public_key), options, allow_older=allow_older
            ),
        )
    if line := outcome_line(outcome, applied=not dry_run):
        click.echo(line)
    sys.exit(exit_code_of(outcome))


def _refuse_content_folder(published_folder: Path) -> None:
    """Raise PublishingError if someone publishes the sources instead of the site."""
    if any((published_folder / name).is_file() for name in SETTINGS_FILES):
        raise PublishingError(
            f"{published_folder} is a content folder, not a site",
            "run `statuary build`, and publish its folder `build`",
        )


def _publish_snapshot_to(
    snapshot_location: str, target: str, key: "PublicKey | None", options: StoreOptions, *, allow_older: bool
) -> Outcome:
    with read_snapshot(snapshot_location) as snapshot:
        if key is not None:
            verify_manifest_signature(snapshot_location, snapshot.manifest_text, snapshot.signature, key)
        if not allow_older:
            refuse_older_snapshot(
                snapshot.manifest.origin, _read_published_instant(target), escape_control_chars(target)
            )
        if is_store_url(target):
            with PublishedSnapshot(snapshot) as source:
                return publish_to_store(source, snapshot.manifest.origin, snapshot_location, target, options)
        return publish_to_folder(
            iter_snapshot_documents(snapshot),
            snapshot_location,
            target,
            origin=snapshot.manifest.origin,
            dry_run=options.dry_run,
        )


def _read_published_instant(target: str) -> Instant | None:
    """Return the build time of the site at a target, if known."""
    if not is_store_url(target):
        origin = recorded_origin(Path(target))
        return None if origin is None else origin.instant
    store = ObjectStore(target)
    ledger, manifest = store.get(INDEX), store.get(MANIFEST)
    with suppress(DamagedStoreLedgerError, InvalidValueError):
        if ledger is not None and (instant := parse_store_index(ledger[0]).instant):
            return parse_instant(instant)
    with suppress(DamagedSnapshotError):
        return None if manifest is None else parse_manifest(manifest[0]).origin.instant
    return None
