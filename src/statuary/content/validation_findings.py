"""From pydantic's errors to findings: what is wrong, the value, what to do."""

import types
from functools import lru_cache
from typing import Annotated, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from typing_extensions import get_type_hints, is_typeddict

from statuary.content.source_model import describe_value
from statuary.domain.findings import Finding, Pointer
from statuary.domain.json_values import Json
from statuary.domain.primitives import InvalidValueError
from statuary.domain.suggestions import did_you_mean


def validation_findings(error: ValidationError, model: object, tree: Json) -> list[Finding]:
    """Return the findings about `tree`, which `model` rejects; their pointers lead into it."""
    return list(dict.fromkeys(_finding(one, model, tree) for one in error.errors(include_url=False)))


def _finding(one: ErrorDetails, model: object, tree: Json) -> Finding:
    pointer = _pointer(one["loc"], tree)
    if one["type"] == "extra_forbidden":
        return unknown_key_finding(str(pointer[-1]), known_keys_at(model, pointer[:-1]), pointer)
    if one["type"] == "missing":
        key = str(one["loc"][-1])
        message, hint = f"key {key!r} is missing", f"write `{key}:`"
        return Finding(rule="required-key", message=message, hint=hint, pointer=pointer)
    message, hint = _wrong_value(one)
    return Finding(rule="right-value", message=message, hint=hint, pointer=pointer)


def _wrong_value(one: ErrorDetails) -> tuple[str, str]:
    """Return message and hint for a value of the wrong kind."""
    cause = one.get("ctx", {}).get("error")
    if isinstance(cause, ValueError):
        return str(cause), cause.hint if isinstance(cause, InvalidValueError) else ""
    found = describe_value(one["input"])
    if one["type"] in ("literal_error", "enum"):
        return _wrong_choice(found, str(one["input"]), one["ctx"]["expected"])
    if one["type"] in ("string_too_long", "too_long"):
        limit, size = one["ctx"]["max_length"], len(one["input"])
        return f"{found} has {size:,} characters; the limit is {limit:,}", "shorten it"
    if one["type"] == "string_pattern_mismatch":
        return f"{found} does not have the form {one['ctx']['pattern']}", ""
    if one["type"] in EXPECTED:
        expected = EXPECTED[one["type"]]
        return f"expected {expected}, found {found}", f"write {expected}"
    return f"{found} is not valid: {one['msg'][:1].lower()}{one['msg'][1:]}", ""


def _wrong_choice(found: str, value: str, expected: str) -> tuple[str, str]:
    """Return message and hint for a value that is not one of a few; `expected` is pydantic's list of them."""
    choices = expected.replace("'", "").replace(" or ", ", ").split(", ")
    return f"unknown value {found}", did_you_mean(value, choices) or f"write one of {expected}"


EXPECTED = {
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
    """Return the finding about a key that no model has, with the nearest known one."""
    return Finding(
        rule="known-keys",
        message=f"unknown key {key!r}",
        hint=did_you_mean(key, known) or f"known keys: {', '.join(known)}",
        pointer=pointer,
        on_key=True,
    )


def _pointer(location: tuple[str | int, ...], tree: Json) -> Pointer:
    """Keep the part of pydantic's location that the tree has; the rest names validators and missing keys."""
    kept: list[str | int] = []
    for step in location:
        if isinstance(tree, dict) and str(step) in tree:
            tree = tree[str(step)]
            kept.append(str(step))
        elif isinstance(tree, list) and isinstance(step, int) and step < len(tree):
            tree = tree[step]
            kept.append(step)
    return tuple(kept)


def known_keys_at(model: object, pointer: Pointer) -> list[str]:
    """Return the keys that a model has at a pointer, as its annotations say."""
    for step in pointer:
        model = _member(model, step)
    return sorted(_members(model))


def _member(model: object, step: str | int) -> object:
    members = _members(model)
    if str(step) in members:
        return members[str(step)]
    return next((item for option in _options(model) if (item := _item(option)) is not None), None)


def _item(option: object) -> object:
    """Return the type of what a list, mapping or tuple contains."""
    arguments = get_args(option)
    if not arguments:
        return None
    if arguments[-1] is ...:
        return arguments[0]
    return arguments[-1] if get_origin(option) in (list, dict, tuple) else None


def _members(model: object) -> dict[str, object]:
    return next((found for option in _options(model) if (found := _members_of(option)) is not None), {})


@lru_cache(maxsize=256)
def _members_of(option: object) -> dict[str, object] | None:
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
