"""Parse `fields` and `omit` into a selection, with Sourcify's error messages."""

from dataclasses import dataclass, field

from statuary.domain.contracts.selection.field_names import is_field
from statuary.domain.errors import StatuaryError

ChosenMembers = dict[str, tuple[str, ...]]
"""Top-level names in the requested order, each with its sub-members in that order.

An empty tuple is the whole member.  An empty name among the sub-members is "and then the rest of it".
"""

REST = ""


class InvalidSelectorError(StatuaryError, ValueError):
    """`fields` or `omit` is invalid; `str(error)` is Sourcify's message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The members that a request selects."""

    fields: ChosenMembers | None = None  # in order; None for all
    omit: ChosenMembers = field(default_factory=dict)  # by member; an empty tuple omits the whole member

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
    """Parse the two query parameters; None means an absent one.

    Nothing is trimmed, case matters, names may repeat, and the first error is reported.

    Raises:
        InvalidSelectorError: with Sourcify's message.
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
        InvalidSelectorError: with Sourcify's message.
    """
    if selector.count(".") > 1:
        raise InvalidSelectorError(f"Field selector cannot have more than one level subselectors: {selector}")
    if not is_field(selector):
        raise InvalidSelectorError(f"Field selector {selector} is not a valid field")


def _in_request_order(selectors: list[str]) -> ChosenMembers:
    """Group selectors by member: `compilation.name,compilation` is the name, then the rest."""
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
    """Group selectors by member; omitting a whole member includes its parts.

    The real server accepts nested names in `omit` and then omits nothing. The specification allows dotted
    paths in `omit`, so here they work.
    """
    chosen: ChosenMembers = {}
    for selector in selectors:
        member, _, inner = selector.partition(".")
        whole = not inner or chosen.get(member) == ()
        chosen[member] = () if whole else (*chosen.get(member, ()), inner)
    return chosen
