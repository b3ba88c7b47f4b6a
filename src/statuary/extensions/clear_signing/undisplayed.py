"""Find the values of a call that a format does not show."""

from collections.abc import Iterator

from statuary.base.primitives import InvalidValueError
from statuary.extensions.clear_signing.paths import DATA, Items, Member, Path, Step
from statuary.extensions.clear_signing.rules import ParsedDescriptor


def undisplayed_paths(parsed: ParsedDescriptor, key: str) -> tuple[str, ...]:
    """Return the paths of values that no visible field shows completely.

    A path ends with "(in part)" if fields show some of the value.

    Args:
        parsed: the descriptor.
        key: the key of the format.
    """
    if key not in parsed.undisplayed:
        parsed.undisplayed[key] = _find_undisplayed(parsed, key)
    return parsed.undisplayed[key]


def _find_undisplayed(parsed: ParsedDescriptor, key: str) -> tuple[str, ...]:
    visible = list(_displayed_paths(parsed, key))
    whole_values = {steps for steps in visible if all(isinstance(step, Member | Items) for step in steps)}
    names = {_step_names(steps) for steps in visible}
    return tuple(
        f"{Path(DATA, leaf)}{' (in part)' if _step_names(leaf) in names else ''}"
        for leaf in parsed.types[key].leaves()
        if leaf not in whole_values
    )


def _displayed_paths(parsed: ParsedDescriptor, key: str) -> Iterator[tuple[Step, ...]]:
    """Yield the paths of data that visible fields show."""
    for field in parsed.fields[key]:
        if field.is_never_visible or field.problem:
            continue
        try:
            path = field.path()
        except InvalidValueError:
            continue
        if path is not None and path.root == DATA:
            yield path.steps


def _step_names(steps: tuple[Step, ...]) -> tuple[str, ...]:
    return tuple(step.name for step in steps if isinstance(step, Member))
