"""Make, verify and read snapshots (`statuary snapshot`, `statuary extract`)."""

import json
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, nullcontext, suppress
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path

import click

from statuary.base.files import MANIFEST, PublishingError, is_manifest_path
from statuary.base.primitives import (
    Instant,
    InvalidValueError,
    count_text,
    format_utc,
    parse_address,
    parse_chain_id,
)
from statuary.cli.changed_files import print_changed_files
from statuary.cli.escape import escape_control_chars
from statuary.cli.exit_codes import ExitCode
from statuary.cli.findings_report import format_findings
from statuary.cli.options import FILE, build_instant, content_option, now_option, text_or_json_option
from statuary.cli.outcome_report import exit_code_of, outcome_line
from statuary.cli.output import (
    case_insensitive_disk_warning,
    change_counts_line,
    changed_file_lines,
    format_size,
    show_progress,
)
from statuary.cli.summary import finding_counts_line
from statuary.contracts import urls as contract_urls
from statuary.engine.build import build_site
from statuary.extensions.snapshots.differences import Difference, find_differences
from statuary.extensions.snapshots.manifest_signature import Signer
from statuary.extensions.snapshots.options import public_key_option, read_public_key, read_signer, sign_option
from statuary.extensions.snapshots.site_reader import SiteReader, open_site
from statuary.extensions.snapshots.site_subset import parse_site_subset
from statuary.extensions.snapshots.snapshot_reader import (
    SnapshotReader,
    iter_snapshot_documents,
    read_snapshot,
)
from statuary.extensions.snapshots.snapshot_target import (
    SnapshotTarget,
    copy_snapshot,
    refuse_older_than_file,
)
from statuary.extensions.snapshots.verify import RecordVerifier, Verification, verify_snapshot
from statuary.extensions.snapshots.zip_format import uses_standard_zlib
from statuary.publish.folder.built_site import has_intact_listing, recorded_origin
from statuary.publish.folder.changed_files import LedgerFolder
from statuary.publish.folder.reader import folder_documents
from statuary.publish.listing import Entry, require_document_path
from statuary.publish.manifest import Manifest, manifest_digest
from statuary.publish.origin import SiteOrigin
from statuary.publish.outcome import ALL_PUBLISHED, Outcome
from statuary.site.document import Document
from statuary.source.git_state import GitQuery
from statuary.system.writing import create_file
from statuary.version import VERSION


@click.command("diff")
@click.argument("before", metavar="BEFORE")
@click.argument("after", metavar="AFTER")
@text_or_json_option
def diff_command(before: str, after: str, output_format: str) -> None:
    """Compare two snapshots, folders or sites.

    The command verifies every byte of both before it compares them.

    Exit codes: 0 compared; 3 one of them is damaged or cannot be read.
    """
    with read_snapshot(before) as old, read_snapshot(after) as new:
        ends = {"from": manifest_digest(old.manifest_text), "to": manifest_digest(new.manifest_text)}
        changes = find_differences(_iter_verified_entries(old), _iter_verified_entries(new))
        if output_format == "json":
            click.echo(json.dumps({**ends, "changes": [_encode_difference(change) for change in changes]}))
        else:
            for line in changed_file_lines(change.planned_change for change in changes):
                click.echo(line)
            for line in _describe_origin_changes(old.manifest, new.manifest):
                click.echo(line)


def _iter_verified_entries(snapshot: SnapshotReader) -> Iterator[Entry]:
    """Verify the documents, and yield path, size and digest of each."""
    return (entry for entry, _ in snapshot.documents())


def _encode_difference(difference: Difference) -> dict[str, object]:
    return {
        "action": difference.action,
        "path": difference.entry.path,
        "before": _encode_manifest_entry(difference.before),
        "after": _encode_manifest_entry(difference.after),
    }


def _encode_manifest_entry(entry: Entry | None) -> dict[str, object] | None:
    return None if entry is None else dict(zip(Entry._fields[:5], entry[:5], strict=True))


def _describe_origin_changes(before: Manifest, after: Manifest) -> Iterator[str]:
    old = before.origin._asdict()
    for name, value in after.origin._asdict().items():
        if value != old[name]:
            yield escape_control_chars(
                f"{name}: {_format_origin_member(old[name])} -> {_format_origin_member(value)}"
            )
    if before == after:
        yield "the same site"


def _format_origin_member(member_value: object) -> str:
    if isinstance(member_value, datetime):
        return member_value.astimezone(UTC).isoformat()
    return ", ".join(member_value) if isinstance(member_value, tuple) else str(member_value) or "-"


@click.command()
@click.argument("location", metavar="FILE|FOLDER|URL")
@public_key_option
@click.option(
    "--against",
    metavar="SNAPSHOT",
    help="Compare the files with the manifest (the list of digests) of this snapshot. Default: the site's own manifest.",
)
@click.option(
    "--prove", "proving", is_flag=True, help="Also verify every contract record of the site, as a build does."
)
@text_or_json_option
def verify(
    location: str, public_key: str | None, against: str | None, proving: bool, output_format: str
) -> None:
    """Check every byte of a snapshot, folder or site.

    The command compares each file with its digest in the site's manifest. With --public-key, it also verifies the
    manifest's signature.

    Exit codes: 0 intact; 1 a file is damaged; 3 this is not a snapshot, or it is truncated.
    """
    key = read_public_key(public_key)
    with RecordVerifier() if proving else nullcontext() as records:
        verification = verify_snapshot(location, public_key=key, against=against, inspect=records)
    if output_format == "json":
        click.echo(json.dumps(_encode_verification(verification, records)))
    else:
        click.echo("\n".join(_describe_verification(verification, records)))
    failed = not verification.is_intact or (records is not None and records.errors)
    sys.exit(ExitCode.FINDINGS if failed else ExitCode.OK)


def _describe_verification(
    verification: Verification, record_verifier: RecordVerifier | None
) -> Iterator[str]:
    yield from map(escape_control_chars, verification.problems)
    if record_verifier is not None:
        for finding in record_verifier.errors:
            yield escape_control_chars(
                f"{finding.path}: {finding.severity}: {finding.message} [{finding.rule}]"
            )
    manifest = verification.manifest
    yield f"{verification.matching_count:,} of {manifest.documents:,} documents are whole, {format_size(manifest.size)}"
    origin = manifest.origin
    part = f"; only {', '.join(origin.only)}" if origin.only else ""
    revision = f", content {origin.revision}" if origin.revision else ""
    yield escape_control_chars(
        f"as of {format_utc(origin.instant)}, built by statuary {origin.statuary}{revision}{part}"
    )
    if verification.signature is not None:
        yield escape_control_chars(
            f"signed with key {verification.signed_by} ({verification.signature.trusted_comment})"
        )
    elif verification.signed_by:
        yield f"signed with key {verification.signed_by}; give --public-key to verify the signature"
    else:
        yield "not signed"
    if verification.lacks_aliases:
        yield "lower-case addresses are missing, as after unzip; `statuary publish` writes both"
    if record_verifier is not None:
        admitted = (
            f", {record_verifier.disclosed_failure_count:,} contradicted, as their proofs say"
            if record_verifier.disclosed_failure_count
            else ""
        )
        yield f"{record_verifier.verified:,} records verified, {record_verifier.undisclosed_failure_count:,} rejected{admitted}"
        on_chain, deployed = record_verifier.anchors.counts.values()
        yield f"the chain's own proofs show the code of {on_chain:,} and the deployment of {deployed:,}"
    yield f"site {verification.manifest_digest}"


def _encode_verification(
    verification: Verification, record_verifier: RecordVerifier | None
) -> dict[str, object]:
    origin = verification.manifest.origin
    value: dict[str, object] = {
        "whole": verification.is_intact,
        "site": verification.manifest_digest,
        "documents": verification.manifest.documents,
        "wholeDocuments": verification.matching_count,
        "problems": verification.problems,
        "instant": origin.instant.isoformat(),
        "revision": origin.revision,
        "statuary": origin.statuary,
        "only": origin.only,
        "signedBy": verification.signed_by or None,
        "signatureVerified": verification.signature is not None,
    }
    if record_verifier is not None:
        value |= {
            "proved": record_verifier.verified,
            "refused": record_verifier.undisclosed_failure_count,
            "contradicted": record_verifier.disclosed_failure_count,
        }
        value |= {claim.value: number for claim, number in record_verifier.anchors.counts.items()}
        value["errors"] = [
            {"path": f.path, "rule": f.rule, "message": f.message} for f in record_verifier.errors
        ]
    return value


only_option = click.option(
    "--only",
    multiple=True,
    metavar="PART",
    help="Include only this part of the site: contracts, status, chain=ID or address-list=FILE (repeatable). Default: the whole site.",
)


allow_older_option = click.option(
    "--allow-older", is_flag=True, help="Replace the existing snapshot even if it is newer. Default: fail."
)


@click.group()
def snapshot_command() -> None:
    """Pack the whole site into one file; verify, compare and sign it.

    A snapshot is a zip file with all files of the site. The same site always gives the same bytes.
    """


snapshot_command.add_command(verify)
snapshot_command.add_command(diff_command)


@snapshot_command.command()
@content_option
@click.option(
    "--from",
    "source",
    metavar="FOLDER|FILE|URL",
    help="Make the snapshot of this published site. Default: build the content, and use the result.",
)
@only_option
@now_option
@click.option(
    "--revision",
    metavar="REVISION",
    help="Record this revision of the content in the manifest. Default: the git commit of the content.",
)
@sign_option
@allow_older_option
@click.option("--dry-run", is_flag=True, help="Print what would change, and write nothing.")
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
    """Pack the site into a snapshot, the zip file OUT."""
    subset, signer = parse_site_subset(only), read_signer(key)
    outcome = ALL_PUBLISHED

    def target(origin: SiteOrigin) -> SnapshotTarget:
        return SnapshotTarget(out, origin, only=subset, signer=signer, dry_run=dry_run)

    with ExitStack() as stack:
        if source is None:
            revision = _read_content_revision(content) if revision is None else revision
            origin = SiteOrigin(instant=build_instant(now), revision=revision, statuary=VERSION)
            outcome = _build_site_into(content, stack.enter_context(target(origin)))
        elif _has_snapshot_manifest(Path(source)):
            if now or revision is not None:
                raise click.UsageError(f"{source} is a snapshot, which already has an instant and a revision")
            if subset.texts or dry_run:
                snapshot = stack.enter_context(read_snapshot(source))
                if not allow_older:
                    refuse_older_than_file(snapshot.manifest.origin, out)
                part = stack.enter_context(target(snapshot.manifest.origin))
                part.add(iter_snapshot_documents(snapshot, with_manifest=False))
                _apply_and_report(part)
            else:
                _copy_snapshot(source, out, signer, allow_older=allow_older)
        else:
            folder = stack.enter_context(target(_make_folder_origin(Path(source), now, revision)))
            folder.add(_iter_folder_documents(Path(source)))
            _apply_and_report(folder)
            print_changed_files(Path(source))
    if line := outcome_line(outcome, applied=not dry_run):
        click.echo(line)
    sys.exit(exit_code_of(outcome))


def _iter_folder_documents(folder: Path) -> Iterator[Document]:
    """Yield the documents of a folder, without its manifest.

    A snapshot gets a new manifest.
    """
    return (document for document in folder_documents(folder) if not is_manifest_path(document.path))


def _has_snapshot_manifest(source: Path) -> bool:
    """Return whether a source is a published site with its own manifest.

    The folder of a build has no such manifest.
    """
    if not source.is_dir():
        return True
    with closing(LedgerFolder(source)) as folder:
        return folder.read(MANIFEST) is not None and not has_intact_listing(source)


def _read_content_revision(content: Path) -> str:
    """Return a content folder's commit, with `+` if it was changed.

    Returns:
        The commit; empty outside of git.
    """
    state = GitQuery(content).wait_for_state
    return "" if state is None else state.revision


def _build_site_into(content: Path, target: SnapshotTarget) -> Outcome:
    with show_progress() as progress:
        result = build_site(content, target, target.origin.instant, progress)
    if result.checked.all_findings:
        click.echo(format_findings(result.checked.all_findings, str(content), "text"), err=True)
    if result.plan is None:
        click.echo(f"{finding_counts_line(result.checked)}; no snapshot was written", err=True)
    else:
        _print_snapshot_summary(target)
    return result.outcome


def _make_folder_origin(folder: Path, now: Instant | None, revision: str | None) -> SiteOrigin:
    origin = recorded_origin(folder) or SiteOrigin(instant=build_instant(now), revision="", statuary=VERSION)
    return origin._replace(
        instant=now or origin.instant, revision=origin.revision if revision is None else revision
    )


def _apply_and_report(target: SnapshotTarget) -> None:
    target.plan()
    if not target.dry_run:
        target.apply()
    _print_snapshot_summary(target)


def _print_snapshot_summary(target: SnapshotTarget) -> None:
    if target.dry_run:
        plan = target.plan()
        for line in changed_file_lines(plan.changes()):
            click.echo(line)
        click.echo(change_counts_line(plan, applied=False))
    else:
        click.echo(f"{target.out}, {format_size(target.out.stat().st_size)}")
        if not uses_standard_zlib():
            click.echo(
                "this Python uses an uncommon zlib: the file's bytes differ from those of other machines, but the manifest is the same"
            )
    click.echo(f"site {target.manifest_digest}")


@snapshot_command.command("sign")
@click.argument("file", type=FILE)
@click.option(
    "--key",
    type=FILE,
    required=True,
    help="Sign with the minisign secret key in this file. `minisign -G` creates one.",
)
@click.option(
    "--out", type=FILE, help="Write the signed snapshot to this file. Default: sign the snapshot in place."
)
def sign_command(file: Path, key: Path, out: Path | None) -> None:
    """Sign a snapshot's manifest, after verifying the snapshot.

    Readers can verify the signature without statuary, with the program minisign: `unzip FILE snapshot/manifest.json
    snapshot/manifest.json.minisig`, then `minisign -Vm snapshot/manifest.json -p minisign.pub`.
    """
    _copy_snapshot(str(file), out or file, read_signer(key), allow_older=False)


def _copy_snapshot(source: str, out: Path, signer: Signer | None, *, allow_older: bool) -> None:
    digest = copy_snapshot(source, out, signer=signer, allow_older=allow_older)
    click.echo(f"{out}: sha256 of its content {digest}")


WILDCARD = re.compile(r"[*?\[]")


@click.command()
@click.argument("location", metavar="FILE|FOLDER|URL")
@click.argument("wanted", nargs=-1, metavar="[WHAT]...")
@click.option(
    "--to",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write the documents into this folder. Default: print the document.",
)
@click.option("--list", "listing", is_flag=True, help="Print only the paths of the documents.")
@public_key_option
def extract_command(
    location: str, wanted: tuple[str, ...], to: Path | None, listing: bool, public_key: str | None
) -> None:
    """Read documents from a snapshot, a folder or a URL.

    WHAT is the path of a document (api/v2/summary.json), a contract (CHAIN/ADDRESS), or a pattern
    ('v2/contract/1/*'). The command prints one document. To read several, add --to FOLDER.

    If the site has a manifest (a list of its files with their digests), the command checks every document against
    the manifest before it writes anything.
    """
    with open_site(location, read_public_key(public_key)) as site:
        paths = _expand_arguments(site, wanted or ("*",))
        if Path(location).is_dir() and (listing or to is not None):
            print_changed_files(Path(location))
        if listing:
            for path in paths:
                click.echo(escape_control_chars(path))
        elif to is not None:
            written_count = _extract_documents(site, paths, to)
            click.echo(
                f"{count_text(written_count, 'document')} written to {escape_control_chars(str(to))}/",
                err=True,
            )
            other_case = to.with_name(to.name.swapcase())
            if other_case.exists() and other_case not in other_case.parent.iterdir():
                click.echo(case_insensitive_disk_warning(escape_control_chars(str(to))), err=True)
        else:
            _print_single_document(site, list(paths))
    sys.exit(ExitCode.OK)


def _expand_arguments(site: SiteReader, arguments: Iterable[str]) -> Iterator[str]:
    """Yield the paths that arguments name, and those that match their patterns."""
    patterns = [what for what in arguments if WILDCARD.search(what)]
    for what in arguments:
        if what not in patterns:
            yield _parse_contract_argument(what) or what.strip("/")
    if patterns:
        yield from (path for path in site.paths() if _matches_any_pattern(path, patterns))


def _matches_any_pattern(path: str, patterns: Iterable[str]) -> bool:
    return not is_manifest_path(path) and any(fnmatchcase(path, pattern) for pattern in patterns)


def _parse_contract_argument(argument: str) -> str | None:
    """Return the path of the contract that an argument names as CHAIN/ADDRESS.

    Returns:
        The path, or None if the argument is something else.
    """
    chain, _, address = argument.partition("/")
    try:
        return contract_urls.CONTRACT.path(chain_id=parse_chain_id(chain), address=parse_address(address))
    except InvalidValueError:
        return None


def _print_single_document(site: SiteReader, document_paths: list[str]) -> None:
    if len(document_paths) != 1:
        raise PublishingError(
            f"{len(document_paths):,} documents match",
            "choose one of them, or use --to to write all into a folder",
        )
    sys.stdout.buffer.write(_read_document(site, document_paths[0]))


def _read_document(site: SiteReader, path: str) -> bytes:
    body = site.read(path)
    if body is None:
        raise PublishingError(
            f"{site.source.name} has no document {path}",
            "list the documents of the site with `statuary extract --list`",
        )
    return body


def _extract_documents(site: SiteReader, paths: Iterable[str], output_folder: Path) -> int:
    """Write documents below a folder, after reading all of them.

    Returns:
        The number of documents.

    Raises:
        PublishingError: if a document is missing or cannot be written.
    """
    count = 0
    try:
        parent = output_folder.absolute().parent
        parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{output_folder.name}-", dir=parent) as staging:
            staged = Path(staging)
            for path in paths:
                file = _require_inside_folder(output_folder, require_document_path(path))
                waits = staged / file.relative_to(output_folder)
                waits.parent.mkdir(parents=True, exist_ok=True)
                # On a file system that ignores case, this file exists already if the site has another path
                # that differs only in case.
                with suppress(FileExistsError):
                    create_file(waits, _read_document(site, path))
                count += 1
            _move_staged_files(staged, output_folder)
    except OSError as error:
        raise PublishingError(
            f"{error.filename or output_folder} cannot be written: {error.strerror}"
        ) from None
    return count


def _require_inside_folder(output_folder: Path, document_file: str) -> Path:
    file = output_folder / document_file
    if not file.resolve().is_relative_to(output_folder.resolve()):
        raise PublishingError(
            f"{file} leads out of {output_folder} through a symbolic link",
            "remove the link, or choose another folder with --to",
        )
    return file


def _move_staged_files(staging_folder: Path, output_folder: Path) -> None:
    for parent, _, names in os.walk(staging_folder):
        target = output_folder / Path(parent).relative_to(staging_folder)
        target.mkdir(parents=True, exist_ok=True)
        for name in names:
            Path(parent, name).replace(target / name)
