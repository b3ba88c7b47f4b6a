"""The key `instatus` of site.yaml."""

from typing import NamedTuple

from typing_extensions import override

from statuary.engine.extension_settings import ExtensionSource
from statuary.source.source_model import Flag


class InstatusSettings(NamedTuple):
    """The setting `instatus`: whether the site also serves Instatus's API."""

    is_on: bool = True


class SiteInstatusSource(ExtensionSource):
    """The key `instatus` of site.yaml."""

    instatus: Flag = False
    """Whether the site also has Instatus's `summary.json` and `v2/components.json`, for programs that poll an
    Instatus page."""

    @override
    def to_settings(self) -> InstatusSettings | None:
        """Return the settings, or None if `instatus` is false."""
        return InstatusSettings() if self.instatus else None
