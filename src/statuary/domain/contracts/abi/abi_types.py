"""Types of ABI parameters, parsed from an ABI's JSON as ethers v6 does.

Sourcify computes signatures and checks constructor arguments with ethers, so what ethers rejects (`function`,
`fixed128x18`, the enum and struct names in library ABIs) is rejected here too. Specification: Solidity's
"Contract ABI Specification"; deviations noted below are those of ethers' `ParamType`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from statuary.domain.json_values import Json
from statuary.domain.limits import MAX_ABI_TYPE_DEPTH
from statuary.domain.primitives import InvalidValueError

WORD = 32
"""Bytes of one ABI word."""

_BASIC = re.compile(r"(address|bool|bytes([0-9]*)|string|(u?int)([0-9]*))", re.ASCII)
_ARRAY = re.compile(r"(.*)\[([0-9]*)\]", re.ASCII | re.DOTALL)
_IDENTIFIER = re.compile(r"[a-zA-Z$_][a-zA-Z0-9$_]*", re.ASCII)
_LONGEST_NUMBER = 30
_LONGEST_REMEMBERED = 40


@dataclass(frozen=True)
class BasicType:
    """An elementary type: `address`, `bool`, `string`, `bytes`, `bytes7`, `uint256`, `int8`."""

    name: str  # its canonical name (`uint256` for `uint`)
    kind: str  # the name without its size
    size: int = 0  # bytes of `bytesN`, bits of an integer; else 0

    is_dynamic: bool = False
    head_bytes: int = WORD

    @property
    def canonical(self) -> str:
        """The name that signatures use."""
        return self.name


@dataclass(frozen=True)
class ArrayType:
    """`T[]` or `T[n]`; `length` is None for `T[]`."""

    item: "AbiType"
    length: int | None

    @cached_property
    def is_dynamic(self) -> bool:
        """Whether the head holds an offset instead of the value."""
        return self.length is None or self.item.is_dynamic

    @cached_property
    def head_bytes(self) -> int:
        """Size of its head in bytes."""
        return WORD if self.is_dynamic else self.item.head_bytes * (self.length or 0)

    @property
    def canonical(self) -> str:
        """The name that signatures use."""
        return f"{self.item.canonical}[{'' if self.length is None else self.length}]"


@dataclass(frozen=True)
class TupleType:
    """A struct with its components in order."""

    items: tuple["AbiType", ...]

    @cached_property
    def is_dynamic(self) -> bool:
        """Whether the head holds an offset instead of the value."""
        return any(item.is_dynamic for item in self.items)

    @cached_property
    def head_bytes(self) -> int:
        """Size of its head in bytes."""
        return WORD if self.is_dynamic else sum(item.head_bytes for item in self.items)

    @property
    def canonical(self) -> str:
        """The name that signatures use."""
        return f"({','.join(item.canonical for item in self.items)})"


AbiType = BasicType | ArrayType | TupleType


def parse_abi_parameters(parameters: Json, *, may_be_indexed: bool = False) -> TupleType:
    """Parse the `inputs` of an ABI item into one tuple type, as `parse_abi_types` does."""
    return TupleType(parse_abi_types(parameters, may_be_indexed=may_be_indexed))


def parse_abi_types(parameters: Json, *, may_be_indexed: bool = False) -> tuple[AbiType, ...]:
    """Parse the types of the `inputs` of an ABI item; null or absent inputs are an empty list.

    Args:
        may_be_indexed: whether the parameters are an event's; ethers rejects `indexed` anywhere else.

    Raises:
        InvalidValueError: if ethers rejects a parameter's type or name.
    """
    if not parameters:
        return ()
    if not isinstance(parameters, list):
        raise InvalidValueError("inputs is not a list")
    return tuple([_parameter(parameter, 0, may_be_indexed=may_be_indexed) for parameter in parameters])


def is_identifier(name: Json) -> bool:
    """Return whether ethers accepts a name for an ABI item."""
    if not isinstance(name, str):
        return False
    # Python accepts what ethers accepts except the dollar, and is several times faster
    return (name.isascii() and name.isidentifier()) or _IDENTIFIER.fullmatch(name) is not None


def _parameter(parameter: Json, depth: int, *, may_be_indexed: bool) -> AbiType:
    if not isinstance(parameter, dict) or not isinstance(type_name := parameter.get("type"), str):
        raise InvalidValueError("a parameter has no type")
    name, components = parameter.get("name"), parameter.get("components")
    if name and not is_identifier(name):
        raise InvalidValueError(f"parameter name {name!r} is not an identifier")
    if not may_be_indexed and parameter.get("indexed") is not None:
        raise InvalidValueError("indexed is outside an event's own parameters")
    if components is None and not depth and len(type_name) <= _LONGEST_REMEMBERED:
        return _remembered(type_name)
    return _read_type(type_name, components, depth)


@lru_cache(maxsize=1024)
def _remembered(type_name: str) -> AbiType:
    return _read_type(type_name, None, 0)


def _read_type(type_name: str, components: Json, depth: int) -> AbiType:
    if depth > MAX_ABI_TYPE_DEPTH:
        raise InvalidValueError(f"type nested more than {MAX_ABI_TYPE_DEPTH} levels")
    if array := _ARRAY.fullmatch(type_name):
        length = _number(array[2]) if array[2] else None
        return ArrayType(_read_type(array[1], components, depth + 1), length)
    # to ethers, anything that starts like a tuple is one, with its parts from `components` alone
    if type_name == "tuple" or type_name.startswith(("tuple(", "(")):
        return _tuple(components, depth)
    return _basic(type_name)


def _tuple(components: Json, depth: int) -> TupleType:
    if not isinstance(components, list):
        raise InvalidValueError("a tuple has no components")
    return TupleType(
        tuple(_parameter(component, depth + 1, may_be_indexed=False) for component in components)
    )


def _basic(type_name: str) -> BasicType:
    found = _BASIC.fullmatch(type_name)
    if found is None:
        raise InvalidValueError(f"type {type_name[:80]!r} is not an ABI type")
    name, bytes_size, integer, bits = found.groups()
    if integer:
        size = _number(bits) if bits else 256
        if not 0 < size <= 256 or size % 8:
            raise InvalidValueError(f"integer type {type_name[:80]!r} has no such width")
        return BasicType(type_name if bits else f"{integer}256", integer, size)
    if bytes_size:
        size = _number(bytes_size)
        if not 0 < size <= WORD:
            raise InvalidValueError(f"type {type_name[:80]!r} has no such length")
        return BasicType(type_name, "bytesN", size)
    if name in ("string", "bytes"):
        return BasicType(name, name, is_dynamic=True)
    return BasicType(name, name)


def _number(digits: str) -> int:
    if len(digits) > _LONGEST_NUMBER:
        raise InvalidValueError(f"a length of {len(digits)} digits")
    return int(digits)


def canonical(name: str, inputs: Sequence[AbiType]) -> str:
    """Return a signature: the name and the canonical types of its inputs."""
    return f"{name}({','.join(item.canonical for item in inputs)})"
