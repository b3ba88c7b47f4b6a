"""Findings in four formats: text, GitHub commands, JSON and SARIF."""

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import click

from statuary.base.findings import Finding, Position, Severity
from statuary.cli.escape import escape_control_chars, json_text
from statuary.publish.outcome import Outcome
from statuary.source.source_files import open_content_file
from statuary.source.unreadable import UnreadableError
from statuary.system.files import open_descriptor
from statuary.version import VERSION

COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "blue"}
SARIF_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
GITHUB_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}

MAX_PER_RULE = 10
"""Findings of one rule that the text report shows; the others are counted."""

MAX_SOURCE_SIZE = 1_000_000
"""Bytes of a file whose lines the text report shows."""

MAX_SOURCE_WIDTH = 100
"""Characters of a source line that the text report shows."""


def format_findings(
    findings: Sequence[Finding], folder: str, output_format: str, outcome: Outcome | None = None
) -> str:
    """Format errors and warnings as text, JSON, SARIF or GitHub annotations.

    Args:
        folder: the content folder as the user typed it, for the paths in the output.
        output_format: the value of `--format`.
        outcome: what a build published, which only JSON shows; None for a command that publishes nothing.
    """
    if output_format == "json" and outcome is not None:
        return json_report(findings, folder, outcome)
    return REPORTS[output_format](findings, folder)


def text_report(
    findings: Iterable[Finding], folder: str, edited_texts: Mapping[str, str] | None = None
) -> str:
    """Format findings as text, with source lines and hints.

    The first line of each finding is `file:line:column: severity: message [rule]`.

    Args:
        folder: the content folder as the user typed it.
        edited_texts: the new text of each edited file that is not written yet, by path.
    """
    sources = _SourceLines(Path(folder), edited_texts or {})
    counts: Counter[str] = Counter()
    lines: list[str] = []
    for finding in _merge_unlisted_chain_findings(findings):
        counts[finding.rule] += 1
        if counts[finding.rule] <= MAX_PER_RULE:
            lines += _finding_lines(finding, folder, sources)
    hidden_counts = (
        (rule, number - MAX_PER_RULE) for rule, number in counts.items() if number > MAX_PER_RULE
    )
    lines += [f"and {number:,} more [{rule}]; --format json shows all" for rule, number in hidden_counts]
    return "\n".join(lines)


UNKNOWN_CHAIN: Final = re.compile(r"chain '(\d+)' is not listed under `chains`")


def _merge_unlisted_chain_findings(findings: Iterable[Finding]) -> list[Finding]:
    """Merge the findings about chains that are missing in site.yaml into one."""
    listed = list(findings)
    unlisted = [finding for finding in listed if UNKNOWN_CHAIN.fullmatch(finding.message)]
    if len(unlisted) < 2:
        return listed
    place = listed.index(unlisted[0])
    rest = [finding for finding in listed[place:] if finding not in unlisted]
    return [*listed[:place], _unlisted_chains_finding(unlisted), *rest]


def _unlisted_chains_finding(unlisted: Sequence[Finding]) -> Finding:
    chains = sorted({finding.message.split("'")[1] for finding in unlisted}, key=int)
    entries = ", ".join(f"{{chain_id: {chain}, name: Chain {chain}}}" for chain in chains)
    noun = f"chain {chains[0]}, which" if len(chains) == 1 else f"{len(chains)} chains, which"
    return replace(
        unlisted[0],
        message=f"{len(unlisted):,} records are on {noun} `chains` does not list",
        hint=f"add to site.yaml or site.json, with the names that readers know: chains: [{entries}]",
    )


def _finding_lines(finding: Finding, folder: str, sources: "_SourceLines") -> Iterator[str]:
    severity = click.style(f"{finding.severity}:", fg=COLOURS[finding.severity], bold=True)
    where = click.style(finding_location(finding, folder), bold=True)
    yield f"{where} {severity} {escape_control_chars(finding.message)} [{finding.rule}]"
    if finding.position is not None:
        yield from _source_lines(sources.line(finding.path, finding.position.line), finding.position)
    if finding.hint:
        yield f"    {escape_control_chars(finding.hint)}"


def finding_location(finding: Finding, folder: str) -> str:
    """Return the place of a finding as `file:line:column:`.

    Editors turn it into a link.

    Args:
        finding: the finding; without a position, the result is only `file:`.
        folder: the content folder, with which the path begins.
    """
    path = escape_control_chars(_finding_file_name(finding, folder))
    if finding.position is None:
        return f"{path}:"
    return f"{path}:{finding.position.line}:{finding.position.column}:"


def _source_lines(text: str, position: Position) -> Iterator[str]:
    """Yield a line of a source file, and a caret below the error."""
    text_before = text[: position.column - 1]
    text_after = text[position.column - 1 :]
    if not text.strip() or len(text_before) > MAX_SOURCE_WIDTH:
        return
    prefix = f"{position.line:>5} | "
    yield click.style(prefix, dim=True) + escape_control_chars(
        text_before + text_after[: MAX_SOURCE_WIDTH - len(text_before)]
    )
    yield (
        click.style(f"{'':>5} | ", dim=True)
        + " " * len(escape_control_chars(text_before))
        + click.style("^", fg="red")
    )


class _SourceLines:
    """The lines of source files, each file read once."""

    def __init__(self, root: Path, edited: Mapping[str, str]) -> None:
        self.root = root
        self.lines = {path: text.splitlines() for path, text in edited.items()}

    def line(self, path: str, line_number: int) -> str:
        """Return the text of a line in a file, or an empty string.

        Args:
            path: the path of the file.
            line_number: the number of the line, counted from 1.
        """
        if path not in self.lines:
            self.lines = {path: self._read_lines(path)}
        lines = self.lines[path]
        return lines[line_number - 1].rstrip() if 0 < line_number <= len(lines) else ""

    def _read_lines(self, path: str) -> list[str]:
        """Read a file's lines for a message.

        The result is empty for links, hidden files, and files outside of the content folder.
        """
        if any(name.startswith(".") for name in path.split("/")):
            return []
        try:
            with open_descriptor(open_content_file(self.root, path, links=False)) as file:
                raw = file.read(MAX_SOURCE_SIZE + 1)
            return [] if len(raw) > MAX_SOURCE_SIZE else raw.decode("utf-8-sig").splitlines()
        except (OSError, ValueError, UnreadableError):
            return []


def github_report(findings: Iterable[Finding], folder: str) -> str:
    """Format findings as GitHub's workflow commands, which annotate a pull request.

    Args:
        folder: the content folder, with which the paths of annotations begin.
    """
    return "\n".join(_github_command(finding, folder) for finding in findings)


def _github_command(finding: Finding, folder: str) -> str:
    properties = {"file": _finding_file_name(finding, folder)}
    if finding.position:
        properties |= {"line": str(finding.position.line), "col": str(finding.position.column)}
    properties["title"] = finding.rule
    escaped = {
        name: _escape_github_data(text).replace(":", "%3A").replace(",", "%2C")
        for name, text in properties.items()
    }
    parameters = ",".join(f"{name}={text}" for name, text in escaped.items())
    return f"::{GITHUB_COMMANDS[finding.severity]} {parameters}::{_escape_github_data(_message_with_hint(finding))}"


def _escape_github_data(text: str) -> str:
    return escape_control_chars(text).replace("%", "%25")


def json_report(findings: Iterable[Finding], folder: str, outcome: Outcome | None = None) -> str:
    """Format findings as a JSON object with the member `findings`.

    Each finding has its file, line, column, severity, rule, message, remedy and pointer.

    Args:
        folder: the content folder as the user typed it.
        outcome: what a build published, for a second member `outcome`; None for a command that publishes
            nothing.
    """
    report: dict[str, object] = {"findings": [_finding_to_json(finding, folder) for finding in findings]}
    if outcome is not None:
        report["outcome"] = {"published": outcome.extent.value, "missing": list(outcome.missing)}
    return json_text(report)


def _finding_to_json(finding: Finding, folder: str) -> dict[str, object]:
    return {
        "file": _finding_file_name(finding, folder),
        "line": finding.position.line if finding.position else None,
        "column": finding.position.column if finding.position else None,
        "severity": finding.severity.value,
        "rule": finding.rule,
        "message": finding.message,
        "remedy": finding.hint,
        "pointer": list(finding.pointer),
    }


def _message_with_hint(finding: Finding) -> str:
    return f"{finding.message}. {finding.hint}" if finding.hint else finding.message


def _finding_file_name(finding: Finding, folder: str) -> str:
    return posixpath.join(folder, finding.path) if finding.path else folder


def sarif_report(findings: Iterable[Finding], folder: str) -> str:
    """Format findings as SARIF 2.1.0, the JSON format of code scanners.

    Args:
        folder: the content folder, with which the paths of results begin.
    """
    findings_list = list(findings)
    rules = [{"id": rule} for rule in sorted({finding.rule for finding in findings_list})]
    driver = {"name": "statuary", "version": VERSION, "rules": rules}
    results = [_sarif_result(finding, folder) for finding in findings_list]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    log = {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}
    return json_text(log)


def _sarif_result(finding: Finding, folder: str) -> dict[str, object]:
    place: dict[str, object] = {"artifactLocation": {"uri": _finding_file_name(finding, folder)}}
    if finding.position:
        place["region"] = {"startLine": finding.position.line, "startColumn": finding.position.column}
    return {
        "ruleId": finding.rule,
        "level": SARIF_LEVELS[finding.severity],
        "message": {"text": _message_with_hint(finding)},
        "locations": [{"physicalLocation": place}],
    }


REPORTS: dict[str, Callable[[Sequence[Finding], str], str]] = {
    "text": text_report,
    "json": json_report,
    "github": github_report,
    "sarif": sarif_report,
}
"""The formats of `--format`."""
