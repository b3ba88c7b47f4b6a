"""The page of an incident or maintenance: the postmortem first, then the updates, newest first."""

from typing import NamedTuple

from statuary.documents.pages.page_texts import PageTexts
from statuary.documents.pages.site_context import PageHead
from statuary.documents.pages.status.incident_cards import IncidentCard
from statuary.documents.url_table import INCIDENT, INCIDENT_PAGE


class IncidentView(NamedTuple):
    """The content of the page.

    Attributes:
        json: the document of the incident, relative to the site's root.
    """

    card: IncidentCard
    json: str


def incident_view(card: IncidentCard) -> IncidentView:
    """Return the content of the page."""
    return IncidentView(card=card, json=INCIDENT.path(incident_id=card.id))


def incident_head(card: IncidentCard, name: str, texts: PageTexts) -> PageHead:
    """Return the head of the page."""
    return PageHead(
        path=INCIDENT_PAGE.path(incident_id=card.id),
        title=card.name,
        description=texts(f"incident.page_{card.kind}", name=name),
        section="history",
        indicator=card.impact if not card.closed else "none",
        timed=not card.closed,
    )
