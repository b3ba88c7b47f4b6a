"""Choosing the report."""

from collections.abc import Callable, Sequence

from statuary.cli.reports.github_report import github_report
from statuary.cli.reports.json_report import json_report
from statuary.cli.reports.sarif_report import sarif_report
from statuary.cli.reports.text_report import text_report
from statuary.domain.findings import Finding

REPORTS: dict[str, Callable[[Sequence[Finding], str], str]] = {
    "text": text_report,
    "json": json_report,
    "github": github_report,
    "sarif": sarif_report,
}
"""The formats of `--format`."""


def format_findings(findings: Sequence[Finding], folder: str, form: str) -> str:
    """Return the findings in a format; `folder` is the content folder as the person named it."""
    return REPORTS[form](findings, folder)
