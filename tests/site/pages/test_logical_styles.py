"""Style sheets name the sides of boxes by the direction of the text, so that they hold for scripts from right to left."""

import re
from pathlib import Path

import pytest

from support.requirements import CHECKOUT

PACKAGE = CHECKOUT / "src/statuary"
STYLES = sorted([*PACKAGE.glob("*/pages/styles/*.css"), *PACKAGE.glob("extensions/*/files/*.css")])

PHYSICAL = re.compile(
    r"(?<![-\w])(?:[\w-]+-)?(?:left|right)\s*:|text-align:\s*(?:left|right)|float:\s*(?:left|right)"
)
FOUR_SIDES = re.compile(r"(?:padding|margin|inset):\s*([^;{}]+);")


@pytest.mark.parametrize("sheet", STYLES, ids=lambda sheet: sheet.name)
def test_style_sheets_use_only_logical_directions(sheet: Path) -> None:
    text = sheet.read_text("utf-8")
    assert PHYSICAL.findall(text) == []
    sides = [re.split(r"\s+(?![^(]*\))", value.strip()) for value in FOUR_SIDES.findall(text)]
    assert [value for value in sides if len(value) == 4 and value[1] != value[3]] == []


def test_style_sheets_of_package_are_found() -> None:
    assert len(STYLES) >= 4
