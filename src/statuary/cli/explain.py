"""`statuary explain`: a published path's meaning and its sources."""

from pathlib import Path
from urllib.parse import urlsplit

import click

from statuary.base.files import LEDGER
from statuary.cli.escape import escape_control_chars
from statuary.cli.exit_codes import ExitCode
from statuary.cli.options import out_option
from statuary.cli.output import format_size
from statuary.contracts.incremental.contract_table import read_reasons
from statuary.contracts.paths import sharded_path
from statuary.publish.ledger.read import read_ledger_entry, similar_published_paths
from statuary.publish.ledger.schema import LedgerEntry
from statuary.site.url_table import match_url
from statuary.site.urls import STATUS_PAGE


@click.command()
@click.argument("path")
@out_option
def explain_command(path: str, out: Path) -> ExitCode:
    """Show what a published path contains, and which sources it was made from.

    PATH is relative to the site's root, such as api/v2/summary.json, a URL, or a file in the build folder.
    """
    requested_path = _path_in_site(path, out)
    ledger = out / LEDGER
    entry = read_ledger_entry(ledger, requested_path) or read_ledger_entry(
        ledger, sharded_path(requested_path)
    )
    for line in (requested_path, *_url_lines(requested_path), *_entry_lines(entry, ledger, requested_path)):
        click.echo(escape_control_chars(line))
    return ExitCode.OK if entry else ExitCode.FINDINGS


def _path_in_site(path: str, out: Path) -> str:
    if path.startswith(("https://", "http://")):
        return urlsplit(path).path.strip("/") or STATUS_PAGE.path()
    file = Path(path)
    if file.resolve().is_relative_to(out.resolve()) and (file.exists() or path.startswith(str(out))):
        return file.resolve().relative_to(out.resolve()).as_posix()
    return path.strip("/")


def _url_lines(path: str) -> list[str]:
    match = match_url(path)
    if match is None:
        return ["  this is not the path of any document"]
    url, members = match
    values = ", ".join(f"{name} {value}" for name, value in members.items())
    return [
        f"  {url.name}: {url.description}" + (f" ({values})" if values else ""),
        f"  served as {url.media_type}; Cache-Control: {url.cache}",
    ]


def _entry_lines(entry: LedgerEntry | None, ledger: Path, path: str) -> list[str]:
    if not ledger.is_file():
        return [f"  {ledger.parents[1]} has no build: run `statuary build`, or name its folder with --out"]
    if entry is None:
        near = similar_published_paths(ledger, path)
        hint = f"; did you mean {near[0]}?" if near else ""
        return [f"  not published by the last build{hint}"]
    if not entry.settled:
        return ["  the last build was interrupted before this file was written; run it again"]
    sources = entry.sources.splitlines()
    why = [f"  {source} was read: {reason}" for source, reason in read_reasons(ledger, sources).items()]
    return [
        f"  {format_size(entry.size)}, sha256 {entry.digest.hex()}",
        "  made from " + (", ".join(sources) if sources else "the whole content"),
        *why,
    ]
