"""The status sources of a site."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from statuary.domain.primitives import Instant
from statuary.domain.status.components import Component
from statuary.domain.status.incidents import Incident
from statuary.domain.status.maintenances import Maintenance
from statuary.domain.status.page import UNKNOWN_CREATION, Page


@dataclass(frozen=True, kw_only=True)
class StatusCatalogue:
    """The page, its components, its incidents and its maintenances."""

    page: Page
    components: tuple[Component, ...] = ()  # in the author's order, each group before its components
    incidents: tuple[Incident, ...] = ()
    maintenances: tuple[Maintenance, ...] = ()  # a recurring one appears once, with its rule
    components_source: str = "components.yaml"
    page_source: str = "site.yaml"

    @cached_property
    def components_by_name(self) -> dict[str, Component]:
        """Components by key and by id; where the two collide, the key wins."""
        by_id = {component.id: component for component in self.components}
        return by_id | {component.key: component for component in self.components}


def with_creation(catalogue: StatusCatalogue) -> StatusCatalogue:
    """Date a page without `created_at`, and the components that take its date, by the first date in the content."""
    if catalogue.page.created_at != UNKNOWN_CREATION:
        return catalogue
    first = min(_published_instants(catalogue), default=UNKNOWN_CREATION)
    return replace(
        catalogue,
        page=catalogue.page._replace(created_at=first),
        components=tuple(
            one if one.created_at != UNKNOWN_CREATION else one._replace(created_at=first)
            for one in catalogue.components
        ),
    )


def _published_instants(catalogue: StatusCatalogue) -> Iterator[Instant]:
    """Yield the dates of published records, and of components."""
    for record in (*catalogue.incidents, *catalogue.maintenances):
        if not record.draft and record.publish_at is None:
            yield record.created_at
    for component in catalogue.components:
        yield from (change.at for change in component.history)
        if component.created_at != UNKNOWN_CREATION:
            yield component.created_at
