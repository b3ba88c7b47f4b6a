"""Findings as SARIF 2.1.0, which code-scanning services and editors read."""

from collections.abc import Iterable

from statuary.cli.output.printable import json_text
from statuary.domain.findings import Finding, Severity
from statuary.version import VERSION

LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_report(findings: Iterable[Finding], folder: str) -> str:
    """Return one SARIF log with one run."""
    found = list(findings)
    rules = [{"id": rule} for rule in sorted({finding.rule for finding in found})]
    driver = {"name": "statuary", "version": VERSION, "rules": rules}
    results = [_result(finding, folder) for finding in found]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json_text(log)


def _result(finding: Finding, folder: str) -> dict[str, object]:
    message = f"{finding.message}. {finding.hint}" if finding.hint else finding.message
    location: dict[str, object] = {
        "artifactLocation": {"uri": f"{folder}/{finding.path}" if finding.path else folder}
    }
    if finding.position:
        location["region"] = {
            "startLine": finding.position.line,
            "startColumn": finding.position.column,
        }
    return {
        "ruleId": finding.rule,
        "level": LEVELS[finding.severity],
        "message": {"text": message},
        "locations": [{"physicalLocation": location}],
    }
