"""The absolute address of a page's picture, for Open Graph."""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from statuary.extensions.cards.settings import CardSettings
from statuary.site.pages.page_parts import PageParts
from statuary.site.urls import PutStep, Url

CARD = Url(
    "card", "cards/{kind}.png", "the picture of a link to a page, by its state", "image/png", put=PutStep.BODY
)

CARD_URLS = (CARD,)
"""The rows of cards in the table of URLs."""


def _template_values(_settings: CardSettings) -> Mapping[str, str]:
    # Link pictures only if the library Pillow, which draws them, is installed.
    return {"drawn": "yes" if find_spec("PIL") else ""}


PARTS = PageParts(
    folder=Path(__file__).parent,
    urls=CARD_URLS,
    slots={"head": "card_of_page.html"},
    scripts={},
    values=_template_values,
)
