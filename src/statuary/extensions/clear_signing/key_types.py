"""Parse the keys of `formats`: function signatures and `encodeType` strings."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from statuary.base.budget import consume_steps
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
    """A function for which a descriptor has a format.

    It is parsed from the key of the format, such as `transfer(address to,uint256 amount)`.
    """

    name: str
    parameters: tuple[Parameter, ...]
    deviations: tuple[str, ...] = ()
    """The differences from the canonical spelling. Wallets that compare strings would not find the key."""

    @property
    def signature(self) -> str:
        """The canonical signature, such as `transfer(address,uint256)`."""
        return f"{self.name}{canonical_type(StructType(self.parameters))}"

    @property
    def selector(self) -> str:
        """The 4-byte hash by which calls name the function, as 0x hex."""
        return selector_of(self.signature)


class MessageKey(NamedTuple):
    """An EIP-712 message type for which a descriptor has a format."""

    primary: str
    types: Mapping[str, StructType]


def selector_of(signature: str) -> str:
    """Return the selector of a function, by which calls name it.

    It is the first 4 bytes of the signature's Keccak-256, as 0x hex. Example: `transfer(address,uint256)` -> `0xa9059cbb`

    Args:
        signature: the canonical signature.
    """
    return "0x" + keccak256(signature.encode())[:SELECTOR_BYTES].hex()


def canonical_type(value_type: ValueType) -> str:
    """Spell a type as function signatures do, such as `(uint256,bool)[]`."""
    consume_steps(1)
    match value_type:
        case ListType(item, length):
            return f"{canonical_type(item)}[{'' if length is None else length}]"
        case StructType(members):
            return f"({','.join(canonical_type(member.type) for member in members)})"
        case NamedType(name):
            return name
        case _:
            return value_type.canonical_name


_TOKEN = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*|\[[0-9]*\]|[(),]|[ \t]+", re.ASCII)
_ARRAY = re.compile(r"\[([0-9]{0,9})\]")


class _KeyTokens:
    """The tokens of a format's key, read one after another."""

    def __init__(self, key: str) -> None:
        if len(key) > MAX_KEY:
            raise InvalidValueError(
                f"the key has {len(key):,} characters", f"write at most {MAX_KEY:,} characters"
            )
        self.tokens: list[str] = []
        self.deviations: list[str] = []
        end = 0
        while end < len(key):
            match = _TOKEN.match(key, end)
            if match is None:
                raise InvalidValueError(
                    f"{quote_shortened(key)} has an unexpected character {key[end]!r} (U+{ord(key[end]):04X}) at position {end + 1}",
                    "write functions as transfer(address to,uint256 value)",
                )
            self.tokens.append(match[0])
            end = match.end()
        self.text, self.at = key, 0

    @property
    def next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take_token(self) -> str:
        token = self.next
        self.at += 1
        consume_steps(1)
        return token

    def expect_token(self, *tokens: str) -> str:
        token = self.take_token()
        if token not in tokens:
            raise InvalidValueError(
                f"{quote_shortened(self.text)} has {token or 'its end'!r} where {' or '.join(tokens)} is expected"
            )
        return token

    def skip_space(self, expected_space: str) -> bool:
        """Skip white space, and record whether it is canonical.

        Args:
            expected_space: the canonical white space at this place: a space, or an empty string.

        Returns:
            Whether there was any white space.
        """
        there = self.next.strip(" \t") == "" and self.next != ""
        word = self.take_token() if there else ""
        if word != expected_space and (there or expected_space):
            self.note_spelling_deviation("white space that is not one space between a type and its name")
        return there

    def note_spelling_deviation(self, description: str) -> None:
        if description not in self.deviations:
            self.deviations.append(description)


def parse_function_key(key: str) -> FunctionKey:
    """Parse the key of a function's format, such as `transfer(address to)`.

    A format tells wallets how to show a call of the function.

    Raises:
        InvalidValueError: if the string is not a function, or a type has a non-canonical name, such as
            `uint`.
    """
    tokens = _KeyTokens(key)
    tokens.skip_space("")
    name = tokens.take_token()
    if not is_identifier(name):
        raise InvalidValueError(f"{quote_shortened(key)} does not start with the name of a function")
    tokens.skip_space("")
    tokens.expect_token("(")
    parameters = _parse_parameters(tokens, 0)
    tokens.skip_space("")
    if tokens.next:
        raise InvalidValueError(f"{quote_shortened(key)} has text after its parameters")
    return FunctionKey(name, parameters, tuple(tokens.deviations))


def _parse_parameters(tokens: _KeyTokens, depth: int) -> tuple[Parameter, ...]:
    if depth > MAX_ABI_TYPE_DEPTH:
        raise InvalidValueError(f"tuples are nested deeper than {MAX_ABI_TYPE_DEPTH} levels")
    tokens.skip_space("")
    if tokens.next == ")":
        tokens.take_token()
        return ()
    parameters = []
    while True:
        tokens.skip_space("")
        parameters.append(_parse_parameter(tokens, depth))
        tokens.skip_space("")
        if tokens.expect_token(",", ")") == ")":
            break
    _require_different_names(parameters, tokens.text)
    return tuple(parameters)


def _require_different_names(parameters: list[Parameter], key_part: str) -> None:
    names = [parameter.name for parameter in parameters if parameter.name]
    if len(names) != len(set(names)):
        raise InvalidValueError(
            f"{quote_shortened(key_part)} has two parameters with the same name", "rename one of them"
        )


def _parse_parameter(tokens: _KeyTokens, depth: int) -> Parameter:
    word = tokens.take_token()
    kind: ValueType = (
        StructType(_parse_parameters(tokens, depth + 1))
        if word == "("
        else _parse_basic_type(word, tokens.text)
    )
    while match := _ARRAY.fullmatch(tokens.next):
        tokens.take_token()
        depth += 1
        if depth > MAX_ABI_TYPE_DEPTH:
            raise InvalidValueError(f"arrays are nested deeper than {MAX_ABI_TYPE_DEPTH} levels")
        kind = ListType(kind, int(match[1]) if match[1] else None)
    if tokens.next in (",", ")", ""):
        return Parameter("", kind)
    tokens.skip_space(" ")
    if tokens.next in (",", ")", ""):
        return Parameter("", kind)
    name = tokens.take_token()
    if not is_identifier(name):
        raise InvalidValueError(f"{quote_shortened(tokens.text)} has {name!r} where a name is expected")
    return Parameter(name, kind)


def _parse_basic_type(type_name: str, key_part: str) -> BasicType:
    try:
        (kind,) = parse_abi_types([{"type": type_name}])
    except InvalidValueError:
        kind = None
    if not isinstance(kind, BasicType):
        raise InvalidValueError(
            f"{quote_shortened(key_part)} has the type {quote_shortened(type_name)}, which is not an ABI type"
        )
    if kind.canonical_name != type_name:
        raise InvalidValueError(
            f"{quote_shortened(key_part)} has the short type name {type_name!r}",
            f"write {kind.canonical_name!r}: a selector is computed from full type names",
        )
    return kind


def parse_abi_inputs(inputs: Json, depth: int = 0) -> tuple[Parameter, ...]:
    """Convert the inputs of a function in an ABI to named parameters.

    Args:
        inputs: the member `inputs` of the function.
        depth: the number of tuples around the inputs.

    Raises:
        InvalidValueError: if the type of an input is invalid.
    """
    return tuple(_convert_abi_parameter(as_object(value), depth) for value in as_list(inputs))


def _convert_abi_parameter(abi_input: Mapping[str, Json], depth: int) -> Parameter:
    if depth > MAX_ABI_TYPE_DEPTH:
        raise InvalidValueError(f"tuples are nested deeper than {MAX_ABI_TYPE_DEPTH} levels")
    name, type_text = abi_input.get("name"), abi_input.get("type")
    base, brackets, suffix = str(type_text).partition("[")
    kind: ValueType
    if base == "tuple":
        kind = StructType(parse_abi_inputs(abi_input.get("components"), depth + 1))
    else:
        (basic,) = parse_abi_types([{"type": base}])
        if not isinstance(basic, BasicType):
            raise InvalidValueError(f"{base!r} is not an ABI type")
        kind = basic
    for match in _ARRAY.finditer(brackets + suffix):
        kind = ListType(kind, int(match[1]) if match[1] else None)
    return Parameter(name if isinstance(name, str) else "", kind)


# EIP-712 does not allow a colon in the name of a type. Accept one anyway, because the schema of ERC-7730
# does, and published descriptors use it.
_STRUCT = re.compile(r"([A-Za-z_$][A-Za-z0-9_$:]*)\(([^()]*)\)", re.ASCII)
_MEMBER = re.compile(
    r"([A-Za-z_$][A-Za-z0-9_$]*)((?:\[[0-9]{0,9}\]){0,8}) ([A-Za-z_$][A-Za-z0-9_$]*)", re.ASCII
)


def parse_message_key(key: str) -> MessageKey:
    """Parse the key of a message's format, such as `Mail(string contents)`.

    The key is an EIP-712 type string. It begins with the type of the message. Other types that it uses follow, sorted by
    name.

    Raises:
        InvalidValueError: if the string is invalid, or not in the canonical form that EIP-712 hashes.
    """
    if len(key) > MAX_KEY:
        raise InvalidValueError(
            f"the key has {len(key):,} characters", f"write at most {MAX_KEY:,} characters"
        )
    matches = list(_STRUCT.finditer(key))
    if not matches or "".join(match[0] for match in matches) != key:
        raise InvalidValueError(
            f"{quote_shortened(key)} is not a type in the form of encodeType of EIP-712",
            "write it as Mail(Person from,string contents)Person(…)",
        )
    names = [match[1] for match in matches]
    if len(set(names)) != len(names):
        raise InvalidValueError(f"{quote_shortened(key)} defines the same type twice")
    types = {
        match[1]: StructType(_parse_members(match[2], frozenset(names), key), match[1]) for match in matches
    }
    _require_canonical_order(names, types, key)
    return MessageKey(names[0], types)


def _parse_members(members_text: str, struct_names: frozenset[str], key: str) -> tuple[Parameter, ...]:
    members = []
    for part in members_text.split(",") if members_text else ():
        match = _MEMBER.fullmatch(part)
        if match is None:
            raise InvalidValueError(
                f"{quote_shortened(key)} has the malformed member {quote_shortened(part)}",
                "write one space between a type and its name, and none after a comma",
            )
        kind: ValueType = (
            NamedType(match[1]) if match[1] in struct_names else _parse_basic_type(match[1], key)
        )
        for brackets in _ARRAY.finditer(match[2]):
            kind = ListType(kind, int(brackets[1]) if brackets[1] else None)
        members.append(Parameter(match[3], kind))
    _require_different_names(members, key)
    return tuple(members)


def _require_canonical_order(
    struct_names: list[str], structs_by_name: Mapping[str, StructType], key: str
) -> None:
    needed, pending_types = {struct_names[0]}, [struct_names[0]]
    while pending_types:
        for name in _struct_names_in(structs_by_name[pending_types.pop()]):
            if name not in needed:
                needed.add(name)
                pending_types.append(name)
    expected = [struct_names[0], *sorted(needed - {struct_names[0]})]
    if struct_names != expected:
        raise InvalidValueError(
            f"{quote_shortened(key)} defines the types {', '.join(map(repr, struct_names))}",
            f"write {', '.join(map(repr, expected))}: the primary type first, then the types that it needs, in alphabetical order",
        )


def _struct_names_in(struct: StructType) -> Iterator[str]:
    for member in struct.members:
        kind = member.type
        while isinstance(kind, ListType):
            kind = kind.item
        if isinstance(kind, NamedType):
            yield kind.name
