"""Bodies become markup that shows and does nothing else."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statuary.status.feeds.feed import (
    NOT_IN_XML,
    body_html,
    body_plain_text,
    one_line,
    remove_invalid_xml_characters,
)
from support.feed_rules import html_faults
from support.random_runs import times


@pytest.mark.parametrize(
    ("body", "html"),
    [
        ("We are looking into it.", "We are looking into it."),
        ("a < b & c > d", "a &lt; b &amp; c &gt; d"),
        ("one\r\ntwo\rthree\n\nfour\n", "one<br />two<br />three<br /><br />four"),
        ("first<br>second<br/>third<br />", "first<br />second<br />third"),
        (
            "Done:\n<ul>\n  <li><strong>10:00</strong> began</li>\n  <li>ended</li>\n</ul>\nSorry.",
            "Done:<ul><li><strong>10:00</strong> began</li><li>ended</li></ul>Sorry.",
        ),
        (
            '<a href="https://a.example/?b=1&c=2">read</a>',
            '<a href="https://a.example/?b=1&amp;c=2">read</a>',
        ),
        ('<a href="javascript:alert(1)">read</a>', "<a>read</a>"),
        ('<a href="JaVa\tScRiPt:alert(1)">read</a>', "<a>read</a>"),
        ('<a href="//elsewhere.example">read</a>', "<a>read</a>"),
        ('<a href="/inside">read</a>', "<a>read</a>"),
        ('<a href="https://a.example/\n">read</a>', "<a>read</a>"),
        (
            '<a href="https://a.example" onclick="x()" style="top:0">read</a>',
            '<a href="https://a.example">read</a>',
        ),
        ("before<script>alert(1)</script>after", "beforeafter"),
        ("<img src=x onerror=alert(1)>seen", "seen"),
        ("<ul><li>never closed", "<ul><li>never closed</li></ul>"),
        ("<em>so</em> <h1>big</h1>", "<em>so</em> <br /><br /><strong>big</strong>"),
        ("# Cause\n\nA *full* disk", "<strong>Cause</strong><br /><br />A <em>full</em> disk"),
        ("First:\n\n1. one\n2. two\n\nThen", "First:<ol><li>one</li><li>two</li></ol>Then"),
        ("```\na < b\n\nc\n```", "<pre><code>a &lt; b\n\nc\n</code></pre>"),
        ("> said\n\nso `x`", "<blockquote>said</blockquote>so <code>x</code>"),
        (
            "[read](https://a.example/x) [act](javascript:x)",
            '<a href="https://a.example/x">read</a> [act](javascript:x)',
        ),
        ("&lt;script&gt;", "&lt;script&gt;"),
        ("nul\x00 bell\x07 escape\x1b end\ufffe half\ud800", "nul bell escape end half"),
    ],
)
def test_update_body_becomes_safe_html(body, html):
    assert body_html(body) == html
    assert html_faults(body_html(body)) == []


@pytest.mark.parametrize(
    ("body", "plain"),
    [
        ("a < b &amp; c", "a < b & c"),
        ("one\r\ntwo<br><br />three", "one\ntwo\n\nthree"),
        (
            "Done:\n<ul><li><strong>10:00</strong> began</li><li>ended</li></ul>Sorry.",
            "Done:\n\n- 10:00 began\n- ended\nSorry.",
        ),
        (
            '<a href="https://a.example/?b=1&c=2">read &amp; weep</a>.',
            "read & weep (https://a.example/?b=1&c=2).",
        ),
        ('<a href="javascript:x">read</a>', "read"),
        ("&lt;br&gt;", "<br>"),
        (
            "Since 10:00:\n\n| Region | State |\n|---|---|\n| EU | **up** |\n| US | [down](https://a.example) |\n\nMore soon.",
            "Since 10:00:\n\nRegion | State\nEU | up\nUS | down (https://a.example)\nMore soon.",
        ),
        ("", ""),
    ],
)
def test_update_body_becomes_plain_text(body, plain):
    assert body_plain_text(body) == plain


PIECES = st.sampled_from(
    (
        "<",
        ">",
        '"',
        "'",
        "&",
        "/",
        "\n",
        "\r\n",
        "\x00",
        "\x0b",
        "\ud83d",
        "]]>",
        "<!--",
        "-->",
        "<![CDATA[",
        "<ul>",
        "</ul>",
        "<li>",
        "</li>",
        "<strong>",
        "</strong>",
        "<br>",
        "<br/>",
        "</br>",
        "<a>",
        "</a>",
        '<a href="https://a.example/',
        '<a href="data:text/html,',
        "<a href='",
        "<svg/onload=x>",
        "<style>",
        "<script>",
        "</script>",
        "<math><mtext>",
        "<table>",
        "<tr>",
        "<td>",
        "| a | b |\n|---|---|\n| ",
        "<noscript>",
        "&lt;",
        "&#60;",
        "&#x3c",
        "text",
        " ",
    )
)
HOSTILE = st.lists(PIECES | st.text(max_size=3), max_size=25).map("".join)


@pytest.mark.slow
@settings(max_examples=times(300))
@given(HOSTILE)
def test_script_in_update_body_is_removed(body):
    html = body_html(body)
    assert html_faults(html) == []
    assert not NOT_IN_XML.search(html)
    assert "\r" not in body_plain_text(body)


def test_feed_names_become_single_line():
    assert one_line(" RPC\r\n\t(Europe)\x00 \u2028 & <b>") == "RPC (Europe) & <b>"
    assert remove_invalid_xml_characters("\t\n\x08\x0c\x7f\ud800\udfff\uffff😀") == "\t\n\x7f😀"
