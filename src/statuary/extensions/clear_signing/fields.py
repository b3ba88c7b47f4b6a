"""The fields of a format, with groups and definitions resolved."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from statuary.base.budget import consume_steps
from statuary.base.findings import Pointer
from statuary.base.json_values import Json, JsonObject, as_list, as_object
from statuary.base.primitives import InvalidValueError
from statuary.extensions.clear_signing.path_types import descriptor_value_at
from statuary.extensions.clear_signing.paths import Path, Step, parse_path


class Field(NamedTuple):
    """A value of a call or message, and how wallets show it.

    `value` is the JSON of the field in a descriptor, and `group` the path of the group around it.
    """

    value: Mapping[str, Json]
    pointer: Pointer  # pointer in the merged descriptor
    group: tuple[Step, ...]  # the path of the group around the field
    problem: str = ""  # why the field's definition or group cannot be resolved; empty if it can

    @property
    def format(self) -> str:
        """The name of the field's display format, such as `tokenAmount`.

        Empty if the field has no format.
        """
        name = self.value.get("format")
        return name if isinstance(name, str) else ""

    @property
    def params(self) -> JsonObject:
        """The parameters of the display format, such as a token's path."""
        return as_object(self.value.get("params"))

    @property
    def label(self) -> str:
        """The label that wallets show beside the value.

        Empty if the field has no label.
        """
        label = self.value.get("label")
        return label if isinstance(label, str) else ""

    @property
    def is_never_visible(self) -> bool:
        """Whether wallets always hide the field.

        They do if `visible` is `never`, or requires a fixed value (`mustMatch`).
        """
        visible = self.value.get("visible")
        return visible == "never" or (isinstance(visible, dict) and "mustMatch" in visible)

    @property
    def is_always_visible(self) -> bool:
        """Whether wallets show the field in every case."""
        return self.value.get("visible", "always") in ("always", None)

    def path(self) -> Path | None:
        """Return the path to the value that the field shows.

        Returns:
            The path from the root of the call or message; None if the value is a constant.

        Raises:
            InvalidValueError: if the string in the descriptor is not a path.
        """
        path_text = self.value.get("path")
        return parse_path(path_text).from_root(self.group) if isinstance(path_text, str) else None

    def parse_parameter_path(self, path_text: str) -> Path:
        """Parse a path in a parameter of the field's display format.

        Args:
            path_text: the path as the descriptor spells it. It may be relative to a group of fields.

        Returns:
            The path from the root of the call or message.

        Raises:
            InvalidValueError: if the string is not a path.
        """
        return parse_path(path_text).from_root(self.group)


DEFINITIONS = "$.display.definitions."


def fields_of_format(descriptor: JsonObject, key: str) -> Iterator[Field]:
    """Yield all fields of a format in order, including those in groups.

    If the definition of a field or group is invalid, the field has a `problem`, which describes the error.

    Args:
        descriptor: the descriptor, merged with the files that it includes.
        key: the key of the format: a function signature or EIP-712 type.
    """
    display = as_object(descriptor.get("display"))
    spec = as_object(as_object(display.get("formats")).get(key))
    yield from _parse_fields(descriptor, spec.get("fields"), ("display", "formats", key, "fields"), ())


def _parse_fields(
    descriptor: JsonObject, field_list: Json, list_pointer: Pointer, group: tuple[Step, ...]
) -> Iterator[Field]:
    for number, item in enumerate(as_list(field_list)):
        consume_steps(5)
        value, at = as_object(item), (*list_pointer, number)
        if "fields" in value:
            yield from _parse_group(descriptor, value, at, group)
        else:
            yield _parse_field(descriptor, value, at, group)


def _parse_group(
    descriptor: JsonObject, group_json: JsonObject, group_pointer: Pointer, outer_group: tuple[Step, ...]
) -> Iterator[Field]:
    path_text = group_json.get("path")
    inner = outer_group
    if isinstance(path_text, str):
        try:
            inner = parse_path(path_text).from_root(outer_group).steps
        except InvalidValueError as error:
            yield Field({"path": path_text}, group_pointer, outer_group, str(error))
            return
    yield from _parse_fields(descriptor, group_json["fields"], (*group_pointer, "fields"), inner)


def _parse_field(
    descriptor: JsonObject, field_json: JsonObject, field_pointer: Pointer, group: tuple[Step, ...]
) -> Field:
    reference = field_json.get("$ref")
    if not isinstance(reference, str):
        return Field(field_json, field_pointer, group)
    if not reference.startswith(DEFINITIONS):
        return Field(
            field_json, field_pointer, group, f"the reference {reference!r} does not start with {DEFINITIONS}"
        )
    try:
        definition = as_object(descriptor_value_at(descriptor, parse_path(reference)))
    except InvalidValueError as error:
        return Field(field_json, field_pointer, group, str(error))
    params = {**as_object(definition.get("params")), **as_object(field_json.get("params"))}
    own_members = {key: item for key, item in field_json.items() if key not in ("$ref", "params")}
    merged_field = {**definition, **own_members, **({"params": params} if params else {})}
    return Field(merged_field, field_pointer, group)


def find_placeholders(template: str) -> Iterator[str]:
    """Yield the path in each pair of braces in a text.

    Example: `Send {amount}` -> `amount`. A doubled brace stands for the brace itself.

    Raises:
        InvalidValueError: if a brace is not closed, or there is nothing between braces.
    """
    at = 0
    while at < len(template):
        consume_steps(1)
        if template[at : at + 2] in ("{{", "}}"):
            at += 2
        elif template[at] == "{":
            end = template.find("}", at)
            if end < 0:
                raise InvalidValueError(
                    f"the text {template!r} has an opening brace without a closing one",
                    "write `{{` for a brace itself",
                )
            name = template[at + 1 : end].strip()
            if not name:
                raise InvalidValueError(
                    f"the text {template!r} has a pair of braces with nothing between them",
                    "write the path of a value between the braces",
                )
            yield name
            at = end + 1
        else:
            at += 1
