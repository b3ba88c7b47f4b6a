"""The report of an import of contracts: what was verified, what is incomplete, and what was not brought, by reason."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from statuary.cli.output.import_report import LISTED
from statuary.cli.output.plain_text import count_text
from statuary.cli.output.printable import printable
from statuary.importing.contracts.bring_contracts import BroughtContracts
from statuary.importing.import_report import ImportReport, Lost


def contract_import_lines(done: BroughtContracts, content: Path, *, dry_run: bool) -> Iterator[str]:
    """Yield the lines of a report."""
    report, did = done.report, "would be added" if dry_run else "added"
    if done.verified:
        yield f"verified and {did}: {count_text(len(done.verified), 'contract')}"
        yield from _listed(done.verified)
    if report.kept:
        yield f"already in {content}: {count_text(report.kept, 'contract')}"
    yield from _by_reason("not complete yet, no part of the site: {} {}; missing ", done.incomplete)
    yield from _by_reason("not brought: {} {}; ", report.lost)
    yield from _by_reason("note: {} {}: ", done.notes)
    if not (done.verified or report.kept or done.incomplete or report.lost):
        yield "the source has no contracts"


def _by_reason(heading: str, lost: list[Lost]) -> Iterator[str]:
    for reason, count, names in ImportReport(lost=lost).counts_by_reason():
        yield printable(heading.format(f"{count:,}", "contract" if count == 1 else "contracts") + reason)
        yield from _listed(names)


def _listed(names: Sequence[str]) -> Iterator[str]:
    yield from (f"    {printable(name)}" for name in names[:LISTED])
    if len(names) > LISTED:
        yield f"    and {len(names) - LISTED:,} more"
