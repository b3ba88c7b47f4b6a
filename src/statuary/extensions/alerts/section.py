"""The section that reads the alert rules of site.yaml."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from typing_extensions import override

from statuary.base.findings import Finding, Pointer
from statuary.section import Run, Section
from statuary.status.checks.named_components import unknown_component_findings
from statuary.status.model.records import StatusContent

if TYPE_CHECKING:
    from statuary.engine.extension_settings import ExtensionSource


class AlertsSection(Section):
    """The section that checks the alert rules in site.yaml; it publishes nothing."""

    @override
    @classmethod
    def settings_model(cls) -> "type[ExtensionSource]":
        from statuary.extensions.alerts.settings import SiteAlertsSource

        return SiteAlertsSource

    @override
    def findings(self, run: Run) -> Iterator[Finding]:
        if run.site is not None:
            names: dict[Pointer, str] = {
                ("alerts", "rules", number, "component"): rule.component
                for number, rule in enumerate(self.settings.rules)
            }
            yield from unknown_component_findings(
                run.site.content_of(StatusContent).catalogue, names, run.site.source
            )
