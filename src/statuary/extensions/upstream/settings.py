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
    """The system that serves another status page, and so its format."""

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
    """A person's status for a component, which overrides the other page's."""

    status: ComponentStatus
    """The status of the component."""
    since: InstantText
    """From when on."""

    def to_override(self) -> Override:
        """Convert this part of site.yaml to a status that overrides the fetched one."""
        return Override(self.status, self.since)


class UpstreamComponentSource(SourceModel):
    """A component of this page, and the one that it follows."""

    url: Annotated[Text, Field(pattern=r"^https?://[^\s?#]+$")]
    """The address of the other page, such as `https://status.example.com`."""
    kind: UpstreamKind = UpstreamKind.STATUSPAGE
    """Whose documents it has: `statuspage`, `instatus` or `betterstack`."""
    component: Text
    """The component's name or id there."""
    override: OverrideSource | None = None
    """Your own status for it, which overrides the other page's. Remove it to follow that page again."""


class UpstreamSource(SourceModel):
    """Components that follow other pages."""

    components: Annotated[dict[str, UpstreamComponentSource], Field(min_length=1, max_length=200)]
    """The followed components, by the key or the id of the component on this page."""

    @model_validator(mode="after")
    def _check_components(self) -> Self:
        for name in self.components:
            if not name.strip():
                raise InvalidValueError("a component has no name", "write its key")
        return self


class SiteUpstreamSource(ExtensionSource):
    """The key `upstream` of site.yaml."""

    upstream: UpstreamSource | None = None
    """Components that follow those of other pages; `statuary upstream` fetches their statuses."""

    @override
    def settings(self) -> UpstreamSettings | None:
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
