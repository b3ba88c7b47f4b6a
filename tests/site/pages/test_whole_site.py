"""The pages of a whole site: nothing leads nowhere, the same content gives the same bytes, settings are kept."""

import json
from pathlib import Path

import pytest

from support.browser import build
from support.host_servers import project_for
from support.page_links import dead_links, parts_of
from support.requirements import CHECKOUT
from support.shared_folders import built_once
from support.sites import SMALL_SITE, write_files

NOW = "2026-11-20T12:00:00Z"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_once(tmp_path_factory, CHECKOUT / "content", NOW)


def pages_of(site: Path) -> dict[str, bytes]:
    return {
        path.relative_to(site).as_posix(): path.read_bytes()
        for path in sorted(site.rglob("*"))
        if path.suffix in (".html", ".css", ".js", ".svg")
    }


@pytest.fixture(scope="module")
def hosted_demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same site with the files of hosts, which other tests read too."""
    return project_for(tmp_path_factory) / "build"


def test_site_has_no_broken_links(hosted_demo: Path) -> None:
    assert list(dead_links(hosted_demo, "https://status.plinth.example")) == []


def test_contract_pages_state_recompilation_as_proofs(hosted_demo: Path) -> None:
    """Claim C: a contract's page says of the compilation what its proof states, and no more."""
    sentence = "A file beside the record says that recompiling these sources gave this bytecode"
    stated = {}
    for page in hosted_demo.glob("contracts/*/0x*.html"):
        proof = json.loads((hosted_demo / "proof" / page.parent.name / f"{page.stem}.json").read_text())
        stated[page.stem] = status = proof["claims"]["compiled"]["status"]
        is_said = status == "stated_by_a_file" and proof["verdict"]["status"] != "contradicted"
        assert (sentence in page.read_text()) == is_said, page.stem
    assert set(stated.values()) == {"stated_by_a_file", "verified_here", "not_shown"}
    assert len(stated) >= 23


@pytest.mark.slow
def test_every_page_is_reachable_from_home(demo: Path) -> None:
    pages = parts_of(demo)
    linked = {
        (demo / path).parent.joinpath(link.partition("#")[0]).resolve().relative_to(demo).as_posix()
        for path, parts in pages.items()
        if path != "404.html"
        for link in parts.links
        if link.partition("#")[0] and "://" not in link
    }
    former_addresses = {path for path in pages if 'http-equiv="refresh"' in (demo / path).read_text("utf-8")}
    assert set(pages) - linked - former_addresses == {"404.html"}


@pytest.mark.slow
def test_page_element_ids_are_unique(demo: Path) -> None:
    assert {path: parts.repeated for path, parts in parts_of(demo).items() if parts.repeated} == {}


@pytest.mark.slow
def test_repeated_demo_build_gives_identical_pages(demo: Path, tmp_path: Path) -> None:
    again = build(CHECKOUT / "content", tmp_path / "site", NOW)
    assert pages_of(again) == pages_of(demo)


@pytest.mark.slow
def test_unchanged_rebuild_rewrites_no_page(demo: Path, tmp_path: Path) -> None:
    later = build(CHECKOUT / "content", tmp_path / "site", "2026-11-20T12:05:00Z")
    before, after = pages_of(demo), pages_of(later)
    changed = {path for path in before if before[path] != after.get(path) and "_epochs" not in path}
    assert changed == set()


@pytest.mark.slow
def test_changed_incident_rewrites_only_affected_pages(tmp_path: Path) -> None:
    content = write_files(tmp_path / "content", dict(SMALL_SITE))
    before = pages_of(build(content, tmp_path / "before", NOW))
    incident = content / "incidents/slow.yaml"
    incident.write_text(incident.read_text().replace("Slow answers", "Slower answers"))
    after = pages_of(build(content, tmp_path / "after", NOW))
    changed = {path for path in before if before[path] != after[path] and "_epochs" not in path}
    assert changed == {
        "index.html",
        "history.html",
        "history/2026-q4.html",
        "incidents/slow.html",
        "uptime.html",
    }


def with_settings(tmp_path: Path, settings: str) -> Path:
    files = dict(SMALL_SITE)
    files["site.yaml"] = str(files["site.yaml"]) + settings
    return build(write_files(tmp_path / "content", files), tmp_path / "site", NOW)


def test_status_pages_can_be_disabled(tmp_path: Path) -> None:
    site = with_settings(tmp_path, "pages: {status: false}\n")
    assert not (site / "incidents/slow.html").exists()
    assert not (site / "history.html").exists()
    assert "history.html" not in (site / "index.html").read_text("utf-8")
    assert list(dead_links(site, "https://status.plinth.example")) == []


@pytest.mark.slow
def test_pages_use_configured_language(tmp_path: Path) -> None:
    page = (with_settings(tmp_path, "pages: {language: de}\n") / "index.html").read_text("utf-8")
    assert '<html lang="de">' in page
    assert "Alle Systeme in Betrieb" in page
    assert "2. Nov. 2026" in page
