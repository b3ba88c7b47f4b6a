"""Findings as lines for a terminal: `file:line:column: severity: what is wrong [rule]`, then what to do."""

from collections.abc import Iterable

import click

from statuary.domain.findings import Finding, Severity

COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "blue"}


def text_report(findings: Iterable[Finding], folder: str) -> str:
    """Return the findings, a line or two each; colours are removed where nobody sees them."""
    return "\n".join(_lines(finding, folder) for finding in findings)


def _lines(finding: Finding, folder: str) -> str:
    severity = click.style(f"{finding.severity}:", fg=COLOURS[finding.severity], bold=True)
    line = (
        f"{click.style(location(finding, folder), bold=True)} {severity} {finding.message} [{finding.rule}]"
    )
    return f"{line}\n    {finding.hint}" if finding.hint else line


def location(finding: Finding, folder: str) -> str:
    """Return where a finding is, as editors and terminals link it."""
    path = f"{folder}/{finding.path}" if finding.path else folder
    if finding.position is None:
        return f"{path}:"
    return f"{path}:{finding.position.line}:{finding.position.column}:"
