"""Resolve the paths of fields to types."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from statuary.base.budget import consume_steps
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
    """A slice of bytes, as the type of a value.

    `length` is None if it differs among values.
    """

    length: int | None


class PathTarget(NamedTuple):
    """The type of the value at a path.

    `is_many` is True if the path leads to several values, the items of an array.
    """

    type: ValueType | Bytes
    is_many: bool = False  # whether the path leads to several items of an array


@dataclass(frozen=True)
class DataTypes:
    """The types of a call's arguments, or of a message's members."""

    top: StructType
    structs_by_name: Mapping[str, StructType] = field(default_factory=dict)  # EIP-712 structs by name

    def resolve_named_type(self, value_type: ValueType) -> ValueType:
        """Return the struct that a type name refers to.

        A type that is not a name is returned unchanged.
        """
        return self.structs_by_name[value_type.name] if isinstance(value_type, NamedType) else value_type

    def type_at_path(self, path: Path) -> PathTarget:
        """Return the type of the value to which a path leads.

        Example: for `transfer(address to,uint256 amount)`, the path `#.amount` leads to a `uint256`.

        Raises:
            InvalidValueError: if the path leads to no value.
        """
        if path.root == CONTAINER:
            return _type_of_transaction_value(path)
        reached = PathTarget(self.top)
        for number, step in enumerate(path.steps):
            consume_steps(1)
            if isinstance(reached.type, Bytes):
                raise InvalidValueError(
                    f"the path {str(path)!r} continues after a slice such as [0:4], which must be its last step"
                )
            reached = self._follow_step(
                self.resolve_named_type(reached.type), step, path, number, is_many=reached.is_many
            )
        if isinstance(reached.type, NamedType):
            return reached._replace(type=self.resolve_named_type(reached.type))
        return reached

    def _follow_step(
        self, value_type: ValueType, step: Step, path: Path, step_index: int, *, is_many: bool
    ) -> PathTarget:
        match step, value_type:
            case Member(name), StructType(members):
                return PathTarget(_find_member_type(members, name, path, step_index), is_many)
            case Member(name), ListType():
                raise _missing_path_error(
                    path,
                    step_index,
                    f"{name!r} is a member of the array's items, not of the array itself",
                    f"write `[].{name}` for all items, or `[0].{name}` for the first one",
                )
            case Items(), ListType(item, _):
                return PathTarget(item, is_many=True)
            case Item(index), ListType(item, length):
                _require_index_in_array(path, step_index, index, length)
                return PathTarget(item, is_many)
            case Slice(start, end), ListType(item, length):
                _require_index_in_array(path, step_index, start or 0, length, is_slice_bound=True)
                _require_index_in_array(path, step_index, end or 0, length, is_slice_bound=True)
                return PathTarget(item, is_many=True)
            case Slice(), BasicType():
                return PathTarget(_type_of_byte_slice(value_type, step, path, step_index), is_many)
            case _:
                raise _missing_path_error(
                    path,
                    step_index,
                    f"the next step of the path cannot be applied to {_describe_type(value_type)}",
                )

    def leaf_paths(self) -> Iterator[tuple[Step, ...]]:
        """Yield the paths of all values except structs and arrays.

        Structs and arrays are searched at any depth. If a struct type contains itself, it is entered only
        once.
        """
        return self._leaf_paths_below(self.top, (), frozenset())

    def _leaf_paths_below(
        self, value_type: ValueType, outer_path: tuple[Step, ...], expanded_structs: frozenset[str]
    ) -> Iterator[tuple[Step, ...]]:
        consume_steps(1 + len(outer_path))
        match value_type:
            case NamedType(name) if name not in expanded_structs:
                yield from self._leaf_paths_below(
                    self.structs_by_name[name], outer_path, expanded_structs | {name}
                )
            case ListType(item, _):
                yield from self._leaf_paths_below(item, (*outer_path, Items()), expanded_structs)
            case StructType(members):
                for number, member in enumerate(members):
                    inner = (*outer_path, Member(member.name or f"({number})"))
                    yield from self._leaf_paths_below(member.type, inner, expanded_structs)
            case _:
                yield outer_path


def _find_member_type(
    members: tuple[Parameter, ...], member_name: str, path: Path, step_index: int
) -> ValueType:
    for member in members:
        if member.name == member_name:
            return member.type
    names = [member.name for member in members if member.name]
    hint = f"the names are: {', '.join(names[:20])}" if names else "the key gives no names: write them there"
    raise _missing_path_error(path, step_index, f"the struct has no member {member_name!r}", hint)


def _missing_path_error(path: Path, step_index: int, message: str, hint: str = "") -> InvalidValueError:
    path_before = str(Path("#", path.steps[:step_index])) or "the top"
    return InvalidValueError(f"the path {str(path)!r} does not exist: at {path_before}, {message}", hint)


def _describe_type(value_type: ValueType) -> str:
    match value_type:
        case ListType():
            return "an array"
        case StructType():
            return "a struct"
        case BasicType(name=name):
            return f"a value of type {name}"
        case _:
            return "a type"


def _require_index_in_array(
    path: Path, step_index: int, item_index: int, array_length: int | None, *, is_slice_bound: bool = False
) -> None:
    if array_length is None:
        return
    inside = (
        -array_length <= item_index <= array_length
        if is_slice_bound
        else -array_length <= item_index < array_length
    )
    if not inside:
        raise _missing_path_error(
            path, step_index, f"item {item_index} is out of range: the array has {array_length} items"
        )


def _type_of_byte_slice(value_type: BasicType, byte_slice: Slice, path: Path, step_index: int) -> Bytes:
    sizes = {"uint": value_type.size // 8, "int": value_type.size // 8, "bytesN": value_type.size}
    if value_type.kind in ("address", "bool"):
        raise _missing_path_error(
            path, step_index, f"a value of type {value_type.name} cannot be sliced into bytes"
        )
    size = WORD if value_type.kind in ("uint", "int") else sizes.get(value_type.kind)
    length = byte_slice.length
    if size is None:
        if length is not None and length <= 0:
            raise _missing_path_error(path, step_index, "the slice has no bytes")
        return Bytes(length)
    start = _absolute_slice_bound(byte_slice.start, 0, size)
    end = _absolute_slice_bound(byte_slice.end, size, size)
    if not 0 <= start < end <= size:
        raise _missing_path_error(path, step_index, f"the slice is out of range: the value has {size} bytes")
    return Bytes(end - start)


def _absolute_slice_bound(bound: int | None, default: int, size: int) -> int:
    if bound is None:
        return default
    return bound + size if bound < 0 else bound


def _type_of_transaction_value(path: Path) -> PathTarget:
    name = path.steps[0]
    if isinstance(name, Member) and name.name in CONTAINER_TYPES:
        kind = CONTAINER_TYPES[name.name]
        if len(path.steps) == 1:
            return PathTarget(kind)
        if len(path.steps) == 2 and isinstance(part := path.steps[1], Slice):
            return PathTarget(_type_of_byte_slice(kind, part, path, 1))
    members = ", ".join(f"@.{members}" for members in CONTAINER_TYPES)
    raise InvalidValueError(f"the path {str(path)!r} does not exist", f"the values are: {members}")


def descriptor_value_at(descriptor: Json, path: Path) -> Json:
    """Look up a path such as `$.metadata.constants.NAME` in a descriptor.

    Args:
        descriptor: the descriptor, merged with the files that it includes.
        path: the path, which begins at the descriptor's root.

    Raises:
        InvalidValueError: if the descriptor has no such value.
    """
    if path.root != DESCRIPTOR:
        raise InvalidValueError(f"the path {str(path)!r} does not start with `$.`")
    for step in path.steps:
        if not (isinstance(descriptor, dict) and isinstance(step, Member) and step.name in descriptor):
            raise InvalidValueError(
                f"the path {str(path)!r} does not exist in the descriptor",
                "write it as `$.metadata.constants.NAME`",
            )
        descriptor = descriptor[step.name]
    return descriptor


def is_address_like(target: PathTarget) -> bool:
    """Return whether the value at a path can be an address.

    True for addresses, and for slices of 20 bytes or of unknown length.
    """
    kind = target.type
    if isinstance(kind, Bytes):
        return kind.length in (ADDRESS_BYTES, None)
    return isinstance(kind, BasicType) and kind.kind == "address"


def can_contain_address(target: PathTarget) -> bool:
    """Return whether a number or bytes can contain an address.

    True for `uint160` and larger integers, and for byte strings and slices that have at least 20 bytes
    or an unknown length. Wallets read the last 20 bytes.
    """
    kind = target.type
    if isinstance(kind, Bytes):
        return kind.length is None or kind.length >= ADDRESS_BYTES
    sizes = {"uint": 160, "bytesN": ADDRESS_BYTES}
    return isinstance(kind, BasicType) and kind.kind in sizes and kind.size >= sizes[kind.kind]


def is_number_like(target: PathTarget) -> bool:
    """Return whether the value at a path can be a number.

    True for integers, and for slices of at most 32 bytes or of unknown length.
    """
    kind = target.type
    if isinstance(kind, Bytes):
        return kind.length is None or kind.length <= WORD
    return isinstance(kind, BasicType) and kind.kind in ("uint", "int")


def is_single_value(target: PathTarget) -> bool:
    """Return whether the value at a path is neither array nor struct.

    Args:
        target: the type at the end of the path.
    """
    return isinstance(target.type, BasicType | Bytes)


def describe_target_type(target: PathTarget) -> str:
    """Describe the type of a value in words, such as `an array`."""
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
