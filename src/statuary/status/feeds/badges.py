"""Badges: the status as an SVG image, and as data for shields.io.

There is one for the page and one for each component. An image loads no other file. Text widths are computed
here and fixed with `textLength`, so that a badge looks the same in each of its fonts. White text has a
contrast of 4.5 : 1 on every colour.
"""

import unicodedata
from html import escape
from typing import NamedTuple

from statuary.site.document import encode_json
from statuary.status.feeds.feed import one_line
from statuary.status.feeds.feed_words import Words
from statuary.status.model.timeline import ComponentState, PageState
from statuary.status.model.vocabulary import ComponentStatus, Impact


class BadgeColour(NamedTuple):
    """A badge's background colour, and the name that shields.io has for it."""

    hex: str
    named: str


GREEN = BadgeColour("#237a31", "brightgreen")
BLUE = BadgeColour("#1a66b8", "blue")
YELLOW = BadgeColour("#8a6500", "yellow")
ORANGE = BadgeColour("#b34700", "orange")
RED = BadgeColour("#b3261e", "red")

LABEL_COLOUR = "#444"

STATUS_COLOURS: dict[ComponentStatus, BadgeColour] = {
    "operational": GREEN,
    "under_maintenance": BLUE,
    "degraded_performance": YELLOW,
    "partial_outage": ORANGE,
    "major_outage": RED,
}
"""Statuspage's colours for components."""

INDICATOR_COLOURS: dict[Impact, BadgeColour] = {
    "none": GREEN,
    "maintenance": BLUE,
    "minor": YELLOW,
    "major": ORANGE,
    "critical": RED,
}
"""Statuspage's colours for the page."""


class Badge(NamedTuple):
    """The content of a badge: a label and a coloured message."""

    label: str
    message: str
    colour: BadgeColour


def component_badge(state: ComponentState, words: Words) -> Badge:
    """Return a badge with the name and status of a component.

    The component can be a group.

    Args:
        state: the component with its status.
        words: the words for statuses in the language of the site.
    """
    name = one_line(state.component.name)
    return Badge(name, words(f"status.{state.now.status}"), STATUS_COLOURS[state.now.status])


def page_badge(state: PageState, words: Words) -> Badge:
    """Return a badge with the name and overall status of the page.

    Args:
        state: the status of the page and its components.
        words: the words for statuses in the language of the site.
    """
    overall, worst = state.overall_now, state.worst_now
    colour = INDICATOR_COLOURS[overall.indicator] if worst is None else STATUS_COLOURS[worst]
    return Badge(
        one_line(state.page.name), one_line(words.translate_description(overall.description)), colour
    )


def encode_shields_badge(badge: Badge) -> bytes:
    """Encode a badge as the JSON from which shields.io draws it."""
    return encode_json(
        {"schemaVersion": 1, "label": badge.label, "message": badge.message, "color": badge.colour.named}
    )


HEIGHT = 20
FONT_SIZE = 11
BASELINE = 14
PADDING = 6
"""Pixels between a text and the edges of its half."""

FONTS = "Verdana,Geneva,'DejaVu Sans',sans-serif"

MAX_LABEL_LENGTH = 48
"""The largest number of characters of a text that is drawn; the accessible name has all."""


def badge_svg(badge: Badge) -> bytes:
    """Draw a badge as an SVG image."""
    label = _shorten_label(badge.label)
    message = _shorten_label(badge.message)
    label_width, message_width = (round(text_width(text)) + 2 * PADDING for text in (label, message))
    name = escape(f"{badge.label}: {badge.message}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{label_width + message_width}" height="{HEIGHT}"'
        f' viewBox="0 0 {label_width + message_width} {HEIGHT}" role="img" aria-label="{name}">'
        f"<title>{name}</title>"
        f'<path fill="{LABEL_COLOUR}" d="M{label_width} 0H3a3 3 0 0 0-3 3v14a3 3 0 0 0 3 3H{label_width}z"/>'
        f'<path fill="{badge.colour.hex}" d="M{label_width} 0h{message_width - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H{label_width}z"/>'
        f'<g fill="#fff" font-family="{FONTS}" font-size="{FONT_SIZE}" aria-hidden="true">'
        f"{_text_element(label, PADDING, label_width)}{_text_element(message, label_width + PADDING, message_width)}"
        "</g></svg>\n"
    ).encode()


def _text_element(text: str, x: int, side: int) -> str:
    if not text:
        return ""
    fixed = f'textLength="{side - 2 * PADDING}" lengthAdjust="spacingAndGlyphs"'
    return f'<text x="{x}" y="{BASELINE}" {fixed}>{escape(text)}</text>'


def _shorten_label(text: str) -> str:
    return text if len(text) <= MAX_LABEL_LENGTH else text[: MAX_LABEL_LENGTH - 1].rstrip() + "…"


WIDTHS = (
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
    636, 636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531,
    1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
    603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500,
    500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
    635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
)  # fmt: skip
"""Widths of the ASCII characters from space to `~` in DejaVu Sans, in thousandths of the font size."""

WIDE = 1000
"""The width of square characters: Chinese, Japanese, Korean, emoji."""

OTHER = 650
"""The width of letters of other scripts, about the average of Greek and Cyrillic in DejaVu Sans."""


def text_width(text: str) -> float:
    """Return the width of a text in a badge, in pixels."""
    return sum(map(_character_width, unicodedata.normalize("NFC", text))) * FONT_SIZE / 1000


def _character_width(character: str) -> int:
    letter = unicodedata.normalize("NFD", character)[0]
    if " " <= letter <= "~":
        # Use the width of the letter without its accent. The table begins with the space character (0x20).
        return WIDTHS[ord(letter) - 0x20]
    if unicodedata.category(character) in ("Mn", "Me", "Cf", "Cc"):
        # Combining and invisible characters have no width of their own.
        return 0
    if character == "…" or unicodedata.east_asian_width(character) in "WF":
        return WIDE
    return OTHER
