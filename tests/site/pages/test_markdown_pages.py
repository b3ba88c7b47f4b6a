"""Pages of a site's own: Markdown files in the site's frame, their order, navigation and links."""

import json
import re
from pathlib import Path

import pytest

from statuary.base.findings import Finding
from statuary.base.primitives import parse_instant
from statuary.base.progress import NoProgress
from statuary.engine.check_site import check_site
from statuary.extensions.own_pages.page_markdown import add_break_points
from statuary.extensions.own_pages.pages import read_picture_size
from support.browser import build
from support.sites import NOW, SMALL_SITE, write_files

PAGES = {
    "about.md": "---\ntitle: About us\norder: 2\n---\n# Who we are\n\nWe run **Plinth**. See [support](help/support.md#hours).\n",
    "terms.md": "---\ntitle: Terms\norder: 1\nnavigation: false\n---\nNo <b>warranty</b>. [Uptime](/uptime.html)\n",
    "help/index.md": "---\ntitle: Help\n---\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    "help/support.md": "---\ntitle: Support\norder: 5\nnavigation: true\n---\n## Hours\n\n[up](../about.md) ![](/assets/statuary.css)\n",
}


def content_with(tmp_path: Path, pages: dict[str, str]) -> Path:
    files: dict[str, str | bytes | None] = dict(SMALL_SITE)
    return write_files(tmp_path / "content", files | {f"pages/{path}": body for path, body in pages.items()})


def findings_of(tmp_path: Path, pages: dict[str, str]) -> list[Finding]:
    checked = check_site(content_with(tmp_path, pages), parse_instant(NOW), NoProgress())
    return checked.all_findings


@pytest.mark.slow
def test_markdown_pages_have_site_navigation(tmp_path: Path) -> None:
    site = build(content_with(tmp_path, PAGES), tmp_path / "site", NOW)
    about = (site / "pages/about.html").read_text("utf-8")
    assert "<title>About us · Plinth</title>" in about
    assert '<h2 id="who-we-are">Who we are<a class="self" href="#who-we-are"' in about
    assert '<a href="../pages/help/support.html#hours"' in about
    assert '<a href="../pages/about.html" aria-current="page">About us</a>' in about
    terms = (site / "pages/terms.html").read_text("utf-8")
    assert "No &lt;b&gt;warranty&lt;/b&gt;" in terms
    assert '<a href="../uptime.html"' in terms
    assert "<td>1</td>" in (site / "pages/help/index.html").read_text("utf-8")
    assert findings_of(tmp_path, PAGES) == []


@pytest.mark.slow
def test_navigation_appears_on_all_pages(tmp_path: Path) -> None:
    site = build(content_with(tmp_path, PAGES), tmp_path / "site", NOW)
    for page in ("index.html", "pages/help/support.html", "incidents/slow.html"):
        nav = re.search(r"<nav.*?</nav>", (site / page).read_text("utf-8"), re.DOTALL)
        assert nav is not None
        assert re.findall(r"pages/([a-z/]+)\.html", nav[0]) == ["about", "help/support"]
    support = (site / "pages/help/support.html").read_text("utf-8")
    side = support[support.index('<nav class="side"') : support.index("<article")]
    assert side.index('index.html">Help</a>') < side.index('aria-current="page">Support</a>')


def test_child_page_highlights_parent_in_navigation(tmp_path: Path) -> None:
    pages = {
        "manual/index.md": "---\ntitle: Manual\nnavigation: true\n---\n",
        "manual/deploy/index.md": "---\ntitle: Deploy\n---\n",
        "manual/deploy/caddy.md": "---\ntitle: Caddy\n---\n",
    }
    site = build(content_with(tmp_path, pages), tmp_path / "site", NOW)
    caddy = (site / "pages/manual/deploy/caddy.html").read_text("utf-8")
    assert '<a href="../../../pages/manual/index.html" aria-current="page">Manual</a>' in caddy
    assert 'aria-current="page">Caddy</a>' in caddy


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ("[x](gone.md)", "there is no such page"),
        ("[x](/gone)", "the site has no such path"),
        ("[x](about.md#gone)", "no such heading"),
        ("[x](#gone)", "no such heading"),
        ("[x](../../../etc/passwd)", "there is no such page"),
        ("[x](ftp://example.com)", "not a web or mail address"),
        ("[x](//example.com/)", "not a web or mail address"),
        ("![x](gone.png)", "there is no such page"),
        ("[x](about.md)", ""),
        ("[x](about.md#who-we-are)", ""),
        ("[x](/v2/contracts/1)", ""),
        ("[x](/)", ""),
        ("<https://example.com>", ""),
        ("[x](mailto:a@b.example)", ""),
    ],
)
def test_broken_link_in_page_is_reported(tmp_path: Path, link: str, message: str) -> None:
    found = findings_of(tmp_path, PAGES | {"links.md": f"---\ntitle: Links\n---\n\nText\n\n{link}\n"})
    assert len(found) == (1 if message else 0)
    for finding in found:
        assert message in finding.message
        assert (finding.rule, finding.path) == ("broken-link", "pages/links.md")
        assert finding.position is not None
        assert finding.position.line == 7


@pytest.mark.parametrize(
    ("path", "text", "rule", "line"),
    [
        ("a.md", "no title\n", "missing-key", 1),
        ("a.md", "---\ntitle: A\nordr: 1\n---\n", "unknown-key", 3),
        ("a.md", "---\ntitle: A\norder: first\n---\n", "invalid-value", 3),
        ("a.md", "---\ntitle: A\n", "parse-error", 1),
        ("a b.md", "---\ntitle: A\n---\n", "invalid-page-name", 1),
        ("aux.md", "---\ntitle: A\n---\n", "invalid-page-name", 1),
        (f"{'a' * 100}/{'b' * 100}.md", "---\ntitle: A\n---\n", "invalid-page-name", 1),
        ("a.html", "<p>\n", "unknown-file", 1),
    ],
)
def test_invalid_page_front_matter_is_reported(
    tmp_path: Path, path: str, text: str, rule: str, line: int
) -> None:
    found = findings_of(tmp_path, {path: text})
    (finding,) = found
    assert finding.position is not None
    assert (finding.path, finding.rule, finding.position.line) == (f"pages/{path}", rule, line)


@pytest.mark.slow
@pytest.mark.parametrize(
    "attack",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](<javascript:alert(1)>)",
        "![x](data:image/svg+xml;base64,PHN2Zz4=)",
        '[x](/a" onmouseover="alert(1))',
        '```x" onclick="alert(1)\n```',
        "<style>*{display:none}</style>",
        "<iframe src=//example.com></iframe>",
    ],
)
def test_script_in_markdown_page_is_escaped(tmp_path: Path, attack: str) -> None:
    site = build(
        content_with(tmp_path, {"x.md": f"---\ntitle: <script>x</script>\n---\n{attack}\n"}),
        tmp_path / "s",
        NOW,
    )
    page = (site / "pages/x.html").read_text("utf-8")
    assert page.count("<script") == 1  # that of the package
    body = page[page.index("<article") : page.index("</article>")]
    assert not re.search(r"<(script|style|iframe)|<[^>]* on[a-z]+=|(href|src)=\"(javascript|data):", body)


BOOK = {
    "guide/index.md": "---\ntitle: Guide\nnavigation: true\n---\nStart here.\n",
    "guide/late.md": "---\ntitle: Late\norder: 30\ngroup: Look up\n---\n## Words\n\nA quorum of `witnesses`.\n",
    "guide/first.md": "---\ntitle: First\norder: 10\ngroup: Begin\ndescription: What to do first.\nkeywords: [Install, set up]\naliases: [start.md, ../old/begin.md]\n---\n## Do it\n\n### Twice\n",
    "guide/tools.md": "---\ntitle: Tools\norder: 20\ngroup: Begin\n---\n",
    "guide/tools/saw.md": "---\ntitle: Saw\norder: 2\nsearch: low\n---\n",
    "guide/tools/axe.md": "---\ntitle: Axe\norder: 1\nsearch: none\n---\n",
    "alone.md": "---\ntitle: Alone\n---\nNo others.\n",
}


def links_of(html: str, start: str, end: str) -> list[str]:
    part = html[html.index(start) :]
    return re.findall(r"<h2>([^<]+)|<a [^>]*>([^<]+)", part[: part.index(end)])


def titles(html: str, start: str = '<nav class="side"', end: str = "</nav>") -> list[str]:
    return [heading or f"- {link}" for heading, link in links_of(html, start, end)]


def test_sidebar_shows_groups_and_current_folder(tmp_path: Path) -> None:
    site = build(content_with(tmp_path, BOOK), tmp_path / "site", NOW)
    first = (site / "pages/guide/first.html").read_text("utf-8")
    assert titles(first) == ["- Guide", "Begin", "- First", "- Tools", "Look up", "- Late"]
    axe = (site / "pages/guide/tools/axe.html").read_text("utf-8")
    assert titles(axe) == ["- Guide", "Begin", "- First", "- Tools", "- Axe", "- Saw", "Look up", "- Late"]
    assert '<nav class="side"' not in (site / "pages/alone.html").read_text("utf-8")
    assert '<p class="lead">What to do first.</p>' in first
    assert '<meta name="description" content="What to do first.">' in first
    assert titles(first, '<nav class="toc"') == ["On this page", "- Do it", "- Twice"]


def test_next_page_links_follow_sidebar_order(tmp_path: Path) -> None:
    site = build(content_with(tmp_path, BOOK), tmp_path / "site", NOW)
    path, order = "pages/guide/index.html", []
    while path:
        order.append(path.removeprefix("pages/guide/").removesuffix(".html"))
        page = (site / path).read_text("utf-8")
        following = re.search(r'href="(?:\.\./)+([^"]+)" rel="next"', page)
        if following:
            back = re.search(r'href="(?:\.\./)+([^"]+)" rel="prev"', (site / following[1]).read_text("utf-8"))
            assert back is not None
            assert back[1] == path
        path = following[1] if following else ""
    assert order == ["index", "first", "tools", "tools/axe", "tools/saw", "late"]


def test_search_index_has_page_sections(tmp_path: Path) -> None:
    site = build(content_with(tmp_path, BOOK), tmp_path / "site", NOW)
    entries = json.loads((site / "pages/guide/search.json").read_bytes())
    assert ["Late", "Words", "pages/guide/late.html#words", "a quorum of witnesses", "", 1] in entries
    assert ["First", "", "pages/guide/first.html", "what to do first", "install set up", 1] in entries
    assert ["First", "Twice", "pages/guide/first.html#twice", "", "", 1] in entries
    assert ["Guide", "", "pages/guide/index.html", "start here", "", 1] in entries
    assert ["Saw", "", "pages/guide/tools/saw.html", "", "", 0.5] in entries
    assert {entry[2].partition("#")[0] for entry in entries} == {
        f"pages/{path.removesuffix('.md')}.html"
        for path in BOOK
        if path.startswith("guide/") and path != "guide/tools/axe.md"
    }
    assert 'data-finder="../../pages/guide/search.json"' in (site / "pages/guide/late.html").read_text(
        "utf-8"
    )
    assert (site / "assets/page-search.js").is_file()


def test_site_without_page_folders_lacks_search(tmp_path: Path) -> None:
    site = build(content_with(tmp_path, {"alone.md": BOOK["alone.md"]}), tmp_path / "site", NOW)
    assert not (site / "assets/page-search.js").exists()


def test_page_alias_redirects_to_page(tmp_path: Path) -> None:
    site = build(content_with(tmp_path, BOOK), tmp_path / "site", NOW)
    for path, root in (("guide/start", "../../"), ("old/begin", "../../")):
        page = (site / f"pages/{path}.html").read_text("utf-8")
        target = f"{root}pages/guide/first.html"
        assert f'<meta http-equiv="refresh" content="0; url={target}">' in page
        assert f'<h1><a href="{target}">First</a></h1>' in page
        assert '<link rel="canonical" href="https://status.plinth.example/pages/guide/first.html">' in page


@pytest.mark.parametrize(
    ("alias", "message"),
    [
        ("axe.md", "alias 'axe.md' is the address of pages/guide/axe.md"),
        ("first.md", "alias 'first.md' is the address of pages/guide/first.md"),
        ("taken.md", "alias 'taken.md' is the address of pages/guide/axe.md"),
        ("../../out.md", "alias '../../out.md' is not a path of a page"),
        ("a b.md", "alias 'a b.md' is not a path of a page"),
    ],
)
def test_invalid_page_alias_gives_warning(tmp_path: Path, alias: str, message: str) -> None:
    pages = {
        "guide/first.md": f"---\ntitle: First\norder: 2\naliases:\n  - other.md\n  - {alias}\n---\n",
        "guide/axe.md": "---\ntitle: Axe\norder: 1\naliases: [taken.md]\n---\n",
    }
    (finding,) = findings_of(tmp_path, pages)
    assert (finding.path, finding.rule, finding.message) == (
        "pages/guide/first.md",
        "invalid-page-name",
        message,
    )
    assert finding.position is not None
    assert finding.position.line == 6


def test_code_block_is_highlighted_and_copyable(tmp_path: Path) -> None:
    text = "---\ntitle: X\n---\n```yaml\nname: a <b>  # why\n```\n\n- item\n\n      indented & plain\n"
    site = build(content_with(tmp_path, {"x.md": text}), tmp_path / "site", NOW)
    page = (site / "pages/x.html").read_text("utf-8")
    assert '<span class="soft">YAML</span><button type="button" class="tiny copy needs-script">' in page
    assert '<span class="ct">name</span>: a &lt;b&gt;  <span class="cc"># why</span>\n</pre>' in page
    assert "indented &amp; plain\n</pre>" in page


PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (640).to_bytes(4) + (360).to_bytes(4)
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 36" width="640" height="360"><path d="M0 0h9"/></svg>'


@pytest.mark.slow
@pytest.mark.parametrize(("name", "raw"), [("dot.png", PNG), ("dot.svg", SVG)])
def test_markdown_image_gets_width_and_height(tmp_path: Path, name: str, raw: bytes) -> None:
    content = content_with(tmp_path, {"x.md": f"---\ntitle: X\n---\n![A dot](/assets/theme/{name})\n"})
    write_files(content, {f"theme/{name}": raw})
    page = (build(content, tmp_path / "site", NOW) / "pages/x.html").read_text("utf-8")
    image = re.search("<img [^>]*>", page)
    assert image is not None
    assert {'width="640"', 'height="360"', 'alt="A dot"'} <= set(re.findall(r'\w+="[^"]*"', image[0]))


def test_lossless_webp_picture_size_is_read() -> None:
    """A picture of 37 by 300 pixels as its first bytes tell it."""
    raw = bytes.fromhex("5249464622000000574542505650384c150000002f24c04a00071011fd0f")
    assert read_picture_size(raw) == {"width": 37, "height": 300}


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<code>auto_transition_state</code>", "<code>auto_<wbr>transition_<wbr>state</code>"),
        ("v2/&lt;chain&gt;/&lt;address&gt;.json", "v2/<wbr>&lt;chain&gt;/<wbr>&lt;address&gt;.<wbr>json"),
        ("module=a&amp;action=getcode", "module=<wbr>a&amp;<wbr>action=<wbr>getcode"),
        (f"0x{'ab' * 20}", f"0x{'ab' * 11}<wbr>{'ab' * 9}"),
        ("page.find_none, an end.", "page.find_none, an end."),
        ('<a href="../a/long_path.html">up</a>', '<a href="../a/long_path.html">up</a>'),
        ("<pre><code>auto_transition_state</code></pre>", "<pre><code>auto_transition_state</code></pre>"),
        (
            "上記の障害は解決しました。ご迷惑をおかけして申し訳ありません",
            "上記の障害は解決しました。ご迷惑をおかけして申し訳ありません",
        ),
    ],
)
def test_long_words_break_at_punctuation(html: str, expected: str) -> None:
    assert add_break_points(html) == expected
