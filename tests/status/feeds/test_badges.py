"""Badges: as pictures and as data."""

import json
from typing import get_args
from xml.etree import ElementTree as ET

import pytest

from statuary.status.feeds.badges import (
    INDICATOR_COLOURS,
    LABEL_COLOUR,
    MAX_LABEL_LENGTH,
    RED,
    STATUS_COLOURS,
    Badge,
    badge_svg,
    encode_shields_badge,
    text_width,
)
from statuary.status.model.vocabulary import ComponentStatus, Impact
from support.status_site import at, catalogue, feed_documents, incident

SVG = "{http://www.w3.org/2000/svg}"

SHIELDS_COLOURS = {"brightgreen", "green", "yellowgreen", "yellow", "orange", "red", "lightgrey", "blue"}
"""The names that shields.io documents for `color`."""


def drawn(badge):
    return ET.fromstring(badge_svg(badge))


def bodies(moment):
    status = catalogue({"slow": incident()})
    return {d.path: d.body for d in feed_documents(status, at(moment))}


def test_page_and_each_component_have_badge():
    during = bodies("2026-11-02T11:00")
    messages = {
        path: json.loads(body)["message"] for path, body in during.items() if path.endswith("badge.json")
    }
    assert messages == {
        "badge.json": "Minor Service Outage",
        "components/network/badge.json": "partial outage",
        "components/rpc/badge.json": "partial outage",
        "components/blocks/badge.json": "operational",
        "components/explorer/badge.json": "operational",
    }
    for path, message in messages.items():
        picture = ET.fromstring(during[path.replace(".json", ".svg")])
        assert picture.findtext(f"{SVG}title").endswith(f": {message}")
    after = bodies("2026-11-02T12:00")
    assert json.loads(after["components/rpc/badge.json"]) == {
        "schemaVersion": 1,
        "label": "Public RPC",
        "message": "operational",
        "color": "brightgreen",
    }
    assert json.loads(after["badge.json"])["message"] == "All Systems Operational"


def test_every_status_and_indicator_has_colour():
    assert set(STATUS_COLOURS) == set(get_args(ComponentStatus))
    assert set(INDICATOR_COLOURS) == set(get_args(Impact))
    assert {
        colour.named for colour in (*STATUS_COLOURS.values(), *INDICATOR_COLOURS.values())
    } <= SHIELDS_COLOURS
    assert len(set(STATUS_COLOURS.values())) == len(STATUS_COLOURS)


def luminance(colour):
    """Return the relative luminance that WCAG 2 defines."""
    digits = colour[1:] if len(colour) == 7 else "".join(digit * 2 for digit in colour[1:])
    channels = (int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4))
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize(
    "colour", [LABEL_COLOUR, *sorted({colour.hex for colour in STATUS_COLOURS.values()})]
)
def test_white_text_contrasts_with_badge_colours(colour):
    assert (luminance("#fff") + 0.05) / (luminance(colour) + 0.05) >= 4.5


def test_badge_width_fits_label_and_message():
    picture = drawn(Badge("Public RPC", "major outage", RED))
    left, right = picture.findall(f".//{SVG}text")
    width = int(picture.get("width"))
    assert int(left.get("x")) == 6
    boundary = int(left.get("x")) + int(left.get("textLength")) + 6
    assert int(right.get("x")) == boundary + 6
    assert int(right.get("x")) + int(right.get("textLength")) + 6 == width
    assert picture.get("viewBox") == f"0 0 {width} 20"


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("", 0),
        # advances of DejaVu Sans: M 863, i 278 thousandths of 11 pixels
        ("MMM", 28.479),
        ("iii", 9.174),
        ("é", 0.615 * 11),
        ("e\u0301", 0.615 * 11),
        ("区块", 22),
        ("한글", 22),
        ("\u200d", 0),
    ],
)
def test_badge_text_width_matches_font(text, width):
    assert text_width(text) == pytest.approx(width)


def test_long_badge_label_is_shortened():
    picture = drawn(Badge("x" * 255, "operational", RED))
    label = picture.find(f".//{SVG}text").text
    assert label == "x" * (MAX_LABEL_LENGTH - 1) + "…"
    assert picture.get("aria-label") == picture.findtext(f"{SVG}title") == "x" * 255 + ": operational"


@pytest.mark.parametrize("text", ['"/><script>alert(1)</script>', "&amp; <b> 'x'", "]]>", ""])
def test_badge_escapes_markup_in_text(text):
    picture = drawn(Badge(text, "operational", RED))
    assert picture.findtext(f"{SVG}title") == f"{text}: operational"
    assert {element.tag for element in picture.iter()} == {
        f"{SVG}{t}" for t in ("svg", "title", "path", "g", "text")
    }
    assert json.loads(encode_shields_badge(Badge(text, "operational", RED)))["label"] == text


def test_badge_has_no_external_references():
    body = badge_svg(Badge("Public RPC", "operational", RED)).decode()
    assert "href" not in body
    assert "url(" not in body
    assert body.count("http") == 1
    assert picture_role(body) == "img"


def picture_role(body):
    return ET.fromstring(body).get("role")
