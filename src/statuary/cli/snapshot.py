"""`statuary snapshot`: the whole site in one file."""

import sys
from contextlib import ExitStack
from pathlib import Path

import click

from statuary.cli.exit_codes import ExitCode
from statuary.cli.options.common_options import FILE, build_instant, content_option, now_option
from statuary.cli.options.signing_options import sign_option, signer_of
from statuary.cli.output.plain_text import changes_line, changes_lines, size_text
from statuary.cli.snapshot_diff import diff
from statuary.cli.snapshot_verify import verify
from statuary.content.git_state import GitQuery
from statuary.domain.primitives import Instant
from statuary.publishing.folder_documents import folder_documents
from statuary.publishing.snapshot_paths import MANIFEST
from statuary.snapshots.build_notes import noted_origin
from statuary.snapshots.copy import copy_snapshot, refuse_older_file
from statuary.snapshots.manifest import SiteOrigin
from statuary.snapshots.manifest_signature import Signer
from statuary.snapshots.members import is_standard_zlib
from statuary.snapshots.published_snapshot import snapshot_documents
from statuary.snapshots.site_subset import parse_site_subset
from statuary.snapshots.snapshot_reader import read_snapshot
from statuary.snapshots.snapshot_target import SnapshotTarget
from statuary.version import VERSION

only_option = click.option(
    "--only",
    multiple=True,
    metavar="PART",
    help="contracts, status, chain=ID or address-list=FILE (repeatable). Default: the whole site.",
)


allow_older_option = click.option("--allow-older", is_flag=True, help="Replace a newer snapshot.")


@click.group()
def snapshot_command() -> None:
    """Pack the whole site into one file; verify, compare and sign it.

    A snapshot is a zip that any unzip opens. The same site gives the same bytes.
    """


snapshot_command.add_command(verify)
snapshot_command.add_command(diff)


@snapshot_command.command()
@content_option
@click.option("--from", "source", metavar="FOLDER|FILE|URL", help="Pack a published site, not the content.")
@only_option
@now_option
@click.option("--revision", metavar="TEXT", help="The content's revision. Default: git's commit.")
@sign_option
@allow_older_option
@click.option("--dry-run", is_flag=True, help="Show what would change without writing it.")
@click.argument("out", type=FILE)
def create(
    content: Path,
    source: str | None,
    only: tuple[str, ...],
    now: Instant | None,
    revision: str | None,
    key: Path | None,
    allow_older: bool,
    dry_run: bool,
    out: Path,
) -> None:
    """Write a snapshot into the file OUT, a .zip."""
    subset, signer = parse_site_subset(only), signer_of(key)

    def target(origin: SiteOrigin) -> SnapshotTarget:
        return SnapshotTarget(out, origin, only=subset, signer=signer, dry_run=dry_run)

    with ExitStack() as stack:
        if source is None:
            revision = _revision(content) if revision is None else revision
            origin = SiteOrigin(instant=build_instant(now), revision=revision, statuary=VERSION)
            _build_into(content, stack.enter_context(target(origin)))
        elif (Path(source) / MANIFEST).is_file() or not Path(source).is_dir():
            if now or revision is not None:
                raise click.UsageError(f"{source} is a snapshot, which already has an instant and a revision")
            if subset.texts or dry_run:
                snapshot = stack.enter_context(read_snapshot(source))
                if not allow_older:
                    refuse_older_file(snapshot.manifest.origin, out)
                part = stack.enter_context(target(snapshot.manifest.origin))
                part.offer(snapshot_documents(snapshot, with_manifest=False))
                _publish(part)
            else:
                _copy(source, out, signer, allow_older=allow_older)
        else:
            folder = stack.enter_context(target(_origin_of_folder(Path(source), now, revision)))
            folder.offer(folder_documents(Path(source)))
            _publish(folder)


def _revision(content: Path) -> str:
    """Return the commit of a content folder, with `+` after it if it has changes; empty outside of git."""
    state = GitQuery(content).answer
    return "" if state is None else state.revision


def _build_into(content: Path, target: SnapshotTarget) -> None:
    from statuary.build.build import build_site
    from statuary.cli.output.findings_report import format_findings
    from statuary.cli.output.progress import progress
    from statuary.cli.output.summary import findings_line

    with progress() as listener:
        outcome = build_site(content, target, target.origin.instant, listener)
    if outcome.checked.all_findings:
        click.echo(format_findings(outcome.checked.all_findings, str(content), "text"), err=True)
    if outcome.plan is None:
        click.echo(f"{findings_line(outcome.checked)}; no snapshot was written", err=True)
        sys.exit(ExitCode.FINDINGS)
    _print_result(target)


def _origin_of_folder(folder: Path, now: Instant | None, revision: str | None) -> SiteOrigin:
    """Return the origin of a published folder: what its build recorded, unless it is given."""
    noted = noted_origin(folder) or SiteOrigin(instant=build_instant(now), revision="", statuary=VERSION)
    return noted._replace(
        instant=now or noted.instant, revision=noted.revision if revision is None else revision
    )


def _publish(target: SnapshotTarget) -> None:
    target.plan()
    if not target.dry_run:
        target.apply()
    _print_result(target)


def _print_result(target: SnapshotTarget) -> None:
    if target.dry_run:
        plan = target.plan()
        for line in changes_lines(plan.changes()):
            click.echo(line)
        click.echo(changes_line(plan, applied=False))
    else:
        click.echo(f"{target.out}, {size_text(target.out.stat().st_size)}")
        if not is_standard_zlib():
            click.echo(
                "this Python uses an uncommon zlib: the file's bytes differ from those of other machines, the manifest is the same"
            )
    click.echo(f"site {target.manifest_digest}")


@snapshot_command.command("sign")
@click.argument("file", type=FILE)
@click.option("--key", type=FILE, required=True, help="A minisign secret key, as `minisign -G` creates it.")
@click.option("--out", type=FILE, help="Write the signed snapshot here. Default: in place.")
def sign_command(file: Path, key: Path, out: Path | None) -> None:
    """Sign a snapshot's manifest, after verifying the snapshot.

    Minisign itself can verify it: unzip FILE snapshot/manifest.json snapshot/manifest.json.minisig, then
    minisign -Vm snapshot/manifest.json -p minisign.pub.
    """
    _copy(str(file), out or file, signer_of(key), allow_older=False)


def _copy(source: str, out: Path, signer: Signer | None, *, allow_older: bool) -> None:
    digest = copy_snapshot(source, out, signer=signer, allow_older=allow_older)
    click.echo(f"{out}: sha256 of its content {digest}")
