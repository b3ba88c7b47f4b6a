"""Links to the pages of proxies and code."""

from collections.abc import Mapping
from pathlib import Path

from statuary.extensions.apis.settings import Api, ApisSettings
from statuary.extensions.apis.urls import API_URLS
from statuary.site.pages.page_parts import PageParts


def values(settings: ApisSettings) -> Mapping[str, str]:
    """Return the template values that say which pages this extension adds.

    Returns:
        A dict from the name of the page to `yes`, or to an empty string.
    """
    return {
        "proxies": "yes" if Api.PROXIES in settings.apis else "",
        "code": "yes" if Api.CODE in settings.apis else "",
    }


PARTS = PageParts(
    folder=Path(__file__).parent,
    urls=API_URLS,
    slots={"contract.proxy": "apis_contract.html", "contracts.links": "apis_contracts.html"},
    scripts={},
    values=values,
)
