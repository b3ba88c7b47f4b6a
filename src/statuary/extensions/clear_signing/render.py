"""Render a call or message as a wallet displays it.

Names of tokens, addresses and chains come from the caller: they are not in a descriptor, and nothing is asked
of a network.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from statuary.base.json_values import Json, JsonObject, as_list, as_object
from statuary.base.primitives import InvalidValueError
from statuary.extensions.clear_signing.fields import DEFINITIONS, find_placeholders
from statuary.extensions.clear_signing.formats import DisplayContext, Names, ShownValue, format_value
from statuary.extensions.clear_signing.key_types import FunctionKey, parse_function_key
from statuary.extensions.clear_signing.limits import MAX_CALLS, MAX_RENDERED
from statuary.extensions.clear_signing.path_types import descriptor_value_at
from statuary.extensions.clear_signing.paths import CONTAINER, DESCRIPTOR, parse_path
from statuary.extensions.clear_signing.values import Leaf, Value, decode_call, find_value_at, parse_constant


class Line(NamedTuple):
    """A value with its label, as a wallet shows it."""

    label: str
    value: "str | Rendered"  # a call that is an argument is rendered in the same way
    note: str = ""  # the wallet's warning, such as an unknown token


@dataclass(frozen=True)
class Rendered:
    """The text that a wallet shows: intent, labels and values."""

    intent: Json  # a text, or an object of labels and texts
    lines: tuple[Line, ...]
    interpolated: str = (
        ""  # the intent with values filled in; empty if there is no template, or a value is missing
    )
    owner: str = ""


@dataclass(frozen=True)
class Call:
    """The parts of a transaction that wallets show.

    Addresses are in lower case.
    """

    chain_id: int
    to: str
    data: bytes
    value: int | None = None
    sender: str = ""  # empty if it is not known


class NotShownError(InvalidValueError):
    """Raised if a descriptor cannot show a call or message."""


RenderInner = Callable[[Call], "Rendered | None"]


class CallFormat(NamedTuple):
    """The part of a descriptor that says how to show a call."""

    key: str
    function: FunctionKey  # the key, parsed


def find_call_format(descriptor: JsonObject, calldata: bytes) -> CallFormat:
    """Find the format for the function that a transaction calls.

    A format is the part of a descriptor that tells wallets how to show a function's calls.

    Args:
        descriptor: the descriptor, merged with the files that it includes.
        calldata: the data of the call, which begins with the selector of the function.

    Raises:
        NotShownError: if the descriptor has no such format.
    """
    selector = "0x" + calldata[:4].hex()
    formats = as_object(as_object(descriptor.get("display")).get("formats"))
    for key in formats:
        try:
            function = parse_function_key(key)
        except InvalidValueError:
            continue
        if function.selector == selector:
            return CallFormat(key, function)
    raise NotShownError(f"the descriptor has no format for the selector {selector}")


def render_call(
    descriptor: JsonObject,
    call: Call,
    wallet_names: Names,
    render_inner_call: RenderInner | None = None,
    depth: int = 0,
) -> Rendered:
    """Render a contract call as the text that a wallet would show.

    Args:
        descriptor: the descriptor, merged with the files that it includes.
        wallet_names: the names of tokens and addresses that the wallet knows.
        render_inner_call: renders a call that is an argument of this call; None to show its bytes instead.
        depth: the number of calls around this one.

    Raises:
        NotShownError: if the descriptor has no format for the call.
        InvalidValueError: if the data of the call does not fit the format.
    """
    key, function = find_call_format(descriptor, call.data)
    data = decode_call(function.parameters, call.data[4:])
    container: dict[str, Leaf] = {
        "to": Leaf("address", bytes.fromhex(call.to[2:])),
        "chainId": Leaf("uint", call.chain_id),
    }
    if call.value is not None:
        container["value"] = Leaf("uint", call.value)
    if call.sender:
        container["from"] = Leaf("address", bytes.fromhex(call.sender[2:]))
    render_inner = render_inner_call if depth < MAX_CALLS else None
    return _Renderer(descriptor, key, data, container, call.chain_id, wallet_names, render_inner).render()


class SignedMessage(NamedTuple):
    """An EIP-712 message to sign, with the parts that wallets show."""

    key: str  # the message's `encodeType`
    data: Value
    container: Mapping[str, Leaf]  # the values of paths with `@`
    chain_id: int


def render_message(
    descriptor: JsonObject,
    message: SignedMessage,
    wallet_names: Names,
    render_inner_call: RenderInner | None = None,
) -> Rendered:
    """Render an EIP-712 message as the text that a wallet would show.

    Args:
        descriptor: the descriptor, merged with the files that it includes.
        message: the message to sign.
        wallet_names: the names of tokens and addresses that the wallet knows.
        render_inner_call: renders a call that is part of the message; None to show its bytes instead.

    Raises:
        NotShownError: if the descriptor has no format for the message.
        InvalidValueError: if a path or value in the format is invalid.
    """
    data, container, chain_id = message.data, message.container, message.chain_id
    return _Renderer(
        descriptor, message.key, data, container, chain_id, wallet_names, render_inner_call
    ).render()


_FIRST_ITEMS: Final = re.compile(r"(^|\.)\[\]")


@dataclass
class _Renderer:
    descriptor: JsonObject
    key: str
    data: Value
    container: Mapping[str, Leaf]
    chain_id: int
    names: Names
    inner: RenderInner | None
    lines: list[Line] = field(default_factory=list)
    values: dict[str, list[str]] = field(default_factory=dict)  # displayed values by path, for the intent

    def render(self) -> Rendered:
        spec = as_object(as_object(as_object(self.descriptor["display"])["formats"])[self.key])
        for item in as_list(spec.get("fields")):
            self._render_field_or_group(as_object(item), "")
        template = spec.get("interpolatedIntent")
        owner = as_object(self.descriptor.get("metadata")).get("owner")
        return Rendered(
            intent=spec.get("intent"),
            lines=tuple(self.lines),
            interpolated=self._fill_intent_template(template) if isinstance(template, str) else "",
            owner=owner if isinstance(owner, str) else "",
        )

    def _render_field_or_group(self, field_or_group: JsonObject, group_path: str) -> None:
        if "fields" not in field_or_group:
            self._render_field(self._merge_definition(field_or_group), group_path)
            return
        path_text = field_or_group.get("path")
        inner = _join_paths(group_path, path_text) if isinstance(path_text, str) else group_path
        children = [as_object(child) for child in as_list(field_or_group["fields"])]
        for numbered in self._expand_array_items(inner):
            if field_or_group.get("iteration") == "bundled":
                self._render_bundled_group(children, numbered)
            else:
                for child in children:
                    self._render_field_or_group(child, numbered)

    def _render_bundled_group(self, children: Sequence[JsonObject], group_path: str) -> None:
        lengths = {
            self._array_length(_join_paths(group_path, path))
            for child in children
            if "[]" in (path := str(child.get("path")))
        }
        if len(lengths) > 1:
            raise NotShownError("the arrays that the descriptor shows side by side have different lengths")
        for number in range(lengths.pop() if lengths else 0):
            for child in children:
                self._render_field_or_group(_field_of_array_item(child, number), group_path)

    def _merge_definition(self, field_json: JsonObject) -> JsonObject:
        reference = field_json.get("$ref")
        if not isinstance(reference, str):
            return field_json
        if not reference.startswith(DEFINITIONS):
            raise NotShownError(
                f"`$ref` is {reference!r}, which does not lead to an entry of `display.definitions`"
            )
        definition = as_object(descriptor_value_at(self.descriptor, parse_path(reference)))
        params = {**as_object(definition.get("params")), **as_object(field_json.get("params"))}
        return {**definition, **field_json, "params": params}

    def _render_field(self, field_json: JsonObject, group_path: str) -> None:
        path_text = field_json.get("path")
        if field_json.get("visible") == "never":
            return
        if not isinstance(path_text, str):
            constant = field_json.get("value")
            if isinstance(constant, str) and constant.startswith(f"{DESCRIPTOR}."):
                self._add_line(field_json, group_path, self._value_at_path(constant))
            else:
                self._add_line(field_json, group_path, parse_constant(constant))
            return
        path = _join_paths(group_path, path_text)
        if _FIRST_ITEMS.search(path):
            for number in range(self._array_length(path)):
                self._render_field(
                    _field_of_array_item({**field_json, "path": path if group_path else path_text}, number),
                    "" if group_path else group_path,
                )
            return
        self._add_line(field_json, group_path, self._value_at_path(path))

    def _add_line(self, field_json: JsonObject, group_path: str, value: Value | None) -> None:
        path_text = field_json.get("path", field_json.get("value"))
        if not isinstance(value, Leaf):
            raise NotShownError(f"there is no value for the field {path_text!r}")
        name, label = field_json.get("format"), field_json.get("label")
        if not isinstance(name, str) or not isinstance(label, str):
            raise NotShownError(f"the field {path_text!r} has no label or no format")
        if _is_hidden(field_json.get("visible"), value, label):
            return
        show = DisplayContext(
            self.chain_id, self.names, lambda text: self._leaf_at_path(text, group_path), self.descriptor
        )
        value_text = format_value(name, value, as_object(field_json.get("params")), show)
        if as_object(field_json.get("encryption")):
            fallback = as_object(field_json["encryption"]).get("fallbackLabel")
            value_text = ShownValue(str(fallback or "[Encrypted]"), "the value is encrypted")
        rendered = self._render_inner_call(value_text)
        self.lines.append(Line(label, rendered or value_text.text, value_text.note))
        if len(self.lines) > MAX_RENDERED:
            raise NotShownError(f"the descriptor shows more lines than the limit of {MAX_RENDERED:,}")
        if isinstance(path_text, str):
            place = re.sub(r"\.\[[0-9]+\]", "", _join_paths(group_path, path_text))
            self.values.setdefault(place, []).append(value_text.text)

    def _render_inner_call(self, shown_value: ShownValue) -> Rendered | None:
        if shown_value.call is None or self.inner is None:
            return None
        chain_id, to, data, value, sender = shown_value.call
        return self.inner(Call(chain_id, to, data, value, sender))

    def _leaf_at_path(self, path_text: str, group_path: str) -> Leaf | None:
        try:
            value = self._value_at_path(_join_paths(group_path, path_text))
        except InvalidValueError:
            return None
        return value if isinstance(value, Leaf) else None

    def _value_at_path(self, path_text: str) -> Value | None:
        path = parse_path(path_text)
        if path.root == DESCRIPTOR:
            return parse_constant(descriptor_value_at(self.descriptor, path))
        if path.root == CONTAINER:
            container_value = self.container.get(str(path).removeprefix("@.").partition(".")[0])
            return None if container_value is None else find_value_at(container_value, path.steps[1:])
        return find_value_at(self.data, path.steps)

    def _array_length(self, path: str) -> int:
        array_path = _FIRST_ITEMS.split(path)[0]
        value = self._value_at_path(array_path) if array_path else self.data
        return len(value) if isinstance(value, list) else 0

    def _expand_array_items(self, path: str) -> Iterator[str]:
        if not _FIRST_ITEMS.search(path):
            yield path
            return
        for number in range(self._array_length(path)):
            yield from self._expand_array_items(_path_of_array_item(path, number))

    def _fill_intent_template(self, template: str) -> str:
        # Return an empty string if a value is missing.
        try:
            names = list(find_placeholders(template))
        except InvalidValueError:
            return ""
        text, at = [], 0
        for match in re.finditer(r"\{\{|\}\}|\{([^}]*)\}", template):
            text.append(template[at : match.start()])
            at = match.end()
            if match[1] is None:
                text.append(match[0][0])
                continue
            replacement = self.values.get(re.sub(r"\.\[[0-9]*\]", "", match[1].strip().removeprefix("#.")))
            if not replacement or not names:
                return ""
            text.append(" and ".join(replacement))
        return "".join([*text, template[at:]])


def _join_paths(group_path: str, path_text: str) -> str:
    if path_text.startswith(("@.", "$.")):
        return path_text
    if path_text.startswith("#.") or not group_path:
        return path_text.removeprefix("#.")
    return f"{group_path}.{path_text}"


def _path_of_array_item(path: str, item_index: int) -> str:
    return _FIRST_ITEMS.sub(lambda match: f"{match[1]}[{item_index}]", path, count=1)


def _field_of_array_item(field_json: JsonObject, item_index: int) -> JsonObject:
    params = {
        name: _path_of_array_item(value, item_index) if isinstance(value, str) and "[]" in value else value
        for name, value in as_object(field_json.get("params")).items()
    }
    return (
        {**field_json, "path": _path_of_array_item(str(field_json["path"]), item_index), "params": params}
        if "path" in field_json
        else field_json
    )


def _is_hidden(visibility: Json, value: Leaf, label: str) -> bool:
    if not isinstance(visibility, dict):
        return False
    if "ifNotIn" in visibility:
        return _equals_any_constant(value, as_list(visibility["ifNotIn"]))
    if "mustMatch" in visibility and not _equals_any_constant(value, as_list(visibility["mustMatch"])):
        raise NotShownError(f"the value of {label!r} is not one of those that the descriptor allows")
    return "mustMatch" in visibility


def _equals_any_constant(value: Leaf, constants: Sequence[Json]) -> bool:
    for constant in constants:
        candidate = parse_constant(constant)
        if candidate is None:
            continue
        same_kind = isinstance(candidate.value, type(value.value))
        if same_kind and candidate.value == value.value:
            return True
        is_number = isinstance(constant, int) and isinstance(value.value, bytes)
        if is_number and int.from_bytes(value.bytes, "big") == constant:
            return True
    return False
