"""The page that each part of a site begins with."""

from statuary.documents.url import Url
from statuary.documents.url_table import API_PAGE, CONTRACTS_HOME, HISTORY_PAGE, STATUS_PAGE, UPTIME_PAGE
from statuary.domain.page_settings import PageSettings

SECTION_PAGES = {
    "status": STATUS_PAGE,
    "history": HISTORY_PAGE,
    "uptime": UPTIME_PAGE,
    "contracts": CONTRACTS_HOME,
    "api": API_PAGE,
}
"""The page that each part of a site begins with."""


def section_url(section: str, settings: PageSettings) -> Url:
    """Return the page that a part of a site begins with; without a status page, what is served comes first."""
    return STATUS_PAGE if section == "api" and not settings.status else SECTION_PAGES[section]
