"""The tokens of the style sheet: text, signs and bars stand out from what is behind them, by day and by night."""

import re
from itertools import product

import pytest

from support.requirements import CHECKOUT

STYLE = (CHECKOUT / "src/statuary/site/pages/styles/statuary.css").read_text("utf-8")

TEXT, GRAPHIC = 4.5, 3.0
"""The least contrast of WCAG 2.2: of text (1.4.3), and of signs, bars and edges of controls (1.4.11)."""

STATES = ("ok", "degraded", "partial", "major", "work", "none")
SURFACES = ("page", "sunken")


def tokens_of(block: str) -> dict[str, str]:
    """Return the custom properties of a rule that are colours or stand for another."""
    found = re.findall(r"--([\w-]+):\s*(#[0-9a-f]{6}|var\(--[\w-]+\))\s*;", block)
    return dict(found)


def schemes() -> dict[str, dict[str, str]]:
    """Return the tokens by day and by night."""
    light = re.search(r":root \{(.*?)\n\}", STYLE, re.DOTALL)
    dark = re.search(
        r"@media screen and \(prefers-color-scheme: dark\) \{\s*:root \{(.*?)\n  \}", STYLE, re.DOTALL
    )
    assert light
    assert dark
    day = tokens_of(light[1])
    return {"light": day, "dark": day | tokens_of(dark[1])}


def colour(tokens: dict[str, str], name: str) -> str:
    """Return the colour that a token stands for."""
    value = tokens[name]
    return colour(tokens, value[6:-1]) if value.startswith("var(") else value


def luminance(value: str) -> float:
    """Return the relative luminance of a colour (WCAG 2.2)."""
    parts = [int(value[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


TEXTS = [
    *product(("ink", "soft", "accent", "c-comment", "c-word", "c-type", "c-text"), SURFACES),
    *product(STATES, SURFACES),
    *((state, f"{state}-tint") for state in STATES),
    *product(("ink", "soft"), (f"{state}-tint" for state in STATES)),
    *(("on-state", state) for state in STATES),
    ("on-accent", "accent"),
    *(("ink", f"mark-{mark}") for mark in ("cbor", "immutable", "library", "argument", "protection")),
]

GRAPHICS = [
    *((f"{state}-fill", "page") for state in STATES if state != "none"),
    *product(("edge", "focus"), SURFACES),
]
"""`none-fill` is not among them: it is the absence of a bar, which the legend and the label of the row say."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_and_icons_have_sufficient_contrast(scheme: str) -> None:
    tokens = schemes()[scheme]
    assert len(tokens) > 30
    for least, pairs in ((TEXT, TEXTS), (GRAPHIC, GRAPHICS)):
        ratios = {pair: contrast(colour(tokens, pair[0]), colour(tokens, pair[1])) for pair in pairs}
        assert {pair: round(ratio, 2) for pair, ratio in ratios.items() if ratio < least} == {}
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


def test_light_and_dark_state_colours_differ() -> None:
    light, dark = schemes().values()
    for state in STATES:
        for name in (state, f"{state}-fill"):
            assert light[name] != dark[name], name
