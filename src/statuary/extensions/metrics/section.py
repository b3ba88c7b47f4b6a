"""The section that adds the documents of metrics."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from typing_extensions import override

from statuary.base.findings import Finding, Pointer, Severity
from statuary.contracts.model.contract_row import ContractCounts
from statuary.extensions.metrics.documents import URLS, iter_metric_documents
from statuary.extensions.metrics.pages import PARTS
from statuary.extensions.metrics.points import LARGEST_FILE, PointsError, parse_points
from statuary.extensions.metrics.settings import Metric
from statuary.section import Run, Section, SectionResult
from statuary.site.operations import ApiDescription
from statuary.source.source_files import SourceFile
from statuary.source.unreadable import UnreadableError
from statuary.status.checks.named_components import unknown_component_findings
from statuary.status.model.records import StatusContent

if TYPE_CHECKING:
    from statuary.engine.extension_settings import ExtensionSource

EXAMPLE = "run `statuary probe`, or write the file"


class MetricsSection(Section):
    """The section that adds the documents of metrics."""

    urls = URLS
    parts = PARTS

    @override
    @classmethod
    def settings_model(cls) -> "type[ExtensionSource]":
        """Return the model that validates `metrics` in site.yaml."""
        from statuary.extensions.metrics.settings import SiteMetricsSource

        return SiteMetricsSource

    @override
    def operations(self, run: Run) -> Iterable[ApiDescription]:
        """Describe the API documents about metrics, for openapi.json."""
        from statuary.extensions.metrics.openapi import describe_operations

        counts = run.result_of(ContractCounts) or ContractCounts()
        return describe_operations(self.settings, counts.example)

    @override
    def findings(self, run: Run) -> Iterator[Finding]:
        """Report probes in site.yaml that name an unknown component."""
        if run.site is not None:
            names: dict[Pointer, str] = {
                ("metrics", "probes", probe.id, "component"): probe.component
                for probe in self.settings.probes
            }
            yield from unknown_component_findings(
                run.site.content_of(StatusContent).catalogue, names, run.site.source
            )

    @override
    def build(self, run: Run) -> SectionResult | None:
        if run.root is None:
            return None
        project = run.root.resolve().parent
        findings: list[Finding] = []
        for metric in self.settings.shown:
            try:
                points = parse_points(self._read_points_file(project, metric), metric)
            except PointsError as error:
                points = []
                findings.append(
                    _make_points_finding(error, metric, run.site.source if run.site is not None else "")
                )
            run.target.add(iter_metric_documents(metric, points, run.instant))
        return SectionResult(skipped=tuple(findings))

    def _read_points_file(self, project: Path, metric: Metric) -> bytes:
        file = SourceFile(project, f"{self.settings.folder}/{metric.file}")
        try:
            return file.load_bytes(LARGEST_FILE)
        except UnreadableError as error:
            raise PointsError(f"{metric.file} cannot be read: {error}", error.hint or EXAMPLE) from None


def _make_points_finding(error: PointsError, metric: Metric, settings_file: str) -> Finding:
    return Finding(
        rule="unreadable-points",
        severity=Severity.WARNING,
        message=str(error),
        hint=error.hint,
        path=settings_file,
        pointer=("metrics", "shown", metric.id),
        on_key=True,
    )
