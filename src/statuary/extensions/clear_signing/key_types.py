"""Parse the keys of `formats`: function signatures and `encodeType` strings."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from statuary.base.budget import consume
from statuary.base.json_values import Json, as_list, as_object
from statuary.base.limits import MAX_ABI_TYPE_DEPTH
from statuary.base.primitives import InvalidValueError, keccak256
from statuary.contracts.model.abi import BasicType, is_identifier, parse_abi_types
from statuary.extensions.clear_signing.limits import MAX_KEY
from statuary.extensions.clear_signing.plain_text import quote_shortened

SELECTOR_BYTES = 4


class ListType(NamedTuple):
    """An array type. `length` is None for an array of any length."""

    item: "ValueType"
    length: int | None


class StructType(NamedTuple):
    """A struct, with its members in order."""

    members: "tuple[Parameter, ...]"
    name: str = ""  # the name of an EIP-712 type; a tuple has none


class NamedType(NamedTuple):
    """A reference by name to an EIP-712 struct, which may contain itself."""

    name: str


ValueType = BasicType | ListType | StructType | NamedType


class Parameter(NamedTuple):
    """A parameter of a function, or a member of a struct.

    `name` may be empty.
    """

    name: str
    type: ValueType


class FunctionKey(NamedTuple):
    """The parsed key of a function's format in a descriptor."""

    name: str
    parameters: tuple[Parameter, ...]
    # deviations from the canonical spelling; wallets that compare strings cannot find such a key
    departures: tuple[str, ...] = ()

    @property
    def signature(self) -> str:
        """The canonical signature, such as `transfer(address,uint256)`."""
        return f"{self.name}{canonical_type(StructType(self.parameters))}"

    @property
    def selector(self) -> str:
        """The first 4 bytes of the signature's Keccak-256, as 0x hex."""
        return selector_of(self.signature)


class MessageKey(NamedTuple):
    """The parsed key of an EIP-712 message's format in a descriptor."""

    primary: str
    types: Mapping[str, StructType]


def selector_of(signature: str) -> str:
    """Return the selector of a function: the first 4 bytes of its hash, as 0x hex.

    Args:
        signature: the canonical signature, such as `transfer(address,uint256)`.
    """
    return "0x" + keccak256(signature.encode())[:SELECTOR_BYTES].hex()


def canonical_type(value_type: ValueType) -> str:
    """Return the name of a type as function signatures spell it, such as `(uint256,bool)[]`."""
    consume(1)
    match value_type:
        case ListType(item, length):
            return f"{canonical_type(item)}[{'' if length is None else length}]"
        case StructType(members):
            return f"({','.join(canonical_type(member.type) for member in members)})"
        case NamedType(name):
            return name
        case _:
            return value_type.canonical


_TOKEN = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*|\[[0-9]*\]|[(),]|[ \t]+", re.ASCII)
_ARRAY = re.compile(r"\[([0-9]{0,9})\]")


class _Tokens:
    """The tokens of a format's key, read one after another."""

    def __init__(self, text: str) -> None:
        if len(text) > MAX_KEY:
            raise InvalidValueError(f"the key has {len(text):,} characters", f"write at most {MAX_KEY:,}")
        self.tokens: list[str] = []
        self.departures: list[str] = []
        end = 0
        while end < len(text):
            match = _TOKEN.match(text, end)
            if match is None:
                raise InvalidValueError(
                    f"{quote_shortened(text)} has an unexpected character {text[end]!r} (U+{ord(text[end]):04X}) at position {end + 1}",
                    "write functions as transfer(address to,uint256 value)",
                )
            self.tokens.append(match[0])
            end = match.end()
        self.text, self.at = text, 0

    @property
    def next(self) -> str:
        """The next token, or an empty string at the end."""
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        """Return the next token and advance."""
        token = self.next
        self.at += 1
        consume(1)
        return token

    def expect(self, *tokens: str) -> str:
        """Return the next token, which must be one of these.

        Raises:
            InvalidValueError: if another token follows.
        """
        token = self.take()
        if token not in tokens:
            raise InvalidValueError(
                f"{quote_shortened(self.text)} has {token or 'its end'!r} where {' or '.join(tokens)} is expected"
            )
        return token

    def skip_space(self, expected: str) -> bool:
        """Skip white space, and record whether it is canonical.

        Args:
            expected: the canonical white space at this place: a space, or an empty string.

        Returns:
            Whether there was any white space.
        """
        there = self.next.strip(" \t") == "" and self.next != ""
        word = self.take() if there else ""
        if word != expected and (there or expected):
            self.note_deviation("white space that is not one space between a type and its name")
        return there

    def note_deviation(self, how: str) -> None:
        """Record a deviation of the key from the canonical spelling."""
        if how not in self.departures:
            self.departures.append(how)


def parse_function_key(text: str) -> FunctionKey:
    """Parse the key of a function's format, such as `transfer(address to)`.

    Raises:
        InvalidValueError: if the key is not a function, or contains a type with a non-canonical name.
    """
    tokens = _Tokens(text)
    tokens.skip_space("")
    name = tokens.take()
    if not is_identifier(name):
        raise InvalidValueError(f"{quote_shortened(text)} does not start with the name of a function")
    tokens.skip_space("")
    tokens.expect("(")
    parameters = _parse_parameters(tokens, 0)
    tokens.skip_space("")
    if tokens.next:
        raise InvalidValueError(f"{quote_shortened(text)} has text after its parameters")
    return FunctionKey(name, parameters, tuple(tokens.departures))


def _parse_parameters(tokens: _Tokens, depth: int) -> tuple[Parameter, ...]:
    """Parse parameters up to the closing parenthesis."""
    if depth > MAX_ABI_TYPE_DEPTH:
        raise InvalidValueError(f"tuples are nested deeper than {MAX_ABI_TYPE_DEPTH} levels")
    tokens.skip_space("")
    if tokens.next == ")":
        tokens.take()
        return ()
    parameters = []
    while True:
        tokens.skip_space("")
        parameters.append(_parse_parameter(tokens, depth))
        tokens.skip_space("")
        if tokens.expect(",", ")") == ")":
            break
    _require_different_names(parameters, tokens.text)
    return tuple(parameters)


def _require_different_names(parameters: list[Parameter], text: str) -> None:
    names = [parameter.name for parameter in parameters if parameter.name]
    if len(names) != len(set(names)):
        raise InvalidValueError(
            f"{quote_shortened(text)} has two parameters with the same name", "rename one of them"
        )


def _parse_parameter(tokens: _Tokens, depth: int) -> Parameter:
    word = tokens.take()
    kind: ValueType = (
        StructType(_parse_parameters(tokens, depth + 1))
        if word == "("
        else _parse_basic_type(word, tokens.text)
    )
    while match := _ARRAY.fullmatch(tokens.next):
        tokens.take()
        depth += 1
        if depth > MAX_ABI_TYPE_DEPTH:
            raise InvalidValueError(f"arrays are nested deeper than {MAX_ABI_TYPE_DEPTH} levels")
        kind = ListType(kind, int(match[1]) if match[1] else None)
    if tokens.next in (",", ")", ""):
        return Parameter("", kind)
    tokens.skip_space(" ")
    if tokens.next in (",", ")", ""):
        return Parameter("", kind)
    name = tokens.take()
    if not is_identifier(name):
        raise InvalidValueError(f"{quote_shortened(tokens.text)} has {name!r} where a name is expected")
    return Parameter(name, kind)


def _parse_basic_type(word: str, text: str) -> BasicType:
    try:
        (kind,) = parse_abi_types([{"type": word}])
    except InvalidValueError:
        kind = None
    if not isinstance(kind, BasicType):
        raise InvalidValueError(
            f"{quote_shortened(text)} has the type {quote_shortened(word)}, which is not an ABI type"
        )
    if kind.canonical != word:
        raise InvalidValueError(
            f"{quote_shortened(text)} has the short type name {word!r}",
            f"write {kind.canonical!r}: a selector is computed from full type names",
        )
    return kind


def abi_parameters(inputs: Json, depth: int = 0) -> tuple[Parameter, ...]:
    """Convert the inputs of an ABI item to parameters.

    Args:
        inputs: the member `inputs` of the ABI item.
        depth: the number of tuples around the inputs.

    Raises:
        InvalidValueError: if the type of an input is invalid.
    """
    return tuple(_convert_abi_parameter(as_object(value), depth) for value in as_list(inputs))


def _convert_abi_parameter(value: Mapping[str, Json], depth: int) -> Parameter:
    if depth > MAX_ABI_TYPE_DEPTH:
        raise InvalidValueError(f"tuples are nested deeper than {MAX_ABI_TYPE_DEPTH} levels")
    name, type_text = value.get("name"), value.get("type")
    base, brackets, suffix = str(type_text).partition("[")
    kind: ValueType
    if base == "tuple":
        kind = StructType(abi_parameters(value.get("components"), depth + 1))
    else:
        (basic,) = parse_abi_types([{"type": base}])
        if not isinstance(basic, BasicType):
            raise InvalidValueError(f"{base!r} is not an ABI type")
        kind = basic
    for match in _ARRAY.finditer(brackets + suffix):
        kind = ListType(kind, int(match[1]) if match[1] else None)
    return Parameter(name if isinstance(name, str) else "", kind)


# type names may contain a colon, because the ERC-7730 schema allows it and some existing types use it
_STRUCT = re.compile(r"([A-Za-z_$][A-Za-z0-9_$:]*)\(([^()]*)\)", re.ASCII)
_MEMBER = re.compile(
    r"([A-Za-z_$][A-Za-z0-9_$]*)((?:\[[0-9]{0,9}\]){0,8}) ([A-Za-z_$][A-Za-z0-9_$]*)", re.ASCII
)


def parse_message_key(text: str) -> MessageKey:
    """Parse an EIP-712 type string (`encodeType`), the key of a message's format.

    The primary type comes first, followed by the types that it refers to, sorted by name.

    Raises:
        InvalidValueError: if the string is invalid, or not in the canonical form that EIP-712 hashes.
    """
    if len(text) > MAX_KEY:
        raise InvalidValueError(f"the key has {len(text):,} characters", f"write at most {MAX_KEY:,}")
    matches = list(_STRUCT.finditer(text))
    if not matches or "".join(match[0] for match in matches) != text:
        raise InvalidValueError(
            f"{quote_shortened(text)} is not a type in the form of encodeType of EIP-712",
            "write it as Mail(Person from,string contents)Person(…)",
        )
    names = [match[1] for match in matches]
    if len(set(names)) != len(names):
        raise InvalidValueError(f"{quote_shortened(text)} defines the same type twice")
    types = {
        match[1]: StructType(_parse_members(match[2], frozenset(names), text), match[1]) for match in matches
    }
    _require_order(names, types, text)
    return MessageKey(names[0], types)


def _parse_members(text: str, names: frozenset[str], key: str) -> tuple[Parameter, ...]:
    members = []
    for part in text.split(",") if text else ():
        match = _MEMBER.fullmatch(part)
        if match is None:
            raise InvalidValueError(
                f"{quote_shortened(key)} has the malformed member {quote_shortened(part)}",
                "write one space between a type and its name, and none after a comma",
            )
        kind: ValueType = NamedType(match[1]) if match[1] in names else _parse_basic_type(match[1], key)
        for brackets in _ARRAY.finditer(match[2]):
            kind = ListType(kind, int(brackets[1]) if brackets[1] else None)
        members.append(Parameter(match[3], kind))
    _require_different_names(members, key)
    return tuple(members)


def _require_order(names: list[str], types: Mapping[str, StructType], text: str) -> None:
    needed, pending_types = {names[0]}, [names[0]]
    while pending_types:
        for name in _types_named_in(types[pending_types.pop()]):
            if name not in needed:
                needed.add(name)
                pending_types.append(name)
    expected = [names[0], *sorted(needed - {names[0]})]
    if names != expected:
        raise InvalidValueError(
            f"{quote_shortened(text)} defines {', '.join(map(repr, names))}",
            f"write {', '.join(map(repr, expected))}: the primary type, then those that it needs, sorted",
        )


def _types_named_in(struct: StructType) -> Iterator[str]:
    for member in struct.members:
        kind = member.type
        while isinstance(kind, ListType):
            kind = kind.item
        if isinstance(kind, NamedType):
            yield kind.name
