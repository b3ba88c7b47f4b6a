"""`statuary publish`: a mirror from a snapshot, by the same plan, show and apply as a build."""

import sys
from pathlib import Path

import click

from statuary.cli.amounts import changes_line, size_text
from statuary.cli.exit_codes import ExitCode
from statuary.cli.snapshot import public_key_of, public_key_option
from statuary.cli.told import told_refusals
from statuary.publishing.folder import Folder
from statuary.publishing.plan import Plan
from statuary.publishing.publication import Publication
from statuary.publishing.snapshots.documents import snapshot_documents
from statuary.publishing.snapshots.from_folder import notes_for
from statuary.publishing.snapshots.minisign import PublicKey
from statuary.publishing.snapshots.snapshot_pass import SnapshotPass, opened_pass
from statuary.publishing.snapshots.verify import required_signature


@click.command()
@click.argument("snapshot", metavar="FILE|FOLDER|URL")
@click.option(
    "--to",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="The folder to publish into.",
)
@public_key_option
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
def command(snapshot: str, to: Path, public_key: str | None, dry_run: bool) -> None:
    """Publish a snapshot into a folder.

    Every byte is verified first; nothing of the folder changes if one is wrong. What is unchanged is left as it is; what is
    stale and was written by statuary is removed; what others wrote is never touched.
    """
    with told_refusals(), opened_pass(snapshot) as opened:
        key = public_key_of(public_key)
        with Publication(Folder(to), dry_run=dry_run) as publication:
            plan = _publish(opened, publication, key)
            if dry_run:
                for change in plan.changes():
                    click.echo(str(change))
    click.echo(f"{plan.documents:,} documents, {size_text(plan.size)}, in {to}/")
    click.echo(changes_line(plan, applied=not dry_run))
    sys.exit(ExitCode.DONE)


def _publish(snapshot: SnapshotPass, publication: Publication, key: PublicKey | None) -> Plan:
    if key is not None:
        required_signature(snapshot, key)
    publication.offer(snapshot_documents(snapshot))
    plan = publication.plan()
    if not publication.dry_run:
        publication.note(notes_for(snapshot.manifest.origin))
        publication.apply()
    return plan
