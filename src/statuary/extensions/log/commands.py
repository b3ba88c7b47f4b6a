"""`statuary log`: keys, proofs, history and verification of a log."""

import os
import sys
from pathlib import Path
from typing import NamedTuple

import click

from statuary.base.clock import utc_now
from statuary.base.files import MANIFEST, PublishingError
from statuary.base.primitives import count_text
from statuary.base.progress import report_stage
from statuary.cli.escape import escape_control_chars, print_error
from statuary.cli.exit_codes import ExitCode
from statuary.cli.options import FILE, content_option, out_option, read_key_file, with_options
from statuary.cli.output import show_progress
from statuary.extensions.log.entries import EntryKind, NumberedEntry, verify_proved_document
from statuary.extensions.log.key_changes import ROTATION, KeyChange, sign_key_change, write_key_change
from statuary.extensions.log.key_files import (
    make_existing_key_error,
    refuse_existing_key,
    refuse_key_in_content,
    refuse_url_as_log_name,
)
from statuary.extensions.log.known_logs import (
    EarlierCheckpoint,
    KnownLog,
    choose_verification_key,
    has_known_key,
    load_known_heads,
    read_earlier_checkpoint,
    refuse_other_log,
    save_log_state,
    verify_earlier_checkpoint,
)
from statuary.extensions.log.merkle import LogError, ReadPath
from statuary.extensions.log.notes import (
    LARGEST_NOTE,
    Checkpoint,
    PrivateKey,
    PublicKey,
    generate_log_key,
    parse_private_key,
    verify_checkpoint,
)
from statuary.extensions.log.options import (
    KEY_VARIABLE,
    make_site_reader,
    public_log_key_option,
    read_public_key,
)
from statuary.extensions.log.published_log import (
    EXAMPLE,
    PublishedLog,
    TreeHead,
    open_log,
    read_log_settings,
)
from statuary.extensions.log.resume import (
    EMPTY,
    MIN_HEAD_FILE,
    read_log_floor_file,
    require_no_published_entries,
    write_log_floor_file,
)
from statuary.extensions.log.verify import (
    DocumentCheck,
    SiteCheck,
    find_contract_or_incident_at,
    list_entries_about,
    make_proof_file,
    require_log_at,
)
from statuary.extensions.log.witnesses import (
    add_cosignatures,
    describe_missing_cosignatures,
    make_cosignature_request,
    parse_last_cosigned_size,
    verify_cosignature_response,
    verify_witnesses,
)
from statuary.extensions.snapshots.site_reader import ManifestIndex, UrlSource, open_site
from statuary.publish.folder.folder_target import FolderTarget
from statuary.publish.folder.reader import walk_everything
from statuary.source.git_ignore import ignore_file
from statuary.system.files import MAX_FILE, read_named_file
from statuary.system.network.client import HttpResponse, UnreachableError, is_archive_url, is_url, send
from statuary.system.writing import create_file, replace_file

LARGEST_ANSWER = 100_000

quorum_option = click.option(
    "--quorum",
    metavar="N",
    type=click.IntRange(0),
    default=0,
    help="Fail unless at least this many witnesses have cosigned the checkpoint.",
)
witness_key_options = with_options(
    click.option(
        "--witness",
        "witnesses",
        multiple=True,
        metavar="KEY",
        help="Accept cosignatures of the witness with this public key (repeatable).",
    ),
    quorum_option,
)


@click.command()
@click.argument("urls", metavar="[KEY URL]...", nargs=-1)
@out_option
@quorum_option
def witness(urls: tuple[str, ...], out: Path, quorum: int) -> None:
    """Ask witnesses to sign the latest state of a site's log.

    A witness is an independent service that cosigns a checkpoint (the signed state of a log), but only if the
    checkpoint continues the log that the witness has seen. KEY is the public key of the witness, and URL its address.
    Without arguments, the command asks the witnesses in site.yaml.

    The command adds the cosignatures to the checkpoint and the proofs in the folder. Publish the folder again afterwards.

    Exit codes: 0 at least --quorum witnesses have signed (default: `quorum` in site.yaml); 1 fewer have signed.
    """
    if len(urls) % 2:
        raise click.UsageError("name each witness by both its key and its URL")
    with FolderTarget(out) as target:
        log = require_log_at(open_log(str(out), target.read_published, None), str(out))
        settings = read_log_settings(target.read_published)
        witness_list = tuple(zip(urls[::2], urls[1::2], strict=True)) or (
            settings.witnesses if settings else ()
        )
        if not witness_list:
            raise click.UsageError(
                "the site has no witnesses; list each with its key and URL under `log` in site.yaml or site.json"
            )
        cosignatures: dict[PublicKey, str] = {}
        for key, url in witness_list:
            cosigned = _request_cosignature(log, read_public_key(key, b"\4"), url)
            cosignatures |= cosigned
        add_cosignatures(target, log, cosignatures.values())
    needed = quorum or (settings.quorum if settings else 0) or len(witness_list)
    click.echo(
        f"{len(cosignatures)} of {len(witness_list)} witnesses have cosigned {log.head.size:,} entries; {needed} are required"
    )
    sys.exit(ExitCode.OK if len(cosignatures) >= needed else ExitCode.FINDINGS)


def _request_cosignature(log: PublishedLog, key: "PublicKey", witness_url: str) -> "dict[PublicKey, str]":
    try:
        response = _post_cosignature_request(witness_url, make_cosignature_request(log, 0))
        if response.status == 409:  # the witness has cosigned this log before, and returns its size
            response = _post_cosignature_request(
                witness_url, make_cosignature_request(log, parse_last_cosigned_size(response.body))
            )
        line = verify_cosignature_response(log, key, response.status, response.body)
    except (LogError, UnreachableError) as error:
        click.echo(escape_control_chars(f"{key.name}, {witness_url}: {error}"), err=True)
        return {}
    click.echo(escape_control_chars(f"{key.name}, {witness_url}: cosigned"))
    return {key: line}


def _post_cosignature_request(witness_url: str, request_body: bytes) -> HttpResponse:
    headers = {"Content-Type": "text/plain; charset=utf-8"}
    target = f"{witness_url.rstrip('/')}/add-checkpoint"
    return send(target, "POST", body=request_body, headers=headers, limit=LARGEST_ANSWER)


def verify_and_print_witnesses(checkpoint: Checkpoint, witnesses: tuple[str, ...], quorum: int) -> None:
    """Verify the cosignatures of a checkpoint, and print who has signed.

    Args:
        witnesses: the public keys of the known witnesses, each as text or as the name of a file.
        quorum: the number of witnesses that must have cosigned.

    Raises:
        LogError: if fewer witnesses have cosigned, or a cosignature is invalid.
    """
    keys = [read_public_key(witness, b"\4") for witness in witnesses]
    for key in verify_witnesses(checkpoint, keys, quorum):
        click.echo(escape_control_chars(f"cosigned by {key.name}"))


SHOWN = 50
"""The largest number of problems, and of paths in a line, that are printed."""


@click.command()
@click.argument("location", metavar="URL|FOLDER|SNAPSHOT", default="build")
@click.option(
    "--since",
    type=FILE,
    help="Verify only what changed since the checkpoint (the signed state of a log) in this file, and that the log continues it.",
)
@public_log_key_option
@witness_key_options
@click.option(
    "--forget",
    is_flag=True,
    help="Don't compare the log with the checkpoint that the last `log verify` saved, and don't save one.",
)
def verify(
    location: str,
    since: Path | None,
    public_key: str | None,
    witnesses: tuple[str, ...],
    quorum: int,
    forget: bool,
) -> None:
    """Verify the log of a site, and every file against it.

    The command also checks that the log continues the one that you verified before. It remembers each log's key and
    last checkpoint (the signed state of the log) in ~/.local/state/statuary, or in the folder STATUARY_STATE.

    With --since FILE, the command checks only what has changed since the checkpoint in FILE: new entries, the entries
    that they replace, and their records, proofs and incidents. It does not find a change of any other file.

    Exit codes: 0 verified; 1 something does not match the log; 3 the site cannot be read.
    """
    try:
        earlier = read_earlier_checkpoint(since)
        opened = _open_log(location, public_key, earlier)
        log, key, read_path, changes = opened
        if public_key is None and not forget:
            refuse_other_log(location, key, changes)
        # Many unrelated logs have the public example key, so do not compare such a log with an earlier one.
        forget = forget or EXAMPLE in key.name
        _verify_log_growth(opened, earlier, ignore_stored=forget)
        verify_and_print_witnesses(log.checkpoint, witnesses, quorum)
        if earlier is None:
            result = _check_all_documents(opened, location)
        else:
            result = _check_changes_since(opened, earlier, location)
        if not witnesses and (
            fault := describe_missing_cosignatures(log.checkpoint, read_log_settings(read_path))
        ):
            result.problems.append(fault)
    except LogError as error:
        print_error(error)
        sys.exit(ExitCode.FINDINGS)
    _echo_check_result(result)
    if not forget:
        save_log_state(KnownLog(key, log.head), location, changes)
    sys.exit(ExitCode.OK if result.all_files_match else ExitCode.FINDINGS)


def _echo_check_result(result: DocumentCheck) -> None:
    for problem in result.problems[:SHOWN]:
        click.echo(escape_control_chars(problem), err=True)
    if len(result.problems) > SHOWN:
        click.echo(f"and {len(result.problems) - SHOWN:,} more", err=True)
    click.echo(f"{result.matching_count:,} checks passed; {count_text(len(result.problems), 'problem')}")
    _echo_file_list(
        result.due_paths, "follow the site's signed schedule; the next build or tick adds them to the log"
    )
    _echo_file_list(result.unserved, "only configure the host, so they were not verified")
    _echo_file_list(result.uncovered, "are neither in the manifest nor in the log, so they were not verified")
    if result.unsigned:
        _echo_file_list(
            result.unsigned,
            f"differ from what the log last signed, but match the site's own manifest of {result.stated_at}: a build"
            " without the log's key makes such a site, but so can anyone who may write there. Build with the key",
        )


def _echo_file_list(paths: list[str], statement: str) -> None:
    if paths:
        shown_paths = ", ".join(paths[:SHOWN]) + (" …" if len(paths) > SHOWN else "")
        click.echo(escape_control_chars(f"{count_text(len(paths), 'file')} {statement}: {shown_paths}"))


class OpenedLog(NamedTuple):
    """A log that a command verifies."""

    log: PublishedLog
    key: PublicKey  # the key that signed the log
    read_path: ReadPath  # reads a file of the log's site
    changes: list[KeyChange]  # changes of the log's key; none if the reader knows the current one


def _open_log(location: str, public_key: str | None, earlier: EarlierCheckpoint | None) -> OpenedLog:
    read_path = make_site_reader(location)
    log = require_log_at(open_log(location, read_path, None), location)
    settings = read_log_settings(read_path)
    origin = log.checkpoint.origin
    stated_key = settings.public_key if settings else None
    is_same = public_key is None and earlier is None and has_known_key(location, origin, stated_key)
    seen = 0 if earlier is None else min(earlier.checkpoint.size, log.head.size)
    changes = [] if is_same else log.list_key_changes(seen)
    try:
        key, source = choose_verification_key(origin, public_key, stated_key, changes)
        verify_checkpoint(log.checkpoint, key)
    except LogError:
        if earlier is None:
            raise
        # The trusted key may be older than `earlier`, so read all key changes from the first entry on.
        changes = log.list_key_changes()
        key, source = choose_verification_key(origin, public_key, stated_key, changes)
        verify_checkpoint(log.checkpoint, key)
    click.echo(escape_control_chars(f"{origin}: {log.head.size:,} entries, root {log.head.root.hex()}"))
    click.echo(escape_control_chars(f"signed with {key.text} ({source})"))
    return OpenedLog(log, key, read_path, changes)


def _verify_log_growth(opened: OpenedLog, earlier: EarlierCheckpoint | None, *, ignore_stored: bool) -> None:
    """Verify that the log extends the given and the stored checkpoint, if any."""
    log, key, _, changes = opened
    if earlier is not None:
        checkpoint = earlier.checkpoint
        verify_earlier_checkpoint(checkpoint, key, changes)
        log.verify_extends(TreeHead(checkpoint.size, checkpoint.root), earlier.name)
        click.echo(f"the log continues {escape_control_chars(earlier.name)} ({checkpoint.size:,} entries)")
    heads = [] if ignore_stored else load_known_heads(key, changes)
    for head in heads:
        log.verify_extends(head, "the log seen before")
        click.echo(f"the log continues the log seen before ({head.size:,} entries)")
    if not heads and earlier is None:
        click.echo("no earlier checkpoint is known, so this run cannot tell whether the log only grew")


def _check_changes_since(opened: OpenedLog, earlier: EarlierCheckpoint, location: str) -> DocumentCheck:
    log, key, read_path, _ = opened
    since = earlier.checkpoint.size
    is_archive = is_archive_url(location) if is_url(location) else Path(location).is_file()
    text = read_path(MANIFEST) if is_archive else None
    index = None if text is None else ManifestIndex(text, read_path)

    def read_by_any_name(path: str) -> bytes | None:
        """Read a file, which has only one of its names in a snapshot."""
        entry = None if index is None else index.find(path)
        return read_path(path if entry is None else entry.path)

    with show_progress() as progress, report_stage(progress, "Entries and files"):
        result = SiteCheck(log, key, read_by_any_name, utc_now(), progress.advance, since).check_site(None)
    click.echo(
        f"verified what changed after {since:,} of {log.head.size:,} entries; without --since, every file is verified"
    )
    return result


def _check_all_documents(opened: OpenedLog, location: str) -> DocumentCheck:
    log, key, read_path, _ = opened
    paths: list[str] | None = None
    members: dict[str, str] = {}  # in a snapshot: the one path of a file with several names, by name
    if Path(location).is_dir():
        paths = list(walk_everything(Path(location)))
    try:
        with open_site(location) as site:
            # A web server does not list its files. So if the site is at a URL, `paths()` raises an error.
            if paths is None:
                paths = list(site.source.paths() if isinstance(site.source, UrlSource) else site.paths())
            if site.index is not None and site.source.has_manifest:
                members = {name: entry.path for entry in site.index.entries() for name in entry.aliases}
    except (PublishingError, UnreachableError):
        if paths is None:
            click.echo("the site's files cannot be listed, so files that its manifest lacks are not found")
    with show_progress() as progress, report_stage(progress, "Entries and files"):
        check = SiteCheck(
            log, key, lambda path: read_path(members.get(path, path)), utc_now(), progress.advance
        )
        return check.check_site(paths)


new_key_option = click.option(
    "--out",
    type=FILE,
    required=True,
    help="Write the new private key to this file, which must be outside of the content folder.",
)
from_option = click.option(
    "--from",
    "site",
    metavar="FOLDER|SNAPSHOT|URL",
    default="build",
    show_default=True,
    help="Read the published site in this folder or snapshot, or at this URL.",
)


@click.group()
def log_command() -> None:
    """Sign a site with a transparency log, and verify it.

    The log is a signed list that only grows (c2sp.org/tlog-tiles). Each record, proof, incident and update that a
    build publishes becomes an entry, so nobody can edit or remove one unnoticed.
    """


log_command.add_command(verify)
log_command.add_command(witness)


@log_command.command()
@click.argument("origin")
@new_key_option
@content_option
def init(origin: str, out: Path, content: Path) -> None:
    """Create the signing key of a log.

    The command also creates log-floor.txt in the content folder, which records the published size of the log.

    ORIGIN is the permanent name of the log: its address without https://, such as status.example.org/log.
    """
    refuse_url_as_log_name(origin)
    refuse_key_in_content(out, content)
    key = generate_log_key(origin)
    if has_content := content.is_dir():
        require_no_published_entries(content)
        refuse_existing_key(out)
        # Write this file before the key: another attempt can replace this file, but must not replace a key.
        write_log_floor_file(content, origin, EMPTY)
    _write_private_key(key, out)
    click.echo(
        f"{escape_control_chars(str(out))} holds the private key: keep a copy, and do not put it into the content or git"
    )
    click.echo(f"public key, which readers give to `statuary log verify`:\n  {key.public.text}")
    click.echo(f"in site.yaml:\n  log:\n    origin: {key.name}")
    if has_content:
        click.echo(
            f"{escape_control_chars(str(content / MIN_HEAD_FILE))} records the published size of the log: keep it in git; builds in CI update it"
        )
    click.echo(f"then, the first time: statuary build --log-key {escape_control_chars(str(out))} --init-log")


def _write_private_key(key: PrivateKey, key_file: Path) -> None:
    """Write a new private key to a file, which git then ignores.

    Raises:
        PublishingError: if the file exists or cannot be written.
    """
    try:
        key_file.parent.mkdir(parents=True, exist_ok=True)
        create_file(key_file, f"{key.text}\n".encode(), mode=0o600)
    except FileExistsError:
        raise make_existing_key_error(key_file) from None
    except OSError as error:
        raise PublishingError(f"{key_file} cannot be written: {error.strerror}") from None
    try:
        ignored_line = ignore_file(key_file)
    except (OSError, UnicodeDecodeError) as error:
        click.echo(
            f"warning: .gitignore cannot be edited: {error}; keep the key out of git yourself", err=True
        )
        return
    if ignored_line is not None:
        click.echo(f"added {escape_control_chars(ignored_line)} to .gitignore")


@log_command.command()
@click.option(
    "--log-key",
    type=FILE,
    help=f"Sign the change with the current private key in this file. Default: the key in the environment variable {KEY_VARIABLE}.",
)
@new_key_option
@click.option("--origin", metavar="NAME", help="Give the log this new name. Default: keep its name.")
@content_option
def rotate(log_key: Path | None, out: Path, origin: str | None, content: Path) -> None:
    """Create a new key for a log, and announce it with the current key.

    The command writes the announcement of the new key to log-rotation.txt in the content. The next build with the new
    key adds the announcement to the log. Readers who trust the current key then trust the new one too.
    """
    text = read_key_file(log_key, secret=True) if log_key else os.environ.get(KEY_VARIABLE, "")
    if not text:
        raise click.UsageError(f"name the file of the current key with --log-key, or set {KEY_VARIABLE}")
    if not content.is_dir():
        raise PublishingError(f"{content} is not a folder", "name the content folder: --content")
    refuse_key_in_content(out, content)
    previous_key = parse_private_key(text)
    if origin != previous_key.name:
        refuse_url_as_log_name(origin or "")
    min_head = read_log_floor_file(content, previous_key.name)
    key = generate_log_key(origin or previous_key.name)
    _write_private_key(key, out)
    try:
        write_key_change(content, sign_key_change(previous_key, key.public))
    except PublishingError:
        # Delete the new key, which is useless without its announcement. Another attempt creates another key.
        out.unlink(missing_ok=True)
        raise
    click.echo(
        f"{escape_control_chars(str(out))} holds the new private key: keep a copy, and do not put it into the content or git"
    )
    click.echo(f"public key, which new readers give to `statuary log verify`:\n  {key.public.text}")
    click.echo(f"{escape_control_chars(str(content / ROTATION))} announces the key: keep this file in git")
    if key.name != previous_key.name:
        click.echo(f"in site.yaml:\n  log:\n    origin: {key.name}")
        if min_head is not None:
            write_log_floor_file(content, key.name, min_head)
            click.echo(f"{escape_control_chars(str(content / MIN_HEAD_FILE))} has the new name of the log")
    click.echo(f"then: statuary build --log-key {escape_control_chars(str(out))}")


@log_command.command()
@click.argument("path")
@from_option
@click.option("--out", type=FILE, help="Write the proof to this file. Default: standard output.")
def prove(path: str, site: str, out: Path | None) -> None:
    """Write a proof that a document is in the log.

    PATH is the path of a record, a proof or an incident in the site, such as incidents/2026-11-02-rpc-latency.json.
    `statuary log check` checks the document with this proof, without the site.
    """
    log, entries = _read_log_history(site, path)
    entries = [entry for entry in entries if entry[1].subject.kind is not EntryKind.UPDATE]
    if not entries:
        raise PublishingError(
            f"the log of {log.name} has no entry about the document {path}",
            "write the path of a record, a proof or an incident",
        )
    number, entry = entries[-1]
    body = make_proof_file(log, number, entry)
    if out is None:
        click.echo(body, nl=False)
        return
    replace_file(out, body)
    click.echo(
        f"{escape_control_chars(str(out))}: entry {number:,} of {log.head.size:,}, {entry.action.value}, {entry.time}"
    )


@log_command.command()
@click.argument("proof", type=FILE)
@click.argument("document", type=FILE)
@public_log_key_option
@witness_key_options
def check(
    proof: Path, document: Path, public_key: str | None, witnesses: tuple[str, ...], quorum: int
) -> None:
    """Check with a PROOF that a DOCUMENT is in a log.

    The command needs neither the site nor a network.

    Exit codes: 0 the document is in the log; 1 the document is not in the log, or the log's key is unknown.
    """
    try:
        body = read_named_file(document, MAX_FILE)
        proved, entry = verify_proved_document(read_named_file(proof, LARGEST_NOTE), body)
        key, source = choose_verification_key(proved.checkpoint.origin, public_key, None)
        click.echo(
            escape_control_chars(
                f"{document} matches entry {proved.number:,} of {proved.checkpoint.origin}:"
                f" {entry.action.value} {' '.join(entry.subject.json_members.values())}, {entry.time}"
            )
        )
        verify_checkpoint(proved.checkpoint, key)
        click.echo(escape_control_chars(f"signed with {key.text} ({source})"))
        verify_and_print_witnesses(proved.checkpoint, witnesses, quorum)
    except LogError as error:
        print_error(error)
        sys.exit(ExitCode.FINDINGS)
    except OSError as error:
        raise PublishingError(f"{error.filename} cannot be read: {error.strerror}") from None


@log_command.command()
@click.argument("path")
@from_option
def history(path: str, site: str) -> None:
    """Print when each version of a document was published."""
    log, entries = _read_log_history(site, path)
    if not entries:
        click.echo(f"the log of {log.name} has no entry about {escape_control_chars(path)}")
        sys.exit(ExitCode.FINDINGS)
    for number, entry in entries:
        about = (
            f"update {entry.subject.second}"
            if entry.subject.kind is EntryKind.UPDATE
            else entry.subject.kind.value
        )
        replaces_text = f", replaces entry {entry.replaces:,}" if entry.replaces is not None else ""
        digests = "".join(
            f"\n    {name} {value}"
            for name, value in (("sha256", entry.sha256), ("proof ", entry.proof))
            if value
        )
        click.echo(
            escape_control_chars(
                f"{entry.time}  entry {number:,}: {entry.action.value} {about}{replaces_text}"
            )
            + digests
        )
    click.echo(
        f"the times are those that the publisher stated; {len(entries):,} of {log.head.size:,} entries"
    )


class _LogHistory(NamedTuple):
    log: PublishedLog
    entries: list[NumberedEntry]


def _read_log_history(site: str, path: str) -> _LogHistory:
    log = require_log_at(open_log(site, make_site_reader(site), None), site)
    subject = find_contract_or_incident_at(path)
    return _LogHistory(log, [] if subject is None else list_entries_about(log, subject))
