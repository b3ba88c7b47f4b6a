"""Resolve the paths of fields to types."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from statuary.base.budget import consume
from statuary.base.json_values import Json
from statuary.base.primitives import InvalidValueError
from statuary.contracts.model.abi import WORD, BasicType
from statuary.extensions.clear_signing.key_types import ListType, NamedType, Parameter, StructType, ValueType
from statuary.extensions.clear_signing.paths import (
    CONTAINER,
    DESCRIPTOR,
    Item,
    Items,
    Member,
    Path,
    Slice,
    Step,
)

ADDRESS_BYTES: Final = 20

CONTAINER_TYPES: Final[Mapping[str, BasicType]] = {
    "from": BasicType("address", "address"),
    "to": BasicType("address", "address"),
    "value": BasicType("uint256", "uint", 256),
    "chainId": BasicType("uint256", "uint", 256),
}
"""The values of a transaction or message that paths with `@` name."""


class Bytes(NamedTuple):
    """The type of a slice of bytes.

    `length` is None if it depends on the value.
    """

    length: int | None


class PathTarget(NamedTuple):
    """The type of the value at a path."""

    type: ValueType | Bytes
    is_many: bool = False  # whether the path leads to several items of an array


@dataclass(frozen=True)
class DataTypes:
    """The types of a call's or message's values."""

    top: StructType
    structs_by_name: Mapping[str, StructType] = field(default_factory=dict)  # EIP-712 structs by name

    def resolve(self, kind: ValueType) -> ValueType:
        """Replace the name of a struct by the struct; return other types unchanged."""
        return self.structs_by_name[kind.name] if isinstance(kind, NamedType) else kind

    def target_of(self, path: Path) -> PathTarget:
        """Return the type of the value to which a path leads.

        Raises:
            InvalidValueError: if the path leads to no value.
        """
        if path.root == CONTAINER:
            return _container_target(path)
        reached = PathTarget(self.top)
        for number, step in enumerate(path.steps):
            consume(1)
            if isinstance(reached.type, Bytes):
                raise InvalidValueError(
                    f"the path {str(path)!r} continues after a slice such as [0:4], which must be its last step"
                )
            reached = self._follow_step(
                self.resolve(reached.type), step, path, number, is_many=reached.is_many
            )
        if isinstance(reached.type, NamedType):
            return reached._replace(type=self.resolve(reached.type))
        return reached

    def _follow_step(
        self, kind: ValueType, step: Step, path: Path, number: int, *, is_many: bool
    ) -> PathTarget:
        match step, kind:
            case Member(name), StructType(members):
                return PathTarget(_member_type(members, name, path, number), is_many)
            case Member(name), ListType():
                raise _missing_path_error(
                    path,
                    number,
                    f"{name!r} is a member of the items, not of the array",
                    "write `[]` or `[0]` before it",
                )
            case Items(), ListType(item, _):
                return PathTarget(item, is_many=True)
            case Item(index), ListType(item, length):
                _require_inside(path, number, index, length)
                return PathTarget(item, is_many)
            case Slice(start, end), ListType(item, length):
                _require_inside(path, number, start or 0, length, is_bound=True)
                _require_inside(path, number, end or 0, length, is_bound=True)
                return PathTarget(item, is_many=True)
            case Slice(), BasicType():
                return PathTarget(_slice_type(kind, step, path, number), is_many)
            case _:
                raise _missing_path_error(
                    path, number, f"this step of the path does not apply to {_describe_type(kind)}"
                )

    def leaves(self) -> Iterator[tuple[Step, ...]]:
        """Yield the path of every single value within structs and arrays.

        A recursive type is expanded once.
        """
        return self._leaves_below(self.top, (), frozenset())

    def _leaves_below(
        self, kind: ValueType, above: tuple[Step, ...], inside: frozenset[str]
    ) -> Iterator[tuple[Step, ...]]:
        consume(1 + len(above))
        match kind:
            case NamedType(name) if name not in inside:
                yield from self._leaves_below(self.structs_by_name[name], above, inside | {name})
            case ListType(item, _):
                yield from self._leaves_below(item, (*above, Items()), inside)
            case StructType(members):
                for number, member in enumerate(members):
                    inner = (*above, Member(member.name or f"({number})"))
                    yield from self._leaves_below(member.type, inner, inside)
            case _:
                yield above


def _member_type(members: tuple[Parameter, ...], name: str, path: Path, number: int) -> ValueType:
    for member in members:
        if member.name == name:
            return member.type
    names = [member.name for member in members if member.name]
    hint = f"the names are: {', '.join(names[:20])}" if names else "the key gives no names: write them there"
    raise _missing_path_error(path, number, f"the struct has no member {name!r}", hint)


def _missing_path_error(path: Path, number: int, message: str, hint: str = "") -> InvalidValueError:
    path_before = str(Path("#", path.steps[:number])) or "the top"
    return InvalidValueError(f"the path {str(path)!r} does not exist: at {path_before}, {message}", hint)


def _describe_type(kind: ValueType) -> str:
    match kind:
        case ListType():
            return "an array"
        case StructType():
            return "a struct"
        case BasicType(name=name):
            return f"a value of type {name}"
        case _:
            return "a type"


def _require_inside(
    path: Path, number: int, index: int, length: int | None, *, is_bound: bool = False
) -> None:
    if length is None:
        return
    inside = -length <= index <= length if is_bound else -length <= index < length
    if not inside:
        raise _missing_path_error(path, number, f"item {index} is out of range: the array has {length} items")


def _slice_type(kind: BasicType, part: Slice, path: Path, number: int) -> Bytes:
    sizes = {"uint": kind.size // 8, "int": kind.size // 8, "bytesN": kind.size}
    if kind.kind in ("address", "bool"):
        raise _missing_path_error(path, number, f"a value of type {kind.name} cannot be sliced into bytes")
    size = WORD if kind.kind in ("uint", "int") else sizes.get(kind.kind)
    length = part.length
    if size is None:
        if length is not None and length <= 0:
            raise _missing_path_error(path, number, "the slice has no bytes")
        return Bytes(length)
    start = _resolve_bound(part.start, 0, size)
    end = _resolve_bound(part.end, size, size)
    if not 0 <= start < end <= size:
        raise _missing_path_error(path, number, f"the slice is out of range: the value has {size} bytes")
    return Bytes(end - start)


def _resolve_bound(bound: int | None, default: int, size: int) -> int:
    if bound is None:
        return default
    return bound + size if bound < 0 else bound


def _container_target(path: Path) -> PathTarget:
    name = path.steps[0]
    if isinstance(name, Member) and name.name in CONTAINER_TYPES:
        kind = CONTAINER_TYPES[name.name]
        if len(path.steps) == 1:
            return PathTarget(kind)
        if len(path.steps) == 2 and isinstance(part := path.steps[1], Slice):
            return PathTarget(_slice_type(kind, part, path, 1))
    members = ", ".join(f"@.{members}" for members in CONTAINER_TYPES)
    raise InvalidValueError(f"the path {str(path)!r} does not exist", f"the values are: {members}")


def descriptor_value(value: Json, path: Path) -> Json:
    """Return the value at a path within the descriptor (`$.…`).

    Args:
        value: the merged descriptor.
        path: the path, which begins at the descriptor's root.

    Raises:
        InvalidValueError: if the descriptor has no such value.
    """
    if path.root != DESCRIPTOR:
        raise InvalidValueError(f"the path {str(path)!r} does not start with `$.`")
    for step in path.steps:
        if not (isinstance(value, dict) and isinstance(step, Member) and step.name in value):
            raise InvalidValueError(
                f"the path {str(path)!r} does not exist in the descriptor",
                "write it as `$.metadata.constants.NAME`",
            )
        value = value[step.name]
    return value


def is_address_like(target: PathTarget) -> bool:
    """Return whether the type at the end of a path is an address, or can be one.

    Slices of 20 bytes, and slices of unknown length, can be addresses.
    """
    kind = target.type
    if isinstance(kind, Bytes):
        return kind.length in (ADDRESS_BYTES, None)
    return isinstance(kind, BasicType) and kind.kind == "address"


def holds_address(target: PathTarget) -> bool:
    """Return whether a value that is not an address is large enough to contain one.

    Such a value is an unsigned integer, a byte string or a slice of bytes. Wallets read the last 20 bytes.
    """
    kind = target.type
    if isinstance(kind, Bytes):
        return kind.length is None or kind.length >= ADDRESS_BYTES
    sizes = {"uint": 160, "bytesN": ADDRESS_BYTES}
    return isinstance(kind, BasicType) and kind.kind in sizes and kind.size >= sizes[kind.kind]


def is_number(target: PathTarget) -> bool:
    """Return whether the type at the end of a path is an integer, or can be read as one.

    Slices of at most 32 bytes, and slices of unknown length, can be read as integers.
    """
    kind = target.type
    if isinstance(kind, Bytes):
        return kind.length is None or kind.length <= WORD
    return isinstance(kind, BasicType) and kind.kind in ("uint", "int")


def is_value(target: PathTarget) -> bool:
    """Return whether a path leads to single values instead of an array or struct.

    Args:
        target: the type at the end of the path.
    """
    return isinstance(target.type, BasicType | Bytes)


def type_name(target: PathTarget) -> str:
    """Describe the type at the end of a path for an error message, such as `an array`."""
    match target.type:
        case Bytes(None):
            return "a slice of bytes"
        case Bytes(length):
            return f"a slice of {length} bytes"
        case BasicType(name=name):
            return name
        case ListType():
            return "an array"
        case _:
            return "a struct"
