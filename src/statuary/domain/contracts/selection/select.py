"""Select members of a record as slices of its bytes."""

from collections.abc import Iterable

from statuary.domain.contracts.selection.field_names import BASE, IDENTITY
from statuary.domain.contracts.selection.json_members import MemberSpan, holds_object, members
from statuary.domain.contracts.selection.selectors import REST, Selection


def select(record: bytes, selection: Selection) -> bytes:
    """Return the selected members of a record, in Sourcify's order.

    With `fields`: the names in request order, then those of `matchId`, `creationMatch`, `runtimeMatch`,
    `verifiedAt` that were not named, then `match`, `chainId`, `address`. With `omit`: the record's order;
    these seven members are never omitted. A member that the record lacks is absent from the response too.

    Args:
        record: canonical compact JSON.
        selection: if it is `whole`, the result is `record` itself.

    Raises:
        NotCanonicalError: if the record is not compact JSON.
    """
    if selection.whole:
        return record
    found = {member.name: member for member in members(record)}
    names = (*wanted_members(selection, found), *IDENTITY)
    return _object(_cut(record, found[name], selection) for name in names if name in found)


def wanted_members(selection: Selection, present: Iterable[str]) -> list[str]:
    """Return the members of the response, in order, except the last three."""
    if selection.fields is not None:
        return [*selection.fields, *(name for name in BASE if name not in selection.fields)]
    omitted = {name for name, inner in selection.omit.items() if not inner}
    kept = [name for name in present if name not in omitted.union(IDENTITY)]
    return [*kept, *filter(omitted.__contains__, BASE)]


def _cut(record: bytes, member: MemberSpan, selection: Selection) -> bytes:
    """Return one member or the selected parts of it."""
    whole = record[member.start : member.end]
    if selection.fields is None:
        inner = selection.omit.get(member.name, ())
    else:
        inner = selection.fields.get(member.name, ())
    if not inner or not holds_object(record, member):
        return whole
    name = record[member.start : member.value]
    found = {part.name: part for part in members(record, member.value)}
    names = _inner_fields(inner, found) if selection.fields is not None else _inner_omit(inner, found)
    return name + _object(record[found[part].start : found[part].end] for part in names)


def _inner_fields(asked: tuple[str, ...], found: dict[str, MemberSpan]) -> list[str]:
    named = [part for part in asked if part in found]
    rest = [part for part in found if part not in named] if REST in asked else []
    return [*named, *rest]


def _inner_omit(left_out: tuple[str, ...], found: dict[str, MemberSpan]) -> list[str]:
    return [part for part in found if part not in left_out]


def _object(parts: Iterable[bytes]) -> bytes:
    return b"{" + b",".join(parts) + b"}"
