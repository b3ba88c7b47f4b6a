"""What pages show of a log: parts of the extension, which a theme may change, and whose absence is no error."""

import re

import pytest

from statuary.base.findings import has_errors
from statuary.site.pages.page_parts import page_parts_of_extensions
from statuary.site.pages.page_texts import page_texts
from statuary.site.settings import LANGUAGES
from support.logs import LOGGED_SITE, built, logged, run_with
from support.sites import SITE, path_of, write_files

(PARTS,) = page_parts_of_extensions(["log"])
THEME = {
    "theme/texts/en.yaml": "log: {proof: 'Evidence in the log'}\n",
    "theme/templates/log_incident.html": "<p>before</p>{% include 'package/log_incident.html' %}",
}


def gaps(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


@pytest.mark.parametrize("language", LANGUAGES)
def test_log_translations_match_english_placeholders(language):
    core = page_texts(language).by_key
    english, own = (
        {key: text for key, text in page_texts(tag, (), (PARTS.folder,)).by_key.items() if key not in core}
        for tag in ("en", language)
    )
    assert own.keys() == english.keys()
    assert {key: gaps(text) for key, text in own.items()} == {
        key: gaps(text) for key, text in english.items()
    }
    templates = "".join(file.read_text("utf-8") for file in PARTS.folder.glob("templates/*.html"))
    assert own.keys() == set(re.findall(r"t\('([\w.]+)'", templates))


@pytest.mark.slow
def test_theme_overrides_log_texts_and_templates(tmp_path):
    content = write_files(tmp_path / "content", LOGGED_SITE | THEME)
    assert not has_errors(logged(content, tmp_path / "site").checked.all_findings)
    page = (tmp_path / "site/incidents/slow.html").read_text("utf-8")
    assert "<p>before</p>" in page
    assert "Evidence in the log" in page
    result = logged(write_files(content, {"site.yaml": SITE}), tmp_path / "site", "2026-11-21T12:00:00Z")
    assert result.checked.all_findings == []
    page = (tmp_path / "site/incidents/slow.html").read_text("utf-8")
    assert "before" not in page
    assert "assets/log.js" not in page
    assert not (tmp_path / "site/assets/log.js").exists()


@pytest.mark.parametrize("text", ["log: {nonsense: x}", "log: {proof: 'Evidence {nonsense}'}"])
def test_unknown_theme_text_reports_finding(tmp_path, text):
    files = {path: body for path, body in LOGGED_SITE.items() if path != path_of(1)}
    content = write_files(tmp_path / "content", files | {"theme/texts/en.yaml": f"{text}\n"})
    result = built(content, tmp_path / "site", options=run_with(key=None))
    assert "invalid-theme-text" in {finding.rule for finding in result.checked.skipped}
