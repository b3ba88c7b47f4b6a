"""What a site changes of the look of its pages, and what becomes of a theme that is broken."""

from pathlib import Path

import pytest

from statuary.domain.findings import Finding
from statuary.domain.primitives import parse_instant
from statuary.pipeline.build import build_site, check_site
from statuary.pipeline.progress import NoProgress
from statuary.publishing.folder.folder_target import FolderTarget
from support.browser import build
from support.sites import NOW, SMALL_SITE, write_files

LOGO = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0h1v1z"/></svg>'


def content_with(tmp_path: Path, **theme: str | bytes) -> Path:
    files: dict[str, str | bytes | None] = dict(SMALL_SITE)
    files |= {f"theme/{path}": body for path, body in theme.items()}
    return write_files(tmp_path / "content", files)


def themed(tmp_path: Path, theme: dict[str, str | bytes]) -> Path:
    return build(content_with(tmp_path, **theme), tmp_path / "site", NOW)


def findings_of(tmp_path: Path, theme: dict[str, str | bytes]) -> list[Finding]:
    checked = check_site(content_with(tmp_path, **theme), parse_instant(NOW), NoProgress())
    return checked.all_findings


def test_a_stylesheet_follows_that_of_the_package(tmp_path: Path) -> None:
    site = themed(tmp_path, {"style.css": ":root { --accent: #b3006b; }\n"})
    style = (site / "assets/statuary.css").read_text("utf-8")
    assert style.endswith(":root { --accent: #b3006b; }\n")
    assert style.index("--accent: #2746c7") < style.index("--accent: #b3006b")


def test_a_logo_is_beside_the_name(tmp_path: Path) -> None:
    site = themed(tmp_path, {"logo.svg": LOGO})
    assert (site / "assets/theme/logo.svg").read_bytes() == LOGO
    assert '<img src="assets/theme/logo.svg" alt="" height="28">' in (site / "index.html").read_text("utf-8")
    assert '<img src="../assets/theme/logo.svg"' in (site / "incidents/slow.html").read_text("utf-8")


def test_a_template_replaces_the_package_s_and_can_extend_it(tmp_path: Path) -> None:
    template = '{% extends "package/status.html" %}{% block footer %}<p>Ours: {{ site.name }}</p>{{ super() }}{% endblock %}'
    page = (themed(tmp_path, {"templates/status.html": template}) / "index.html").read_text("utf-8")
    assert "<p>Ours: Plinth</p>" in page
    assert "Subscribe</summary>" in page


def test_single_texts_can_be_changed(tmp_path: Path) -> None:
    page = (
        themed(tmp_path, {"texts/en.yaml": "subscribe: {button: Stay informed}\n"}) / "index.html"
    ).read_text()
    assert "Stay informed" in page
    assert "Subscribe</summary>" not in page


def test_a_language_that_the_package_lacks_is_a_file(tmp_path: Path) -> None:
    files: dict[str, str | bytes | None] = dict(SMALL_SITE)
    files["site.yaml"] = f"{SMALL_SITE['site.yaml']}pages: {{language: fr}}\n"
    files["theme/texts/fr.yaml"] = "section: {status: État}\n"
    page = (build(write_files(tmp_path / "content", files), tmp_path / "site", NOW) / "index.html").read_text(
        "utf-8"
    )
    assert '<html lang="fr">' in page
    assert "État" in page
    assert "Uptime" in page  # English where the file says nothing


def test_an_unknown_language_is_a_finding(tmp_path: Path) -> None:
    files: dict[str, str | bytes | None] = dict(SMALL_SITE)
    files["site.yaml"] = f"{SMALL_SITE['site.yaml']}pages: {{language: fr}}\n"
    checked = check_site(write_files(tmp_path / "content", files), parse_instant(NOW), NoProgress())
    (finding,) = checked.all_findings
    assert (finding.rule, finding.path) == ("known-language", "site.yaml")
    assert "theme/texts/fr.yaml" in finding.hint


@pytest.mark.parametrize(
    ("path", "body", "rule", "message"),
    [
        ("texts/en.yaml", "nonsense: {key: x}\n", "theme-texts", "no page has a text with this key"),
        ("texts/en.yaml", "past: {title: 'Past {years}'}\n", "theme-texts", "unknown placeholder {years}"),
        ("texts/en.yaml", "past: {title: '{days.__class__}'}\n", "theme-texts", "unknown placeholder"),
        ("texts/en.yaml", "past: {title: '{days!r}'}\n", "theme-texts", "unknown placeholder"),
        ("texts/en.yaml", "past: {title: '{days'}\n", "theme-texts", "its braces are not balanced"),
        ("texts/en.yaml", "- a\n", "readable-text", "is not a text"),
        ("templates/status.html", "{% if %}", "theme-templates", "cannot render the template"),
        ("templates/status.html", "{{ nowhere.at.all }}", "theme-templates", "'nowhere' is undefined"),
        ("templates/base.html", "{{ ''.__class__.__mro__ }}", "theme-templates", "unsafe"),
        (
            "templates/base.html",
            "{% include '/proc/self/environ' %}",
            "theme-templates",
            "/proc/self/environ",
        ),
        ("templates/base.html", "{{ t('no.such') }}", "theme-templates", "no.such"),
        ("templates/404.txt", "x", None, ""),
        ("surprise.exe", b"MZ", "known-files", "unknown file; it is "),
    ],
)
def test_mistakes_in_a_theme_are_findings(
    tmp_path: Path, path: str, body: str | bytes, rule: str | None, message: str
) -> None:
    found = findings_of(tmp_path, {path: body})
    assert {finding.rule for finding in found} == ({rule} if rule else set())
    assert all(message in finding.message and finding.path == f"theme/{path}" for finding in found)


def test_a_mistake_in_a_template_is_found_at_its_line(tmp_path: Path) -> None:
    (finding,) = findings_of(tmp_path, {"templates/status.html": "<p>\n{% for %}\n"})
    assert finding.position is not None
    assert finding.position.line == 2


def test_a_broken_list_template_leaves_the_site_unchanged(tmp_path: Path) -> None:
    content = content_with(tmp_path, **{"templates/api.html": "{{ nowhere }}"})
    with FolderTarget(tmp_path / "site") as publication:
        outcome = build_site(content, publication, parse_instant(NOW), NoProgress())
    assert outcome.plan is None
    assert [finding.rule for finding in outcome.checked.findings] == ["theme-templates"]
    assert not (tmp_path / "site/index.html").exists()
