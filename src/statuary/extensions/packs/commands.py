"""Make, verify and read packs of records (`statuary pack`)."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import click

from statuary.base.errors import StatuaryError
from statuary.base.primitives import count_text
from statuary.cli.escape import escape_control_chars
from statuary.cli.exit_codes import ExitCode
from statuary.cli.findings_report import MAX_PER_RULE, format_findings
from statuary.cli.options import FILE, text_or_json_option
from statuary.cli.output import format_size
from statuary.extensions.packs.pack_folder import PackFolder, WritablePackFolder
from statuary.extensions.packs.pack_format import make_pack_key
from statuary.extensions.packs.pack_list import PackList
from statuary.extensions.packs.pack_reader import PackReader, PackVerification, verify_pack
from statuary.extensions.packs.pack_sources import (
    DocumentsOfSite,
    KeyTable,
    LinesOfRecords,
    UnusableLinesError,
    read_removed_keys,
)
from statuary.extensions.packs.pack_writer import write_pack
from statuary.extensions.snapshots.site_reader import open_site
from statuary.extensions.snapshots.streams import FileRanges, UrlRanges
from statuary.publish.listing import DamagedSnapshotError
from statuary.system.files import read_text
from statuary.system.network.client import is_url

LINES = (".jsonl", ".ndjson")
FOLDER = click.Path(path_type=Path, file_okay=False)

JAVASCRIPT_READER = Path(__file__).parents[2] / "edge" / "packs.js"
"""The self-contained reader in JavaScript, which the edge module uses too."""


workers_option = click.option(
    "--workers",
    metavar="N",
    type=click.IntRange(1, 256),
    help="Compress documents in this many threads. Default: one per CPU core.",
)


@click.group()
def pack_command() -> None:
    """Pack contract records into one file; verify and read it.

    A pack is one file with many documents, sorted and compressed, and an index of them. On a host that can send a part
    of a file (range requests), a look-up takes two requests.

    Packs with the same documents have the same bytes if they are made with the same version of zstd.
    """


@pack_command.command()
@click.option(
    "--from",
    "sources",
    multiple=True,
    required=True,
    metavar="FILE|FOLDER|URL",
    help="Pack the records in this JSON Lines file (repeatable), or those of this site: a folder, a snapshot or a URL.",
)
@workers_option
@click.argument("out", type=FILE)
def make(sources: tuple[str, ...], workers: int | None, out: Path) -> None:
    """Pack records and proofs into the .pack file OUT.

    The command does not verify records from JSON Lines files; only a build does. It writes them in the form in which a
    build publishes them.

    Exit codes: 0 written; 1 a line is not a record, and nothing was written; 3 a file cannot be read or written.
    """
    if out.suffix != ".pack":
        raise click.UsageError(f"{out} is not a valid file name for a pack: the name must end with .pack")
    try:
        with _open_sources(sources) as table:
            written_pack = write_pack(out, table.documents(), table.dictionary(), workers)
    except UnusableLinesError as error:
        _exit_with_unusable_lines(error)
    documents, _, size, *_ = written_pack.totals
    sizes = f"{format_size(size)} in {format_size(written_pack.size)}"
    line = f"{out}: {count_text(documents, 'document')}, {sizes}, SHA-256 {written_pack.sha256}"
    click.echo(escape_control_chars(line))


def _exit_with_unusable_lines(error: UnusableLinesError) -> NoReturn:
    for start in range(0, len(error.findings), MAX_PER_RULE):  # all of them: the report would omit the others
        click.echo(format_findings(error.findings[start : start + MAX_PER_RULE], "", "text"), err=True)
    click.echo(f"{error}; no pack was written", err=True)
    sys.exit(ExitCode.FINDINGS)


@contextmanager
def _open_sources(sources: tuple[str, ...]) -> Iterator[KeyTable]:
    lines = [source for source in sources if source.endswith(LINES)]
    if (lines and len(lines) < len(sources)) or (not lines and len(sources) > 1):
        raise click.UsageError(
            "name either files that end in .jsonl or .ndjson, or one site (a folder, a snapshot or a URL)"
        )
    if lines:
        with LinesOfRecords(map(Path, lines)) as records:
            yield records.table
    else:
        with DocumentsOfSite(open_site(sources[0])) as documents:
            yield documents.table


@pack_command.command()
@click.option(
    "--from",
    "sources",
    multiple=True,
    metavar="FILE",
    help="Add the records in this JSON Lines file, and replace earlier versions of them (repeatable).",
)
@click.option(
    "--remove",
    "removed",
    type=FILE,
    help="Remove the documents whose paths are in this text file, one per line, such as v2/contract/1/0x….",
)
@workers_option
@click.argument("folder", type=FOLDER)
def update(sources: tuple[str, ...], removed: Path | None, workers: int | None, folder: Path) -> None:
    """Add and remove documents in the packs of FOLDER.

    The first run writes all documents into a large pack. Later runs write only changes, into a small pack, which
    they merge with earlier small packs that are less than four times as large. So the large pack stays as it is.
    Readers use the newest version of a document.

    Exit codes: 0 written; 1 a line is not a record or a path, and nothing was written; 3 a file cannot be read or written.
    """
    if not sources and removed is None:
        raise click.UsageError(
            "name the records to add with --from, the paths to remove with --remove, or both"
        )
    try:
        keys = [] if removed is None else read_removed_keys(removed)
        with LinesOfRecords(map(Path, sources)) as records:
            packs = WritablePackFolder(folder, workers).update(records.table, keys)
    except UnusableLinesError as error:
        _exit_with_unusable_lines(error)
    _print_pack_list(folder, packs)


@pack_command.command()
@workers_option
@click.argument("folder", type=FOLDER)
def merge(workers: int | None, folder: Path) -> None:
    """Merge all packs of FOLDER into one.

    The merged pack has no removed documents, and only the newest version of each document.

    Exit codes: 0 written; 3 a pack is damaged, or a file cannot be read or written.
    """
    _print_pack_list(folder, WritablePackFolder(folder, workers).merge())


def _print_pack_list(folder: Path, packs: PackList) -> None:
    runs = count_text(len({pack.run for pack in packs}), "run")
    size = sum(pack.size for pack in packs)
    click.echo(
        escape_control_chars(f"{folder}: {count_text(len(packs), 'pack')} of {runs}, {format_size(size)}")
    )


@pack_command.command()
@click.argument("location", metavar="FILE|FOLDER|URL")
@text_or_json_option
def verify(location: str, output_format: str) -> None:
    """Check every byte of a pack, or of all packs of a site.

    Exit codes: 0 intact; 1 a pack is damaged or missing; 3 a pack is truncated or cannot be read.
    """
    if is_single_pack(location):
        with open_pack(location) as pack:
            every = [verify_pack(pack)]
    else:
        every = [verification for _, verification in PackFolder(location).verify()]
    if output_format == "json":
        values = [_encode_pack_verification(verification) for verification in every]
        click.echo(json.dumps(values[0] if is_single_pack(location) else values))
    else:
        click.echo("\n".join(_describe_verified_packs(location, every)))
    sys.exit(ExitCode.FINDINGS if any(verification.problems for verification in every) else ExitCode.OK)


def _describe_verified_packs(location: str, every: list[PackVerification]) -> Iterator[str]:
    if not every:
        yield escape_control_chars(f"{location} has no packs: its list is empty")
    for verification in every:
        yield from _describe_pack_verification(verification)


def _describe_pack_verification(verification: PackVerification) -> Iterator[str]:
    yield from map(escape_control_chars, verification.problems)
    if not verification.size:
        return
    documents, removals, size, *_ = verification.totals
    state = "read" if verification.problems else "whole"
    yield (
        f"{count_text(documents, 'document')} and {count_text(removals, 'removal')}"
        f" in {count_text(verification.frames, 'frame')} are {state}, "
        f"{format_size(size)} in {format_size(verification.size)}, SHA-256 {verification.sha256}"
    )


def _encode_pack_verification(verification: PackVerification) -> dict[str, object]:
    value = {
        "whole": not verification.problems,
        **verification.totals._asdict(),
        "frames": verification.frames,
    }
    return {
        **value,
        "packSize": verification.size,
        "sha256": verification.sha256,
        "problems": verification.problems,
    }


@pack_command.command("read")
@click.argument("location", metavar="FILE|FOLDER|URL")
@click.argument("path")
def read_command(location: str, path: str) -> None:
    """Print a document from a pack or a site's packs.

    PATH is the document's path in the site, such as v2/contract/1/0x….

    Exit codes: 0 found; 1 there is no such document; 3 the pack is damaged or cannot be read.
    """
    key = parse_requested_key(path)
    if is_single_pack(location):
        with open_pack(location) as pack:
            document = pack.find(key)
            body = None if document is None else document.body
    else:
        with PackFolder(location).reader() as packs:
            body = packs.find(key)
    if body is None:
        click.echo(escape_control_chars(f"{location} does not have {path}"), err=True)
        sys.exit(ExitCode.FINDINGS)
    sys.stdout.buffer.write(body)


@pack_command.command()
@click.argument("language", type=click.Choice(["python", "javascript"]))
def reader(language: str) -> None:
    """Print a program that reads packs without statuary.

    The program finds documents in a site's packs on any server. The reader in Python needs Python 3.14, or the package
    `backports.zstd`. Pass the reader in JavaScript a function that decompresses Zstandard, such as that of `fzstd`
    from npm.
    """
    file = Path(__file__).with_name("standalone.py.txt") if language == "python" else JAVASCRIPT_READER
    click.echo(read_text(file), nl=False)


def is_single_pack(location: str) -> bool:
    """Return whether a path or URL names a pack, as `….pack` does.

    A pack is an archive of many documents.
    """
    return location.partition("?")[0].endswith(".pack")


def parse_requested_key(typed_path: str) -> str:
    """Convert a path that a user typed to a document's key.

    Packs find documents by key: the path on the site, with the contract's address in lower case.

    Raises:
        StatuaryError: if no document can have the path.
    """
    try:
        return make_pack_key(typed_path.removeprefix("/"))
    except DamagedSnapshotError as error:
        raise StatuaryError(str(error), "write it as v2/contract/<chainId>/<address>") from None


def open_pack(location: str) -> PackReader:
    """Open a pack (an archive of documents) by file name or URL.

    Raises:
        PublishingError: if the pack cannot be read.
        DamagedSnapshotError: if the file is not a pack.
    """
    return PackReader(UrlRanges(location) if is_url(location) else FileRanges(Path(location)))
