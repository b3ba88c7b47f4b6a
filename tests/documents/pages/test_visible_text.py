"""Hidden characters are shown; what scripts and emoji need is left alone."""

import pytest

from statuary.documents.pages.page_texts import MAX_LINE_LENGTH, hidden_characters, one_line, visible_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("a\u202eb\u2066c", "a⟨U+202E⟩b⟨U+2066⟩c"),
        ("\x00\x1b[31m", "⟨U+0000⟩⟨U+001B⟩[31m"),
        ("zero\u200bwidth\ufeff", "zero⟨U+200B⟩width⟨U+FEFF⟩"),
        ("tag\U000e0041", "tag⟨U+E0041⟩"),
        ("half \ud800", "half ⟨U+D800⟩"),
        ("👩\u200d🔬 नमस्ते עברית", "👩\u200d🔬 नमस्ते עברית"),
    ],
)
def test_hidden_characters_are_shown_by_number(text: str, shown: str) -> None:
    assert visible_text(text) == shown
    shown.encode("utf-8")


def test_a_name_is_one_line() -> None:
    assert one_line("  Two \n lines\t\u2028end ") == "Two lines ⟨U+2028⟩end"


def test_an_overlong_name_is_cut() -> None:
    assert len(one_line("x" * 10_000)) == MAX_LINE_LENGTH + 2


def test_each_hidden_character_is_named_once() -> None:
    assert hidden_characters("a\u202eb\u202ec\x00") == ["U+202E", "U+0000"]
