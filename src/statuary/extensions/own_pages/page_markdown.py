"""Render the Markdown of pages, with coloured code and linked headings."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from statuary.contracts.pages.sources import Highlighter, highlighter
from statuary.site.markdown import BODY_TAGS
from statuary.site.pages.page_texts import visible_text
from statuary.system.files import read_file

SCHEMES = frozenset(("http", "https", "mailto"))

SANITIZER = nh3.Cleaner(
    tags={*BODY_TAGS, "img"} - {"h1"},
    attributes={
        "a": {"href"},
        "img": {"src", "alt", "width", "height"},
        "ol": {"start"},
        "code": {"class"},
        **{f"h{level}": {"id"} for level in range(2, 7)},
    },
    url_schemes=set(SCHEMES),
    link_rel="nofollow noopener",
)

BLOCK = re.compile(r'<pre><code(?: class="language-([\w+-]+)")?>(.*?)</code></pre>', re.DOTALL)
"""A block of code as the sanitizer writes it: `<` within it is escaped."""

HEADING = re.compile(r'<h([2-4]) id="([^"]+)">(.*?)</h\1>', re.DOTALL)

WORD = re.compile(r"<pre>.*?</pre>|<[^>]*>|[^\s<>]+", re.DOTALL)
"""A word of HTML; blocks of code and tags match as well."""

LONGEST_COLUMN = 16
"""The number of letters that a column of a table has on a phone."""

BREAK_POINT = re.compile(r"(?:[._/|=]|&amp;|[0-9A-Fa-fx]{24})(?=\w|&lt;)")

LANGUAGES = Path(__file__).with_name("block_languages.json")
"""The file with the grammars of languages that are in code blocks, but not in sources of contracts."""

SOURCES = {"solidity": "Solidity", "vyper": "Vyper", "yul": "Yul"}


class Heading(NamedTuple):
    """A heading of a page."""

    anchor: str
    text: str
    level: int  # 2 for the first below the title


class MarkdownSection(NamedTuple):
    """A heading and the text below it.

    The heading is empty for the text before the first heading.
    """

    heading: Heading
    text: str


def parse_page_markdown(markdown_text: str) -> list[Token]:
    """Parse the Markdown of a page, and add anchors to its headings.

    Only the title of the page is a first-level heading. So `# Text` in the Markdown becomes a second-level
    heading.

    Args:
        markdown_text: the Markdown of the page.
    """
    tokens = _make_markdown_parser().parse(visible_text(markdown_text))
    uses: dict[str, int] = {}
    for token, text in pairwise(tokens):
        if token.type == "heading_open":
            anchor = re.sub(r"[^\w]+", "-", text.content.lower()).strip("-") or "section"
            uses[anchor] = uses.get(anchor, 0) + 1
            token.attrSet("id", anchor if uses[anchor] == 1 else f"{anchor}-{uses[anchor]}")
        if token.type in ("heading_open", "heading_close") and token.tag == "h1":
            token.tag = "h2"
    return tokens


def iter_headings(tokens: Sequence[Token]) -> Iterator[Heading]:
    """Yield each heading of a page, with its anchor and level.

    Args:
        tokens: the parsed Markdown of the page.
    """
    for token, text in pairwise(tokens):
        if token.type == "heading_open":
            yield Heading(str(token.attrGet("id")), text_without_markup(text), int(token.tag[1]))


def iter_sections(tokens: Sequence[Token]) -> Iterator[MarkdownSection]:
    """Yield each heading of a page with the plain text below it.

    Text before the first heading is yielded with an empty heading.

    Args:
        tokens: the parsed Markdown of the page.
    """
    of_page, texts = iter(iter_headings(tokens)), list[str]()
    heading = Heading("", "", 1)
    for previous_token, token in pairwise([Token("", "", 0), *tokens]):
        if token.type == "heading_open":
            yield MarkdownSection(heading, " ".join(texts))
            heading, texts = next(of_page), []
        elif token.type == "inline" and previous_token.type != "heading_open":
            texts.append(text_without_markup(token))
        elif token.type in ("fence", "code_block"):
            texts.append(token.content)
    yield MarkdownSection(heading, " ".join(texts))


def text_without_markup(inline: Token) -> str:
    """Return the text of a heading or paragraph without its markup.

    For example, `a *new* [page](b.md)` becomes `a new page`.

    Args:
        inline: the parsed Markdown of the heading or paragraph.
    """
    return "".join(" " if "break" in part.type else part.content for part in inline.children or ())


def render_page_html(
    markdown_tokens: list[Token], render_code_block: Callable[[str, Markup], Markup], link_label: str
) -> Markup:
    """Convert the parsed Markdown of a page to sanitized HTML.

    Args:
        markdown_tokens: the parsed Markdown.
        render_code_block: a function that returns the HTML of a code block, given its language and its
            highlighted code.
        link_label: the label of links to headings, where `{name}` stands for the heading.
    """
    clean = SANITIZER.clean(
        _make_markdown_parser().renderer.render(markdown_tokens, _make_markdown_parser().options, {})
    )
    linked = HEADING.sub(lambda match: _add_heading_link(match, link_label), add_break_points(clean))
    html = BLOCK.sub(
        lambda match: render_code_block(match[1] or "", _highlight_code(unescape(match[2]), match[1])), linked
    )
    return Markup(html)  # noqa: S704 - the output of the sanitizer, and what is escaped here


def _add_heading_link(match: re.Match[str], link_label: str) -> str:
    level, anchor, inner = match.groups()
    label = escape(link_label.replace("{name}", unescape(re.sub(r"<[^>]+>", "", inner))))
    return f'<h{level} id="{anchor}">{inner}<a class="self" href="#{anchor}" aria-label="{label}">#</a></h{level}>'


def add_break_points(html: str) -> Markup:
    """Let browsers break long words at punctuation, such as `auto_transition_to_operational_state`.

    Args:
        html: HTML, or escaped text.
    """
    return Markup(WORD.sub(_break_long_word, html))  # noqa: S704 - only `<wbr>` is added


def _break_long_word(match: re.Match[str]) -> str:
    word = match[0]
    if word.startswith("<") or len(unescape(word)) <= LONGEST_COLUMN:
        return word
    return BREAK_POINT.sub(r"\g<0><wbr>", word)


def _highlight_code(source_code: str, language: str | None) -> Markup:
    colours = find_block_highlighter(language or "")
    if colours is None:
        return escape(source_code)
    pieces = (
        f'<span class="{style}">{escape(text)}</span>' if style else str(escape(text))
        for text, style in colours.highlight(source_code)
    )
    return Markup("".join(pieces))  # noqa: S704 - escaped


@cache
def find_block_highlighter(language: str) -> Highlighter | None:
    """Return the syntax highlighter for a language, such as `python`.

    Returns:
        The highlighter, or None if the language is unknown.
    """
    if language in SOURCES:
        return highlighter(SOURCES[language])
    grammar = json.loads(read_file(LANGUAGES)).get(language)
    return Highlighter(grammar) if isinstance(grammar, dict) else None


@cache
def _make_markdown_parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table")
