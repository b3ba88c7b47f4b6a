"""Components as a person names them: `key`, or `key=status`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import get_args

from statuary.cli.command_error import CommandError
from statuary.cli.editing.prompts import ask_choice, is_interactive
from statuary.domain.status.components import Component
from statuary.domain.status.status_catalogue import StatusCatalogue
from statuary.domain.status.vocabulary import ComponentStatus

NONE = "none"
"""The answer that ends the questions."""

STATUSES: tuple[ComponentStatus, ...] = get_args(ComponentStatus)


def parse_statuses(words: Iterable[str], catalogue: StatusCatalogue) -> dict[str, ComponentStatus | None]:
    """Return by key the statuses that words such as `rpc=partial_outage` give; none without `=`.

    Raises:
        Refusal: if a component or a status is not known, is a group, or stands twice.
    """
    found: dict[str, ComponentStatus | None] = {}
    for word in words:
        name, given, status = word.partition("=")
        key = find_component(name, catalogue).key
        if key in found:
            raise CommandError(f"component {key!r} is named twice", "name it once")
        found[key] = parse_status(status) if given else None
    return found


def find_component(name: str, catalogue: StatusCatalogue) -> Component:
    """Return the component with a key or id.

    Raises:
        Refusal: if there is none, or it is a group.
    """
    component = catalogue.components_by_name.get(name)
    if component is None:
        near = _nearest(name, list(catalogue.components_by_name))
        raise CommandError(
            f"there is no component {name!r}",
            f"did you mean {near}?" if near else "see `statuary component list`",
        )
    if component.group:
        raise CommandError(
            f"{name!r} is a group, which has the status of its worst component",
            f"name one of its components: {', '.join(component.children)}",
        )
    return component


def parse_status(word: str) -> ComponentStatus:
    """Return a component's status.

    Raises:
        Refusal: if it is not one.
    """
    for status in STATUSES:
        if status == word:
            return status
    near = _nearest(word, STATUSES)
    raise CommandError(
        f"{word!r} is no status of a component",
        f"did you mean {near}?" if near else f"write one of {', '.join(STATUSES)}",
    )


def _nearest(word: str, known: Sequence[str]) -> str:
    """Return the known words that begin like a word, or look like it; empty if there is none."""
    near = [one for one in known if word and one.startswith(word)] or get_close_matches(word, known, 3)
    return " or ".join(map(repr, near))


def format_statuses(statuses: Mapping[str, ComponentStatus | None]) -> str:
    """Return components and their new statuses on one line, as they are typed."""
    return ", ".join(key if status is None else f"{key}={status}" for key, status in statuses.items())


def leaf_keys(catalogue: StatusCatalogue) -> list[str]:
    """Return the keys of the components that have a status of their own and are on the page."""
    return [one.key for one in catalogue.components if not (one.group or one.removed)]


def statuses_or_ask(given: Sequence[str], catalogue: StatusCatalogue) -> dict[str, ComponentStatus | None]:
    """Return the statuses that were given; if none were, ask a person for one component after the other."""
    if given or not is_interactive():
        return parse_statuses(given, catalogue)
    return {key: parse_status(ask_choice(f"Status of {key}", STATUSES)) for key in _asked_keys(catalogue)}


def components_or_ask(given: Sequence[str], catalogue: StatusCatalogue) -> list[str]:
    """Return the keys of the components that were given; if none were, ask a person for them."""
    if given or not is_interactive():
        return list(dict.fromkeys(find_component(name, catalogue).key for name in given))
    return list(_asked_keys(catalogue))


def _asked_keys(catalogue: StatusCatalogue) -> Iterator[str]:
    """Yield the component that a person names, until they name none."""
    left = leaf_keys(catalogue)
    while left and (key := ask_choice("Affected component", [NONE, *left], default=NONE)) != NONE:
        yield key
        left.remove(key)
