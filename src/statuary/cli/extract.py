"""`statuary extract`: documents out of a snapshot, a folder or a site, without unpacking the rest."""

import sys
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import click

from statuary.cli.exit_codes import ExitCode
from statuary.documents import url_table
from statuary.domain.primitives import InvalidValueError, parse_address, parse_chain_id
from statuary.publishing.atomic_file import atomic_file
from statuary.publishing.errors import PublishingError
from statuary.publishing.site_reader import SiteReader
from statuary.publishing.snapshot_paths import is_snapshot_path
from statuary.snapshots.document_names import document_path
from statuary.snapshots.open_site import open_site

WILD = "*?["


@click.command()
@click.argument("place", metavar="FILE|FOLDER|URL")
@click.argument("wanted", nargs=-1, metavar="[WHAT]...")
@click.option("--to", type=click.Path(path_type=Path, file_okay=False), help="Write into this folder.")
@click.option("--list", "listing", is_flag=True, help="Print paths instead of documents.")
def command(place: str, wanted: tuple[str, ...], to: Path | None, listing: bool) -> None:
    """Take documents out of a snapshot, a folder or a site.

    WHAT is a path below the site's root (api/v2/summary.json), a contract as CHAIN/ADDRESS, or a pattern ('v2/contract/1/*').
    One document is printed; several need --to.
    """
    with open_site(place) as site:
        paths = _paths(site, wanted or ("*",))
        if listing:
            for path in paths:
                click.echo(path)
        elif to is not None:
            written = sum(_write(site, path, to, place) for path in paths)
            click.echo(f"{written:,} written to {to}/", err=True)
        else:
            _print(site, list(paths), place)
    sys.exit(ExitCode.OK)


def _paths(site: SiteReader, wanted: Iterable[str]) -> Iterator[str]:
    """Yield the paths that are wanted; those that a pattern matches are there."""
    patterns = [what for what in wanted if any(sign in what for sign in WILD)]
    yield from (_contract_path(what) or what.strip("/") for what in wanted if what not in patterns)
    if patterns:
        for path in site.paths():
            if not is_snapshot_path(path) and any(fnmatchcase(path, pattern) for pattern in patterns):
                yield path


def _contract_path(what: str) -> str | None:
    """Return the path of a contract that is given as CHAIN/ADDRESS; None if that is not its shape."""
    chain, _, address = what.partition("/")
    try:
        return url_table.CONTRACT.path(chain_id=parse_chain_id(chain), address=parse_address(address))
    except InvalidValueError:
        return None


def _print(site: SiteReader, paths: list[str], place: str) -> None:
    if len(paths) != 1:
        raise PublishingError(f"{len(paths):,} documents are wanted", "name a folder for them with --to")
    sys.stdout.buffer.write(_body(site, paths[0], place))


def _body(site: SiteReader, path: str, place: str) -> bytes:
    """Return a document.

    Raises:
        PublishingRefused: if it is not there.
    """
    body = site.read(path)
    if body is None:
        raise PublishingError(f"{place} has no {path}", "statuary extract --list tells what it has")
    return body


def _write(site: SiteReader, path: str, folder: Path, place: str) -> int:
    """Write a document below a folder; return how many that are.

    Raises:
        PublishingRefused: if it is not there, or a link leads out of the folder.
    """
    file = folder / document_path(path)
    if not file.resolve().is_relative_to(folder.resolve()):
        raise PublishingError(f"{file} leads out of {folder}")
    body = _body(site, path, place)
    with atomic_file(file, durable=False) as stream:
        stream.write(body)
    return 1
