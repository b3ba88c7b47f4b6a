"""`statuary extract`: read documents from a snapshot, a folder or a site, without unpacking the rest."""

import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import click

from statuary.cli.exit_codes import ExitCode
from statuary.cli.options.signing_options import public_key_of, public_key_option
from statuary.cli.output.plain_text import count_text
from statuary.cli.output.printable import printable
from statuary.documents import url_table
from statuary.domain.primitives import InvalidValueError, parse_address, parse_chain_id
from statuary.publishing.errors import PublishingError
from statuary.publishing.snapshot_paths import is_snapshot_path
from statuary.snapshots.document_names import document_path
from statuary.snapshots.site_reader import SiteReader, open_site

WILDCARD = re.compile(r"[*?\[]")


@click.command()
@click.argument("location", metavar="FILE|FOLDER|URL")
@click.argument("wanted", nargs=-1, metavar="[WHAT]...")
@click.option("--to", type=click.Path(path_type=Path, file_okay=False), help="Write into this folder.")
@click.option("--list", "listing", is_flag=True, help="Print paths instead of documents.")
@public_key_option
def extract_command(
    location: str, wanted: tuple[str, ...], to: Path | None, listing: bool, public_key: str | None
) -> None:
    """Read documents from a snapshot, a folder or a site.

    WHAT is a path (api/v2/summary.json), a contract as CHAIN/ADDRESS, or a pattern ('v2/contract/1/*'). One document is
    printed; several require --to. If the site has a manifest, every document is checked against it before anything is
    written.
    """
    with open_site(location, public_key_of(public_key)) as site:
        paths = _paths(site, wanted or ("*",))
        if listing:
            for path in paths:
                click.echo(printable(path))
        elif to is not None:
            written = _write(site, paths, to)
            click.echo(f"{count_text(written, 'document')} written to {printable(str(to))}/", err=True)
        else:
            _print(site, list(paths))
    sys.exit(ExitCode.OK)


def _paths(site: SiteReader, wanted: Iterable[str]) -> Iterator[str]:
    """Yield the given paths, whether they exist or not, then the paths that match a pattern."""
    patterns = [what for what in wanted if WILDCARD.search(what)]
    for what in wanted:
        if what not in patterns:
            yield _contract_path(what) or what.strip("/")
    if patterns:
        yield from (path for path in site.paths() if _matches(path, patterns))


def _matches(path: str, patterns: Iterable[str]) -> bool:
    return not is_snapshot_path(path) and any(fnmatchcase(path, pattern) for pattern in patterns)


def _contract_path(what: str) -> str | None:
    """Return the path of a contract that is given as CHAIN/ADDRESS; None for anything else."""
    chain, _, address = what.partition("/")
    try:
        return url_table.CONTRACT.path(chain_id=parse_chain_id(chain), address=parse_address(address))
    except InvalidValueError:
        return None


def _print(site: SiteReader, paths: list[str]) -> None:
    if len(paths) != 1:
        raise PublishingError(f"{len(paths):,} documents match", "use --to to write them into a folder")
    sys.stdout.buffer.write(_body(site, paths[0]))


def _body(site: SiteReader, path: str) -> bytes:
    body = site.read(path)
    if body is None:
        raise PublishingError(
            f"{site.source.name} has no {path}", "`statuary extract --list` shows what it has"
        )
    return body


def _write(site: SiteReader, paths: Iterable[str], folder: Path) -> int:
    """Write documents below a folder, once all of them have been read; return how many they are.

    Raises:
        PublishingError: if one is not there, or cannot be written.
    """
    count = 0
    try:
        parent = folder.absolute().parent
        parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=parent) as waiting:
            staged = Path(waiting)
            for path in paths:
                file = _target(folder, document_path(path))
                waits = staged / file.relative_to(folder)
                waits.parent.mkdir(parents=True, exist_ok=True)
                waits.write_bytes(_body(site, path))
                count += 1
            _move_files(staged, folder)
    except OSError as error:
        raise PublishingError(f"{error.filename or folder} cannot be written: {error.strerror}") from None
    return count


def _target(folder: Path, path: str) -> Path:
    file = folder / path
    if not file.resolve().is_relative_to(folder.resolve()):
        raise PublishingError(f"{file} is outside of {folder}: its path follows a symbolic link")
    return file


def _move_files(staged: Path, folder: Path) -> None:
    for parent, _, names in os.walk(staged):
        target = folder / Path(parent).relative_to(staged)
        target.mkdir(parents=True, exist_ok=True)
        for name in names:
            Path(parent, name).replace(target / name)
