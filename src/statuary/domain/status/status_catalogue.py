"""The status sources of a site."""

from dataclasses import dataclass
from functools import cached_property

from statuary.domain.status.components import Component
from statuary.domain.status.incidents import Incident
from statuary.domain.status.maintenances import Maintenance
from statuary.domain.status.page import Page


@dataclass(frozen=True, kw_only=True)
class StatusCatalogue:
    """The page, its components, its incidents and its maintenances.

    Attributes:
        components: in the author's order, each group before its components.
        maintenances: a recurring one appears once, with its rule.
        components_source: the file that defines the components.
        page_source: the file that defines the page.
    """

    page: Page
    components: tuple[Component, ...] = ()
    incidents: tuple[Incident, ...] = ()
    maintenances: tuple[Maintenance, ...] = ()
    components_source: str = "components.yaml"
    page_source: str = "site.yaml"

    @cached_property
    def components_by_name(self) -> dict[str, Component]:
        """Components by key and by id; where the two collide, the key wins."""
        by_id = {component.id: component for component in self.components}
        return by_id | {component.key: component for component in self.components}
