"""From pydantic's errors to findings that a person understands: what is wrong, the value, what to do."""

import types
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from typing_extensions import get_type_hints, is_typeddict

from statuary.content.source_model import describe_value
from statuary.domain.findings import Finding, Pointer
from statuary.domain.primitives import InvalidValueError
from statuary.domain.suggestions import did_you_mean


def validation_findings(error: ValidationError, model: Any, tree: Any) -> list[Finding]:
    """Return one finding for each error, its pointer into `tree`, which `model` refused."""
    return list(
        {finding: None for one in error.errors(include_url=False) for finding in _finding(one, model, tree)}
    )


def _finding(one: ErrorDetails, model: Any, tree: Any) -> list[Finding]:
    pointer = _pointer(one["loc"], tree)
    match one["type"]:
        case "extra_forbidden":
            return [unknown_key_finding(str(pointer[-1]), known_keys_at(model, pointer[:-1]), pointer)]
        case "missing":
            key = one["loc"][-1]
            return [
                Finding(
                    rule="required-key",
                    message=f"key {str(key)!r} is missing",
                    hint=f"write `{key}:`",
                    pointer=pointer,
                )
            ]
        case _:
            message, hint = _said(one)
            return [Finding(rule="right-value", message=message, hint=hint, pointer=pointer)]


def _said(one: ErrorDetails) -> tuple[str, str]:
    """Return message and remedy for a value of the wrong kind."""
    cause = one.get("ctx", {}).get("error")
    if isinstance(cause, ValueError):
        return str(cause), cause.hint if isinstance(cause, InvalidValueError) else ""
    found = describe_value(one["input"])
    if one["type"] in ("literal_error", "enum"):
        return _said_of_choice(found, str(one["input"]), one["ctx"]["expected"])
    if one["type"] in ("string_too_long", "too_long"):
        limit, size = one["ctx"]["max_length"], len(one["input"])
        return f"{found} has {size:,} characters, more than {limit:,}", "shorten it"
    if one["type"] == "string_pattern_mismatch":
        return f"{found} does not have the form {one['ctx']['pattern']}", ""
    if one["type"] in WANTED:
        wanted = WANTED[one["type"]]
        return f"{found} stands where {wanted} belongs", f"write {wanted}"
    return f"{found} is refused: {one['msg'][:1].lower()}{one['msg'][1:]}", ""


def _said_of_choice(found: str, value: str, expected: str) -> tuple[str, str]:
    """Return message and remedy for a value that is none of a few; `expected` is pydantic's list of them."""
    choices = expected.replace("'", "").replace(" or ", ", ").split(", ")
    return f"{found} is none of {expected}", did_you_mean(value, choices) or f"write one of {expected}"


WANTED = {
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "list_type": "a list",
    "tuple_type": "a list",
    "string_type": "a text",
    "int_type": "a whole number",
    "bool_type": "true or false",
    "none_required": "null",
}


def unknown_key_finding(key: str, known: list[str], pointer: Pointer) -> Finding:
    """Return the finding for a key that no model has, with the nearest known one."""
    return Finding(
        rule="known-keys",
        message=f"key {key!r} is not known here",
        hint=did_you_mean(key, known) or f"known here: {', '.join(known)}",
        pointer=pointer,
        on_key=True,
    )


def _pointer(location: tuple[str | int, ...], tree: Any) -> Pointer:
    """Keep of pydantic's location what exists in the tree; the rest names its own validators and missing keys."""
    kept: list[str | int] = []
    for step in location:
        if isinstance(tree, dict) and str(step) in tree:
            tree = tree[str(step)]
            kept.append(str(step))
        elif isinstance(tree, list) and isinstance(step, int) and step < len(tree):
            tree = tree[step]
            kept.append(step)
    return tuple(kept)


def known_keys_at(model: Any, pointer: Pointer) -> list[str]:
    """Return the keys that a model knows at a place, following its annotations."""
    for step in pointer:
        model = _member(model, step)
    return sorted(_members(model))


def _member(model: Any, step: str | int) -> Any:
    members = _members(model)
    if str(step) in members:
        return members[str(step)]
    return next((_item(option) for option in _options(model) if _item(option) is not None), None)


def _item(option: Any) -> Any:
    """Return what a list or mapping type holds."""
    inside = get_args(option)
    return (
        inside[-1]
        if get_origin(option) in (list, dict, tuple) and inside and inside[-1] is not ...
        else (inside[0] if inside and inside[-1] is ... else None)
    )


def _members(model: Any) -> dict[str, Any]:
    for option in _options(model):
        if isinstance(option, type) and issubclass(option, BaseModel):
            return {field.alias or name: field.annotation for name, field in option.model_fields.items()}
        if is_typeddict(option):
            return get_type_hints(option, include_extras=True)
    return {}


def _options(model: Any) -> list[Any]:
    """Return the types that an annotation allows, without null, `Annotated` and `Required`."""
    if get_origin(model) in (Union, types.UnionType):
        return [option for choice in get_args(model) for option in _options(choice)]
    if get_origin(model) is Annotated or str(get_origin(model)).endswith("Required"):
        return _options(get_args(model)[0])
    return [] if model is type(None) else [model]
