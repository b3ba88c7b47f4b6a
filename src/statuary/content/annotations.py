"""The types of a value's members and items, from the annotations of its model."""

import types
from functools import lru_cache
from typing import Annotated, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from typing_extensions import get_type_hints, is_typeddict


def members_of(model: object) -> dict[str, object]:
    """Return the types of the members that a model, or the first model of a union, names; by key."""
    return next((found for option in _options(model) if (found := _members(option)) is not None), {})


def item_of(model: object, containers: tuple[type, ...] = (list, dict, tuple)) -> object:
    """Return the type of the items of the first container that a type allows; None without one."""
    for option in _options(model):
        arguments = get_args(option)
        if arguments and get_origin(option) in containers:
            return arguments[0] if arguments[-1] is ... else arguments[-1]
    return None


def allows_text(model: object) -> bool:
    """Say whether a type allows text, or some texts."""
    return any(option is str or get_origin(option) is Literal for option in _options(model))


@lru_cache(maxsize=256)
def _members(option: object) -> dict[str, object] | None:
    if isinstance(option, type) and issubclass(option, BaseModel):
        return {field.alias or name: field.annotation for name, field in option.model_fields.items()}
    return dict(get_type_hints(option, include_extras=True)) if is_typeddict(option) else None


def _options(model: object) -> list[object]:
    """Return the types that an annotation allows, without null, `Annotated` and `Required`."""
    if get_origin(model) in (Union, types.UnionType):
        return [option for choice in get_args(model) for option in _options(choice)]
    if get_origin(model) is Annotated or str(get_origin(model)).endswith("Required"):
        return _options(get_args(model)[0])
    return [] if model is type(None) else [model]
