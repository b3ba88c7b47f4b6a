"""`statuary snapshot`: the whole site in one file."""

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from statuary.cli.exit_codes import ExitCode
from statuary.cli.options.common_options import build_instant, content_option, now_option
from statuary.cli.output.plain_text import changes_line, size_text
from statuary.content.git_state import GitQuery
from statuary.domain.primitives import Instant, parse_instant
from statuary.publishing.errors import PublishingError
from statuary.publishing.snapshot_paths import MANIFEST
from statuary.snapshots.convert import convert_snapshot
from statuary.snapshots.delta import apply_delta, write_delta
from statuary.snapshots.diff import DocumentDifference, differences
from statuary.snapshots.from_folder import folder_documents, read_build_notes
from statuary.snapshots.manifest import Manifest, SiteOrigin, manifest_digest, parse_manifest
from statuary.snapshots.members import is_standard_zlib
from statuary.snapshots.minisign import PublicKey, SecretKey, parse_public_key, parse_secret_key, sign
from statuary.snapshots.published_snapshot import snapshot_documents
from statuary.snapshots.site_subset import SiteSubset, parse_site_subset
from statuary.snapshots.snapshot_reader import read_snapshot
from statuary.snapshots.snapshot_target import Signer, SnapshotTarget
from statuary.snapshots.verify import Verification, verify_snapshot
from statuary.version import VERSION

if TYPE_CHECKING:
    from statuary.snapshots.verify_records import RecordVerifier

FILE = click.Path(path_type=Path, dir_okay=False)

public_key_option = click.option(
    "--public-key",
    metavar="FILE|KEY",
    help="The minisign public key that it must be signed with.",
)
only_option = click.option(
    "--only",
    multiple=True,
    metavar="PART",
    help="contracts, status, chain=ID or address-list=FILE (repeatable). Default: the whole site.",
)
sign_option = click.option("--sign", "key", type=FILE, help="Sign it with this minisign secret key.")


@click.group()
def command() -> None:
    """Pack the whole site into one file; verify, compare, convert and sign it.

    A snapshot is a .zip that any unzip opens, or a .tar.zst for transport. The same site gives the same bytes.
    """


@command.command()
@content_option
@click.option(
    "--from", "place", metavar="FOLDER|FILE|URL", help="Take a published site instead of the content."
)
@only_option
@now_option
@click.option("--revision", metavar="TEXT", help="The content's revision. Default: git's commit.")
@sign_option
@click.option("--dry-run", is_flag=True, help="Show what would change, and write nothing.")
@click.argument("out", type=FILE)
def create(
    content: Path,
    place: str | None,
    only: tuple[str, ...],
    now: Instant | None,
    revision: str | None,
    key: Path | None,
    dry_run: bool,
    out: Path,
) -> None:
    """Make a snapshot: OUT.zip, or OUT.tar.zst for transport."""
    with ExitStack() as stack:
        wanted, signer = parse_site_subset(only), signer_of(key)
        if place is None:
            origin = SiteOrigin(
                instant=build_instant(now),
                revision=_revision(content) if revision is None else revision,
                statuary=VERSION,
            )
            publication = SnapshotTarget(out, origin, only=wanted, signer=signer, dry_run=dry_run)
            _build_into(content, stack.enter_context(publication))
        elif (Path(place) / MANIFEST).is_file() or not Path(place).is_dir():
            if now or revision is not None:
                raise click.UsageError(f"{place} is a snapshot, which tells its own instant and revision")
            _take(place, out, wanted, signer, dry_run=dry_run)
        else:
            origin = _origin_of_folder(Path(place), now, revision)
            publication = SnapshotTarget(out, origin, only=wanted, signer=signer, dry_run=dry_run)
            stack.enter_context(publication).offer(folder_documents(Path(place)))
            _publish(publication)


def _revision(content: Path) -> str:
    """Return the commit of a content folder, with `+` after it if it has changes; empty outside of git."""
    state = GitQuery(content).answer
    return "" if state is None else state.revision


def _build_into(content: Path, publication: SnapshotTarget) -> None:
    from statuary.build.build import build_site
    from statuary.cli.output.findings_report import format_findings
    from statuary.cli.output.progress import progress
    from statuary.cli.output.summary import findings_line

    with progress() as announcer:
        outcome = build_site(content, publication, publication.origin.instant, announcer)
    if outcome.checked.all_findings:
        click.echo(format_findings(outcome.checked.all_findings, str(content), "text"), err=True)
    if outcome.plan is None:
        click.echo(f"{findings_line(outcome.checked)}; no snapshot was made.", err=True)
        sys.exit(ExitCode.FINDINGS)
    _say_made(publication)


def _take(place: str, out: Path, only: SiteSubset, signer: Signer | None, *, dry_run: bool) -> None:
    """Make a snapshot of a snapshot."""
    if not only.texts and not dry_run:
        digest = convert_snapshot(place, out, signer=signer)
        click.echo(f"{out}: sha256 of its content {digest}")
        return
    with read_snapshot(place) as snapshot:
        publication = SnapshotTarget(out, snapshot.manifest.origin, only=only, signer=signer, dry_run=dry_run)
        with publication:
            publication.offer(snapshot_documents(snapshot, with_manifest=False))
            _publish(publication)


def _origin_of_folder(folder: Path, now: Instant | None, revision: str | None) -> SiteOrigin:
    """Return where a published folder comes from: what its build noted, over which what is given goes."""
    notes = read_build_notes(folder)
    noted = parse_instant(notes.instant) if notes.instant else None
    return SiteOrigin(
        instant=now or noted or build_instant(None),
        revision=notes.revision if revision is None else revision,
        statuary=notes.statuary or VERSION,
    )


def _publish(publication: SnapshotTarget) -> None:
    publication.plan()
    if not publication.dry_run:
        publication.apply()
    _say_made(publication)


def _say_made(publication: SnapshotTarget) -> None:
    plan = publication.plan() if publication.dry_run else None
    if plan is not None:
        for change in plan.changes():
            click.echo(str(change))
        click.echo(changes_line(plan, applied=False))
    else:
        click.echo(f"{publication.out}, {size_text(publication.out.stat().st_size)}")
        if not is_standard_zlib():
            click.echo(
                "this Python's zlib packs into other bytes than most do; the site's identity is the same"
            )
    click.echo(f"site {publication.manifest_digest}")


@command.command()
@click.argument("place", metavar="FILE|FOLDER|URL")
@public_key_option
@click.option("--against", metavar="SNAPSHOT", help="Believe this snapshot's manifest instead of its own.")
@click.option("--prove", "proving", is_flag=True, help="Prove every record in it, as a build does.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def verify(place: str, public_key: str | None, against: str | None, proving: bool, form: str) -> None:
    """Hold every byte of a snapshot, folder or site against its manifest, and that against its signature.

    Exit codes: 0 whole; 1 something is wrong; 3 it is no snapshot, or broken off.
    """
    prover = _prover() if proving else None
    key = public_key_of(public_key)
    verification = verify_snapshot(place, public_key=key, against=against, examine=prover)
    click.echo(
        json.dumps(_as_json(verification, prover))
        if form == "json"
        else "\n".join(_lines(verification, prover))
    )
    failed = not verification.is_whole or (prover is not None and prover.refused)
    sys.exit(ExitCode.FINDINGS if failed else ExitCode.OK)


def _prover() -> "RecordVerifier":
    from statuary.snapshots.verify_records import RecordVerifier

    return RecordVerifier()


def _lines(verification: Verification, prover: "RecordVerifier | None") -> Iterator[str]:
    yield from verification.problems
    if prover is not None:
        for finding in prover.errors:
            yield f"{finding.path}: {finding.severity}: {finding.message} [{finding.rule}]"
    manifest = verification.manifest
    yield f"{verification.whole:,} of {manifest.documents:,} documents are whole, {size_text(manifest.size)}"
    yield from _origin_lines(manifest)
    if verification.signature is not None:
        yield f"signed with key {verification.signed_by} ({verification.signature.comment})"
    elif verification.signed_by:
        yield f"signed with key {verification.signed_by}, not looked at without --public-key"
    else:
        yield "not signed"
    if verification.lacks_other_names:
        yield "second names are absent, as after unzip: statuary publish makes a folder with them"
    if prover is not None:
        yield f"{prover.proved:,} records proved, {prover.refused:,} refused"
    yield f"site {verification.manifest_digest}"


def _origin_lines(manifest: Manifest) -> Iterator[str]:
    origin = manifest.origin
    part = f"; only {', '.join(origin.only)}" if origin.only else ""
    revision = f", content {origin.revision}" if origin.revision else ""
    yield f"as of {origin.instant.isoformat()}, built by statuary {origin.statuary}{revision}{part}"


def _as_json(verification: Verification, prover: "RecordVerifier | None") -> dict[str, object]:
    origin = verification.manifest.origin
    value: dict[str, object] = {
        "whole": verification.is_whole,
        "site": verification.manifest_digest,
        "documents": verification.manifest.documents,
        "wholeDocuments": verification.whole,
        "problems": verification.problems,
        "instant": origin.instant.isoformat(),
        "revision": origin.revision,
        "statuary": origin.statuary,
        "only": origin.only,
        "signedBy": verification.signed_by or None,
        "signatureVerified": verification.signature is not None,
    }
    if prover is not None:
        value |= {"proved": prover.proved, "refused": prover.refused}
        value["errors"] = [{"path": f.path, "rule": f.rule, "message": f.message} for f in prover.errors]
    return value


@command.command()
@click.argument("before", metavar="BEFORE")
@click.argument("after", metavar="AFTER")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--delta", type=FILE, help="Write what turns BEFORE into AFTER into this file (both .zip).")
def diff(before: str, after: str, form: str, delta: Path | None) -> None:
    """Say what changed from one snapshot, folder or site to another."""
    with read_snapshot(before) as old, read_snapshot(after) as new:
        ends = {
            "from": manifest_digest(old.manifest_member.body),
            "to": manifest_digest(new.manifest_member.body),
        }
        changes = differences(old.entries(), new.entries())
        if form == "json":
            click.echo(json.dumps({**ends, "changes": [_difference(change) for change in changes]}))
        else:
            for change in changes:
                click.echo(str(change.change))
            for line in _changed_origin(old.manifest, new.manifest):
                click.echo(line)
        if delta is not None:
            write_delta(Path(before), Path(after), delta)
            click.echo(f"{delta}, {size_text(delta.stat().st_size)}", err=True)


def _difference(difference: DocumentDifference) -> dict[str, object]:
    return {
        "action": difference.action,
        "path": difference.path,
        "before": difference.before._asdict() if difference.before else None,
        "after": difference.after._asdict() if difference.after else None,
    }


def _changed_origin(before: Manifest, after: Manifest) -> Iterator[str]:
    old, new = before.origin._asdict(), after.origin._asdict()
    changed = {name: value for name, value in new.items() if value != old[name]}
    for name, value in changed.items():
        yield f"{name}: {_spelled(old[name])} -> {_spelled(value)}"
    if before == after:
        yield "the same site"


def _spelled(value: object) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    return ", ".join(value) if isinstance(value, tuple) else str(value) or "-"


@command.command()
@click.argument("before", type=FILE)
@click.argument("delta", type=FILE)
@click.argument("out", type=FILE)
def apply(before: Path, delta: Path, out: Path) -> None:
    """Make the snapshot that DELTA makes of BEFORE, byte for byte, as OUT."""
    digest = apply_delta(before, delta, out)
    click.echo(f"{out}: sha256 of its content {digest}")


@command.command()
@click.argument("place", metavar="FILE|FOLDER|URL")
@click.argument("out", type=FILE)
def convert(place: str, out: Path) -> None:
    """Write a snapshot in the other form: .zip to .tar.zst, or back. It is verified on the way."""
    digest = convert_snapshot(place, out)
    click.echo(f"{out}: sha256 of its content {digest}")


@command.command("sign")
@click.argument("file", type=FILE)
@click.option("--key", type=FILE, required=True, help="A minisign secret key (`minisign -G` makes one).")
@click.option("--out", type=FILE, help="Write the signed snapshot here. Default: in place.")
def sign_command(file: Path, key: Path, out: Path | None) -> None:
    """Sign a snapshot's manifest. It is verified on the way.

    Anyone verifies it with the standard tool: unzip FILE snapshot/manifest.json snapshot/manifest.json.minisig, then
    minisign -Vm snapshot/manifest.json -p minisign.pub.
    """
    digest = convert_snapshot(str(file), out or file, signer=signer_of(key))
    click.echo(f"{out or file}: sha256 of its content {digest}")


def signer_of(file: Path | None) -> Signer | None:
    """Return what signs manifests with a secret key; None without a key.

    The trusted comment tells the instant of the site, not that of signing, so that the same site signed with the same
    key is the same file.
    """
    if file is None:
        return None
    key = _secret_key(file)

    def signer(manifest: bytes) -> bytes:
        instant = parse_manifest(manifest).origin.instant
        comment = f"timestamp:{int(instant.timestamp())}\tfile:{Path(MANIFEST).name}\thashed"
        return sign(manifest, key, comment)

    return signer


def _secret_key(file: Path) -> SecretKey:
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PublishingError(f"the key {file} cannot be read: {error}") from None
    return parse_secret_key(text, lambda: str(click.prompt("Password of the key", hide_input=True, err=True)))


def public_key_of(text: str | None) -> PublicKey | None:
    """Return the public key that a text is, or that the file it names holds."""
    if text is None:
        return None
    file = Path(text)
    return parse_public_key(file.read_text("utf-8") if file.is_file() else text)
