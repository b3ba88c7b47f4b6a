"""`statuary log verify`: a published log against its key, what was seen before, and the site's documents."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from statuary.cli.exit_codes import ExitCode
from statuary.cli.log_witness import echo_witnesses, witness_key_options
from statuary.cli.options.common_options import FILE
from statuary.cli.options.log_options import public_log_key_option, site_reader
from statuary.cli.output.plain_text import count_text
from statuary.cli.output.printable import print_error, printable
from statuary.publishing.errors import PublishingError

if TYPE_CHECKING:
    from statuary.domain.log.notes import PublicKey
    from statuary.domain.log.tiles import ReadPath
    from statuary.publishing.log.published_log import PublishedLog
    from statuary.publishing.log.verify_log import DocumentCheck

SHOWN = 50
"""Problems that are printed."""


@click.command()
@click.argument("location", metavar="URL|FOLDER|SNAPSHOT", default="build")
@click.option(
    "--since", type=FILE, help="A checkpoint of the log, kept from an earlier time, that it must continue."
)
@public_log_key_option
@witness_key_options
@click.option(
    "--forget",
    is_flag=True,
    help="Do not compare with the last checkpoint seen, and do not remember this one.",
)
def verify(
    location: str,
    since: Path | None,
    public_key: str | None,
    witnesses: tuple[str, ...],
    quorum: int,
    forget: bool,
) -> None:
    """Verify a published log: signature, tiles, entries, documents, and that it continues what was seen before.

    The key and the last checkpoint of each log are remembered below ~/.local/state/statuary (or STATUARY_STATE).

    Exit codes: 0 it holds; 1 it does not; 3 it cannot be read.
    """
    from statuary.cli.log_memory import KnownLog, remember
    from statuary.domain.log.merkle import LogError
    from statuary.domain.site_settings import EXAMPLE

    try:
        log, key, read = _open(location, public_key)
        # everyone has logs of the example key, and none continues another
        forget = forget or EXAMPLE in key.name
        _compare(log, key, since, forget=forget)
        echo_witnesses(log.checkpoint, witnesses, quorum)
        found = _check(log, read, location)
    except LogError as error:
        print_error(error)
        sys.exit(ExitCode.FINDINGS)
    for problem in found.problems[:SHOWN]:
        click.echo(printable(problem), err=True)
    if len(found.problems) > SHOWN:
        click.echo(f"and {len(found.problems) - SHOWN:,} more", err=True)
    click.echo(
        f"{count_text(found.whole, 'document')} match their last log entries; {count_text(len(found.problems), 'problem')}"
    )
    if found.due:
        click.echo(
            f"{count_text(len(found.due), 'document')} follow the site's schedule and are not in the log yet;"
            " the next build or tick appends them"
        )
    if not forget:
        remember(KnownLog(key, log.head))
    sys.exit(ExitCode.FINDINGS if found.problems else ExitCode.OK)


def _open(location: str, public_key: str | None) -> "tuple[PublishedLog, PublicKey, ReadPath]":
    """Return a log whose signature is verified, its key, and what reads the site."""
    from statuary.cli.log_memory import known_key
    from statuary.domain.log.notes import verify_checkpoint
    from statuary.publishing.log.published_log import open_log, published_settings
    from statuary.publishing.log.verify_log import require_log

    read = site_reader(location)
    log = require_log(open_log(location, read, None), location)
    settings = published_settings(read)
    origin = log.checkpoint.origin
    key, source = known_key(origin, public_key, settings.public_key if settings else None)
    verify_checkpoint(log.checkpoint, key)
    click.echo(printable(f"{origin}: {log.head.size:,} entries, root {log.head.root.hex()}"))
    click.echo(printable(f"signed with {key.text} ({source})"))
    return log, key, read


def _compare(log: "PublishedLog", key: "PublicKey", since: Path | None, *, forget: bool) -> None:
    """Verify that the log continues what was seen before."""
    from statuary.cli.log_memory import remembered
    from statuary.domain.log.notes import parse_checkpoint, verify_checkpoint
    from statuary.publishing.log.published_log import TreeHead

    if since is not None:
        try:
            earlier = parse_checkpoint(since.read_bytes())
        except OSError as error:
            raise PublishingError(f"{since} cannot be read: {error.strerror}") from None
        verify_checkpoint(earlier, key)
        log.verify_extends(TreeHead(earlier.size, earlier.root), str(since))
        click.echo(f"it continues {printable(str(since))} ({earlier.size:,} entries)")
    before = None if forget else remembered(key.name)
    if before is not None:
        log.verify_extends(before.head, "the log seen before")
        click.echo(f"it continues the log seen before ({before.head.size:,} entries)")
    elif since is None:
        click.echo("no earlier checkpoint is known, so it is not shown yet that the log only grows")


def _check(log: "PublishedLog", read: "ReadPath", location: str) -> "DocumentCheck":
    from statuary.build.progress import stage
    from statuary.cli.output.progress import progress
    from statuary.publishing.log.verify_log import check_documents
    from statuary.snapshots.site_reader import open_site

    paths = None
    try:
        with open_site(location) as site:
            paths = list(site.paths())
    except PublishingError:
        click.echo("the site cannot be listed, so documents that the log lacks are not found")
    with progress() as listener, stage(listener, "Entries and documents"):
        return check_documents(log, read, paths, listener.advance)
