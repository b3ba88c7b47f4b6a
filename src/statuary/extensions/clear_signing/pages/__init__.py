"""Clear signing on a contract's page: its functions and a form."""

from collections.abc import Mapping
from pathlib import Path

from statuary.extensions.clear_signing.settings import ClearSigningSettings
from statuary.extensions.clear_signing.urls import SIGNING_URLS
from statuary.site.pages.page_parts import PageParts


def no_values(_settings: ClearSigningSettings) -> Mapping[str, str]:
    """Return no values: the templates of this extension need no settings."""
    return {}


PARTS = PageParts(
    folder=Path(__file__).parent,
    urls=SIGNING_URLS,
    slots={
        "contract.interface": "clear_signing_contract.html",
        "viewer.interface": "clear_signing_viewer.html",
    },
    scripts={"contract.html": "clear-signing", "viewer.html": "clear-signing"},
    values=no_values,
)
