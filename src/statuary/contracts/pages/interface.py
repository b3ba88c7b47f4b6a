"""The ABI on a contract's page: functions, events and errors with NatSpec."""

import re
from collections.abc import Iterator, Mapping, Sequence
from shlex import quote
from typing import NamedTuple

from markupsafe import Markup, escape

from statuary.base.json_values import Json, as_list, as_object, as_text
from statuary.base.primitives import InvalidValueError, checksum_address, is_hex_digits
from statuary.contracts.model.abi import (
    AbiType,
    AbiValue,
    ArrayType,
    BasicType,
    TupleType,
    decode_abi_values,
    item_signature,
    signature_hash,
)
from statuary.contracts.model.matching import constructor_argument_types
from statuary.contracts.pages.context import CallTarget
from statuary.site.pages.page_texts import one_line, visible_text


class ItemNatspec(NamedTuple):
    """The documentation (NatSpec comments) of a function, event or error."""

    notice: Markup
    details: tuple[Markup, ...]
    of_parameters: Mapping[str, Json]  # the descriptions of parameters and return values, by name


class Natspec:
    """The documentation of a contract, from NatSpec comments in its source."""

    def __init__(self, userdoc: Mapping[str, Json], devdoc: Mapping[str, Json]) -> None:
        self._user = userdoc
        self._dev = devdoc

    def find_item_natspec(self, kind: str, signature: str) -> ItemNatspec:
        """Return the documentation of a function, event or error.

        Args:
            kind: `function`, `event` or `error`.
            signature: the signature, such as `transfer(address,uint256)`.
        """
        member = {"function": "methods", "event": "events", "error": "errors"}[kind]
        user, dev = (
            _object_or_first_item(as_object(doc.get(member)).get(signature))
            for doc in (self._user, self._dev)
        )
        details = (as_text(text) for name, text in dev.items() if name == "details" or name[:7] == "custom:")
        return ItemNatspec(
            render_natspec(user.get("notice")),
            tuple(map(render_natspec, filter(None, details))),
            {**as_object(dev.get("returns")), **as_object(dev.get("params"))},
        )


def _object_or_first_item(value: Json) -> Mapping[str, Json]:
    return as_object(value[0]) if isinstance(value, list) and value else as_object(value)


NATSPEC_CODE = re.compile(r"`+([^`]+)`+|\{([A-Za-z_][\w.-]*)\}")
"""Code in NatSpec: in backticks, or in OpenZeppelin's references to other items, `{IERC20-transfer}`."""


def render_natspec(text: Json) -> Markup:
    """Render a Solidity documentation comment (NatSpec) as HTML."""
    escaped = str(escape(one_line(as_text(text))))
    return Markup(NATSPEC_CODE.sub(lambda match: f"<code>{match[1] or match[2]}</code>", escaped))  # noqa: S704 - escaped


MAX_STRUCT_DEPTH = 6
"""Levels of structs whose members are spelled out."""

MAX_ITEMS = 1_000
"""Items of an ABI that are shown of each kind."""

MAX_VALUE_LENGTH = 400
"""Characters of a decoded argument that are shown."""


class ParameterRow(NamedTuple):
    """A parameter of a function, event or error."""

    type: str  # the type, with structs expanded to tuples
    name: str
    declared: str  # the type in the source, such as `contract Pedestal`; empty if it is the same
    indexed: bool = False  # whether the parameter is a topic of the event
    value: str = ""  # the given argument; empty if there is none
    notice: Markup = Markup()  # from the documentation of the authors


class InterfaceItem(NamedTuple):
    """A function, event or error, as the page lists it."""

    name: str
    signature: str  # the text that is hashed; empty if there is none
    hash: str  # the selector of a function or error, the topic of an event
    inputs: tuple[ParameterRow, ...]
    anchor: str = ""  # the hash, if no other item has it; else empty
    outputs: tuple[ParameterRow, ...] = ()
    mutability: str = ""  # `view`, `pure`, `payable`, `nonpayable`
    anonymous: bool = False  # whether the event has no topic for its signature
    notice: Markup = Markup()  # the effect, from the authors' documentation
    details: tuple[Markup, ...] = ()  # the NatSpec for developers
    command: str = ""
    """The command that calls the function with Foundry's `cast`; empty if a name is unsafe in a shell."""

    @property
    def is_read(self) -> bool:
        """Whether the function only reads the chain's state (view or pure)."""
        return self.mutability in ("view", "pure")


class InterfaceView(NamedTuple):
    """A contract's functions, events and errors, as its page lists them."""

    constructor: InterfaceItem | None  # the constructor with its arguments; None without parameters
    functions: tuple[InterfaceItem, ...]
    events: tuple[InterfaceItem, ...]
    errors: tuple[InterfaceItem, ...]
    special: tuple[str, ...]  # `fallback` and `receive`, if they exist

    @property
    def is_empty(self) -> bool:
        """Whether the contract's ABI has nothing for the page to show."""
        return not (self.constructor or self.functions or self.events or self.errors or self.special)


def interface_view(
    abi: Json, userdoc: Json, devdoc: Json, constructor_arguments: Json, call_target: CallTarget
) -> InterfaceView:
    """Prepare a contract's ABI and documentation for its page.

    Args:
        userdoc: the documentation for users, from comments in the source (NatSpec).
        devdoc: the documentation for developers.
        constructor_arguments: the constructor arguments as 0x hex, or None.
        call_target: the address and RPC URL for commands that readers can copy.
    """
    items = [as_object(item) for item in as_list(abi)]
    natspec = Natspec(as_object(userdoc), as_object(devdoc))
    anchors = _Anchors()

    def make_items(kind: str) -> tuple[InterfaceItem, ...]:
        items_of_kind = (
            _interface_item(item, kind, natspec, call_target) for item in items if item.get("type") == kind
        )
        in_order = sorted(items_of_kind, key=lambda item: (item.name, item.signature))[:MAX_ITEMS]
        return tuple(item._replace(anchor=anchors.make_unique(item.hash)) for item in in_order)

    return InterfaceView(
        constructor=_constructor_item(abi, items, constructor_arguments),
        functions=make_items("function"),
        events=make_items("event"),
        errors=make_items("error"),
        special=tuple(kind for kind in ("fallback", "receive") if any(i.get("type") == kind for i in items)),
    )


class _Anchors:
    """Makes anchors that are unique on a page."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def make_unique(self, anchor: str) -> str:
        if anchor in self._taken:
            return ""
        self._taken.add(anchor)
        return anchor


def _interface_item(
    abi_item: Mapping[str, Json], kind: str, natspec: Natspec, target: CallTarget
) -> InterfaceItem:
    signature = item_signature(abi_item) or ""
    digest = signature_hash(signature) if signature else ""
    notice, details, of_parameters = natspec.find_item_natspec(kind, signature)
    return InterfaceItem(
        name=one_line(as_text(abi_item.get("name"))),
        signature=signature,
        hash=digest if kind == "event" else digest[:10],
        inputs=_parameter_rows(abi_item.get("inputs"), of_parameters, are_returned=False),
        outputs=_parameter_rows(abi_item.get("outputs"), of_parameters, are_returned=True),
        mutability=one_line(as_text(abi_item.get("stateMutability"))),
        anonymous=abi_item.get("anonymous") is True,
        notice=notice,
        details=details,
        command=_call_command(abi_item, signature, target) if kind == "function" else "",
    )


SHELL_SAFE = re.compile(r"[\w$(),\[\]]+", re.ASCII)


def _call_command(abi_item: Mapping[str, Json], signature: str, target: CallTarget) -> str:
    reads = abi_item.get("stateMutability") in ("view", "pure")
    text, outputs = signature, as_list(abi_item.get("outputs"))
    if reads and outputs:
        returned = item_signature({"type": "function", "name": "_", "inputs": outputs})
        text += (returned or "").removeprefix("_")
    if not target.address or not SHELL_SAFE.fullmatch(text):
        return ""
    value = ["--value", "WEI"] if abi_item.get("stateMutability") == "payable" else []
    rpc = ["--rpc-url", quote(target.rpc)] if target.rpc else []
    verb = "call" if reads else "send"
    return " ".join(
        ("cast", verb, target.address, f"'{text}'", *_argument_placeholders(abi_item), *value, *rpc)
    )


def _argument_placeholders(abi_item: Mapping[str, Json]) -> Iterator[str]:
    for number, parameter in enumerate(as_list(abi_item.get("inputs")), start=1):
        name = re.sub(r"\W", "", as_text(as_object(parameter).get("name")), flags=re.ASCII)
        yield name.upper() or f"ARG{number}"


def _parameter_rows(
    parameters: Json, notices: Mapping[str, Json], *, are_returned: bool
) -> tuple[ParameterRow, ...]:
    return tuple(
        _parameter_row(value)._replace(
            notice=render_natspec(
                notices.get(as_text(as_object(value).get("name")) or (f"_{n}" if are_returned else ""))
            )
        )
        for n, value in enumerate(as_list(parameters))
    )


def _parameter_row(value: Json) -> ParameterRow:
    parameter = as_object(value)
    declared = as_text(parameter.get("internalType"))
    return ParameterRow(
        type=_format_parameter_type(parameter, 0),
        name=one_line(as_text(parameter.get("name"))),
        declared=one_line(declared) if " " in declared else "",
        indexed=parameter.get("indexed") is True,
    )


def _format_parameter_type(parameter: Mapping[str, Json], depth: int) -> str:
    kind = one_line(as_text(parameter.get("type")))
    if not kind.startswith("tuple") or depth >= MAX_STRUCT_DEPTH:
        return kind
    members = []
    for member in map(as_object, as_list(parameter.get("components"))):
        name = one_line(as_text(member.get("name")))
        members.append(f"{_format_parameter_type(member, depth + 1)} {name}".strip())
    return f"({', '.join(members)}){kind.removeprefix('tuple')}"


def _constructor_item(
    abi: Json, items: Sequence[Mapping[str, Json]], arguments: Json
) -> InterfaceItem | None:
    constructor = next((item for item in items if item.get("type") == "constructor"), None)
    if constructor is None or not as_list(constructor.get("inputs")):
        return None
    inputs = [_parameter_row(value) for value in as_list(constructor.get("inputs"))]
    arguments_given = _decode_arguments(constructor_argument_types(abi), as_text(arguments))
    if len(arguments_given) == len(inputs):
        inputs = [field._replace(value=value) for field, value in zip(inputs, arguments_given, strict=True)]
    return InterfaceItem(
        name="constructor",
        signature="",
        hash="",
        inputs=tuple(inputs),
        mutability=one_line(as_text(constructor.get("stateMutability"))),
    )


def _decode_arguments(types: TupleType | None, hex_arguments: str) -> list[str]:
    if types is None or not hex_arguments.startswith("0x") or not is_hex_digits(hex_arguments[2:]):
        return []
    try:
        values = decode_abi_values(types, bytes.fromhex(hex_arguments[2:]))
    except InvalidValueError:
        return []
    texts = (_format_abi_value(item, value) for item, value in zip(types.items, values, strict=True))
    return [text if len(text) <= MAX_VALUE_LENGTH else text[:MAX_VALUE_LENGTH] + " …" for text in texts]


def _format_abi_value(abi_type: AbiType, value: AbiValue) -> str:
    match abi_type:
        case BasicType(kind="address"):
            return checksum_address(f"0x{value:040x}")
        case BasicType(kind="bool"):
            return str(value).lower()
        case BasicType(kind="string"):
            return f'"{visible_text(value)}"'
        case ArrayType(item, _):
            return f"[{', '.join(_format_abi_value(item, element) for element in value)}]"
        case TupleType(items):
            return f"({', '.join(_format_abi_value(item, element) for item, element in zip(items, value, strict=True))})"
        case _:
            return f"0x{value.hex()}" if isinstance(value, bytes) else str(value)
