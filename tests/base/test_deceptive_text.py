"""Text that deceives: what is not seen, and letters that look like others."""

import json
import re

import pytest

from statuary.base.deceptive_text import LOOK_ALIKE, deception
from support.requirements import CHECKOUT

MODULE = CHECKOUT / "src/statuary/contracts/pages/check/deceptive-text.js"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("Token (1)", ""),
        ("Zürich", ""),
        ("代币", ""),
        ("Монеты", ""),
        ("Safe\u200b", "U+200B"),
        ("Safe\u202e", "U+202E"),
        ("S\u0430fe", "CYRILLIC SMALL LETTER A (U+0430)"),
        ("\u0441\u043e\u043a", "looks like a Latin letter"),
        ("\uff33afe", "letters of another style"),
    ],
)
def test_deceptive_part_is_named(text, part):
    fault = deception(text)
    assert bool(fault) == bool(part)
    assert part in fault


def test_browser_has_same_letters():
    escapes = re.findall(r'"((?:\\u[0-9a-f]{4})+)"', MODULE.read_text("utf-8"))
    assert set("".join(json.loads(f'"{one}"') for one in escapes)) == LOOK_ALIKE
