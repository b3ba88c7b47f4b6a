"""`statuary log`: the transparency log of a site: its key, its proofs, its history, and verifying it."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from statuary.cli.exit_codes import ExitCode
from statuary.cli.log_verify import verify
from statuary.cli.log_witness import echo_witnesses, witness, witness_key_options
from statuary.cli.options.common_options import FILE
from statuary.cli.options.log_options import public_log_key_option, site_reader
from statuary.cli.output.printable import print_error, printable
from statuary.publishing.errors import PublishingError

if TYPE_CHECKING:
    from statuary.publishing.ledger.log_table import NumberedEntry
    from statuary.publishing.log.published_log import PublishedLog

from_option = click.option(
    "--from",
    "site",
    metavar="FOLDER|SNAPSHOT|URL",
    default="build",
    show_default=True,
    help="The published site.",
)


@click.group()
def log_command() -> None:
    """Keep and verify the transparency log of a site.

    Every record, proof, incident and update that a build publishes is an entry of an append-only log
    (c2sp.org/tlog-tiles). Once published, nothing can be edited or removed unnoticed.
    """


log_command.add_command(verify)
log_command.add_command(witness)


@log_command.command()
@click.argument("origin")
@click.option("--out", type=FILE, required=True, help="Write the private key here, outside of the content.")
def init(origin: str, out: Path) -> None:
    """Make the key of a log.

    ORIGIN names the log for ever: its address without https://, such as status.example.org/log.
    """
    from statuary.domain.log.notes import new_key

    key = new_key(origin)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise PublishingError(
            f"{out} exists; a log keeps its key", "name another file, or use this key"
        ) from None
    except OSError as error:
        raise PublishingError(f"{out} cannot be written: {error.strerror}") from None
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        stream.write(f"{key.text}\n")
    click.echo(
        f"{printable(str(out))} holds the private key: keep a copy, and do not put it into the content or git"
    )
    click.echo(f"public key, which readers give to `statuary log verify`:\n  {key.public.text}")
    click.echo(f"in site.yaml:\n  log:\n    origin: {key.name}")
    click.echo(f"then: statuary build --log-key {printable(str(out))}")


@log_command.command()
@click.argument("path")
@from_option
@click.option("--out", type=FILE, help="Write the proof here. Default: standard output.")
def prove(path: str, site: str, out: Path | None) -> None:
    """Write a proof (.tlog-proof) that the document at PATH is in the log, to be checked without the site."""
    from statuary.domain.log.entries import EntryKind
    from statuary.publishing.log.verify_log import proof_of

    log, entries = _entries(site, path)
    entries = [one for one in entries if one[1].subject.kind is not EntryKind.UPDATE]
    if not entries:
        raise PublishingError(
            f"the log of {log.name} has no entry about {path}",
            "give the path of a record, a proof or an incident",
        )
    number, entry = entries[-1]
    body = proof_of(log, number, entry)
    if out is None:
        click.echo(body, nl=False)
        return
    out.write_bytes(body)
    click.echo(
        f"{printable(str(out))}: entry {number:,} of {log.head.size:,}, {entry.action.value}, {entry.time}"
    )


@log_command.command()
@click.argument("proof", type=FILE)
@click.argument("document", type=FILE)
@public_log_key_option
@witness_key_options
def check(
    proof: Path, document: Path, public_key: str | None, witnesses: tuple[str, ...], quorum: int
) -> None:
    """Check that DOCUMENT is in a log, from PROOF alone.

    Exit codes: 0 it is; 1 it is not, or the key of the log is unknown.
    """
    from statuary.cli.log_memory import known_key
    from statuary.domain.log.entries import check_proof
    from statuary.domain.log.merkle import LogError
    from statuary.domain.log.notes import verify_checkpoint

    try:
        found, entry = check_proof(proof.read_bytes(), document.read_bytes())
        key, source = known_key(found.checkpoint.origin, public_key, None)
        click.echo(
            printable(
                f"{document} matches entry {found.number:,} of {found.checkpoint.origin}:"
                f" {entry.action.value} {' '.join(entry.subject.members.values())}, {entry.time}"
            )
        )
        verify_checkpoint(found.checkpoint, key)
        click.echo(printable(f"signed with {key.text} ({source})"))
        echo_witnesses(found.checkpoint, witnesses, quorum)
    except LogError as error:
        print_error(error)
        sys.exit(ExitCode.FINDINGS)
    except OSError as error:
        raise PublishingError(f"{error.filename} cannot be read: {error.strerror}") from None


@log_command.command()
@click.argument("path")
@from_option
def history(path: str, site: str) -> None:
    """Print everything ever published under a path, and when; for an incident, each version of each update."""
    from statuary.domain.log.entries import EntryKind

    log, entries = _entries(site, path)
    if not entries:
        click.echo(f"the log of {log.name} has no entry about {printable(path)}")
        sys.exit(ExitCode.FINDINGS)
    for number, entry in entries:
        about = (
            f"update {entry.subject.second}"
            if entry.subject.kind is EntryKind.UPDATE
            else entry.subject.kind.value
        )
        before = f", replaces entry {entry.replaces:,}" if entry.replaces is not None else ""
        digests = "".join(
            f"\n    {name} {value}"
            for name, value in (("sha256", entry.sha256), ("proof ", entry.proof))
            if value
        )
        click.echo(
            printable(f"{entry.time}  entry {number:,}: {entry.action.value} {about}{before}") + digests
        )
    click.echo(
        f"the times are those that the publisher stated; {len(entries):,} of {log.head.size:,} entries"
    )


def _entries(site: str, path: str) -> "tuple[PublishedLog, list[NumberedEntry]]":
    """Return the log of a site, and its entries about what is published under a path."""
    from statuary.publishing.log.published_log import open_log
    from statuary.publishing.log.verify_log import entries_about, require_log, subject_of

    log, subject = require_log(open_log(site, site_reader(site), None), site), subject_of(path)
    return log, [] if subject is None else entries_about(log, subject)
