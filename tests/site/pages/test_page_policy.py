"""Every page has the policy, whatever its template writes."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from statuary.site.pages.page_policy import insert_security_policy
from support.sites import build, small_site, write_files


class Elements(HTMLParser):
    """The elements of a page below its head, each with its attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[dict[str, str | None]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("html", "head"):
            self.found.append(dict(attrs))


@pytest.mark.parametrize(
    "page",
    [
        "<!DOCTYPE html>\n<html lang=en><head><title>A</title></head><body></body></html>",
        "<html><head></head><body>A</body></html>",
        "A page without elements",
        "<!-- <html><head> --><!DOCTYPE html><html><head><title>A</title></head></html>",
        "<!DOCTYPE html><!-- <head> --><html><head><title>A</title></head></html>",
        "<html><textarea><head></textarea></html>",
    ],
)
def test_security_policy_precedes_template_content(page: str) -> None:
    first = Elements(insert_security_policy(page, asks_nodes=False).decode()).found[0]
    assert first["http-equiv"] == "Content-Security-Policy"
    assert first["content"].startswith("default-src 'none'; ")


def test_node_query_policy_allows_https() -> None:
    page = "<!DOCTYPE html><html><head></head></html>"
    assert "connect-src 'self';" in insert_security_policy(page, asks_nodes=False).decode()
    assert "connect-src 'self' https:" in insert_security_policy(page, asks_nodes=True).decode()


def test_theme_without_security_policy_gets_default(tmp_path: Path) -> None:
    content = small_site(tmp_path)
    text = "<!DOCTYPE html><html><head><title>{{ head.title }}</title></head><body>{{ '<script>a()</script>' | safe }}</body></html>"
    write_files(content, {"theme/templates/base.html": text})
    build(content, tmp_path / "site")
    pages = list((tmp_path / "site").rglob("*.html"))
    assert pages
    for page in pages:
        assert len(re.findall('http-equiv="Content-Security-Policy"', page.read_text("utf-8"))) == 1, page
