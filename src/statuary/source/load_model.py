"""One source file to its model, or to findings."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from statuary.base.findings import Finding, Pointer, did_you_mean
from statuary.base.json_values import Json
from statuary.base.limits import MAX_SHOWN_FINDINGS
from statuary.base.primitives import InvalidValueError
from statuary.source.conflict_markers import refuse_conflict_markers
from statuary.source.parse_yaml import parse_yaml
from statuary.source.source_files import SourceFile
from statuary.source.source_model import SourceModel, describe_value, item_type, model_members
from statuary.source.unreadable import UnreadableError


def validation_findings(
    error: ValidationError, model: object, tree: Json, file_models: Iterable[object] = ()
) -> list[Finding]:
    """Convert pydantic's errors about a file to findings.

    Args:
        model: the model that rejected the values.
        tree: the parsed content of the file.
        file_models: all models of parts of the file, if there are several; they tell where a misplaced key
            belongs.
    """
    errors = error.errors(include_url=False)
    members = {key: kind for part in file_models or (model,) for key, kind in model_members(part).items()}
    found = [_validation_finding(details, model, tree, members) for details in errors[:MAX_SHOWN_FINDINGS]]
    findings = list(dict.fromkeys(found))
    if len(errors) > MAX_SHOWN_FINDINGS:
        message = f"{len(errors) - MAX_SHOWN_FINDINGS:,} more values are not valid"
        findings.append(Finding(rule="invalid-value", message=message))
    return findings


def error_pointers(error: ValidationError, tree: Json) -> dict[Pointer, None]:
    """Return the places of the values that pydantic rejected.

    A place consists of keys and indexes, such as `("updates", 2, "body")`.

    Args:
        error: pydantic's error.
        tree: the values that were validated.

    Returns:
        The places as the keys of a dict, each once, in the order of the errors.
    """
    return dict.fromkeys(
        _pointer_of_location(details["loc"], tree) for details in error.errors(include_url=False)
    )


def _validation_finding(
    details: ErrorDetails, model: object, tree: Json, file_members: Mapping[str, object]
) -> Finding:
    pointer = _pointer_of_location(details["loc"], tree)
    if details["type"] == "extra_forbidden":
        finding = unknown_key_finding(str(pointer[-1]), known_keys_at(model, pointer[:-1]), pointer)
        parent_key = (
            _expected_parent(str(pointer[-1]), file_members) if finding.hint.startswith("known keys") else ""
        )
        return replace(finding, hint=f"write it below `{parent_key}:`") if parent_key else finding
    if details["type"] == "missing":
        key = str(details["loc"][-1])
        message = f"key {key!r} is missing"
        hint = f"write `{key}:`"
        return Finding(rule="missing-key", message=message, hint=hint, pointer=pointer)
    fault = _type_fault(details)
    return Finding(rule="invalid-value", message=fault.message, hint=fault.hint, pointer=pointer)


def _expected_parent(key: str, members: Mapping[str, object]) -> str:
    """Return the key of the file to which a misplaced key belongs.

    Args:
        key: the misplaced key.
        members: the keys at the top of the file, with their models.

    Returns:
        The key below which it belongs; empty if there is none, or more than one.
    """
    places = [name for name in members if key in model_members(members[name])]
    return places[0] if len(places) == 1 and key not in members else ""


class _FaultMessage(NamedTuple):
    message: str
    hint: str = ""


def _type_fault(details: ErrorDetails) -> _FaultMessage:
    cause = details.get("ctx", {}).get("error")
    if isinstance(cause, ValueError):
        return _FaultMessage(str(cause), cause.hint if isinstance(cause, InvalidValueError) else "")
    described = describe_value(details["input"])
    if details["type"] in ("literal_error", "enum"):
        return _unknown_value_fault(described, str(details["input"]), details["ctx"]["expected"])
    if details["type"] in COUNTED:
        limit = details["ctx"]["max_length"]
        size = len(details["input"])
        message = f"{described} has {size:,} {COUNTED[details['type']]}; the limit is {limit:,}"
        return _FaultMessage(message, "shorten it")
    if details["type"] == "string_pattern_mismatch":
        return _FaultMessage(f"{described} does not match the pattern {details['ctx']['pattern']}")
    if details["type"] in EXPECTED:
        expected = EXPECTED[details["type"]]
        is_item = expected == "a list" and isinstance(details["input"], str)
        example = f": [{details['input']}]" if is_item and len(details["input"]) <= 80 else ""
        return _FaultMessage(f"expected {expected}, found {described}", f"write {expected}{example}")
    return _FaultMessage(f"{described} is not valid: {details['msg'][:1].lower()}{details['msg'][1:]}")


def _unknown_value_fault(shown_value: str, value: str, expected: str) -> _FaultMessage:
    """Return the message about a value that is not among the allowed ones.

    Args:
        shown_value: the value as the message shows it, quoted and shortened.
        value: the value.
        expected: pydantic's list of the allowed values.
    """
    choices = expected.replace("'", "").replace(" or ", ", ").split(", ")
    return _FaultMessage(
        f"unknown value {shown_value}", did_you_mean(value, choices) or f"write one of {expected}"
    )


COUNTED = {"string_too_long": "characters", "too_long": "entries"}

EXPECTED = {
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "list_type": "a list",
    "tuple_type": "a list",
    "string_type": "a string",
    "int_type": "a whole number",
    "bool_type": "true or false",
    "none_required": "null",
}


def unknown_key_finding(key: str, keys: list[str], pointer: Pointer) -> Finding:
    """Return the error about an unknown key, with a suggestion.

    Args:
        key: the unknown key.
        keys: the known keys.
        pointer: the place of the key in the file.
    """
    return Finding(
        rule="unknown-key",
        message=f"unknown key {key!r}",
        hint=did_you_mean(key, keys) or f"known keys: {', '.join(keys)}",
        pointer=pointer,
        on_key=True,
    )


def _pointer_of_location(location: tuple[str | int, ...], tree: Json) -> Pointer:
    """Convert the place of pydantic's error to keys and indexes of the file.

    The names of validators and missing keys are removed.
    """
    steps: list[str | int] = []
    for step in location:
        if isinstance(tree, dict) and str(step) in tree:
            tree = tree[str(step)]
            steps.append(str(step))
        elif isinstance(tree, list) and isinstance(step, int) and step < len(tree):
            tree = tree[step]
            steps.append(step)
    return tuple(steps)


def known_keys_at(model: object, pointer: Pointer) -> list[str]:
    """Return the keys that are allowed in a mapping of a file.

    Args:
        model: the model of the whole file.
        pointer: the keys and indexes that lead to the mapping, such as `("updates", 2)`.
    """
    for step in pointer:
        members = model_members(model)
        model = members[str(step)] if str(step) in members else item_type(model)
    if isinstance(model, type) and issubclass(model, SourceModel):
        return sorted(model.known_keys())
    return sorted(model_members(model))


Model = TypeVar("Model", bound=SourceModel)


def load_model(file: SourceFile, model: type[Model], limit: int, findings: list[Finding]) -> Model | None:
    """Read a file, and validate it with a pydantic model.

    Args:
        file: the YAML or JSON file.
        model: the class of the model.
        limit: the maximum size of the file in bytes.
        findings: receives the errors in the file.

    Returns:
        An instance of the model, or None if the file has errors.
    """
    try:
        tree = read_tree(file, limit)
    except UnreadableError as error:
        findings.append(error.to_finding(file.path))
        return None
    return validate_tree(tree, model, file.path, findings)


def validate_tree(
    tree: Json,
    model: type[Model],
    path: str,
    findings: list[Finding],
    file_models: Iterable[type[SourceModel]] = (),
) -> Model | None:
    """Validate the parsed values of a file with a pydantic model.

    Args:
        tree: the parsed values.
        model: the class of the model.
        path: the path of the file, which errors name.
        findings: receives the errors in the values.
        file_models: all models of parts of the file, if `tree` is only a part; they tell where a misplaced
            key belongs.

    Returns:
        The object, or None if the values have errors.
    """
    if not isinstance(tree, dict):
        findings.append(
            Finding(
                rule="invalid-value",
                path=path,
                message="the file is empty" if tree is None else "the file is not a mapping of keys",
                hint=f"begin with one of: {', '.join(model.known_keys())}",
            )
        )
        return None
    try:
        return model.model_validate(tree)
    except ValidationError as error:
        findings.extend(
            finding.with_path(path) for finding in validation_findings(error, model, tree, file_models)
        )
        return None


def read_tree(file: SourceFile, limit: int) -> Json:
    """Parse a YAML or JSON file to dicts, lists and strings.

    Numbers, dates and booleans stay strings, as the author wrote them.

    Args:
        limit: the maximum size in bytes.

    Raises:
        UnreadableError: if the file is not YAML or JSON, is larger than the limit, or cannot be read.
    """
    text = file.load_text(limit)
    refuse_conflict_markers(text)
    if file.path.endswith(".json"):
        from statuary.source.parse_json import parse_json_as_text

        return parse_json_as_text(text)
    return parse_yaml(text)
