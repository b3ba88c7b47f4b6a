"""Typical mistakes: each has its message and its exit code, as `mistakes.expected.txt` has them.

`BLESS=1 pytest tests/packaging/test_mistakes.py -n 0` writes them anew, to be read before they are committed.

`mistake_ratings.tsv` rates the messages about `typical_mistakes.yaml`. Each of five things is a point: the place (file and line, option
or argument), the fault, the value (or the line that has it), what to do, and plain words. The first four columns are words of the
message, `-` where it lacks them; `before` is the rating when the mistakes were first made.
"""

import csv
import os
import re
from pathlib import Path

import pytest

from support.mistakes import MISTAKES, TYPICAL, said
from support.requirements import CHECKOUT
from support.tiers import few_by_default

EXPECTED = Path(__file__).with_name("mistakes.expected.txt")


RATINGS = Path(__file__).with_name("mistake_ratings.tsv")
WORDS = ("place", "what", "value", "action")


def expected() -> dict[str, str]:
    """Return the messages by mistake."""
    sections = EXPECTED.read_text("utf-8").split("\n=== ")[1:]
    return {name: body.strip("\n") for name, _, body in (section.partition(" ===\n") for section in sections)}


if "BLESS" in os.environ:

    def test_expected_messages_file_is_rewritten() -> None:
        texts = [f"\n=== {name} ===\n{said(mistake, CHECKOUT)}\n" for name, mistake in MISTAKES.items()]
        EXPECTED.write_text("".join(texts), "utf-8")


@pytest.mark.parametrize("name", few_by_default(MISTAKES, 3))
def test_typical_mistake_prints_expected_message(name: str) -> None:
    assert said(MISTAKES[name], CHECKOUT) == expected()[name]


def test_every_typical_mistake_has_expected_message() -> None:
    assert len(MISTAKES) >= 60
    assert set(expected()) == set(MISTAKES)
    assert {mistake.kind for mistake in MISTAKES.values()} == {"YAML", "options", "folders", "networks"}
    for text in expected().values():
        code, _, message = text.partition("\n")
        assert message, text
        assert "Traceback" not in message
        assert code != "exit code 0" or re.search("warning|note|^nothing (was sent|to do): ", message)


def test_rated_messages_contain_needed_words() -> None:
    texts = expected()
    with RATINGS.open(encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert {row["mistake"] for row in rows} == set(TYPICAL)
    missing = {
        row["mistake"]: row[column]
        for row in rows
        for column in WORDS
        if row[column] != "-" and row[column] not in texts[row["mistake"]]
    }
    assert missing == {}
    ratings = [sum(row[column] != "-" for column in WORDS) + (row["plain"] == "yes") for row in rows]
    assert len(ratings) >= 60
    assert min(ratings) >= 4
    assert sum(ratings) / len(ratings) >= 4.5
