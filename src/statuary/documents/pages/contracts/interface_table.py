"""An ABI as tables: functions with selectors, events with topics, errors."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from statuary.documents.pages.contracts.lenient_json import as_list, as_object, as_text
from statuary.documents.pages.visible_text import one_line, visible_text
from statuary.domain.contracts.abi.abi_signatures import signature_hash, signature_text
from statuary.domain.contracts.abi.abi_types import AbiType, ArrayType, BasicType, TupleType
from statuary.domain.contracts.abi.abi_values import AbiValue, decode_abi_values
from statuary.domain.contracts.bytecode.matching import constructor_inputs
from statuary.domain.json_values import Json
from statuary.domain.primitives import InvalidValueError, checksum_address, is_hex_digits

MAX_STRUCT_DEPTH = 6
"""Levels of structs whose members are spelled out."""

MAX_ITEMS = 1_000
"""Items of an ABI that are shown of each kind."""

MAX_VALUE_LENGTH = 400
"""Characters of a decoded argument that are shown."""


class ParameterRow(NamedTuple):
    """A parameter.

    Attributes:
        type: with structs expanded.
        declared: the type in the source, such as `contract Pedestal`; empty if it is the same.
        indexed: whether it is a topic of its event.
        value: the given argument; empty if there is none.
    """

    type: str
    name: str
    declared: str
    indexed: bool = False
    value: str = ""


class InterfaceItem(NamedTuple):
    """A function, event or error.

    Attributes:
        signature: the text that is hashed; empty if there is none.
        hash: the selector of a function or error, the topic of an event.
        anchor: the hash, if no other item has it; else empty.
        mutability: `view`, `pure`, `payable`, `nonpayable`.
        anonymous: whether an event has no topic of its own.
        notice: from the documentation of the authors.
    """

    name: str
    signature: str
    hash: str
    inputs: tuple[ParameterRow, ...]
    anchor: str = ""
    outputs: tuple[ParameterRow, ...] = ()
    mutability: str = ""
    anonymous: bool = False
    notice: str = ""


class InterfaceView(NamedTuple):
    """An ABI.

    Attributes:
        constructor: with its arguments; None without parameters.
        special: `fallback` and `receive`, if they exist.
    """

    constructor: InterfaceItem | None
    functions: tuple[InterfaceItem, ...]
    events: tuple[InterfaceItem, ...]
    errors: tuple[InterfaceItem, ...]
    special: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether the ABI is empty."""
        return not (self.constructor or self.functions or self.events or self.errors or self.special)


def interface_view(abi: Json, userdoc: Json, devdoc: Json, arguments: Json) -> InterfaceView:
    """Return an ABI as tables.

    Args:
        arguments: the constructor arguments as 0x hex, or None.
    """
    items = [as_object(item) for item in as_list(abi)]
    notices, anchors = _Notices(as_object(userdoc), as_object(devdoc)), _Anchors()

    def of(kind: str) -> tuple[InterfaceItem, ...]:
        found = (_item(item, kind, notices) for item in items if item.get("type") == kind)
        in_order = sorted(found, key=lambda item: (item.name, item.signature))[:MAX_ITEMS]
        return tuple(item._replace(anchor=anchors.claim(item.hash)) for item in in_order)

    return InterfaceView(
        constructor=_constructor(abi, items, arguments),
        functions=of("function"),
        events=of("event"),
        errors=of("error"),
        special=tuple(kind for kind in ("fallback", "receive") if any(i.get("type") == kind for i in items)),
    )


class _Anchors:
    """The anchors of a page that are taken."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def claim(self, name: str) -> str:
        if name in self._taken:
            return ""
        self._taken.add(name)
        return name


class _Notices:
    """What authors say of functions, events and errors, by signature."""

    def __init__(self, userdoc: Mapping[str, Json], devdoc: Mapping[str, Json]) -> None:
        self._user = userdoc
        self._dev = devdoc

    def of(self, kind: str, signature: str) -> str:
        member = {"function": "methods", "event": "events", "error": "errors"}[kind]
        said = [
            as_text(_first(as_object(self._user.get(member)).get(signature)).get("notice")),
            as_text(_first(as_object(self._dev.get(member)).get(signature)).get("details")),
        ]
        return " ".join(one_line(text) for text in said if text)


def _first(value: Json) -> Mapping[str, Json]:
    """Return the documentation of an item; for errors it is a list, since several may share a signature."""
    return as_object(value[0]) if isinstance(value, list) and value else as_object(value)


def _item(item: Mapping[str, Json], kind: str, notices: _Notices) -> InterfaceItem:
    signature = signature_text(item) or ""
    digest = signature_hash(signature) if signature else ""
    return InterfaceItem(
        name=one_line(as_text(item.get("name"))),
        signature=signature,
        hash=digest if kind == "event" else digest[:10],
        inputs=tuple(map(_parameter, as_list(item.get("inputs")))),
        outputs=tuple(map(_parameter, as_list(item.get("outputs")))),
        mutability=one_line(as_text(item.get("stateMutability"))),
        anonymous=item.get("anonymous") is True,
        notice=notices.of(kind, signature) if signature else "",
    )


def _parameter(value: Json) -> ParameterRow:
    parameter = as_object(value)
    declared = as_text(parameter.get("internalType"))
    return ParameterRow(
        type=_type(parameter, 0),
        name=one_line(as_text(parameter.get("name"))),
        declared=one_line(declared) if " " in declared else "",
        indexed=parameter.get("indexed") is True,
    )


def _type(parameter: Mapping[str, Json], depth: int) -> str:
    kind = one_line(as_text(parameter.get("type")))
    if not kind.startswith("tuple") or depth >= MAX_STRUCT_DEPTH:
        return kind
    members = [_named(as_object(member), depth + 1) for member in as_list(parameter.get("components"))]
    return f"({', '.join(members)}){kind.removeprefix('tuple')}"


def _named(parameter: Mapping[str, Json], depth: int) -> str:
    return f"{_type(parameter, depth)} {one_line(as_text(parameter.get('name')))}".strip()


def _constructor(abi: Json, items: Sequence[Mapping[str, Json]], arguments: Json) -> InterfaceItem | None:
    found = next((item for item in items if item.get("type") == "constructor"), None)
    if found is None or not as_list(found.get("inputs")):
        return None
    inputs = [_parameter(value) for value in as_list(found.get("inputs"))]
    given = _given(constructor_inputs(abi), as_text(arguments))
    if len(given) == len(inputs):
        inputs = [one._replace(value=value) for one, value in zip(inputs, given, strict=True)]
    return InterfaceItem(
        name="constructor",
        signature="",
        hash="",
        inputs=tuple(inputs),
        mutability=one_line(as_text(found.get("stateMutability"))),
    )


def _given(types: TupleType | None, arguments: str) -> list[str]:
    """Return the constructor's arguments as text; empty if they cannot be decoded."""
    if types is None or not arguments.startswith("0x") or not is_hex_digits(arguments[2:]):
        return []
    try:
        values = decode_abi_values(types, bytes.fromhex(arguments[2:]))
    except InvalidValueError:
        return []
    told = (_told(item, value) for item, value in zip(types.items, values, strict=True))
    return [text if len(text) <= MAX_VALUE_LENGTH else text[:MAX_VALUE_LENGTH] + " …" for text in told]


def _told(kind: AbiType, value: AbiValue) -> str:
    match kind:
        case BasicType(kind="address"):
            return checksum_address(f"0x{value:040x}")
        case BasicType(kind="bool"):
            return str(value).lower()
        case BasicType(kind="string"):
            return f'"{visible_text(value)}"'
        case ArrayType(item, _):
            return f"[{', '.join(_told(item, one) for one in value)}]"
        case TupleType(items):
            return f"({', '.join(_told(item, one) for item, one in zip(items, value, strict=True))})"
        case _:
            return f"0x{value.hex()}" if isinstance(value, bytes) else str(value)
