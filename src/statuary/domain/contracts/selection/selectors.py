"""From the text of `fields` and `omit` to a selection, with the measured error messages."""

from dataclasses import dataclass, field

from statuary.domain.contracts.selection.field_names import is_field
from statuary.domain.errors import StatuaryError

ChosenMembers = dict[str, tuple[str, ...]]
"""Top-level names in the order asked for, each with its sub-members in that order.

An empty tuple is the whole member.  An empty name among the sub-members is "and then the rest of it".
"""

REST = ""


class InvalidSelectorError(StatuaryError, ValueError):
    """`fields` or `omit` is invalid; `str(error)` is the message that Sourcify answers with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What a request wants of a record.

    Attributes:
        fields: what to give, in order; None for everything.
        omit: what to leave out; an empty tuple leaves out the whole member.
    """

    fields: ChosenMembers | None = None
    omit: ChosenMembers = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        """Whether the record is wanted as it is."""
        return self.fields is None and not self.omit


EVERYTHING = Selection()
"""No selection, or `fields=all`.

The real server answers a request without `fields` and `omit` with seven members. A plain folder can only
send the file, and one site should say one thing wherever it is served: so here it is the full record.
"""


def parse_selection(fields: str | None, omit: str | None) -> Selection:
    """Read the two query parameters; None is a parameter that was not given.

    Nothing is trimmed, case matters, a name may be repeated, and the first fault is the one reported.

    Raises:
        InvalidSelectorError: with Sourcify's own message.
    """
    if fields and omit:
        raise InvalidSelectorError("Cannot specify both fields and omit")
    asked = fields.split(",") if fields else []
    if "all" in asked:
        if len(asked) > 1:
            raise InvalidSelectorError("Cannot specify 'all' with other fields")
        return EVERYTHING
    left_out = omit.split(",") if omit else []
    for selector in (*asked, *left_out):
        check_selector(selector)
    return Selection(fields=_in_request_order(asked) if asked else None, omit=_left_out(left_out))


def check_selector(selector: str) -> None:
    """Raise an error for a selector that is not a field.

    Raises:
        InvalidSelectorError: with Sourcify's own message.
    """
    if selector.count(".") > 1:
        raise InvalidSelectorError(f"Field selector cannot have more than one level subselectors: {selector}")
    if not is_field(selector):
        raise InvalidSelectorError(f"Field selector {selector} is not a valid field")


def _in_request_order(selectors: list[str]) -> ChosenMembers:
    """Gather selectors by member: `compilation.name,compilation` is the name, then the rest."""
    chosen: ChosenMembers = {}
    for selector in selectors:
        member, _, inner = selector.partition(".")
        asked = chosen.get(member)
        if asked is None:
            chosen[member] = (inner,) if inner else ()
        elif asked and inner not in asked and REST not in asked:
            chosen[member] = (*asked, inner or REST)
    return chosen


def _left_out(selectors: list[str]) -> ChosenMembers:
    """Gather selectors by member; leaving out the whole member outweighs leaving out a part of it.

    The real server checks nested names in `omit` and then leaves nothing out. The specification says that
    dotted paths are allowed in `omit`, so here they do what they say.
    """
    chosen: ChosenMembers = {}
    for selector in selectors:
        member, _, inner = selector.partition(".")
        whole = not inner or chosen.get(member) == ()
        chosen[member] = () if whole else (*chosen.get(member, ()), inner)
    return chosen
