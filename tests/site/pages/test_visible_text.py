"""Hidden characters are shown; what scripts and emoji need is left alone."""

import pytest

from statuary.site.pages.page_texts import (
    MAX_LINE_LENGTH,
    hidden_characters,
    mark_lookalike_letters,
    one_line,
    visible_name,
    visible_text,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("a\u202eb\u2066c", "a⟨U+202E⟩b⟨U+2066⟩c"),
        ("\x00\x1b[31m", "⟨U+0000⟩⟨U+001B⟩[31m"),
        ("zero\u200bwidth\ufeff", "zero⟨U+200B⟩width⟨U+FEFF⟩"),
        ("tag\U000e0041", "tag⟨U+E0041⟩"),
        ("half \ud800", "half ⟨U+D800⟩"),
        ("Sa\u200dfe\ufe0f 1\ufe0f\u20e3", "Sa⟨U+200D⟩fe⟨U+FE0F⟩ 1\ufe0f\u20e3"),
        ("end\u200c", "end⟨U+200C⟩"),
        ("blank\u2800\u3164\uffff", "blank⟨U+2800⟩⟨U+3164⟩⟨U+FFFF⟩"),
        ("👩\u200d🔬 नमस्ते עברית", "👩\u200d🔬 नमस्ते עברית"),
    ],
)
def test_hidden_characters_show_code_points(text: str, shown: str) -> None:
    assert visible_text(text) == shown
    shown.encode("utf-8")


def test_shown_name_becomes_single_line() -> None:
    assert one_line("  Two \n lines\t\u2028end ") == "Two lines ⟨U+2028⟩end"


def test_overlong_shown_name_is_cut() -> None:
    assert len(one_line("x" * 10_000)) == MAX_LINE_LENGTH + 2


def test_name_after_long_whitespace_is_kept() -> None:
    assert one_line("Safe" + " " * 5_000 + "drains") == "Safe drains"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Safe", "Safe"),
        ("S\u0430fe", "S\u0430⟨U+0430⟩fe"),
        (
            "contracts/\u0421\u0430\u0444\u0435.sol",
            "contracts/\u0421⟨U+0421⟩\u0430⟨U+0430⟩\u0444⟨U+0444⟩\u0435⟨U+0435⟩.sol",
        ),
        ("\u041a\u043e\u0434", "\u041a\u043e\u0434"),
        ("Zürich 东京", "Zürich 东京"),
    ],
)
def test_lookalike_letters_in_names_are_marked(text: str, shown: str) -> None:
    assert visible_name(text) == shown


def test_only_mixed_words_get_lookalike_marks() -> None:
    assert mark_lookalike_letters("// \u043a\u0430, \u0430dmin, \u03c0", str.lower) == (
        "// \u043a\u0430, \u0430⟨u+0430⟩dmin, \u03c0",
        ["U+0430"],
    )
    assert mark_lookalike_letters("plain") == ("plain", [])


def test_repeated_hidden_characters_are_listed_once() -> None:
    assert hidden_characters("a\u202eb\u202ec\x00") == ["U+202E", "U+0000"]
