"""The section of the key `alerts`."""

from typing import TYPE_CHECKING

from typing_extensions import override

from statuary.section import Section

if TYPE_CHECKING:
    from statuary.engine.extension_settings import ExtensionSource


class AlertsSection(Section):
    """Rules for what `incident from-alert` does with an alert: settings alone."""

    @override
    @classmethod
    def source(cls) -> "type[ExtensionSource]":
        from statuary.extensions.alerts.settings import SiteAlertsSource

        return SiteAlertsSource
