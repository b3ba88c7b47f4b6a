"""Every kind of page of a site with long names, a script from right to left, and contracts in every state."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from statuary.cli.main import command
from support.browser import browse, build
from support.rich_site import NOW, rich_content

pytestmark = pytest.mark.slow

FRAMES = ("badge.html", "embed/frame.html")
"""Documents for the frames of other pages."""

MOVED = ("reference.html",)

PARTS = 3
"""In which the pages are looked at, so that none takes long."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("every-page")
    return build(rich_content(root), root / "site", NOW)


def pages_of(site: Path) -> list[str]:
    """Return the pages of today, one language of the two translations."""
    found = (page.relative_to(site) for page in sorted(site.rglob("*.html")))
    listed = [page.as_posix() for page in found if "_epochs" not in page.parts and page.parts[0] != "ja"]
    return [page for page in listed if page not in (*FRAMES, *MOVED)]


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("width", [390, 1280])
def test_every_page_is_accessible_and_fits(site: Path, width: int, part: int) -> None:
    """axe-core has nothing against any, moderate or worse, by day and by night, and nothing is wider than the window."""
    pages = pages_of(site)
    assert len(pages) > 30
    found = browse(site, "accessibility", paths=pages[part::PARTS], widths=[width], now=NOW)
    assert found["broken"] == []
    assert found["shifted"] == []
    assert found["acted"] == []


def test_every_page_fits_at_double_zoom(site: Path) -> None:
    """Twice the size at a desk is half its width."""
    for page in ("index.html", "uptime.html", "incidents/2026-11-22-rpc.html", "pages/help/table.html"):
        places = browse(site, "places", path=page, now=NOW, widths=[640, 320], selectors=[])
        assert {place["wider"] for place in places.values()} == {0}, page


def test_contradicted_contract_page_shows_difference_first(site: Path) -> None:
    """What the record says about itself follows the evidence."""
    [page] = [
        path.relative_to(site).as_posix()
        for path in site.glob("contracts/*/0x*.html")
        if 'id="difference"' in path.read_text("utf-8")
    ]
    selectors = [".verdict", "#difference", "#proof", ".purpose", "dl.facts", "#source"]
    for place in browse(site, "places", path=page, now=NOW, widths=[1280, 390], selectors=selectors).values():
        tops = [place[selector][0] for selector in selectors]
        assert tops == sorted(tops)


def test_contract_search_results_show_verification_status(site: Path) -> None:
    found = browse(site, "search", queries=["made"])
    assert found["complaints"] == []
    assert found["answers"]["made"]["states"] == [
        "none Not proven Exact match",
        "major Contradicted",
        "major Contradicted",
        "major Contradicted",
        "none Not proven Exact match",
        "none Not proven Exact match",
    ]


def test_report_page_fits_phone_screen(tmp_path: Path) -> None:
    content = rich_content(tmp_path)
    done = CliRunner().invoke(
        command,
        ["report", "2026-q4", "--content", str(content), "--out", str(tmp_path / "out"), "--now", NOW],
    )
    assert done.exit_code == 0, done.output
    found = browse(tmp_path / "out", "accessibility", paths=["2026-q4.html"], widths=[390, 1280], now=NOW)
    # browsers ask for an icon, which a file has not
    assert [fault for fault in found["broken"] if "status of 404" not in fault] == []
