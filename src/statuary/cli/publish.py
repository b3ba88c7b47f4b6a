"""`statuary publish`: publish a built site or a snapshot to a folder or an object store."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from statuary.cli.exit_codes import ExitCode
from statuary.cli.options.signing_options import public_key_of, public_key_option
from statuary.cli.output.printable import printable
from statuary.cli.publish_site import (
    StoreOptions,
    apply_or_show,
    publish_folder,
    publish_to_store,
    store_options,
    verify_log_grows,
)
from statuary.domain.primitives import Instant, parse_instant
from statuary.publishing.errors import PublishingError
from statuary.publishing.folder.folder_target import FolderTarget
from statuary.publishing.object_store.published_snapshot import PublishedSnapshot
from statuary.publishing.object_store.store import ObjectStore, is_store_url
from statuary.publishing.object_store.store_ledger import INDEX, parse_index
from statuary.publishing.snapshot_paths import MANIFEST
from statuary.snapshots.build_notes import build_notes, noted_origin
from statuary.snapshots.manifest import parse_manifest, refuse_older
from statuary.snapshots.manifest_signature import verify_manifest_signature
from statuary.snapshots.published_snapshot import snapshot_documents
from statuary.snapshots.snapshot_reader import SnapshotReader, read_snapshot

if TYPE_CHECKING:
    from minisign import PublicKey


@click.command()
@click.argument("site", metavar="FILE|FOLDER|URL")
@click.option(
    "--to",
    metavar="FOLDER|URL",
    required=True,
    help="The target: a folder, or an object store (s3://BUCKET/PREFIX, gs://…, az://CONTAINER/PREFIX).",
)
@public_key_option
@click.option("--allow-older", is_flag=True, help="Publish a snapshot over a newer one.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and how many requests that takes.")
@store_options
def publish_command(
    site: str,
    to: str,
    public_key: str | None,
    allow_older: bool,
    dry_run: bool,
    adopt: bool,
    verify: bool,
    no_lease: bool,
    lease_seconds: int,
    wait: int,
) -> None:
    """Publish a snapshot, or the folder of a build, to a folder or an object store.

    A snapshot is verified completely before anything changes. Unchanged files are kept, obsolete files that statuary
    wrote are removed, and files of others are never touched.

    Only changes are uploaded to an object store, each object with its media type, cache rule and encoding, and
    documents before the lists that name them. A lease admits one publisher at a time. The usual environment variables,
    such as AWS_ENDPOINT_URL and AWS_ACCESS_KEY_ID, give address and credentials.
    """
    options = StoreOptions(
        dry_run=dry_run,
        adopt=adopt,
        verify=verify,
        no_lease=no_lease,
        lease_seconds=lease_seconds,
        wait=wait,
    )
    if Path(site).is_dir() and not (Path(site) / MANIFEST).is_file():
        if public_key is not None:
            raise PublishingError(f"{site} is not a snapshot and has no signature", "leave out --public-key")
        publish_folder(Path(site), to, options)
    else:
        _publish_snapshot(site, to, public_key_of(public_key), options, allow_older=allow_older)
    sys.exit(ExitCode.OK)


def _publish_snapshot(
    location: str, to: str, key: "PublicKey | None", options: StoreOptions, *, allow_older: bool
) -> None:
    with read_snapshot(location) as snapshot:
        if key is not None:
            verify_manifest_signature(location, snapshot.manifest_text, snapshot.signature, key)
        if not allow_older:
            refuse_older(snapshot.manifest.origin, _published_instant(to), printable(to))
        if is_store_url(to):
            with PublishedSnapshot(snapshot) as source:
                publish_to_store(source, snapshot.manifest.origin, location, to, options)
        else:
            verify_log_grows(location, to)
            _publish_into_folder(snapshot, to, options)


def _published_instant(to: str) -> Instant | None:
    """Return the instant of the site at a target, if known."""
    if not is_store_url(to):
        noted = noted_origin(Path(to))
        return None if noted is None else noted.instant
    store = ObjectStore(to)
    ledger, manifest = store.get(INDEX), store.get(MANIFEST)
    if ledger is not None and (instant := parse_index(ledger[0]).instant):
        return parse_instant(instant)
    return None if manifest is None else parse_manifest(manifest[0]).origin.instant


def _publish_into_folder(snapshot: SnapshotReader, to: str, options: StoreOptions) -> None:
    with FolderTarget(Path(to), dry_run=options.dry_run) as publication:
        publication.offer(snapshot_documents(snapshot))
        plan = publication.plan()
        publication.ledger.add_notes(build_notes(snapshot.manifest.origin))
        apply_or_show(publication, plan, to)
