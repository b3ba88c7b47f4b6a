"""The section that lets components follow another page."""

from typing import TYPE_CHECKING

from typing_extensions import override

from statuary.section import Section

if TYPE_CHECKING:
    from statuary.engine.extension_settings import ExtensionSource


class UpstreamSection(Section):
    """The section that lets components follow another page."""

    @override
    @classmethod
    def settings_model(cls) -> "type[ExtensionSource]":
        """Return the model that validates `upstream` in site.yaml."""
        from statuary.extensions.upstream.settings import SiteUpstreamSource

        return SiteUpstreamSource
