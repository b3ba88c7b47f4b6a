"""Rules for a field of a format: paths, types and parameters."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from statuary.base.findings import Pointer, Severity
from statuary.base.json_values import Json, JsonObject, as_list, as_object
from statuary.base.primitives import InvalidValueError, is_hex_digits
from statuary.contracts.model.abi import BasicType
from statuary.extensions.clear_signing.fields import Field
from statuary.extensions.clear_signing.key_types import SELECTOR_BYTES, parse_function_key
from statuary.extensions.clear_signing.path_types import (
    Bytes,
    DataTypes,
    PathTarget,
    can_contain_address,
    describe_target_type,
    descriptor_value_at,
    is_address_like,
    is_number_like,
    is_single_value,
)
from statuary.extensions.clear_signing.paths import CONTAINER, DESCRIPTOR, parse_path
from statuary.extensions.clear_signing.plain_text import quote_shortened


class BrokenRule(NamedTuple):
    """A place where a descriptor breaks a rule, and why."""

    message: str
    pointer: Pointer
    hint: str = ""
    severity: Severity | None = None  # None for the default severity of the rule
    on_key: bool = False


def _is_byte_string(target: PathTarget) -> bool:
    kind = target.type
    return isinstance(kind, Bytes) or (isinstance(kind, BasicType) and kind.kind == "bytes")


def _is_number_or_boolean(target: PathTarget) -> bool:
    kind = target.type
    return is_number_like(target) or (isinstance(kind, BasicType) and kind.kind == "bool")


def _can_be_selector(target: PathTarget) -> bool:
    kind = target.type
    if isinstance(kind, Bytes):
        return kind.length in (SELECTOR_BYTES, None)
    return isinstance(kind, BasicType) and kind.kind == "bytesN" and kind.size == SELECTOR_BYTES


def _can_contain_address(target: PathTarget) -> bool:
    return is_address_like(target) or can_contain_address(target)


Fits = Callable[[PathTarget], bool]

FITTING: Final[Mapping[str, tuple[Fits, str]]] = {
    "raw": (is_single_value, "one value"),
    "amount": (is_number_like, "a whole number"),
    "tokenAmount": (is_number_like, "a whole number"),
    "nftName": (is_number_like, "a whole number"),
    "date": (is_number_like, "a whole number"),
    "duration": (is_number_like, "a whole number"),
    "unit": (is_number_like, "a whole number"),
    "chainId": (is_number_like, "a whole number"),
    "enum": (_is_number_or_boolean, "a whole number or a bool"),
    "addressName": (_can_contain_address, "an address"),
    "tokenTicker": (_can_contain_address, "an address"),
    "interoperableAddressName": (
        lambda reached: _is_byte_string(reached) or _can_contain_address(reached),
        "bytes",
    ),
    "calldata": (_is_byte_string, "bytes"),
}
"""The test for a value of each format, and its description in messages."""

PATHS: Final[Mapping[str, tuple[Fits, str]]] = {
    "tokenPath": (_can_contain_address, "an address"),
    "collectionPath": (_can_contain_address, "an address"),
    "calleePath": (_can_contain_address, "an address"),
    "spenderPath": (_can_contain_address, "an address"),
    "amountPath": (is_number_like, "a whole number"),
    "chainIdPath": (is_number_like, "a whole number"),
    "selectorPath": (_can_be_selector, "4 bytes"),
}
"""The test for the target of each parameter that is a path, and its description in messages."""

ADDRESSES: Final = ("token", "collection", "callee", "spender", "nativeCurrencyAddress", "senderAddress")
"""Parameters that are addresses, or name one in the descriptor."""


def field_path_violations(field: Field, types: DataTypes, descriptor: JsonObject) -> Iterator[BrokenRule]:
    """Report paths in a field that lead to no value.

    A field says how wallets show one argument of a call. A constant that the descriptor does not define is an error too.

    Args:
        field: the field of a format.
        types: the types of the values in the call or message.
        descriptor: the descriptor, which defines the constants.
    """
    if field.problem:
        yield BrokenRule(field.problem, field.pointer)
        return
    try:
        path = field.path()
        if path is not None and path.root == DESCRIPTOR:
            descriptor_value_at(descriptor, path)
        elif path is not None:
            types.type_at_path(path)
    except InvalidValueError as error:
        yield BrokenRule(str(error), (*field.pointer, "path"), error.hint)
    yield from _constant_violations(field.value.get("value"), (*field.pointer, "value"), descriptor)
    for name, parameter in field.params.items():
        yield from _parameter_violations(field, name, parameter, types, descriptor)


def _parameter_violations(
    field: Field, parameter_name: str, parameter_value: Json, types: DataTypes, descriptor: JsonObject
) -> Iterator[BrokenRule]:
    at = (*field.pointer, "params", parameter_name)
    if parameter_name in PATHS and isinstance(parameter_value, str):
        yield from _path_parameter_violations(field, parameter_name, parameter_value, types, descriptor)
    elif parameter_name in ADDRESSES:
        for text in as_list(parameter_value) if isinstance(parameter_value, list) else (parameter_value,):
            yield from _address_violations(text, at, field, types, descriptor)
    elif isinstance(parameter_value, dict):
        yield from _map_violations(parameter_value, at, field, types, descriptor)
    else:
        yield from _constant_violations(parameter_value, at, descriptor)


def _constant_violations(constant: Json, pointer: Pointer, descriptor: JsonObject) -> Iterator[BrokenRule]:
    if isinstance(constant, str) and constant.startswith(f"{DESCRIPTOR}."):
        try:
            descriptor_value_at(descriptor, parse_path(constant))
        except InvalidValueError as error:
            yield BrokenRule(str(error), pointer, error.hint)


def _path_parameter_violations(
    field: Field, parameter_name: str, path_text: str, types: DataTypes, descriptor: JsonObject
) -> Iterator[BrokenRule]:
    at = (*field.pointer, "params", parameter_name)
    fits, needed = PATHS[parameter_name]
    try:
        path = field.parse_parameter_path(path_text)
        if path.root == DESCRIPTOR:
            descriptor_value_at(descriptor, path)
            return
        reached = types.type_at_path(path)
    except InvalidValueError as error:
        yield BrokenRule(f"{parameter_name}: {error}", at, error.hint)
        return
    if not fits(reached):
        yield BrokenRule(
            f"{parameter_name} {path_text!r} leads to {describe_target_type(reached)}, which is not {needed}",
            at,
        )


def is_address_text(text: str) -> bool:
    """Return whether a string is `0x` followed by 40 hex digits."""
    return len(text) == 42 and text.startswith("0x") and is_hex_digits(text[2:])


def _address_violations(
    constant: Json, pointer: Pointer, field: Field, types: DataTypes, descriptor: JsonObject
) -> Iterator[BrokenRule]:
    if isinstance(constant, dict):
        yield from _map_violations(constant, pointer, field, types, descriptor)
        return
    if not isinstance(constant, str) or is_address_text(constant):
        return
    try:
        path = field.parse_parameter_path(constant)
        if path.root != DESCRIPTOR:
            if not _can_contain_address(types.type_at_path(path)):
                yield BrokenRule(f"{constant!r} does not lead to an address", pointer)
            return
        named_value = descriptor_value_at(descriptor, path)
    except InvalidValueError as error:
        yield BrokenRule(str(error), pointer, error.hint)
        return
    if isinstance(named_value, str) and not is_address_text(named_value):
        yield BrokenRule(
            f"{constant!r} names {quote_shortened(named_value)}, which is not an address", pointer
        )


def _map_violations(
    map_reference: JsonObject, pointer: Pointer, field: Field, types: DataTypes, descriptor: JsonObject
) -> Iterator[BrokenRule]:
    name = map_reference.get("map")
    key_path = map_reference.get("keyPath")
    if not isinstance(name, str) or not isinstance(key_path, str):
        yield BrokenRule("a map reference needs `map` and `keyPath`", pointer)
        return
    try:
        value = descriptor_value_at(descriptor, parse_path(name))
        if not isinstance(as_object(value).get("values"), dict):
            yield BrokenRule(
                f"{name!r} is not a map", (*pointer, "map"), "write it as `$.metadata.maps.NAME`"
            )
        types.type_at_path(field.parse_parameter_path(key_path))
    except InvalidValueError as error:
        yield BrokenRule(str(error), pointer, error.hint)


def field_type_violations(field: Field, types: DataTypes, descriptor: JsonObject) -> Iterator[BrokenRule]:
    """Report a field whose format cannot show its value.

    For example, the format `tokenAmount` cannot show a string. A missing format or label is an error too.

    Args:
        field: the field of a format.
        types: the types of the call's or message's values.
        descriptor: the descriptor that contains the field.
    """
    name = field.format
    if field.problem or (not name and field.is_never_visible):
        return
    if not name:
        yield BrokenRule("the field has no format", field.pointer, "write `format`, `raw` if no other fits")
        return
    if not field.label and not field.is_never_visible:
        yield BrokenRule(
            "the field has no label", field.pointer, "write `label`; wallets do not show a field without one"
        )
    if name == "enum":
        yield from _enum_violations(field, descriptor)
    reached = _type_of_shown_value(field, types)
    if reached is not None and name in FITTING:
        yield from _format_violations(field, reached)


def _format_violations(field: Field, target: PathTarget) -> Iterator[BrokenRule]:
    fits, needed = FITTING[field.format]
    path_text = field.value.get("path")
    at = (*field.pointer, "path") if "path" in field.value else field.pointer
    if not fits(target):
        message = (
            f"the format {field.format!r} needs {needed}, and {path_text!r} is {describe_target_type(target)}"
        )
        hint = "write `.[]` after the array" if describe_target_type(target) == "an array" else ""
        yield BrokenRule(message, at, hint)
    elif needed == "an address" and not is_address_like(target):
        message = (
            f"{path_text!r} is {describe_target_type(target)}: only its last 20 bytes are shown as an address"
        )
        yield BrokenRule(message, at, severity=Severity.WARNING)


def _type_of_shown_value(field: Field, types: DataTypes) -> PathTarget | None:
    """Return the type of the value that a field shows.

    Returns:
        The type; None for a constant, for a path without a value, and for a value of the descriptor. An
        encrypted value has the type of its plain text.
    """
    encryption = as_object(field.value.get("encryption"))
    try:
        path = field.path()
        if path is None or path.root == DESCRIPTOR:
            return None
        reached = types.type_at_path(path)
        if encryption:
            plain = encryption.get("plaintextType")
            (parameter,) = parse_function_key(f"f({plain} x)").parameters
            return PathTarget(parameter.type, reached.is_many)
    except InvalidValueError:
        return None
    return reached


def _enum_violations(field: Field, descriptor: JsonObject) -> Iterator[BrokenRule]:
    reference = field.params.get("$ref")
    at = (*field.pointer, "params", "$ref")
    if not isinstance(reference, str):
        yield BrokenRule("the format 'enum' needs `params.$ref`", field.pointer)
        return
    try:
        named_value = descriptor_value_at(descriptor, parse_path(reference))
    except InvalidValueError as error:
        yield BrokenRule(str(error), at, error.hint)
        return
    if not isinstance(named_value, dict) or not named_value:
        yield BrokenRule(
            f"{reference!r} is not an enum with values", at, "write it as `$.metadata.enums.NAME`"
        )


def shows_amount_sent(field: Field) -> bool:
    """Return whether wallets show this field and it displays `@.value`.

    `@.value` is the amount of the chain's currency, such as ether, that the transaction sends.
    """
    if field.is_never_visible:
        return False
    return uses_amount_sent(field)


def uses_amount_sent(field: Field) -> bool:
    """Return whether a field uses `@.value`, as its path or a parameter.

    `@.value` is the amount of the chain's currency, such as ether, that the transaction sends.
    """
    texts = (field.value.get("path"), *field.params.values())
    return any(isinstance(text, str) and text.startswith(f"{CONTAINER}.value") for text in texts)
