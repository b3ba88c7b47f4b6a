"""Icons of status pages."""

from collections.abc import Iterator
from pathlib import Path

from statuary.site.document import Document
from statuary.site.pages.assets import icon_document
from statuary.site.pages.states import IMPACT_STATES

ASSETS = Path(__file__).with_name("assets")


def status_assets() -> Iterator[Document]:
    """Yield the icons of the status pages, one for each impact."""
    for impact in IMPACT_STATES:
        yield icon_document(ASSETS / f"status-{impact}.svg")
