"""The pages of a proxy and of its upgrade in a real browser."""

from pathlib import Path

import pytest

from support.browser import LOOKS, browse, html_complaints
from support.proxy_sites import LATER, upgraded_site

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return upgraded_site(tmp_path_factory.mktemp("site"))


def pages_of(site: Path) -> list[str]:
    return [page.relative_to(site).as_posix() for page in sorted((site / "proxies").rglob("*.html"))]


@pytest.mark.parametrize("width", sorted({look["width"] for look in LOOKS}))
def test_proxy_pages_are_accessible_and_stable(site: Path, width: int) -> None:
    paths = pages_of(site)
    assert len(paths) == 2, "the proxy, and what its upgrade changed"
    observed = browse(site, "accessibility", paths=paths, widths=[width], now=LATER, whole=True)
    assert observed == {"broken": [], "shifted": [], "acted": []}


def test_proxy_pages_are_valid_html(site: Path) -> None:
    assert html_complaints(site / "proxies") == []


def test_proxy_pages_are_usable_by_keyboard(site: Path) -> None:
    for path, walk in browse(site, "walk", paths=pages_of(site), width=1280, now=LATER).items():
        assert walk.pop("controls") > 10, path
        assert walk == {"unreached": [], "inOrder": True, "leaves": True, "unseen": [], "stuck": []}, path
