"""The values that a status's files are read into, apart from records."""

from typing import NamedTuple

from statuary.status.model.records import Component, FaultyPart, Page, StatusSettings


class StatusKeys(NamedTuple):
    """The values of the keys `page` and `status` of site.yaml."""

    page: Page
    settings: StatusSettings


class ReadComponents(NamedTuple):
    """The content of components.yaml.

    A component with an error has a placeholder, so that the others keep their positions.
    """

    components: tuple[Component, ...]
    faulty_parts: tuple[FaultyPart, ...] = ()  # the parts with placeholders, or the whole file


NOTHING_READ = ReadComponents((), (FaultyPart(()),))
"""The content of a file of which nothing can be read."""
