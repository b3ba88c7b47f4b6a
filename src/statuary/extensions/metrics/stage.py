"""The stage of a build that reads points and adds each metric's documents."""

from pathlib import Path

from typing_extensions import override

from statuary.base.findings import Finding, Severity
from statuary.engine.stages import SectionResult, SiteStage, StageInputs
from statuary.extensions.metrics.documents import metric_documents
from statuary.extensions.metrics.points import LARGEST_FILE, PointsError, read_points
from statuary.extensions.metrics.settings import Metric, MetricsSettings
from statuary.publish.target import BuildTarget
from statuary.source.source_files import SourceFile
from statuary.source.unreadable import UnreadableError

EXAMPLE = "run `statuary probe`, or write the file"


def open_stage(inputs: StageInputs) -> SiteStage | None:
    """Open the stage of a build; checks and ticks keep the documents."""
    if not isinstance(inputs.settings, MetricsSettings) or inputs.target is None or inputs.root is None:
        return None
    return MetricsStage(inputs.settings, inputs, inputs.target, inputs.root)


class MetricsStage(SiteStage):
    """The metrics of a site."""

    def __init__(
        self, settings: MetricsSettings, inputs: StageInputs, target: BuildTarget, root: Path
    ) -> None:
        self._settings, self._inputs, self._target = settings, inputs, target
        self._project = root.resolve().parent

    @override
    def build(self, incidents: object, *, contracts: bool) -> SectionResult:
        findings: list[Finding] = []
        for metric in self._settings.shown:
            try:
                points = read_points(self._read(metric), metric)
            except PointsError as error:
                points = []
                findings.append(_finding(error, metric))
            self._target.add(metric_documents(metric, points, self._inputs.instant))
        return SectionResult(findings=tuple(findings))

    def _read(self, metric: Metric) -> bytes:
        file = SourceFile(self._project, f"{self._settings.folder}/{metric.file}")
        try:
            return file.bytes(LARGEST_FILE)
        except UnreadableError as error:
            raise PointsError(f"{metric.file} cannot be read: {error}", error.hint or EXAMPLE) from None


def _finding(error: PointsError, metric: Metric) -> Finding:
    return Finding(
        rule="unreadable-points",
        severity=Severity.WARNING,
        message=str(error),
        hint=error.hint,
        path="site.yaml",
        pointer=("metrics", "shown", metric.id),
        on_key=True,
    )
