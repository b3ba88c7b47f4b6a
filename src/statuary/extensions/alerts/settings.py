"""The key `alerts` of site.yaml: rules from alerts to incidents."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, NamedTuple, Self

from pydantic import Field, model_validator
from typing_extensions import override

from statuary.base.primitives import InvalidValueError
from statuary.engine.extension_settings import ExtensionSource
from statuary.source.source_model import Body, Name, SourceModel, Text
from statuary.status.model.vocabulary import ComponentStatus


class Publication(StrEnum):
    """Whether an alert's incident is published or saved as a draft."""

    DRAFT = "draft"
    AUTOMATICALLY = "automatically"


class AlertRule(NamedTuple):
    """A rule that says which component of the status page alerts affect."""

    component: str  # the component's key or id
    labels: Mapping[str, str] = MappingProxyType({})
    """The labels that an alert must have.

    A rule that was made from the alert's own label `component` has none.
    """
    status: ComponentStatus = "major_outage"
    name: str | None = None
    body: str | None = None
    publish: Publication = Publication.DRAFT

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Return whether an alert has all labels that the rule requires.

        Args:
            labels: the labels of the alert: values by name.
        """
        return all(labels.get(name) == text for name, text in self.labels.items())


class AlertSettings(NamedTuple):
    """A site's rules for alerts. The first rule that matches an alert applies."""

    rules: tuple[AlertRule, ...] = ()


class AlertRuleSource(SourceModel):
    """A rule: which alerts it is for, and the incident that they open."""

    component: Text
    """The affected component, by key or id."""
    labels: Annotated[dict[str, Text], Field(min_length=1, max_length=50)] | None = None
    """The labels that an alert must have for this rule. Default: the label `component`, with the key of the
    component."""
    status: ComponentStatus = "major_outage"
    """The status of the component while the alert fires."""
    name: Name | None = None
    """The title of the incident. Default: the name of the alert."""
    body: Body | None = None
    """The text of the first update, in Markdown. Default: Statuspage's standard text."""
    publish: Publication = Publication.DRAFT
    """Who publishes the incident: with `draft`, a person; with `automatically`, the next build.
    `automatically` needs a `name`, because the name of an alert may reveal internals."""

    @model_validator(mode="after")
    def _check_rule(self) -> Self:
        if self.publish is Publication.AUTOMATICALLY and self.name is None:
            raise InvalidValueError(
                "an incident that is published automatically has no name",
                "add `name`, the title that readers see",
            )
        return self

    def to_rule(self) -> AlertRule:
        """Convert an item of `alerts` in site.yaml to a rule.

        By default, the rule matches alerts whose label `component` names the component.
        """
        return AlertRule(
            component=self.component,
            labels=self.labels or {"component": self.component},
            status=self.status,
            name=self.name,
            body=self.body,
            publish=self.publish,
        )


class AlertsSource(SourceModel):
    """Which alerts of your monitoring open incidents."""

    rules: Annotated[tuple[AlertRuleSource, ...], Field(max_length=1000)] = ()
    """The rules for alerts. For each alert, statuary applies the first rule whose labels match. If no rule
    matches, the alert changes nothing."""


class SiteAlertsSource(ExtensionSource):
    """The key `alerts` of site.yaml."""

    alerts: AlertsSource | None = None
    """Which alerts of your monitoring open incidents. Without this key, each alert with a label `component`
    opens a draft."""

    @override
    def to_settings(self) -> AlertSettings | None:
        return (
            None
            if self.alerts is None
            else AlertSettings(tuple(rule.to_rule() for rule in self.alerts.rules))
        )
