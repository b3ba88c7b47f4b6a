"""The key `cards` of site.yaml."""

from typing import Annotated, NamedTuple

from pydantic import Field
from typing_extensions import override

from statuary.engine.extension_settings import ExtensionSource
from statuary.source.source_model import SourceModel, Text


class CardSettings(NamedTuple):
    """Preview pictures, which chats and social networks show with links to your pages."""

    font: str = ""  # a font of the theme, by file name; empty for Pillow's own, which has only ASCII


class CardsSource(SourceModel):
    """Preview pictures, which chats and social networks show with links to your pages."""

    font: Annotated[Text, Field(pattern=r"^[^/\\]+\.woff2$")] | None = None
    """The file of a font in `content/theme/`. Default: a built-in font, which has only ASCII characters."""


class SiteCardsSource(ExtensionSource):
    """The key `cards` of site.yaml."""

    cards: CardsSource
    """Preview pictures, which chats and social networks show with links to your pages. They need the extra
    `cards`."""

    @override
    def to_settings(self) -> CardSettings:
        return CardSettings(font=self.cards.font or "")
