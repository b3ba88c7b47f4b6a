"""The key `prometheus` of site.yaml."""

from typing import NamedTuple

from typing_extensions import override

from statuary.engine.extension_settings import ExtensionSource
from statuary.source.source_model import Flag


class PrometheusSettings(NamedTuple):
    """The setting `prometheus`, which publishes the status as metrics."""

    is_on: bool = True


class SitePrometheusSource(ExtensionSource):
    """The key `prometheus` of site.yaml."""

    prometheus: Flag = False
    """Whether the site also has the file `metrics.txt`, with the status as metrics for Prometheus."""

    @override
    def to_settings(self) -> PrometheusSettings | None:
        return PrometheusSettings() if self.prometheus else None
