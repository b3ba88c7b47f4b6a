"""Markdown on pages: lowered headings, and visible hidden characters."""

import re
from functools import lru_cache

from markupsafe import Markup

from statuary.site.markdown import markdown_html
from statuary.site.pages.page_texts import visible_text

CACHED_BODIES = 4_096
"""The number of cached bodies; one body is on several pages and in every epoch."""

HEADING = re.compile(r"<(/?)h([1-6])>")

LINK_REL = "nofollow noopener"


def render_markdown(body: str, top_heading: int) -> Markup:
    """Convert Markdown to sanitized HTML for a page.

    Args:
        body: the Markdown.
        top_heading: the level of the body's first headings, since the page itself uses the higher levels.
    """
    html = _markdown_markup(body)
    if "<h" not in html:
        return html
    lowered = HEADING.sub(lambda tag: f"<{tag[1]}h{min(6, int(tag[2]) + top_heading - 1)}>", html)
    return Markup(lowered)  # noqa: S704 - the levels of headings alone have changed


@lru_cache(maxsize=CACHED_BODIES)
def _markdown_markup(body: str) -> Markup:
    text = visible_text(body.replace("\r\n", "\n").replace("\r", "\n")).strip()
    return Markup(markdown_html(text, LINK_REL))  # noqa: S704 - what the sanitizer lets through
