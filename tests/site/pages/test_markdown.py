"""Bodies become HTML that can do nothing but show."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statuary.site.markdown import CODE, MARKUP, markdown_parser, markdown_sanitizer
from statuary.site.pages.markdown import LINK_REL, render_markdown
from statuary.site.pages.page_texts import visible_text
from support.random_runs import times


@pytest.mark.parametrize(
    ("body", "html"),
    [
        ("Plain words.", "<p>Plain words.</p>"),
        ("One line\nand another", "<p>One line<br>\nand another</p>"),
        ("One.\r\n\r\nTwo.", "<p>One.</p>\n<p>Two.</p>"),
        (
            "**bold**, _leaning_ and `code`",
            "<p><strong>bold</strong>, <em>leaning</em> and <code>code</code></p>",
        ),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"),
        ("<strong>Statuspage's</strong> own", "<p><strong>Statuspage's</strong> own</p>"),
        ("<ul><li>a</li></ul>\nThank you\nall", "<ul><li>a</li></ul>\n<p>Thank you<br>\nall</p>"),
        (
            "a | b\n:-|-:\n1 | **2**",
            (
                "<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n"
                "<tbody>\n<tr>\n<td>1</td>\n<td><strong>2</strong></td>\n</tr>\n</tbody>\n</table>"
            ),
        ),
        ("no | table", "<p>no | table</p>"),
        ("1 < 2 & 3 > 2", "<p>1 &lt; 2 &amp; 3 &gt; 2</p>"),
        ("First\n    indented", "<p>First<br>\nindented</p>"),
        ("First\n---\nthen", "<p>First</p>\n<hr>\n<p>then</p>"),
        ("", ""),
    ],
)
def test_markdown_renders_expected_html(body: str, html: str) -> None:
    assert render_markdown(body, 3) == html


def test_markdown_keeps_only_https_links() -> None:
    assert render_markdown("[a](https://a.test/x)", 3) == (
        '<p><a href="https://a.test/x" rel="nofollow noopener">a</a></p>'
    )
    for address in ("javascript:alert(1)", "/here", "../up", "data:text/html,x", "//a.test"):
        assert "href" not in render_markdown(f'<a href="{address}">a</a>', 3)


def test_markdown_headings_start_below_page_heading() -> None:
    assert render_markdown("# One\n\n## Two\n\n###### Six", 3) == "<h3>One</h3>\n<h4>Two</h4>\n<h6>Six</h6>"


@pytest.mark.parametrize(
    "body",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "![x](https://evil.test/x.png)",
        '<p style="position:fixed">x</p>',
        "<style>*{display:none}</style>",
        "<iframe src=https://evil.test></iframe>",
        "<form action=https://evil.test><input name=x></form>",
        "<a href='https://a.test' onclick='alert(1)'>x</a>",
        "<svg><script>alert(1)</script></svg>",
        "<math><mi//xlink:href='data:x,<script>alert(1)</script>'>",
    ],
)
def test_markdown_removes_scripts_and_styles(body: str) -> None:
    html = render_markdown(body, 3).lower()
    for act in (
        "<script",
        "<img",
        "<style",
        "<iframe",
        "<form",
        "<input",
        "<svg",
        "style=",
        "onerror",
        "onclick",
    ):
        assert act not in html


def test_markdown_shows_hidden_character_codes() -> None:
    assert render_markdown("a\u202eb", 3) == "<p>a⟨U+202E⟩b</p>"


EXAMPLES = times(400)
WORDS = st.text(alphabet="ab .,:;!?'\"()-+=|~/%$@^1\n\t é😀", max_size=60)
CODE_AND_WORDS = st.lists(
    st.sampled_from(["`", "`a b`", "a", "b", " ", "\n", "\n\n", *".'\"()-+=|~1\\*{}"]), max_size=14
)


@settings(max_examples=EXAMPLES)
@given(WORDS | CODE_AND_WORDS.map("".join))
def test_plain_text_shortcut_matches_markdown_parser(body: str) -> None:
    text = visible_text(body).strip()
    if MARKUP.search(CODE.sub("x", text)) is None:
        parsed = markdown_sanitizer(LINK_REL).clean(markdown_parser().render(text)).strip()
        assert render_markdown(body, 3) == parsed
