"""Sixty typical mistakes: each has its message and its exit code, as `mistakes.expected.txt` has them.

`BLESS=1 pytest tests/packaging/test_mistakes.py -n 0` writes them anew, to be read before they are committed.
"""

import os
from pathlib import Path

import pytest

from support.mistakes import MISTAKES, said
from support.requirements import CHECKOUT
from support.tiers import few_by_default

EXPECTED = Path(__file__).with_name("mistakes.expected.txt")


def expected() -> dict[str, str]:
    """Return the messages by mistake."""
    sections = EXPECTED.read_text("utf-8").split("\n=== ")[1:]
    return {name: body.strip("\n") for name, _, body in (section.partition(" ===\n") for section in sections)}


if "BLESS" in os.environ:

    def test_bless() -> None:
        texts = [f"\n=== {name} ===\n{said(mistake, CHECKOUT)}\n" for name, mistake in MISTAKES.items()]
        EXPECTED.write_text("".join(texts), "utf-8")


@pytest.mark.parametrize("name", few_by_default(MISTAKES, 6))
def test_mistake_prints_expected_message(name: str) -> None:
    assert said(MISTAKES[name], CHECKOUT) == expected()[name]


def test_expected_messages_cover_all_mistakes() -> None:
    assert len(MISTAKES) >= 60
    assert set(expected()) == set(MISTAKES)
    assert {mistake.kind for mistake in MISTAKES.values()} == {"YAML", "options", "folders", "networks"}
    for text in expected().values():
        code, _, message = text.partition("\n")
        assert message, text
        assert "Traceback" not in message
        assert code != "exit code 0" or "warning" in message or "note" in message
