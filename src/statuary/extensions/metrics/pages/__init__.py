"""What the status page shows of metrics: a graph of the last day of each."""

from collections.abc import Mapping
from pathlib import Path

from statuary.documents.pages.page_parts import PageParts
from statuary.extensions.metrics.documents import URLS
from statuary.extensions.metrics.settings import MetricsSettings


def shown_metrics(settings: MetricsSettings) -> Mapping[str, str]:
    """Return the id and the name of each metric, a line each."""
    return {"rows": "\n".join(f"{metric.id}\t{metric.name}" for metric in settings.shown)}


PARTS = PageParts(
    folder=Path(__file__).parent,
    urls=URLS,
    slots={"status.metrics": "metrics_graphs.html"},
    scripts={},
    values=shown_metrics,
)
