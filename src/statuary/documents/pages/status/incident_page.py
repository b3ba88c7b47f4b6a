"""The page of an incident or maintenance: the postmortem first, then the updates, newest first."""

from typing import NamedTuple

from statuary.documents.pages.page_texts import PageTexts
from statuary.documents.pages.site_context import PageHead
from statuary.documents.pages.status.incident_cards import IncidentCard
from statuary.documents.url_table import INCIDENT, INCIDENT_PAGE, LOG_INCIDENT


class IncidentView(NamedTuple):
    """The content of the page."""

    card: IncidentCard
    json: str  # the document of the incident, relative to the site's root
    log_proof: str  # the proof that this is in the site's log, relative to the site's root


def incident_view(card: IncidentCard) -> IncidentView:
    """Return the content of the page."""
    parameters = {"incident_id": card.id}
    return IncidentView(card, json=INCIDENT.path(**parameters), log_proof=LOG_INCIDENT.path(**parameters))


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
