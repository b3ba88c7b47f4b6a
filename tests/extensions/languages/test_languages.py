"""Further languages: their pages, feeds and calendar, beside a first language that stays as it is."""

import json
import re
from pathlib import Path

import feedparser
import pytest
from icalendar import Calendar

from statuary.base.findings import Severity
from statuary.base.primitives import parse_instant
from statuary.engine.read_content import read_content
from statuary.engine.tick import tick
from statuary.extensions.languages.documents import URLS
from statuary.extensions.languages.pages import NAMES
from statuary.registry import EXTENSIONS
from statuary.site.settings import LANGUAGES
from statuary.status.pages.pages import StatusPages
from support.browser import LOOKS, browse, html_complaints
from support.page_links import dead_links
from support.random_runs import IS_LARGE
from support.sites import (
    COMPONENTS,
    INCIDENT,
    MAINTENANCE,
    NOW,
    SITE,
    build,
    built_files,
    files_in,
    small_site,
    tree,
    write_files,
)
from support.tiers import few_by_default

ALL = ", ".join(["en", *(tag for tag in LANGUAGES if tag != "en")])
WORDS = {
    "de": "Störung",
    "es": "Incidente",
    "fr": "Incident",
    "ja": "インシデント",
    "pt": "Incidente",
    "zh": "事件",
}
OPEN = INCIDENT.partition("  - at: 2026-11-02T11:00:00Z")[0]
PAGES = ("index.html", "uptime.html", "history.html", "history/2026-q4.html", "incidents/slow.html")


@pytest.fixture
def content(tmp_path: Path) -> Path:
    return write_files(small_site(tmp_path), {"site.yaml": f"{SITE}languages: [en, de, ja]\n"})


def in_languages(content: Path, tags: str) -> Path:
    return write_files(content, {"site.yaml": f"{SITE}languages: [{tags}]\n"})


@pytest.mark.slow
def test_each_language_has_pages_and_feeds(content, tmp_path):
    files = built_files(content, tmp_path / "site")
    for tag in ("de", "ja"):
        own = {path.removeprefix(f"{tag}/") for path in files if path.startswith(f"{tag}/")}
        assert own == {
            *PAGES,
            "incidents/upgrade.html",
            "history.atom",
            "history.rss",
            "feed.json",
            "maintenances.ics",
            *(f"components/{name}/history.atom" for name in ("rpc", "blocks", "network", "explorer")),
        }
        assert all(f'<html lang="{tag}">'.encode() in files[f"{tag}/{page}"] for page in PAGES)


@pytest.mark.slow
def test_added_languages_keep_first_language_documents(content, tmp_path):
    before = files_in(write_built(write_files(content, {"site.yaml": SITE}), tmp_path / "plain"))
    after = files_in(write_built(in_languages(content, "en, de, ja"), tmp_path / "more"))
    # the pages have a switch, the index of epochs and the API page have more paths
    changed = {path for path in before if "_epochs" not in path and before[path] != after[path]}
    assert {path for path in changed if not path.endswith(".html")} == set()
    assert "api/v2/summary.json" not in changed
    added = {path for path in after if path not in before and "_epochs" not in path}
    assert {path.partition("/")[0] for path in added} == {"de", "ja"}


def write_built(content: Path, site: Path) -> Path:
    built_files(content, site)
    return site


@pytest.mark.slow
def test_disabled_languages_removes_documents(content, tmp_path):
    built_files(content, tmp_path / "site")
    write_files(content, {"site.yaml": SITE})
    assert built_files(content, tmp_path / "site") == built_files(content, tmp_path / "fresh")
    assert not (tmp_path / "site/de").exists()


@pytest.mark.slow
def test_first_language_uses_site_root(content, tmp_path):
    write_files(
        content,
        {"site.yaml": SITE + "pages: {language: de}\nlanguages: [de, en]\n", "incidents/slow.yaml": OPEN},
    )
    files = built_files(content, tmp_path / "site")
    assert b'<html lang="de">' in files["index.html"]
    assert b'<html lang="en">' in files["en/index.html"]
    assert not any(path.startswith("de/") for path in files)


@pytest.mark.parametrize(
    ("tags", "said"),
    [
        ("[en, de, de]", "language 'de' is named twice"),
        ("[en, xx]", "there are no page texts in the language 'xx'"),
        ("de", "expected a list"),
        ("[en, {de: 1}]", "expected a string"),
        ("[de, en]", "the first language is 'de', but the pages are in 'en'"),
        ("[de]", "the first language is 'de', but the pages are in 'en'"),
    ],
)
def test_invalid_languages_are_reported(content, tmp_path, tags, said):
    write_files(content, {"site.yaml": f"{SITE}languages: {tags}\n"})
    result = build(content, tmp_path / "site")
    (finding,) = [finding for finding in result.checked.all_findings if said in finding.message]
    assert finding.path == "site.yaml"
    assert finding.pointer[0] == "languages"


@pytest.mark.parametrize(
    ("settings", "tag", "suggested"),
    [
        ("languages: [english, de]", "english", "en"),
        ("languages: [English]", "English", "en"),
        ("languages: [en, deutsch]", "deutsch", "de"),
        ("languages: [en, fr-FR]", "fr-FR", "fr"),
        ("languages: [en, DE]", "DE", "de"),
        ("pages: {language: german}", "german", "de"),
        ("pages: {language: pt-BR}", "pt-BR", "pt"),
    ],
)
def test_language_name_suggests_language_tag(tmp_path, settings, tag, suggested):
    content = write_files(
        tmp_path, {"site.yaml": f"page: {{name: Plinth, url: https://plinth.example}}\n{settings}\n"}
    )
    found = [(finding.message, finding.hint) for finding in read_content(content).findings]
    assert found == [(f"there are no page texts in the language {tag!r}", f"did you mean {suggested!r}?")]


@pytest.mark.slow
def test_languages_have_no_dead_links(content, tmp_path):
    in_languages(content, ALL)
    write_files(
        content,
        {"incidents/late.yaml": OPEN, "pages/about.md": "---\ntitle: About\nnavigation: true\n---\nUs.\n"},
    )
    site = write_built(content, tmp_path / "site")
    assert list(dead_links(site, "https://status.plinth.example")) == []


@pytest.mark.slow
def test_page_links_stay_in_same_language(content, tmp_path):
    files = built_files(content, tmp_path / "site")
    for page in PAGES:
        up = "../" * page.count("/")
        text = files[f"de/{page}"].decode()
        for target in ("index.html", "uptime.html", "history.html", "maintenances.ics", "history.atom"):
            if target in text and page != f"de/{target}":
                assert f'href="../{up}{target}"' not in text.partition("<main")[0].replace(
                    f'href="../{up}{page}" hreflang="en"', ""
                ), (page, target)
    assert 'href="../de/incidents/slow.html"' in files["de/history.html"].decode()


@pytest.mark.slow
def test_pages_list_alternate_languages(content, tmp_path):
    files = built_files(content, tmp_path / "site")
    url = "https://status.plinth.example"
    for folder in ("", "de/", "ja/"):
        text = files[f"{folder}incidents/slow.html"].decode()
        found = dict(re.findall(r'<link rel="alternate" hreflang="([\w-]+)" href="([^"]+)">', text))
        assert found == {
            "en": f"{url}/incidents/slow.html",
            "x-default": f"{url}/incidents/slow.html",
            "de": f"{url}/de/incidents/slow.html",
            "ja": f"{url}/ja/incidents/slow.html",
        }
        assert f'<link rel="canonical" href="{url}/{folder}incidents/slow.html">' in text
    assert "hreflang" not in files["404.html"].decode().partition("</head>")[0]


@pytest.mark.slow
def test_feeds_and_calendar_are_translated(content, tmp_path):
    in_languages(content, ALL)
    files = built_files(content, tmp_path / "site")
    first = feedparser.parse(files["history.atom"])
    ids = {entry.id for entry in first.entries}
    for tag in WORDS:
        atom = feedparser.parse(files[f"{tag}/history.atom"])
        assert not atom.bozo
        assert (atom.feed.language, len(atom.entries)) == (tag, len(first.entries))
        assert not ids & {entry.id for entry in atom.entries}, "another language is another entry"
        assert all(f"/{tag}/incidents/" in entry.link for entry in atom.entries)
        assert "THIS IS" not in files[f"{tag}/history.atom"].decode()
        feed = json.loads(files[f"{tag}/feed.json"])
        assert (feed["language"], feed["feed_url"]) == (tag, f"https://status.plinth.example/{tag}/feed.json")
        (event,) = Calendar.from_ical(files[f"{tag}/maintenances.ics"]).walk("VEVENT")
        assert "Affects" not in event["DESCRIPTION"]
        assert event["URL"] == f"https://status.plinth.example/{tag}/incidents/upgrade"
    assert "2. Nov" not in files["history.atom"].decode()
    assert ">Behoben</strong>" in feedparser.parse(files["de/history.atom"]).entries[-1].content[0].value


@pytest.mark.slow
def test_translated_pages_after_tick_match_build(content, tmp_path):
    begun = "2026-11-21T22:30:00Z"
    site = write_built(content, tmp_path / "site")
    tick(site, parse_instant(begun))
    fresh = built_files(content, tmp_path / "fresh", begun)
    for path in (
        "de/index.html",
        "de/incidents/upgrade.html",
        "ja/index.html",
        "de/history.atom",
        "de/maintenances.ics",
    ):
        assert (site / path).read_bytes() == fresh[path], path


@pytest.mark.slow
def test_translation_exception_keeps_first_language_pages(content, tmp_path, monkeypatch):
    """An exception in pages of a further language alone withholds these, and nothing of the first."""
    plain = built_files(content, tmp_path / "plain")
    incident_page = StatusPages.incident_page

    def fails(self, record):
        if self.site.folder == "de/":
            raise ZeroDivisionError
        return incident_page(self, record)

    monkeypatch.setattr(StatusPages, "incident_page", fails)
    result = build(content, tmp_path / "site")
    assert result.applied
    assert [finding.rule for finding in result.checked.all_findings] != []
    files = tree(tmp_path / "site")
    for path in ("api/v2/summary.json", "index.html", "incidents/slow.html", "history.atom"):
        assert files[path] == plain[path]


def test_template_failing_in_translation_is_skipped(content, tmp_path):
    template = "{% if site.folder %}{{ nothing.at.all }}{% endif %}"
    write_files(
        content, {"theme/templates/legend.html": "{% macro legend() %}" + template + "{% endmacro %}"}
    )
    result = build(content, tmp_path / "site")
    assert result.applied
    assert any("legend.html" in finding.path for finding in result.checked.all_findings)
    assert (tmp_path / "site/de/index.html").is_file()


TRANSLATED = """\
name: {en: Slow answers, de: Langsame Antworten}
components:
  rpc: degraded_performance
updates:
  - at: 2026-11-02T10:00:00Z
    status: investigating
    body: {de: Wir prüfen das., en: We look into it., ja: 調査中です。}
  - {at: 2026-11-02T11:00:00Z, status: resolved, body: Over.}
"""


@pytest.mark.slow
def test_incident_and_component_texts_are_translated(content, tmp_path):
    components = {
        "components.yaml": COMPONENTS.replace(
            "name: Public RPC",
            "name: {en: Public RPC, de: Öffentlicher Knoten}\n"
            "        description: {en: Answers of nodes, de: Antworten von Knoten}",
        ).replace("name: Network", "name: {en: Network, de: Netzwerk}")
    }
    write_files(content, {"incidents/slow.yaml": TRANSLATED, **components})
    files = built_files(content, tmp_path / "site")
    incident = json.loads(files["incidents/slow.json"])["incident"]
    assert incident["name"] == "Slow answers"
    assert incident["incident_updates"][-1]["body"] == "We look into it."
    english, german, japanese = (
        files[f"{folder}incidents/slow.html"].decode() for folder in ("", "de/", "ja/")
    )
    assert "Slow answers" in english
    assert "Langsam" not in english
    assert "Langsame Antworten" in german
    assert "Wir prüfen das." in german
    assert "Over." in german
    assert "Slow answers" in japanese, "the first language stands in"
    assert "調査中です。" in japanese
    assert "Öffentlicher Knoten" in files["de/index.html"].decode()
    assert "Netzwerk" in files["de/index.html"].decode()
    assert "Antworten von Knoten" in files["de/index.html"].decode()
    assert "Public RPC" in files["ja/index.html"].decode()
    assert "Answers of nodes" in files["ja/index.html"].decode()
    listed = json.loads(files["api/v2/components.json"])["components"]
    assert [component["description"] for component in listed if component["name"] == "Public RPC"] == [
        "Answers of nodes"
    ]
    assert "Langsame Antworten" in files["de/history.atom"].decode()


@pytest.mark.slow
def test_page_description_is_translated(content, tmp_path):
    settings = (content / "site.yaml").read_text("utf-8")
    described = "  name: Plinth\n  description: {en: How the network does, de: Wie es dem Netz geht}\n"
    write_files(content, {"site.yaml": settings.replace("  name: Plinth\n", described, 1)})
    files = built_files(content, tmp_path / "site")
    pages = [files[f"{folder}index.html"].decode() for folder in ("", "de/", "ja/")]
    assert ["How the network does" in page for page in pages] == [True, False, True]
    assert ["Wie es dem Netz geht" in page for page in pages] == [False, True, False]


@pytest.mark.slow
def test_translation_edit_updates_pages(content, tmp_path):
    write_files(content, {"incidents/slow.yaml": TRANSLATED})
    built_files(content, tmp_path / "site")
    write_files(content, {"incidents/slow.yaml": TRANSLATED.replace("Langsame", "Träge")})
    assert built_files(content, tmp_path / "site") == built_files(content, tmp_path / "fresh")


@pytest.mark.parametrize(
    ("name", "said"),
    few_by_default(
        [
            ("{en: Slow, de: ''}", "the name is empty"),
            ("{en: Slow, de: [1]}", "expected a string, found a list"),
            ("{}", "expected a string, or a mapping from language to string, found an empty mapping"),
            ("{'../x': Slow}", "from language to string, found a mapping with the key '../x'"),
            ("{1: Slow}", "from language to string, found a mapping with the key '1'"),
            ("{en: Slow, 1: Slow}", "from language to string, found a mapping with the key '1'"),
            (f"{{en: Slow, de: {'x' * 300}}}", "more than 255"),
        ],
        3,
    ),
)
def test_invalid_incident_translations_are_reported(content, tmp_path, name, said):
    write_files(
        content,
        {"incidents/slow.yaml": TRANSLATED.replace("{en: Slow answers, de: Langsame Antworten}", name)},
    )
    findings = build(content, tmp_path / "site").checked.all_findings
    (told,) = [finding for finding in findings if said in finding.message]
    assert told.path == "incidents/slow.yaml"
    if "mapping from language" in said:
        assert told.hint == "write one text, or one for each language of the site: {en: …, de: …, ja: …}"


@pytest.mark.parametrize(
    ("name", "published", "said"),
    [
        ("{en: Slow, fr: Lent}", "Slow", "there is a text in 'fr', which is not a language of the site"),
        ("{de: Langsam}", "Langsam", "is not given in 'en', the first language"),
    ],
)
def test_missing_translation_gives_warning(content, tmp_path, name, published, said):
    write_files(
        content,
        {"incidents/slow.yaml": TRANSLATED.replace("{en: Slow answers, de: Langsame Antworten}", name)},
    )
    result = build(content, tmp_path / "site")
    assert result.applied
    (warning,) = [finding for finding in result.checked.all_findings if said in finding.message]
    assert (warning.path, warning.severity) == ("incidents/slow.yaml", Severity.WARNING)
    (incident,) = json.loads((tmp_path / "site/api/v2/incidents.json").read_bytes())["incidents"]
    assert incident["name"] == published


def test_single_language_site_uses_first_translation(content, tmp_path):
    write_files(content, {"site.yaml": SITE, "incidents/slow.yaml": TRANSLATED})
    files = built_files(content, tmp_path / "site")
    assert "Slow answers" in files["incidents/slow.html"].decode()
    assert "Wir prüfen das." in files["incidents/slow.html"].decode()


def test_every_language_has_name_and_folder():
    assert set(NAMES) == set(LANGUAGES)
    assert {url.pattern.partition("/")[0] for url in URLS} == set(LANGUAGES)
    (row,) = (row for row in EXTENSIONS if row.name == "languages")
    assert row.folders == LANGUAGES


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a site in every language with an outage, a maintenance and long names."""
    folder = tmp_path_factory.mktemp("site")
    content = in_languages(small_site(folder), ALL)
    write_files(content, {"incidents/late.yaml": OPEN, "maintenances/upgrade.yaml": MAINTENANCE})
    return write_built(content, folder / "out")


@pytest.mark.slow
@pytest.mark.parametrize("width", sorted({look["width"] for look in LOOKS}))
def test_translated_pages_are_accessible(site, width):
    pages = [f"{tag}/{page}" for tag in WORDS for page in (*PAGES[:3], PAGES[-1])]
    found = browse(
        site, "accessibility", paths=["index.html", *pages], widths=[width], now=NOW, whole=IS_LARGE
    )
    assert found["broken"] == []
    assert found["shifted"] == []
    assert found["acted"] == []


@pytest.mark.slow
def test_translated_pages_are_valid_html(site):
    assert html_complaints(site) == []


@pytest.mark.slow
def test_translated_page_updates_at_transition(site):
    passed = browse(
        site,
        "transition",
        path="de/index.html",
        **{"from": NOW},
        steps=[{"at": "2026-11-21T22:00:02Z"}],
    )
    before, after = passed["texts"]
    assert before["text"] != after["text"]
    assert passed["complaints"] == []


def test_single_language_adds_no_menu(content, tmp_path):
    write_files(content, {"site.yaml": f"{SITE}languages: [en]\n"})
    page = built_files(content, tmp_path / "site")["index.html"]
    assert b"hreflang" not in page
