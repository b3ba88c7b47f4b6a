"""The report of an import: what is new, what stays, and what could not be brought, by reason."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from statuary.cli.output.plain_text import count_text
from statuary.cli.output.printable import printable
from statuary.importing.import_report import ImportReport

LISTED = 10
"""Files, or things of one reason, that are listed one by one."""


def import_lines(report: ImportReport, content: Path, *, dry_run: bool) -> Iterator[str]:
    """Yield the lines of a report."""
    would = "would be " if dry_run else ""
    yield from _files(report.added, f"{would}added", content)
    yield from _files(report.changed, f"{would}changed", content)
    if not report.added + report.changed:
        yield f"nothing {'would change' if dry_run else 'changed'}"
    if report.kept:
        yield f"{report.kept:,} already in {content}"
    yield from map(_lost, report.counts_by_reason())
    yield from ("note: " + "\n    ".join(map(printable, note.split("\n"))) for note in report.notes)


def _lost(found: tuple[str, int, list[str]]) -> str:
    reason, count, examples = found
    more = f", and {count - LISTED:,} more" if count > LISTED else ""
    return printable(f"not brought, or changed ({count:,}): {reason}: {', '.join(examples[:LISTED])}{more}")


def _files(paths: list[str], did: str, content: Path) -> Iterator[str]:
    """Yield the paths of a folder, or how many there are."""
    folders = Counter(str(PurePosixPath(path).parent) for path in paths)
    for folder, count in folders.items():
        if count > LISTED:
            yield f"{did}: {count_text(count, 'file')} in {content / folder}"
        else:
            yield from (
                f"{did}: {content / path}" for path in paths if str(PurePosixPath(path).parent) == folder
            )
