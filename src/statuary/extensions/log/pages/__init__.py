"""Let browsers verify that the log contains a page's document."""

from pathlib import Path

from statuary.extensions.log.published_log import LOG_URLS
from statuary.site.pages.page_parts import PageParts

PARTS = PageParts(
    folder=Path(__file__).parent,
    urls=LOG_URLS,
    slots={"contract.facts": "log_contract.html", "incident.facts": "log_incident.html"},
    scripts={"contract.html": "log", "incident.html": "log"},
    values=lambda settings: {"origin": settings.origin},
)
