"""Select members of a record without parsing all of it."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from statuary.base.errors import StatuaryError
from statuary.contracts.model.field_names import BASE, CODE_OF_PROXY, IDENTITY, NAMES, PROXY

ChosenMembers = dict[str, tuple[str, ...]]
"""Top-level names in the requested order, each with its sub-members in that order.

An empty tuple means the whole member. An empty name among the sub-members means its remaining sub-members.
"""

REST = ""


class InvalidSelectorError(StatuaryError, ValueError):
    """Raised if `fields` or `omit` is invalid, with Sourcify's message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The members of a record that a request asks for."""

    fields: ChosenMembers | None = None  # the selected members in order; None for all
    omit: ChosenMembers = field(default_factory=dict)
    """The parts to omit, by member of the record; an empty tuple omits the whole member."""

    @property
    def is_whole_record(self) -> bool:
        """Whether the client requests all fields of a contract's record."""
        return self.fields is None and not self.omit


EVERYTHING = Selection()
"""No selection, or `fields=all`.

The real server answers a request without `fields` and `omit` with seven members. A plain folder can only
send the file, and a site should give the same response on every host: so here it is the full record.
"""


def parse_selection(fields: str | None, omit: str | None) -> Selection:
    """Parse the query parameters `fields` and `omit` of a contract request.

    They say which fields of the contract's record the client wants. As in Sourcify's server, white space is
    kept, letter case matters, and names may repeat.

    Args:
        fields: the fields to send, such as `abi,compilation.name`, or None.
        omit: the fields to leave out, or None.

    Raises:
        InvalidSelectorError: if a name is not a field, or both parameters are given; the message is
            Sourcify's.
    """
    if fields and omit:
        raise InvalidSelectorError("Cannot specify both fields and omit")
    asked = fields.split(",") if fields else []
    if "all" in asked:
        if len(asked) > 1:
            raise InvalidSelectorError("Cannot specify 'all' with other fields")
        return EVERYTHING
    skipped = omit.split(",") if omit else []
    for selector in (*asked, *skipped):
        require_record_field(selector)
    return Selection(
        fields=_group_by_member(asked) if asked else None, omit=_group_omitted_by_member(skipped)
    )


def require_record_field(field_name: str) -> None:
    """Raise an error if records have no field with this name.

    Raises:
        InvalidSelectorError: if the name is not a field; the message is Sourcify's.
    """
    if field_name.count(".") > 1:
        raise InvalidSelectorError(
            f"Field selector cannot have more than one level subselectors: {field_name}"
        )
    if field_name not in NAMES:
        raise InvalidSelectorError(f"Field selector {field_name} is not a valid field")


def _group_by_member(field_names: list[str]) -> ChosenMembers:
    """Group the names in `fields` by the part before the dot.

    Example: `abi`, `compilation.name` -> `{"abi": (), "compilation": ("name",)}`. If the whole of
    `proxyResolution` is requested, names such as `proxyResolution.x` are ignored.
    """
    chosen: ChosenMembers = {}
    for selector in field_names:
        member, _, inner = selector.partition(".")
        asked = chosen.get(member)
        if asked is None or selector == PROXY:
            chosen[member] = (inner,) if inner else ()
        elif asked and inner not in asked and REST not in asked:
            chosen[member] = (*asked, inner or REST)
    return chosen


def _group_omitted_by_member(field_names: list[str]) -> ChosenMembers:
    """Group the names in `omit` by their first part.

    Sourcify's server accepts dotted names in `omit`, but then omits nothing. Its specification allows them,
    so here they work.
    """
    chosen: ChosenMembers = {}
    for selector in field_names:
        member, _, inner = selector.partition(".")
        is_whole = not inner or chosen.get(member) == ()
        chosen[member] = () if is_whole else (*chosen.get(member, ()), inner)
    return chosen


STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"')
STRING_OR_BRACKET = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[][{}]')
SCALAR = re.compile(rb"[^\s,:{}\[\]\"]+")

QUOTE, COMMA, COLON, OPENING_BRACE, CLOSING_BRACE, OPENING_BRACKET, CLOSING_BRACKET = b'",:{}[]'


class NotCanonicalError(StatuaryError, ValueError):
    """Raised if a text is not one compact JSON object."""


class MemberSpan(NamedTuple):
    """The position of a member in the JSON text of a record."""

    name: str  # unescaped
    start: int  # the opening quote of the name
    value: int  # the first byte of the value
    end: int  # the first byte after the value


def find_member_spans(json_text: bytes, object_start: int = 0) -> list[MemberSpan]:
    """Find the members of a JSON object without parsing their values.

    Args:
        json_text: compact JSON (without white space).
        object_start: the offset at which the object begins.

    Returns:
        The name of each member, and where it starts and ends in the text.

    Raises:
        NotCanonicalError: if no compact object begins at the offset.
    """
    if _get_byte_at(json_text, object_start) != OPENING_BRACE:
        raise NotCanonicalError(f"expected a JSON object at byte {object_start} of the record")
    if _get_byte_at(json_text, object_start + 1) == CLOSING_BRACE:
        return []
    spans = [_find_member_span(json_text, object_start + 1)]
    while (mark := _get_byte_at(json_text, spans[-1].end)) == COMMA:
        spans.append(_find_member_span(json_text, spans[-1].end + 1))
    if mark != CLOSING_BRACE:
        raise NotCanonicalError(f"expected a comma or closing brace at byte {spans[-1].end} of the record")
    return spans


def find_item_spans(json_text: bytes, array_start: int = 0) -> list[tuple[int, int]]:
    """Find each item of a JSON array without parsing the items.

    Args:
        json_text: compact JSON (without white space).
        array_start: the offset at which the array begins.

    Returns:
        The start and end offsets of the items.

    Raises:
        NotCanonicalError: if no compact array begins at the offset.
    """
    if _get_byte_at(json_text, array_start) != OPENING_BRACKET:
        raise NotCanonicalError(f"expected a JSON array at byte {array_start} of the record")
    if _get_byte_at(json_text, array_start + 1) == CLOSING_BRACKET:
        return []
    spans = [(array_start + 1, find_value_end(json_text, array_start + 1))]
    while (mark := _get_byte_at(json_text, spans[-1][1])) == COMMA:
        begin = spans[-1][1] + 1
        spans.append((begin, find_value_end(json_text, begin)))
    if mark != CLOSING_BRACKET:
        raise NotCanonicalError(f"expected a comma or closing bracket at byte {spans[-1][1]} of the record")
    return spans


def is_object_member(record: bytes, member: MemberSpan) -> bool:
    """Return whether the value of a JSON member is an object.

    Args:
        record: the JSON text.
        member: the position of the member in this text.
    """
    return record[member.value] == OPENING_BRACE


def _find_member_span(json_text: bytes, member_start: int) -> MemberSpan:
    name = STRING.match(json_text, member_start)
    if name is None or _get_byte_at(json_text, name.end()) != COLON:
        raise NotCanonicalError(f"expected the name of a JSON member at byte {member_start} of the record")
    value = name.end() + 1
    return MemberSpan(json.loads(name[0]), member_start, value, find_value_end(json_text, value))


def find_value_end(json_text: bytes, value_start: int) -> int:
    """Find where a JSON value ends, without parsing it.

    Args:
        json_text: compact JSON.
        value_start: the offset at which the value begins.

    Raises:
        NotCanonicalError: if no complete value begins at the offset.
    """
    first_byte = _get_byte_at(json_text, value_start)
    if first_byte in (OPENING_BRACE, OPENING_BRACKET):
        return _find_container_end(json_text, value_start)
    simple = (STRING if first_byte == QUOTE else SCALAR).match(json_text, value_start)
    if simple is None:
        raise NotCanonicalError(f"expected a JSON value at byte {value_start} of the record")
    return simple.end()


def _find_container_end(json_text: bytes, container_start: int) -> int:
    depth = 0
    for token in STRING_OR_BRACKET.finditer(json_text, container_start):
        match token[0]:
            case b"{" | b"[":
                depth += 1
            case b"}" | b"]":
                depth -= 1
                if not depth:
                    return token.end()
    raise NotCanonicalError(f"the JSON value at byte {container_start} of the record is cut off")


def _get_byte_at(json_text: bytes, position: int) -> int:
    return json_text[position] if position < len(json_text) else -1


def select_members(record: bytes, selection: Selection) -> bytes:
    """Return a record's JSON with only the requested fields.

    Seven fields are always included: `matchId`, `creationMatch`, `runtimeMatch`, `verifiedAt`, `match`,
    `chainId` and `address`. With `fields`, they follow the requested fields in this order. With `omit`, the
    remaining fields keep their order.

    Args:
        record: the record as compact JSON.
        selection: the fields that the client requests or omits.

    Raises:
        NotCanonicalError: if the record is not compact JSON.
    """
    if selection.is_whole_record:
        return record
    spans = {member.name: member for member in find_member_spans(record)}
    names = (*list_members_to_select(selection, spans), *IDENTITY)
    codes = () if selection.fields is None else selection.fields.get(PROXY, ())
    return _encode_object(
        _encode_proxy_resolution(record, spans, codes)
        if codes and name == PROXY
        else _encode_selected_parts(record, spans[name], selection)
        for name in names
        if name in spans or (codes and name == PROXY)
    )


def _encode_proxy_resolution(
    record: bytes, spans: dict[str, MemberSpan], part_names: tuple[str, ...]
) -> bytes:
    """Encode the requested parts of the member `proxyResolution` as JSON.

    These parts are copies of code on the chain that the record has in other members.

    Args:
        record: the record's JSON.
        spans: the position in the record of each member.
        part_names: the requested parts of `proxyResolution`.
    """
    codes = []
    for part in part_names:
        side = spans.get(CODE_OF_PROXY[part])
        code = None if side is None else _find_member_part(record, side, "onchainBytecode")
        if code is not None:
            codes.append(b'"%s":%s' % (part.encode(), code))
    return b'"%s":%s' % (PROXY.encode(), _encode_object(codes))


def _find_member_part(record: bytes, member: MemberSpan, part_name: str) -> bytes | None:
    parts = find_member_spans(record, member.value) if is_object_member(record, member) else []
    return next((record[part.value : part.end] for part in parts if part.name == part_name), None)


def list_members_to_select(selection: Selection, present_names: Iterable[str]) -> list[str]:
    """List the names of the fields that a response contains.

    The fields `match`, `chainId` and `address`, which end every response, are left out.

    Args:
        selection: the fields that the client requests or omits.
        present_names: the names of all fields of the contract's record, in order.
    """
    if selection.fields is not None:
        return [*selection.fields, *(name for name in BASE if name not in selection.fields)]
    omitted_names = {name for name, inner in selection.omit.items() if not inner}
    remaining = [name for name in present_names if name not in omitted_names.union(IDENTITY)]
    return [*remaining, *filter(omitted_names.__contains__, BASE)]


def _encode_selected_parts(record: bytes, member: MemberSpan, selection: Selection) -> bytes:
    member_text = record[member.start : member.end]
    if selection.fields is None:
        inner = selection.omit.get(member.name, ())
    else:
        inner = selection.fields.get(member.name, ())
    if not inner or not is_object_member(record, member):
        return member_text
    name = record[member.start : member.value]
    spans = {part.name: part for part in find_member_spans(record, member.value)}
    if selection.fields is not None:
        names = _list_selected_parts(inner, spans)
    else:
        names = [part for part in spans if part not in inner]
    return name + _encode_object(record[spans[part].start : spans[part].end] for part in names)


def _list_selected_parts(requested_parts: tuple[str, ...], spans: dict[str, MemberSpan]) -> list[str]:
    named_parts = [part for part in requested_parts if part in spans]
    other_parts = [part for part in spans if part not in named_parts] if REST in requested_parts else []
    return [*named_parts, *other_parts]


def _encode_object(encoded_members: Iterable[bytes]) -> bytes:
    return b"{" + b",".join(encoded_members) + b"}"
