"""Findings as one JSON document."""

from collections.abc import Iterable

import orjson

from statuary.domain.findings import Finding


def json_report(findings: Iterable[Finding], folder: str) -> str:
    """Return `{"findings": [{file, line, column, severity, rule, message, remedy, pointer}]}`."""
    entries = [_entry(finding, folder) for finding in findings]
    return orjson.dumps({"findings": entries}, option=orjson.OPT_INDENT_2).decode()


def _entry(finding: Finding, folder: str) -> dict[str, object]:
    return {
        "file": f"{folder}/{finding.path}" if finding.path else folder,
        "line": finding.position.line if finding.position else None,
        "column": finding.position.column if finding.position else None,
        "severity": finding.severity.value,
        "rule": finding.rule,
        "message": finding.message,
        "remedy": finding.hint,
        "pointer": list(finding.pointer),
    }
