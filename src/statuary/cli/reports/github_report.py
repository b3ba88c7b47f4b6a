"""Findings as GitHub workflow commands, which annotate the lines of a pull request."""

from collections.abc import Iterable

from statuary.domain.findings import Finding, Severity

COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def github_report(findings: Iterable[Finding], folder: str) -> str:
    """Return one workflow command a finding."""
    return "\n".join(_command(finding, folder) for finding in findings)


def _command(finding: Finding, folder: str) -> str:
    properties = {"file": f"{folder}/{finding.path}" if finding.path else folder}
    if finding.position:
        properties |= {"line": str(finding.position.line), "col": str(finding.position.column)}
    properties["title"] = finding.rule
    told = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    message = f"{finding.message}. {finding.hint}" if finding.hint else finding.message
    return f"::{COMMANDS[finding.severity]} {told}::{_data(message)}"


def _data(text: str) -> str:
    """Escape a message as GitHub's own toolkit does."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
