"""Draw a preview picture for each state, with Pillow.

The pictures have 1,200 by 630 pixels.

Services keep a picture for weeks, and a page's state changes without a build: so a picture shows only its
state, and the page, which changes on time, names the picture of its state. The subject of a link is in its
title, which services show below the picture.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from typing_extensions import override

from statuary.base.errors import StatuaryError
from statuary.base.findings import Finding, Severity
from statuary.base.optional import import_optional
from statuary.contracts.pages.verdict_signs import VERDICT_SIGNS
from statuary.extensions.cards.parts import CARD, CARD_URLS, PARTS
from statuary.extensions.cards.settings import CardSettings
from statuary.section import Run, Section
from statuary.site.document import Document
from statuary.site.pages.page_texts import PageTexts, page_texts
from statuary.site.pages.rendering import renderer_of
from statuary.site.pages.site_context import site_context
from statuary.site.site_content import SiteContent

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont

    from statuary.engine.extension_settings import ExtensionSource

WIDTH, HEIGHT = 1_200, 630
"""The size that services show without cutting."""

MOST_BYTES = 15_000

PAPER, INK, SOFT = "#ffffff", "#14161a", "#5a606a"

COLOURS = {
    "ok": "#0f6f43",
    "work": "#2557b3",
    "degraded": "#825300",
    "partial": "#ad4600",
    "major": "#b1211a",
    "none": "#5a606a",
    "stated": "#5a606a",
}
"""The colours of signs: those of text in the light theme, so that they stand out."""

STATES = tuple(state for state in COLOURS if state != "stated")
"""The states of a site and of an incident."""

SHAPES: dict[str, tuple[tuple[float, float], ...]] = {
    "degraded": ((10, 0.8), (19.2, 10), (10, 19.2), (0.8, 10)),
    "partial": ((10, 1.6), (19.2, 18), (0.8, 18)),
    "major": ((6.2, 1), (13.8, 1), (19, 6.2), (19, 13.8), (13.8, 19), (6.2, 19), (1, 13.8), (1, 6.2)),
    "stated": ((3, 1), (12.5, 1), (17, 5.5), (17, 19), (3, 19)),
}
"""The corners of signs on a square of 20, as on pages; other signs are a circle and a rounded square."""

SIGNS: dict[str, tuple[tuple[tuple[float, float], ...], ...]] = {
    "ok": (((6, 10.4), (8.8, 13.2), (14, 7.4)),),
    "work": (((10, 5.6), (10, 10), (13, 12)),),
    "degraded": (((6.6, 10), (13.4, 10)),),
    "partial": (((10, 7.6), (10, 12.2)), ((10, 14), (10, 15.4))),
    "major": (((7, 7), (13, 13)), ((13, 7), (7, 13))),
    "none": (((6.8, 10), (13.2, 10)),),
    "stated": (((6.5, 9), (13.5, 9)), ((6.5, 13.5), (13.5, 13.5))),
}
"""The strokes within each sign, in the colour of the background."""

LEFT, TOP, SCALE = 80, 90, 8
"""The position of the sign, and the pixels of one of its units."""

NO_CHARACTER = "\uffff"
"""A character that no font has; fonts draw it like any missing one."""

PURPOSE = "`cards` in site.yaml"


def list_card_states(*, status: bool, contracts: bool) -> Iterator[tuple[str, str]]:
    """List the preview pictures (cards) of a site: one for each state.

    Chats and other sites show such a picture beside a link to the site.

    Args:
        status: whether the site has a status.
        contracts: whether the site has contracts.

    Yields:
        The file name of a picture, and the state that it shows.
    """
    if status:
        for kind in ("status", "incident"):
            yield from ((f"{kind}-{state}", state) for state in STATES)
    if contracts:
        yield from ((f"contract-{verdict}", sign) for verdict, sign in VERDICT_SIGNS.items())


class CardsSection(Section):
    """The section that publishes preview pictures.

    Chat programs and other sites show such a picture beside a link.
    """

    urls = CARD_URLS
    parts = PARTS

    @override
    @classmethod
    def settings_model(cls) -> "type[ExtensionSource]":
        from statuary.extensions.cards.settings import SiteCardsSource

        return SiteCardsSource

    @override
    def findings(self, run: Run) -> Iterator[Finding]:
        settings = None if run.site is None else run.site.settings_of(CardSettings)
        if run.site is None or settings is None or not settings.font:
            return
        if settings.font not in dict(run.site.pages.theme.files):
            yield Finding(
                rule="missing-file",
                severity=Severity.WARNING,
                path=run.site.source,
                pointer=("cards", "font"),
                message=f"the theme has no font {settings.font!r}, so the site gets no cards",
                hint="put the font into content/theme/, or remove `font`",
            )

    @override
    def config_documents(self, site: SiteContent, skipped: list[Finding]) -> Iterable[Document]:
        settings = site.settings_of(CardSettings) or CardSettings()
        font = load_card_font(settings, dict(site.pages.theme.files))
        context = site_context(site)
        texts = renderer_of(context).localization.texts
        site_name = context.name if has_glyphs_for(font, context.name) else ""
        for name, state in list_card_states(status=context.settings.status, contracts=context.has_contracts):
            draw = _draw_contract_verdict if name.startswith("contract-") else _draw_state_sign
            line = choose_card_text(font, texts, f"cards.{name}")
            body = draw_card(
                font, partial(draw, state=state), state, line, site_name, urlsplit(context.url).netloc
            )
            yield Document(path=CARD.path(kind=name), body=body, media_type=CARD.media_type, cache=CARD.cache)


def choose_card_text(font: "FreeTypeFont", texts: PageTexts, key: str) -> str:
    """Return a text in the site's language, or else in English.

    English is used if the font lacks characters of the site's language.

    Args:
        font: the font of the preview pictures.
        texts: the texts of the site's language.
        key: the key of the text.
    """
    line = texts(key)
    return line if has_glyphs_for(font, line) else page_texts("en", (), (PARTS.folder,))(key)


def load_card_font(settings: CardSettings, files: dict[str, bytes]) -> "FreeTypeFont":
    """Load the font for the text of preview pictures.

    It comes from the theme, or else from Pillow, the library that draws the pictures.

    Args:
        settings: what site.yaml says under `cards`.
        files: the files of the theme, by name.

    Raises:
        MissingExtraError: if Pillow is not installed.
        StatuaryError: if the theme does not contain the font, or Pillow cannot read it.
    """
    fonts: Any = import_optional("PIL.ImageFont", extra="cards", purpose=PURPOSE)
    if not settings.font:
        default_font: FreeTypeFont = fonts.load_default(size=64)
        return default_font
    if settings.font not in files:
        raise StatuaryError(
            f"`cards` names the font {settings.font!r}, which content/theme/ does not have",
            "put the font into content/theme/, or remove `font`",
        )
    try:
        theme: FreeTypeFont = fonts.truetype(BytesIO(files[settings.font]), 64)
    except OSError as error:
        raise StatuaryError(
            f"content/theme/{settings.font} is not a font that cards can be drawn with: {error}",
            "use another font in WOFF2",
        ) from error
    return theme


def has_glyphs_for(font: "FreeTypeFont", text: str) -> bool:
    """Return whether a font can draw all characters of a text.

    A font draws a missing character as a box.
    """
    absent = _character_pixels(font, NO_CHARACTER)
    return all(character.isspace() or _character_pixels(font, character) != absent for character in text)


def _character_pixels(font: "FreeTypeFont", character: str) -> bytes:
    mask = font.getmask(character)
    return int(mask.size[0]).to_bytes(4) + bytes(mask)


def draw_card(
    font: "FreeTypeFont",
    draw_sign: "Callable[[ImageDraw], None]",
    state: str,
    state_sentence: str,
    site_name: str,
    site_address: str,
) -> bytes:
    """Draw a preview picture with the state of a page, as PNG.

    Args:
        font: the font of the text.
        draw_sign: a function that draws the sign of the state, such as a check mark.
        state: the state, which determines the colour.
        state_sentence: the sentence about the state, such as that all systems work.

    Raises:
        MissingExtraError: if Pillow is not installed.
        StatuaryError: if the PNG has more than `MOST_BYTES` bytes.
    """
    image: Any = import_optional("PIL.Image", extra="cards", purpose=PURPOSE)
    drawing: Any = import_optional("PIL.ImageDraw", extra="cards", purpose=PURPOSE)
    picture = image.new("RGB", (WIDTH, HEIGHT), PAPER)
    picture.paste(COLOURS[state], (0, 0, WIDTH, 24))
    pen = drawing.Draw(picture)
    draw_sign(pen)
    for place, part in enumerate(_wrap_text(font, state_sentence)):
        pen.text((LEFT, 300 + 80 * place), part, fill=INK, font=font)
    small = font.font_variant(size=40)
    for place, part in enumerate(
        filter(None, (_shorten_to_line(small, site_name), _shorten_to_line(small, site_address)))
    ):
        pen.text((LEFT, 490 + 54 * place), part, fill=INK if part == site_name else SOFT, font=small)
    buffer = BytesIO()
    picture.quantize(16, dither=image.Dither.NONE).save(buffer, "PNG", optimize=True)
    if buffer.tell() > MOST_BYTES:
        raise StatuaryError(
            f"the image of a card has {buffer.tell():,} bytes; the limit is {MOST_BYTES:,}",
            "use another font",
        )
    return buffer.getvalue()


def _wrap_text(font: "FreeTypeFont", text: str) -> list[str]:
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and font.getlength(longer) > WIDTH - 2 * LEFT:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines[:2]


def _shorten_to_line(font: "FreeTypeFont", text: str) -> str:
    if font.getlength(text) <= WIDTH - 2 * LEFT:
        return text
    return next(
        cut
        for cut in (f"{text[:end]}..." for end in range(len(text), 0, -1))
        if font.getlength(cut) <= WIDTH - 2 * LEFT
    )


DASHES = {"ok": (90, 0), "stated": (20, 15), "none": (6, 15), "major": (28, 34)}
"""The length of dashes and gaps of a trail's line, by the sign of the verdict."""

PART, LINE, MARGIN = 80, 90, 10
"""The sides of the squares at the ends of a trail, the length of its lines, and the space around the sign."""


def _draw_contract_verdict(pen: "ImageDraw", state: str) -> None:
    """Draw the verdict on a contract: two squares, and its icon between them.

    The squares stand for sources and address. As on a contract's page, the lines from them to the icon are solid or dashed,
    depending on the verdict.
    """
    middle = TOP + 10 * SCALE
    sign = LEFT + PART + LINE + MARGIN
    second_line = sign + 20 * SCALE + MARGIN
    for x in (LEFT, second_line + LINE):
        corners = (x, middle - PART // 2, x + PART, middle + PART // 2)
        pen.rounded_rectangle(corners, radius=12, outline=SOFT, width=6)
    dash, gap = DASHES[state]
    for start in (LEFT + PART, second_line):
        for x in range(start, start + LINE, dash + gap):
            pen.line((x, middle, min(x + dash, start + LINE), middle), fill=COLOURS[state], width=8)
    _draw_state_sign(pen, state, left=sign)


def _draw_state_sign(pen: "ImageDraw", state: str, left: int = LEFT) -> None:
    def scaled(points: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
        return [(left + x * SCALE, TOP + y * SCALE) for x, y in points]

    colour = COLOURS[state]
    if state in SHAPES:
        pen.polygon(scaled(SHAPES[state]), fill=colour)
    elif state == "work":
        pen.rounded_rectangle(scaled(((1, 1), (19, 19))), radius=5 * SCALE, fill=colour)
    else:
        pen.ellipse(scaled(((1, 1), (19, 19))), fill=colour)
    for stroke in SIGNS[state]:
        pen.line(scaled(stroke), fill=PAPER, width=18, joint="curve")
