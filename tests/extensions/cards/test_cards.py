"""Pictures of links: every page that has one names a file that is there, small, and the same on every machine."""

import re
import struct
import sys
from pathlib import Path

import pytest

from statuary.base.installation import extra_install_command
from statuary.base.primitives import parse_instant
from statuary.base.progress import NoProgress
from statuary.contracts.pages.verdict_signs import VERDICT_SIGNS
from statuary.engine.build import build_site
from statuary.engine.report import BuildResult
from statuary.engine.sections import NO_OPTIONS
from statuary.extensions.cards.documents import MOST_BYTES, STATES
from statuary.publish.folder.folder_target import FolderTarget
from support.requirements import require_module
from support.sites import NOW, path_of, site_of_many, write_files

IMAGE = re.compile(r'<meta property="og:image" content="([^"]+)">')


@pytest.fixture(autouse=True)
def _pillow() -> None:
    require_module("PIL", install='pip install -e ".[all,test]"')


def build(content: Path, out: Path) -> BuildResult:
    with FolderTarget(out) as target:
        return build_site(content, target, parse_instant(NOW), NoProgress(), extension_options=NO_OPTIONS)


def content_with(root: Path, extra: str = "cards: {}\n", name: str = "Plinth") -> Path:
    content = site_of_many(root, 1, pages=True)
    site = content / "site.yaml"
    site.write_text(
        site.read_text("utf-8").replace("name: Plinth\n  url", f"name: {name}\n  url") + extra, "utf-8"
    )
    return content


def images_of(site: Path) -> dict[str, str]:
    """Return the picture of each page that has one, those of later instants among them."""
    pages = {page.relative_to(site).as_posix(): page.read_text("utf-8") for page in site.rglob("*.html")}
    return {path: found[1] for path, text in pages.items() if (found := IMAGE.search(text))}


def cards_of(site: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (site / "cards").iterdir()}


@pytest.mark.slow
def test_pages_link_to_existing_card_images(tmp_path: Path) -> None:
    site = tmp_path / "site"
    assert build(content_with(tmp_path), site).applied
    images = images_of(site)
    page = path_of(1).replace(".json", ".html")
    assert {"index.html", "incidents/slow.html", "incidents/upgrade.html", page} <= images.keys()
    assert not {"api.html", "404.html", "uptime.html", "contracts/index.html"} & images.keys()
    for path, url in images.items():
        assert (site / url.removeprefix("https://status.plinth.example/")).is_file(), (path, url)
    assert images["index.html"].endswith("/cards/status-ok.png")
    assert images["incidents/slow.html"].endswith("/cards/incident-degraded.png")


@pytest.mark.slow
def test_card_images_are_small_and_deterministic(tmp_path: Path) -> None:
    content = content_with(tmp_path)
    assert build(content, tmp_path / "one").applied
    assert build(content, tmp_path / "other").applied
    cards = cards_of(tmp_path / "one")
    assert cards == cards_of(tmp_path / "other")
    assert len(cards) == 2 * len(STATES) + len(VERDICT_SIGNS)
    assert len(set(cards.values())) > len(cards) - 2, "each says something of its own"
    for name, body in cards.items():
        assert body.startswith(b"\x89PNG\r\n\x1a\n"), name
        assert struct.unpack(">II", body[16:24]) == (1200, 630)
        assert len(body) <= MOST_BYTES, name


@pytest.mark.slow
def test_card_without_needed_glyphs_uses_english(tmp_path: Path) -> None:
    """The library's own font has ASCII alone: a name that it lacks is not drawn as boxes; the page's title has it."""
    german = "pages: {language: de}\n"
    for folder, name in (("latin", "Plinth"), ("cyrillic", "Плинт")):
        assert build(
            content_with(tmp_path / folder, f"cards: {{}}\n{german}", name), tmp_path / folder / "site"
        ).applied
    latin, cyrillic = cards_of(tmp_path / "latin/site"), cards_of(tmp_path / "cyrillic/site")
    assert latin.keys() == cyrillic.keys()
    assert all(len(cyrillic[name]) < len(latin[name]) for name in latin), "the name is left out"
    assert build(content_with(tmp_path / "english", "cards: {}\n"), tmp_path / "english/site").applied
    english = cards_of(tmp_path / "english/site")
    assert latin["incident-major.png"] == english["incident-major.png"], (
        "German for it has a letter that is no ASCII"
    )
    assert latin["status-ok.png"] != english["status-ok.png"]


@pytest.mark.slow
def test_long_site_name_keeps_card_small(tmp_path: Path) -> None:
    assert build(content_with(tmp_path, name="N" * 200), tmp_path / "site").applied
    assert max(map(len, cards_of(tmp_path / "site").values())) <= MOST_BYTES


def test_missing_card_font_is_reported(tmp_path: Path) -> None:
    content = content_with(tmp_path, "cards: {font: missing.woff2}\n")
    result = build(content, tmp_path / "site")
    assert result.applied, "the status is published all the same"
    assert [one.message for one in result.checked.all_findings if "missing.woff2" in one.message]


@pytest.mark.slow
def test_missing_pillow_hints_at_cards_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "PIL"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.setattr("statuary.extensions.cards.parts.find_spec", lambda name: None)
    site = tmp_path / "site"
    result = build(content_with(tmp_path), site)
    assert result.applied
    findings = [one for one in result.checked.all_findings if "extra 'cards'" in one.message]
    assert findings
    assert findings[0].hint == extra_install_command("cards")
    assert images_of(site) == {}


@pytest.mark.slow
def test_disabled_cards_removes_images(tmp_path: Path) -> None:
    content, site = content_with(tmp_path), tmp_path / "site"
    build(content, site)
    write_files(content, {"site.yaml": (content / "site.yaml").read_text("utf-8").replace("cards: {}\n", "")})
    build(content, site)
    assert images_of(site) == {}
    assert not (site / "cards").exists()
