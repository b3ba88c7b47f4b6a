"""The cards that show incidents and maintenances on pages."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from markupsafe import Markup

from statuary.base.primitives import Instant
from statuary.site.pages.markdown import render_markdown
from statuary.site.pages.page_parts import PreviousVersion
from statuary.site.pages.page_texts import isolate_text_direction, one_line
from statuary.site.pages.site_context import MINUTE, FormattedRange, FormattedTime, Localization
from statuary.site.pages.states import IMPACT_STATES, STATUS_STATES
from statuary.status.model.incident_history import IncidentState
from statuary.status.model.records import AffectedComponent, Component, Incident, Maintenance, began_at
from statuary.status.model.status_history import PublishedUpdate
from statuary.status.model.vocabulary import ACTIVE_STATUSES, STANDARD_BODIES, ComponentStatus, Impact
from statuary.status.pages.unique_tuple import UniqueTuple
from statuary.status.urls import INCIDENT_PAGE


class ComponentStatusChange(NamedTuple):
    """A component whose status an update changed."""

    name: str
    state: str
    before: str  # the previous status, in words; empty if it is unknown
    label: str


class CardVersion(NamedTuple):
    """An earlier version of an update on a card."""

    entry: int
    at: FormattedTime
    digest: str


class CardUpdate(NamedTuple):
    """An update on an incident's card; `former` has its earlier versions."""

    id: str
    label: str
    at: FormattedTime
    day: str  # the day of `at`
    time: str  # the time of `at`, with the zone
    into: str  # the time since the incident's start, in words; empty for a maintenance, and at the start
    body: Markup
    moves: tuple[ComponentStatusChange, ...]
    former: tuple[CardVersion, ...] = ()
    promise: str = ""  # the key of the text about the promised next update; empty without one
    promised: FormattedTime | None = None


class LanePart(NamedTuple):
    """A period during an incident in which a component keeps its status."""

    state: str
    label: str
    length: str  # its duration, in words
    start: int  # seconds since the incident's start
    seconds: int


class IncidentCourse(NamedTuple):
    """A diagram of component statuses from an incident's start to its end.

    If the incident is open, the diagram ends at its newest update.

    Attributes:
        lanes: for each component, its name and its periods, oldest first. Components whose status did not
            change are left out.
    """

    range: FormattedRange
    lanes: Mapping[str, Sequence[LanePart]]


class CardWindow(NamedTuple):
    """The window of a maintenance."""

    end: FormattedTime
    range: FormattedRange
    length: str  # the planned duration
    phase: str  # `scheduled`, `active` or `over`


@dataclass(frozen=True, slots=True, eq=False)
class IncidentCard:
    """An incident or maintenance window as pages show it."""

    id: str
    name: str
    href: str  # the incident's page, relative to the site's root
    impact: Impact
    impact_label: str
    label: str
    closed: bool
    overdue: bool  # whether a promised update has not come in time
    day: FormattedTime  # the day of its start
    began: FormattedTime  # the start of the incident; for a maintenance, the planned start
    ended: FormattedTime | None  # the time when it was resolved or completed
    range: FormattedRange | None  # the time from start to end; None for a maintenance, and while it is open
    lasted: str  # the duration of `range`; empty if that is None
    components: tuple[str, ...]  # their names, by group
    updates: tuple[CardUpdate, ...]  # newest first, without the postmortem
    postmortem: CardUpdate | None = None
    window: CardWindow | None = None  # None for an incident

    @property
    def state(self) -> str:
        """The word for the incident's impact on pages, such as `degraded`."""
        return IMPACT_STATES[self.impact]

    @property
    def is_minor(self) -> bool:
        """Whether the status page shows only one line about the incident.

        It does if the impact is small.
        """
        return self.state in ("ok", "degraded")


WITHOUT_HEADINGS = 0
"""The level of headings of a card without any: such a card is the same on every page."""


class IncidentCardBuilder:
    """Builds incident cards; the card of an unchanged incident is reused."""

    def __init__(
        self,
        localization: Localization,
        components: Sequence[Component],
        previous_versions: Mapping[str, Sequence[PreviousVersion]],
    ) -> None:
        self._previous_versions = previous_versions
        self._dates, self._texts = localization.dates, localization.texts
        names = Counter(one_line(component.name) for component in components if not component.group)
        groups = {component.id: f"{one_line(component.name)} / " for component in components}
        self._names = {
            c.id: f"{groups.get(c.group_id or '', '') if names[name] > 1 else ''}{name}"
            for c in components
            for name in [one_line(c.name)]
        }
        self._cards: dict[tuple[IncidentState, int], IncidentCard] = {}
        self._past_cards: dict[IncidentState, IncidentCard] = {}
        self._lists: dict[tuple[tuple[IncidentState, ...], bool], UniqueTuple[IncidentCard]] = {}

    def list_of(self, states: Iterable[IncidentState], *, past: bool = False) -> UniqueTuple[IncidentCard]:
        """Return the cards of a list on the status page; the same list for the same states.

        Args:
            past: whether the list is that of past incidents.
        """
        key = tuple(states)
        cards = self._lists.get((key, past))
        if cards is None:
            made = map(self.past_card, key) if past else (self.card(state, 4) for state in key)
            cards = self._lists[key, past] = UniqueTuple(made)
        return cards

    def past_card(self, state: IncidentState) -> IncidentCard:
        """Return the card of an incident in a list of past ones.

        It has only the newest update, and no postmortem, because these lists show no other.
        """
        past = self._past_cards.get(state)
        if past is None:
            known = self._cards.get((state, WITHOUT_HEADINGS))
            if known is None:
                past = self._make_past_card(state)
            else:
                past = replace(known, updates=known.updates[:1], postmortem=None)
            self._past_cards[state] = past
        return past

    def _make_past_card(self, state: IncidentState) -> IncidentCard:
        statuses = [published_update.update.status for published_update in state.published_updates]
        newest = next((place for place, status in enumerate(statuses) if status != "postmortem"), None)
        return self._make_card(state, () if newest is None else (self._card_update(state, newest, 4),))

    def card(self, state: IncidentState, top_heading: int) -> IncidentCard:
        """Return the card that shows an incident or maintenance window on pages.

        Args:
            state: the incident or maintenance window at a time.
            top_heading: the level of the first heading in the texts of updates.
        """
        cards = self._cards
        card = cards.get((state, WITHOUT_HEADINGS)) or cards.get((state, top_heading))
        if card is None:
            updates = [
                (published_update.update.status, self._card_update(state, place, top_heading))
                for place, published_update in enumerate(state.published_updates)
            ]
            card = self._make_card(
                state,
                tuple(update for status, update in updates if status != "postmortem"),
                dict(reversed(updates)).get("postmortem"),
            )
            bodies = (update.body for update in (*card.updates, card.postmortem) if update is not None)
            cards[state, top_heading if any("<h" in body for body in bodies) else WITHOUT_HEADINGS] = card
        return card

    def _make_card(
        self, state: IncidentState, updates: tuple[CardUpdate, ...], postmortem: CardUpdate | None = None
    ) -> IncidentCard:
        incident, texts = state.incident, self._texts
        window = self._card_window(incident, state) if isinstance(incident, Maintenance) else None
        end = _incident_end(state)
        return IncidentCard(
            id=incident.id,
            name=one_line(incident.name),
            href=INCIDENT_PAGE.path(incident_id=incident.id),
            impact=state.impact,
            impact_label=texts(f"impact.{state.impact}"),
            label=texts(f"update.{'cancelled' if state.cancelled else state.status}"),
            closed=state.closed,
            overdue=state.is_overdue,
            day=self._dates.day_of(began_at(incident)),
            began=self._dates.moment(began_at(incident)),
            ended=self._dates.moment(state.resolved_at) if state.resolved_at else None,
            range=self._dates.range(incident.started_at, end) if end else None,
            lasted=self._dates.length(end - incident.started_at) if end else "",
            components=tuple(
                map(isolate_text_direction, filter(None, map(self._names.get, state.components)))
            ),
            updates=updates,
            postmortem=postmortem,
            window=window,
        )

    def course_diagram(self, state: IncidentState) -> IncidentCourse | None:
        """Return the diagram of component statuses during an incident.

        Returns:
            The diagram, or None for a maintenance window and for an incident without duration.
        """
        start, updates = state.incident.started_at, state.published_updates
        end = _incident_end(state) or (start if state.closed else updates[0].update.display_at)
        if isinstance(state.incident, Maintenance) or end <= start:
            return None
        changes: dict[str, list[tuple[Instant, ComponentStatus]]] = {}
        for component, old, at, new in _status_changes(updates, start, end):
            changes.setdefault(self._component_name(component), [(start, old)] if old else []).append(
                (at, new)
            )
        lanes = {name: self._status_periods(statuses, start, end) for name, statuses in changes.items()}
        return IncidentCourse(self._dates.range(start, end), {n: lane for n, lane in lanes.items() if lane})

    def _status_periods(
        self, statuses: Sequence[tuple[Instant, ComponentStatus]], start: Instant, end: Instant
    ) -> list[LanePart]:
        ends = [*(at for at, _ in statuses[1:]), end]
        return [
            LanePart(
                state=STATUS_STATES[status],
                label=self._texts(f"status.{status}"),
                length=self._dates.length(until - at),
                start=int((at - start).total_seconds()),
                seconds=int((until - at).total_seconds()),
            )
            for (at, status), until in zip(statuses, ends, strict=True)
            if until > at or until == end
        ]

    def _card_window(self, maintenance: Maintenance, state: IncidentState) -> CardWindow:
        start, end = maintenance.scheduled_for, maintenance.scheduled_until
        return CardWindow(
            end=self._dates.moment(end),
            range=self._dates.range(start, end),
            length=self._dates.length(end - start),
            phase="over" if state.closed else "active" if state.status in ACTIVE_STATUSES else "scheduled",
        )

    def _card_update(self, state: IncidentState, update_index: int, top_heading: int) -> CardUpdate:
        published_update = state.published_updates[update_index]
        moves = tuple(
            ComponentStatusChange(
                name=isolate_text_direction(self._component_name(component)),
                state=STATUS_STATES[component.new_status],
                before=self._texts(f"status.{component.old_status}") if component.old_status else "",
                label=self._texts(f"status.{component.new_status}"),
            )
            for component in published_update.affected_components or ()
            if component.new_status is not None and component.old_status != component.new_status
        )
        promised = None if update_index else state.next_update_by
        return CardUpdate(
            promise=_promised_update_key(state) if update_index == 0 else "",
            promised=None if promised is None else self._dates.moment(promised),
            id=published_update.update.id,
            into=self._elapsed_text(state.incident, published_update.update.display_at),
            label=self._texts(f"update.{_update_text_key(state, update_index)}"),
            at=self._dates.moment(published_update.update.display_at),
            day=self._dates.day_of(published_update.update.display_at).text,
            time=self._dates.time(published_update.update.display_at).text,
            body=render_markdown(self._update_html(published_update.update.body), top_heading),
            moves=moves,
            former=tuple(
                CardVersion(version.entry, self._dates.moment(version.at), version.digest)
                for version in self._previous_versions.get(published_update.update.id, ())
            ),
        )

    def _update_html(self, body: str) -> str:
        name = STANDARD_BODIES.get(body)
        return body if name is None else self._texts(f"body.{name}")

    def _elapsed_text(self, incident: Incident, at: Instant) -> str:
        passed = at - incident.started_at
        if isinstance(incident, Maintenance) or passed < MINUTE:
            return ""
        return self._texts("incident.into", length=self._dates.length(passed))

    def _component_name(self, affected: AffectedComponent) -> str:
        """Return a component's current name, or its name in the update."""
        return self._names.get(affected.code or "", one_line(affected.name))


def _incident_end(state: IncidentState) -> Instant | None:
    """Return the end of an incident that has a duration."""
    end = state.resolved_at
    if isinstance(state.incident, Maintenance) or end is None or end <= state.incident.started_at:
        return None
    return end


def _status_changes(
    updates: Sequence[PublishedUpdate], start: Instant, end: Instant
) -> Iterator[tuple[AffectedComponent, ComponentStatus | None, Instant, ComponentStatus]]:
    for published_update in reversed(updates):
        at = (
            start
            if published_update is updates[-1]
            else min(max(start, published_update.update.display_at), end)
        )
        for component in published_update.affected_components or ():
            if component.new_status is not None and component.old_status != component.new_status:
                yield component, component.old_status, at, component.new_status


def _promised_update_key(state: IncidentState) -> str:
    if state.next_update_by is None:
        return ""
    return "incident.next_update_overdue" if state.is_overdue else "incident.next_update"


def _update_text_key(state: IncidentState, update_index: int) -> str:
    status = state.published_updates[update_index].update.status
    earlier_statuses = state.published_updates[update_index + 1 :]
    if state.cancelled and status == "completed":
        return "cancelled"
    return "same" if earlier_statuses and earlier_statuses[0].update.status == status else status
