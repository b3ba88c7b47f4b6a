"""The key `embed` of site.yaml."""

from typing import NamedTuple

from typing_extensions import override

from statuary.engine.extension_settings import ExtensionSource
from statuary.source.source_model import Flag


class EmbedSettings(NamedTuple):
    """The setting `embed`: whether the site publishes a banner and a badge."""

    is_on: bool = True


class SiteEmbedSource(ExtensionSource):
    """The key `embed` of site.yaml."""

    embed: Flag = False
    """Whether the site has a banner (`embed/script.js`) and a badge (`badge`) that other websites can
    show."""

    @override
    def to_settings(self) -> EmbedSettings | None:
        """Return the settings, or None if `embed` is false."""
        return EmbedSettings() if self.embed else None
