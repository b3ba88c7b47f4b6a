"""Text that deceives: what is not seen, and letters that look like others."""

import pytest

from statuary.contracts.checks.deceptive_text import describe_deceptive_character


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
def test_deceptive_character_is_described(text, part):
    fault = describe_deceptive_character(text)
    assert bool(fault) == bool(part)
    assert part in fault
