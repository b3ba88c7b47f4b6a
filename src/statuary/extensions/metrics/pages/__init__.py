"""Metrics on the status page."""

from collections.abc import Mapping
from pathlib import Path

from statuary.extensions.metrics.documents import URLS
from statuary.extensions.metrics.settings import MetricsSettings
from statuary.site.pages.page_parts import PageParts


def make_metric_template_values(settings: MetricsSettings) -> Mapping[str, str]:
    """Return the ids and names of metrics, for the page's template.

    `rows` has a line `id<TAB>name` for each metric. Translated names are in `rows.<language>`, and `languages` lists
    these languages.
    """
    names: dict[str, Mapping[str, str]] = {
        metric.id: getattr(metric.name, "by_language", {}) for metric in settings.shown
    }
    languages = dict.fromkeys(tag for names_by_language in names.values() for tag in names_by_language)
    rows = {
        f"rows.{tag}": [f"{metric.id}\t{names[metric.id].get(tag, metric.name)}" for metric in settings.shown]
        for tag in languages
    }
    plain = [f"{metric.id}\t{metric.name}" for metric in settings.shown]
    return {
        "languages": " ".join(languages),
        **{key: "\n".join(lines) for key, lines in {"rows": plain, **rows}.items()},
    }


PARTS = PageParts(
    folder=Path(__file__).parent,
    urls=URLS,
    slots={"status.pulse": "metrics_pulse.html", "status.metrics": "metrics_graphs.html"},
    scripts={},
    values=make_metric_template_values,
)
