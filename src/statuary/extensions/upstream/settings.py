"""The key `upstream` of site.yaml: components and those they follow."""

from enum import StrEnum
from typing import Annotated, NamedTuple, Self

from pydantic import Field, model_validator
from typing_extensions import override

from statuary.base.primitives import Instant, InvalidValueError
from statuary.engine.extension_settings import ExtensionSource
from statuary.source.source_model import InstantText, SourceModel, Text
from statuary.status.model.vocabulary import ComponentStatus


class UpstreamKind(StrEnum):
    """The system that serves another status page, such as Statuspage."""

    STATUSPAGE = "statuspage"
    INSTATUS = "instatus"
    BETTERSTACK = "betterstack"


class Override(NamedTuple):
    """A status set by a person instead of the other page's."""

    status: ComponentStatus
    since: Instant


class UpstreamComponent(NamedTuple):
    """A component, and the component on another page that it follows."""

    component: str  # the key or id of the component on this page
    url: str  # the address of the other page
    kind: UpstreamKind
    name: str  # the name or id of the component on the other page
    override: Override | None = None


class UpstreamSettings(NamedTuple):
    """The components that follow other pages, in the order of the file."""

    components: tuple[UpstreamComponent, ...] = ()


class OverrideSource(SourceModel):
    """Your own status for a component, in place of the copied one."""

    status: ComponentStatus
    """The status of the component."""
    since: InstantText
    """The time from which the status applies."""

    def to_override(self) -> Override:
        """Convert `override` in site.yaml, a status set by hand, to its settings."""
        return Override(self.status, self.since)


class UpstreamComponentSource(SourceModel):
    """A component of another status page, whose status yours copies."""

    url: Annotated[Text, Field(pattern=r"^https?://[^\s?#]+$")]
    """The URL of the other status page, such as `https://status.example.com`."""
    kind: UpstreamKind = UpstreamKind.STATUSPAGE
    """The software of the other status page: `statuspage`, `instatus` or `betterstack`. For statuary, write
    `statuspage`."""
    component: Text
    """The name or the id of the component on the other status page."""
    override: OverrideSource | None = None
    """Your own status for the component, in place of the copied one. It applies until you remove this key."""


class UpstreamSource(SourceModel):
    """The components that copy their status from other status pages."""

    components: Annotated[dict[str, UpstreamComponentSource], Field(min_length=1, max_length=200)]
    """A component that copies its status, by its key or id on your page."""

    @model_validator(mode="after")
    def _check_components(self) -> Self:
        for name in self.components:
            if not name.strip():
                raise InvalidValueError(
                    "a component under `upstream` has no name", "write the key of a component"
                )
        return self


class SiteUpstreamSource(ExtensionSource):
    """The key `upstream` of site.yaml."""

    upstream: UpstreamSource | None = None
    """The components that copy their status from other status pages. `statuary upstream` fetches these
    statuses."""

    @override
    def to_settings(self) -> UpstreamSettings | None:
        if self.upstream is None:
            return None
        return UpstreamSettings(
            tuple(
                UpstreamComponent(
                    component=name,
                    url=source.url.rstrip("/"),
                    kind=source.kind,
                    name=source.component,
                    override=None if source.override is None else source.override.to_override(),
                )
                for name, source in self.upstream.components.items()
            )
        )
