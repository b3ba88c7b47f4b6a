"""The key `cards` of site.yaml."""

from typing import Annotated, NamedTuple

from pydantic import Field
from typing_extensions import override

from statuary.engine.extension_settings import ExtensionSource
from statuary.source.source_model import SourceModel, Text


class CardSettings(NamedTuple):
    """The settings of preview pictures."""

    font: str = ""  # a font of the theme, by file name; empty for Pillow's own, which has only ASCII


class CardsSource(SourceModel):
    """The pictures that other sites show with links to pages.

    They need the extra `cards`.
    """

    font: Annotated[Text, Field(pattern=r"^[^/\\]+\.woff2$")] | None = None
    """A font in `content/theme/`, for names that have more than ASCII; default: a plain font for ASCII."""


class SiteCardsSource(ExtensionSource):
    """The key `cards` of site.yaml."""

    cards: CardsSource
    """Pictures for links to pages, by state. They need the extra `cards`."""

    @override
    def settings(self) -> CardSettings:
        return CardSettings(font=self.cards.font or "")
