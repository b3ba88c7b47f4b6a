"""Find the values of a call that a format does not show."""

from collections.abc import Iterator

from statuary.base.primitives import InvalidValueError
from statuary.extensions.clear_signing.paths import DATA, Items, Member, Path, Step
from statuary.extensions.clear_signing.rules import ParsedDescriptor


def undisplayed_paths(parsed: ParsedDescriptor, format_key: str) -> tuple[str, ...]:
    """Find the arguments of a call that a format does not show.

    Args:
        parsed: the descriptor.
        format_key: the function of the format, as the descriptor spells it.

    Returns:
        The path of each value that is not shown completely. If fields show a part of the value, the path ends
        with "(in part)".
    """
    if format_key not in parsed.undisplayed:
        parsed.undisplayed[format_key] = _find_undisplayed(parsed, format_key)
    return parsed.undisplayed[format_key]


def _find_undisplayed(parsed: ParsedDescriptor, format_key: str) -> tuple[str, ...]:
    visible = list(_displayed_paths(parsed, format_key))
    whole_values = {steps for steps in visible if all(isinstance(step, Member | Items) for step in steps)}
    names = {_path_step_names(steps) for steps in visible}
    return tuple(
        f"{Path(DATA, leaf)}{' (in part)' if _path_step_names(leaf) in names else ''}"
        for leaf in parsed.types_by_format[format_key].leaf_paths()
        if leaf not in whole_values
    )


def _displayed_paths(parsed: ParsedDescriptor, format_key: str) -> Iterator[tuple[Step, ...]]:
    for field in parsed.fields_by_format[format_key]:
        if field.is_never_visible or field.problem:
            continue
        try:
            path = field.path()
        except InvalidValueError:
            continue
        if path is not None and path.root == DATA:
            yield path.steps


def _path_step_names(steps: tuple[Step, ...]) -> tuple[str, ...]:
    return tuple(step.name for step in steps if isinstance(step, Member))
