"""Format the report of an import."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import orjson

from statuary.base.primitives import count_text
from statuary.cli.escape import escape_control_chars
from statuary.extensions.importing.report import ImportReport, SkippedRecord, group_skipped_by_reason
from statuary.system.writing import atomic_file

if TYPE_CHECKING:
    from statuary.extensions.importing.import_contracts import ImportedContracts


LISTED = 10
"""Limit for the files of a folder, or the records with one reason, that are listed one by one."""


def format_status_report(report: ImportReport, content: Path, *, dry_run: bool) -> Iterator[str]:
    """Format the report about an imported status page, line by line.

    Args:
        report: the result of the import.
        content: the content folder.
        dry_run: whether no file was written.
    """
    would = "would be " if dry_run else ""
    yield from _changed_file_lines(report.added_paths, f"{would}added", content)
    yield from _changed_file_lines(report.changed_paths, f"{would}changed", content)
    if not report.added_paths + report.changed_paths:
        yield f"nothing {'would change' if dry_run else 'changed'}"
    if report.present_count:
        yield f"{report.present_count:,} already in {content}"
    for reason, records in group_skipped_by_reason(report.skipped):
        hidden_text = f", and {len(records) - LISTED:,} more" if len(records) > LISTED else ""
        shown_records = f"{', '.join(records[:LISTED])}{hidden_text}"
        yield escape_control_chars(f"not imported, or changed ({len(records):,}): {reason}: {shown_records}")
    yield from (
        "note: " + "\n    ".join(map(escape_control_chars, note.split("\n"))) for note in report.notes
    )
    yield from map(escape_control_chars, report.compared)


def _changed_file_lines(paths: list[str], verb: str, content: Path) -> Iterator[str]:
    """Yield a line for each changed file, or one for many.

    Args:
        paths: the paths of the files.
        verb: what happened to them, such as `added`.
        content: the content folder.
    """
    folders = Counter(str(PurePosixPath(path).parent) for path in paths)
    for folder, count in folders.items():
        if count > LISTED:
            yield f"{verb}: {count_text(count, 'file')} in {content / folder}"
        else:
            yield from (
                f"{verb}: {content / path}" for path in paths if str(PurePosixPath(path).parent) == folder
            )


def format_contract_report(results: "ImportedContracts", content: Path, *, dry_run: bool) -> Iterator[str]:
    """Format the report about imported contracts, line by line.

    Args:
        results: the result of the import.
        content: the content folder.
        dry_run: whether no file was written.
    """
    report = results.report
    did = "would be added" if dry_run else "added"
    if results.verified:
        yield f"verified and {did}: {count_text(len(results.verified), 'contract')}"
        yield from _indented_name_lines(results.verified)
    if results.compiled:
        yield f"compiled again with the same outcome: {count_text(results.compiled, 'contract')}"
    if report.present_count:
        yield f"already in {content}: {count_text(report.present_count, 'contract')}"
    yield from _skipped_record_lines(
        "not complete yet, not part of the site: {}; missing ", results.incomplete
    )
    yield from _skipped_record_lines("not imported: {}; ", report.skipped)
    yield from _skipped_record_lines("note: {}: ", results.notes)
    if not (results.verified or report.present_count or results.incomplete or report.skipped):
        yield "the source has no contracts"


def _skipped_record_lines(heading: str, skipped_records: Sequence[SkippedRecord]) -> Iterator[str]:
    for reason, names in group_skipped_by_reason(skipped_records):
        yield escape_control_chars(heading.format(count_text(len(names), "contract")) + reason)
        yield from _indented_name_lines(names)


def _indented_name_lines(names: Sequence[str]) -> Iterator[str]:
    yield from (f"    {escape_control_chars(name)}" for name in names[:LISTED])
    if len(names) > LISTED:
        yield f"    and {len(names) - LISTED:,} more"


def write_address_results(
    report_file: Path, results: "ImportedContracts", kind: str, source: str, *, dry_run: bool
) -> None:
    """Write the import result of each address to a JSON Lines file.

    Args:
        report_file: the file to write, with one line for each address.
        results: the results of the import.
        kind: the kind of source, such as `sourcify`.
        source: the URL, folder or file that was imported.
        dry_run: whether the import wrote no contracts.

    Raises:
        PublishingError: if the file cannot be written.
    """
    accounts = list(results.all_results())
    head = {
        "kind": kind,
        "source": source,
        "dryRun": dry_run,
        "unfinished": results.report.incomplete,
        "outcomes": dict(sorted(Counter(account.outcome for account in accounts).items())),
    }
    rows = b",\n".join(orjson.dumps(account.to_json) for account in accounts)
    with atomic_file(report_file) as stream:
        stream.write(orjson.dumps(head)[:-1] + b',"addresses":[\n' + rows + b"\n]}\n")
