"""Source files by line: nothing is lost, hidden or left open between lines."""

import re
from html import unescape

import pytest

from statuary.contracts.pages.sources import MAX_SOURCE_LINE_LENGTH, render_highlighted_lines, source_views
from support.requirements import CHECKOUT

FILES = sorted((CHECKOUT / "tests/demo_network/contracts").rglob("*.*"))
LANGUAGES = {".sol": "Solidity", ".vy": "Vyper", ".yul": "Yul"}


def plain(line: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", line))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_highlighted_lines_match_source(path: object) -> None:
    content = path.read_text("utf-8")  # type: ignore[attr-defined]
    lines = render_highlighted_lines(content, LANGUAGES[path.suffix])  # type: ignore[attr-defined]
    assert [plain(line) for line in lines] == content.removesuffix("\n").split("\n")
    assert sum("<span" in line for line in lines) > len(lines) / 3


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_line_markup_is_balanced(path: object) -> None:
    content = path.read_text("utf-8")  # type: ignore[attr-defined]
    lines = list(render_highlighted_lines(content, LANGUAGES[path.suffix]))  # type: ignore[attr-defined]
    assert lines
    for line in lines:
        assert line.count("<span") == line.count("</span>")


@pytest.mark.parametrize("language", ["Solidity", "Vyper", "Yul", "Fe", "Cobol", ""])
@pytest.mark.parametrize("content", ["", "\n", "\n\n", "x", "x\n\ny", "/* a\n b */ c", '"open', "é\t\u2028z"])
def test_arbitrary_text_keeps_lines(language: str, content: str) -> None:
    lines = [plain(line).replace("U+2028", "\u2028") for line in render_highlighted_lines(content, language)]
    assert "\n".join(lines).rstrip("\n") == content.rstrip("\n")


def test_carriage_return_ends_line() -> None:
    # solc ends a comment at U+000D, so the code after it must not look like part of the comment
    lines = render_highlighted_lines("// harmless\rselfdestruct(owner);\r\nnext", "Solidity")
    assert [plain(line) for line in lines] == ["// harmless", "selfdestruct(owner);", "next"]


def test_bidirectional_characters_are_shown() -> None:
    # the attack of CVE-2021-42574 (Trojan Source): bidirectional characters show code as a comment
    (line,) = render_highlighted_lines(
        "bool isAdmin; /*\u202e } \u2066if (isAdmin)\u2069 \u2066 begin admins only */", "Solidity"
    )
    assert plain(line) == "bool isAdmin; /*U+202E } U+2066if (isAdmin)U+2069 U+2066 begin admins only */"
    assert line.count('class="hidden-character"') == 4


def test_contract_source_is_listed_first_expanded() -> None:
    sources = {path: {"content": "contract A {}"} for path in ("a.sol", "b.sol", "z/Main.sol")}
    views = list(source_views(sources, "Solidity", "z/Main.sol"))
    assert [(view.path, view.opened, view.anchor) for view in views] == [
        ("z/Main.sol", True, "s1"),
        ("a.sol", False, "s2"),
        ("b.sol", False, "s3"),
    ]
    assert 'id="s1-1" href="#s1-1"' in str(views[0].markup)
    assert (views[1].markup, views[1].language) == ("contract A {}", "Solidity")


def test_hidden_characters_show_without_script() -> None:
    sources = {"Main.sol": {"content": "contract A {}"}, "a.sol": {"content": "// \u202e"}}
    view = list(source_views(sources, "Solidity", "Main.sol"))[1]
    assert view.language == ""
    assert "U+202E" in str(view.markup)


def test_long_line_is_cut_with_note() -> None:
    (view,) = source_views({"a.sol": {"content": "// " + "x" * 5_000}}, "Solidity", "a.sol")
    assert view.cut
    assert plain(str(view.markup)) == f"1// {'x' * (MAX_SOURCE_LINE_LENGTH - 3)}⟨… 3003⟩"


@pytest.mark.parametrize("opened", [True, False])
def test_code_after_long_whitespace_is_shown(opened: bool) -> None:
    hidden = "// fine" + " " * 2_500 + "\t" * 50 + "\r\nselfdestruct(a);" + "\u00a0" * 3_000 + "steal();"
    sources = {"a.sol": {"content": hidden}, "b.sol": {"content": ""}}
    view = next(
        view
        for view in source_views(sources, "Solidity", "a.sol" if opened else "b.sol")
        if view.path == "a.sol"
    )
    assert (view.cut, view.opened, view.language) == (False, opened, "")
    assert plain(str(view.markup)) == "1// fine⟨2550⟩\n2selfdestruct(a);⟨3000⟩steal();"


def test_mixed_alphabet_words_are_marked() -> None:
    text = 'contract S\u0430fe { string a = "\u0435th"; } // p\u0430y, \u043a\u0430 \ufdd1x\ufdd2'
    (view,) = source_views({"a.sol": {"content": text}}, "Solidity", "a.sol")
    assert view.mixed == ("U+0430", "U+0435")
    assert view.hidden == ("U+FDD1", "U+FDD2")
    assert plain(str(view.markup)) == (
        '1contract S\u0430⟨U+0430⟩fe { string a = "\u0435⟨U+0435⟩th"; } '
        "// p\u0430⟨U+0430⟩y, \u043a\u0430 U+FDD1xU+FDD2"
    )
    assert str(view.markup).count('class="hidden-character"') == 5


def test_mark_at_line_cut_is_complete() -> None:
    text = "// " + "x" * (MAX_SOURCE_LINE_LENGTH - 6) + "\u0430" + "y" * 100
    (line,) = render_highlighted_lines(text, "Solidity")
    assert line.count("<span") == line.count("</span>") == 2


HOSTILE_TO_LEXERS = {
    "open comments": "/*" * 50_000,
    "open strings": '"\\' * 50_000,
    "hex": 'hex"' + "0" * 100_000,
    "brackets": "([{" * 40_000,
    "stars": "/" + "*" * 100_000,
    "spaces": " " * 1_900 + "\n" + " " * 1_900,
    "letters": "a" * 1_900,
}


@pytest.mark.parametrize("language", ["Solidity", "Vyper", "Yul"])
@pytest.mark.parametrize("name", HOSTILE_TO_LEXERS)
def test_random_text_is_highlighted_completely(name: str, language: str) -> None:
    # short lines, as an attacker would write them, because long lines are not highlighted
    text = HOSTILE_TO_LEXERS[name]
    lines = "\n".join(text[start : start + 1_000] for start in range(0, len(text), 1_000))
    assert (
        len(render_highlighted_lines(lines, language)) == lines.count("\n") + 1
    )  # one that backtracks would not come to an end
