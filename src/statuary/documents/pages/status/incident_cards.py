"""Incidents and maintenances as pages tell them: what, how bad, since when, and what was said."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from statuary.documents.pages.dates import FormattedTime, Localization
from statuary.documents.pages.markdown import render_markdown
from statuary.documents.pages.visible_text import one_line
from statuary.documents.url_table import INCIDENT_PAGE
from statuary.domain.status.components import Component
from statuary.domain.status.incident_history import IncidentState
from statuary.domain.status.maintenances import Maintenance
from statuary.domain.status.status_history import PublishedUpdate
from statuary.domain.status.vocabulary import ACTIVE_STATUSES


class ComponentStatusChange(NamedTuple):
    """A component that an update gave another status."""

    name: str
    status: str
    label: str


class CardUpdate(NamedTuple):
    """One update of an incident.

    Attributes:
        label: what readers see for its status.
        at: when it was said.
        body: what was said.
        moves: the components that it moved.
    """

    label: str
    at: FormattedTime
    body: Markup
    moves: tuple[ComponentStatusChange, ...]


class CardWindow(NamedTuple):
    """The window of a maintenance.

    Attributes:
        start: its planned start.
        end: its planned end.
        length: how long it is planned to take.
        phase: `scheduled`, `active` or `over`.
    """

    start: FormattedTime
    end: FormattedTime
    length: str
    phase: str


class IncidentCard(NamedTuple):
    """An incident or maintenance.

    Attributes:
        id: its id.
        name: its name, in one line.
        href: its page, relative to the site's root.
        kind: `incident` or `maintenance`.
        impact: how bad it is, as the API says it.
        impact_label: the same in words.
        label: its status in words.
        closed: whether it is over.
        began: when the trouble began; of a maintenance, its planned start.
        ended: when it was resolved or completed, or None.
        lasted: how long that was, or empty.
        components: the names of its components, by group where they are in one.
        updates: what was said, the newest first; a postmortem is not among them.
        postmortem: what was learned, or None.
        window: of a maintenance, its window.
    """

    id: str
    name: str
    href: str
    kind: str
    impact: str
    impact_label: str
    label: str
    closed: bool
    began: FormattedTime
    ended: FormattedTime | None
    lasted: str
    components: tuple[str, ...]
    updates: tuple[CardUpdate, ...]
    postmortem: CardUpdate | None = None
    window: CardWindow | None = None

    @property
    def last_word(self) -> CardUpdate | None:
        """The newest update."""
        return self.updates[0] if self.updates else None


class IncidentCardBuilder:
    """Makes cards, each state's once: it says the same wherever it stands, and for as long as it lasts."""

    def __init__(self, voice: Localization, components: Sequence[Component]) -> None:
        """Take how to speak, and the components that records may name."""
        self._calendar, self._texts = voice.calendar, voice.texts
        self._components = {component.id: component for component in components}
        self._cards: dict[tuple[IncidentState, int], IncidentCard] = {}

    def card(self, state: IncidentState, top_heading: int) -> IncidentCard:
        """Return the card of an incident or maintenance; its bodies' headings begin at a level."""
        card = self._cards.get((state, top_heading))
        if card is None:
            card = self._cards[state, top_heading] = self._card(state, top_heading)
        return card

    def _card(self, state: IncidentState, top_heading: int) -> IncidentCard:
        incident, texts = state.incident, self._texts
        updates = tuple(
            self._update(state.published_updates, place, top_heading)
            for place in range(len(state.published_updates))
        )
        told = [published.update.status for published in state.published_updates]
        window = self._window(incident, state) if isinstance(incident, Maintenance) else None
        ended = state.resolved_at
        return IncidentCard(
            id=incident.id,
            name=one_line(incident.name),
            href=INCIDENT_PAGE.path(incident_id=incident.id),
            kind="incident" if window is None else "maintenance",
            impact=state.impact,
            impact_label=texts(f"impact.{state.impact}"),
            label=texts(f"update.{state.status}"),
            closed=state.closed,
            began=self._calendar.moment(incident.started_at) if window is None else window.start,
            ended=None if ended is None else self._calendar.moment(ended),
            lasted=(
                self._calendar.length(ended - incident.started_at)
                if window is None and ended is not None and ended > incident.started_at
                else ""
            ),
            components=tuple(self._names(state.components)),
            updates=tuple(u for u, status in zip(updates, told, strict=True) if status != "postmortem"),
            postmortem=next(
                (u for u, status in zip(updates, told, strict=True) if status == "postmortem"), None
            ),
            window=window,
        )

    def _window(self, maintenance: Maintenance, state: IncidentState) -> CardWindow:
        start, end = maintenance.scheduled_for, maintenance.scheduled_until
        phase = "over" if state.closed else "active" if state.status in ACTIVE_STATUSES else "scheduled"
        return CardWindow(
            start=self._calendar.moment(start),
            end=self._calendar.moment(end),
            length=self._calendar.length(end - start),
            phase=phase,
        )

    def _update(
        self, published_updates: Sequence[PublishedUpdate], place: int, top_heading: int
    ) -> CardUpdate:
        published = published_updates[place]
        status = published.update.status
        repeats = place + 1 < len(published_updates) and published_updates[place + 1].update.status == status
        moves = tuple(
            ComponentStatusChange(
                name=one_line(one.name),
                status=one.new_status,
                label=self._texts(f"status.{one.new_status}"),
            )
            for one in published.affected_components or ()
            if one.old_status != one.new_status
        )
        return CardUpdate(
            label=self._texts("update.same" if repeats else f"update.{status}"),
            at=self._calendar.moment(published.update.display_at),
            body=render_markdown(published.update.body, top_heading),
            moves=moves,
        )

    def _names(self, ids: Sequence[str]) -> list[str]:
        """Return components by name, those of one group together: `Network (Public RPC, Bridge)`."""
        known = [self._components[one] for one in ids if one in self._components]
        alone = [one_line(c.name) for c in known if c.group_id is None]
        by_group: dict[str, list[str]] = {}
        for component in known:
            if component.group_id is not None:
                by_group.setdefault(component.group_id, []).append(one_line(component.name))
        return [*alone, *_grouped(by_group, self._components)]


def _grouped(by_group: Mapping[str, list[str]], components: Mapping[str, Component]) -> list[str]:
    return [
        f"{one_line(components[group].name)} ({', '.join(names)})"
        if group in components
        else ", ".join(names)
        for group, names in by_group.items()
    ]
