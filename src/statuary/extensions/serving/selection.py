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
    def whole(self) -> bool:
        """Whether the whole record is selected."""
        return self.fields is None and not self.omit


EVERYTHING = Selection()
"""No selection, or `fields=all`.

The real server answers a request without `fields` and `omit` with seven members. A plain folder can only
send the file, and a site should give the same response on every host: so here it is the full record.
"""


def parse_selection(fields: str | None, omit: str | None) -> Selection:
    """Parse the parameters `fields` and `omit` of a contract look-up.

    As in Sourcify's server, white space is kept, letter case matters, and names may repeat.

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
        check_selector(selector)
    return Selection(fields=_in_request_order(asked) if asked else None, omit=_omitted_members(skipped))


def check_selector(selector: str) -> None:
    """Raise an error if a name in `fields` or `omit` is not a field of records.

    Raises:
        InvalidSelectorError: if the name is not a field; the message is Sourcify's.
    """
    if selector.count(".") > 1:
        raise InvalidSelectorError(f"Field selector cannot have more than one level subselectors: {selector}")
    if selector not in NAMES:
        raise InvalidSelectorError(f"Field selector {selector} is not a valid field")


def _in_request_order(selectors: list[str]) -> ChosenMembers:
    """Group selectors by member, in order of the request.

    The whole of `proxyResolution` replaces its parts, which are not in it.
    """
    chosen: ChosenMembers = {}
    for selector in selectors:
        member, _, inner = selector.partition(".")
        asked = chosen.get(member)
        if asked is None or selector == PROXY:
            chosen[member] = (inner,) if inner else ()
        elif asked and inner not in asked and REST not in asked:
            chosen[member] = (*asked, inner or REST)
    return chosen


def _omitted_members(selectors: list[str]) -> ChosenMembers:
    """Group omitted selectors by member.

    The real server accepts nested names in `omit` and then omits nothing. The specification allows dotted
    paths in `omit`, so here they work.
    """
    chosen: ChosenMembers = {}
    for selector in selectors:
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


def member_spans(text: bytes, start: int = 0) -> list[MemberSpan]:
    """Return the name and position of each member of a JSON object.

    Args:
        text: compact JSON.
        start: the offset of the object.

    Raises:
        NotCanonicalError: if no compact object begins at the offset.
    """
    if _byte_at(text, start) != OPENING_BRACE:
        raise NotCanonicalError(f"expected a JSON object at byte {start} of the record")
    if _byte_at(text, start + 1) == CLOSING_BRACE:
        return []
    spans = [_member_span(text, start + 1)]
    while (mark := _byte_at(text, spans[-1].end)) == COMMA:
        spans.append(_member_span(text, spans[-1].end + 1))
    if mark != CLOSING_BRACE:
        raise NotCanonicalError(f"expected a comma or closing brace at byte {spans[-1].end} of the record")
    return spans


def item_spans(text: bytes, start: int = 0) -> list[tuple[int, int]]:
    """Return the start and end offsets of a JSON array's items.

    Args:
        text: compact JSON.
        start: the offset of the array.

    Raises:
        NotCanonicalError: if no compact array begins at the offset.
    """
    if _byte_at(text, start) != OPENING_BRACKET:
        raise NotCanonicalError(f"expected a JSON array at byte {start} of the record")
    if _byte_at(text, start + 1) == CLOSING_BRACKET:
        return []
    spans = [(start + 1, value_end(text, start + 1))]
    while (mark := _byte_at(text, spans[-1][1])) == COMMA:
        begin = spans[-1][1] + 1
        spans.append((begin, value_end(text, begin)))
    if mark != CLOSING_BRACKET:
        raise NotCanonicalError(f"expected a comma or closing bracket at byte {spans[-1][1]} of the record")
    return spans


def holds_object(text: bytes, member: MemberSpan) -> bool:
    """Return whether the value of a record's member is a JSON object.

    Args:
        text: the bytes of the record.
        member: the place of the member in these bytes.
    """
    return text[member.value] == OPENING_BRACE


def _member_span(text: bytes, start: int) -> MemberSpan:
    name = STRING.match(text, start)
    if name is None or _byte_at(text, name.end()) != COLON:
        raise NotCanonicalError(f"expected the name of a JSON member at byte {start} of the record")
    value = name.end() + 1
    return MemberSpan(json.loads(name[0]), start, value, value_end(text, value))


def value_end(text: bytes, start: int) -> int:
    """Return the offset at which a JSON value ends.

    Args:
        text: compact JSON.
        start: the offset of the value.

    Raises:
        NotCanonicalError: if no complete value begins at the offset.
    """
    first_byte = _byte_at(text, start)
    if first_byte in (OPENING_BRACE, OPENING_BRACKET):
        return _container_end(text, start)
    simple = (STRING if first_byte == QUOTE else SCALAR).match(text, start)
    if simple is None:
        raise NotCanonicalError(f"expected a JSON value at byte {start} of the record")
    return simple.end()


def _container_end(text: bytes, start: int) -> int:
    depth = 0
    for token in STRING_OR_BRACKET.finditer(text, start):
        match token[0]:
            case b"{" | b"[":
                depth += 1
            case b"}" | b"]":
                depth -= 1
                if not depth:
                    return token.end()
    raise NotCanonicalError(f"the JSON value at byte {start} of the record is cut off")


def _byte_at(text: bytes, position: int) -> int:
    """Return the byte at a position, or -1 beyond the end."""
    return text[position] if position < len(text) else -1


def select_members(record: bytes, selection: Selection) -> bytes:
    """Return the JSON with the selected members of a record.

    Seven members are always included: `matchId`, `creationMatch`, `runtimeMatch`, `verifiedAt`, `match`,
    `chainId` and `address`. With `fields`, they follow the named members in this order. With `omit`, the
    other members keep their order.

    Args:
        record: the record as compact JSON.
        selection: the selected members.

    Raises:
        NotCanonicalError: if the record is not compact JSON.
    """
    if selection.whole:
        return record
    spans = {member.name: member for member in member_spans(record)}
    names = (*wanted_members(selection, spans), *IDENTITY)
    codes = () if selection.fields is None else selection.fields.get(PROXY, ())
    return _join_object(
        _proxy_resolution_part(record, spans, codes)
        if codes and name == PROXY
        else _selected_parts(record, spans[name], selection)
        for name in names
        if name in spans or (codes and name == PROXY)
    )


def _proxy_resolution_part(record: bytes, spans: dict[str, MemberSpan], parts: tuple[str, ...]) -> bytes:
    """Return `proxyResolution` with on-chain code."""
    codes = []
    for part in parts:
        side = spans.get(CODE_OF_PROXY[part])
        code = None if side is None else _member_part(record, side, "onchainBytecode")
        if code is not None:
            codes.append(b'"%s":%s' % (part.encode(), code))
    return b'"%s":%s' % (PROXY.encode(), _join_object(codes))


def _member_part(record: bytes, member: MemberSpan, name: str) -> bytes | None:
    """Return a part of a member, if it has that part."""
    parts = member_spans(record, member.value) if holds_object(record, member) else []
    return next((record[part.value : part.end] for part in parts if part.name == name), None)


def wanted_members(selection: Selection, present_names: Iterable[str]) -> list[str]:
    """Return the names of the members to select, without the last three.

    A response always ends with `match`, `chainId` and `address`, which the caller adds.

    Args:
        selection: the selected members.
        present_names: the members of the record in order.
    """
    if selection.fields is not None:
        return [*selection.fields, *(name for name in BASE if name not in selection.fields)]
    omitted_names = {name for name, inner in selection.omit.items() if not inner}
    remaining = [name for name in present_names if name not in omitted_names.union(IDENTITY)]
    return [*remaining, *filter(omitted_names.__contains__, BASE)]


def _selected_parts(record: bytes, member: MemberSpan, selection: Selection) -> bytes:
    """Return the selected parts of a member."""
    member_text = record[member.start : member.end]
    if selection.fields is None:
        inner = selection.omit.get(member.name, ())
    else:
        inner = selection.fields.get(member.name, ())
    if not inner or not holds_object(record, member):
        return member_text
    name = record[member.start : member.value]
    spans = {part.name: part for part in member_spans(record, member.value)}
    if selection.fields is not None:
        names = _inner_fields(inner, spans)
    else:
        names = [part for part in spans if part not in inner]
    return name + _join_object(record[spans[part].start : spans[part].end] for part in names)


def _inner_fields(asked: tuple[str, ...], spans: dict[str, MemberSpan]) -> list[str]:
    named_parts = [part for part in asked if part in spans]
    other_parts = [part for part in spans if part not in named_parts] if REST in asked else []
    return [*named_parts, *other_parts]


def _join_object(parts: Iterable[bytes]) -> bytes:
    return b"{" + b",".join(parts) + b"}"
