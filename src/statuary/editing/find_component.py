"""Components as a person types them: `key`, or `key=status`."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import get_args

from statuary.domain.status.components import Component
from statuary.domain.status.status_catalogue import StatusCatalogue
from statuary.domain.status.vocabulary import ComponentStatus
from statuary.editing.errors import EditError

STATUSES: tuple[ComponentStatus, ...] = get_args(ComponentStatus)


def parse_statuses(words: Iterable[str], catalogue: StatusCatalogue) -> dict[str, ComponentStatus | None]:
    """Return the statuses by key that words such as `rpc=partial_outage` give; None without `=`.

    Raises:
        EditError: if a component or a status is unknown, is a group, or is repeated.
    """
    found: dict[str, ComponentStatus | None] = {}
    for word in words:
        name, equals, status = word.partition("=")
        key = find_component(name, catalogue).key
        if key in found:
            raise EditError(f"duplicate component {key!r}", "name it once")
        found[key] = parse_status(status) if equals else None
    return found


def find_component(name: str, catalogue: StatusCatalogue) -> Component:
    """Return the component with a key, id or name; raise EditError if there is none, or it is a group."""
    component = catalogue.components_by_name.get(name) or _named(name, catalogue)
    if component is None:
        suggestion = _suggestion(name, list(catalogue.components_by_name))
        raise EditError(f"unknown component {name!r}", suggestion or "run `statuary component list`")
    if component.group:
        raise EditError(
            f"{name!r} is a group; its status follows from its components",
            f"use one of its components: {', '.join(component.children)}",
        )
    return component


def _named(name: str, catalogue: StatusCatalogue) -> Component | None:
    """Return the only component whose name on the page is `name`, in any case."""
    found = [one for one in catalogue.components if one.name.casefold() == name.strip().casefold()]
    return found[0] if len(found) == 1 else None


def parse_status(word: str) -> ComponentStatus:
    """Return a component's status; raise EditError if there is no such status."""
    for status in STATUSES:
        if status == word:
            return status
    suggestion = _suggestion(word, STATUSES)
    raise EditError(f"unknown component status {word!r}", suggestion or f"use one of {', '.join(STATUSES)}")


def _suggestion(word: str, known: Sequence[str]) -> str:
    """Return a question that names the known words that begin with a word or resemble it; empty if none does."""
    near = [one for one in known if word and one.startswith(word)] or get_close_matches(word, known, 3)
    return f"did you mean {' or '.join(map(repr, near))}?" if near else ""


def format_statuses(statuses: Mapping[str, ComponentStatus | None]) -> str:
    """Return components and their statuses on one line, as they are typed."""
    return ", ".join(key if status is None else f"{key}={status}" for key, status in statuses.items())


def leaf_keys(catalogue: StatusCatalogue) -> list[str]:
    """Return the keys of the components on the page, without groups."""
    return [one.key for one in catalogue.components if not (one.group or one.removed)]
