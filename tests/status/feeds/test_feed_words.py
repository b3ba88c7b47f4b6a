"""The words of feeds, the calendar and badges in the language of the pages."""

import json
from pathlib import Path

import pytest

from statuary.site.pages.page_texts import page_texts
from statuary.site.settings import LANGUAGES
from statuary.status.feeds.feed_words import ENGLISH, feed_words
from statuary.status.model.vocabulary import STANDARD_BODIES
from support.sites import SITE, built_files, small_site, write_files

OTHERS = [tag for tag in LANGUAGES if tag != "en"]
STARTED = "2026-11-21T22:10:00Z"
ENGLISH_BODY = "Scheduled maintenance is currently in progress. We will provide updates as necessary."


def test_english_feed_keeps_standard_update_texts() -> None:
    texts = page_texts("en")
    assert {body: texts(f"body.{name}") for body, name in STANDARD_BODIES.items()} == {
        body: body for body in STANDARD_BODIES
    }
    assert feed_words(texts) is ENGLISH
    assert ENGLISH.translate_body(ENGLISH_BODY) == ENGLISH_BODY


@pytest.mark.parametrize("language", OTHERS)
def test_feed_translates_standard_update_texts(language: str) -> None:
    words = feed_words(page_texts(language))
    assert {body for body in STANDARD_BODIES if words.translate_body(body) == body} == set()
    assert words.translate_body("The disk is full.") == "The disk is full."
    assert words.translate_description("All Systems Operational") != "All Systems Operational"


@pytest.fixture
def german(tmp_path: Path) -> dict[str, bytes]:
    content = write_files(small_site(tmp_path), {"site.yaml": f"{SITE}pages: {{language: de}}\n"})
    return built_files(content, tmp_path / "site", STARTED)


def test_german_site_has_german_badges(german: dict[str, bytes]) -> None:
    messages = {
        path: json.loads(german[path])["message"]
        for path in ("badge.json", "components/rpc/badge.json", "components/explorer/badge.json")
    }
    assert messages == {
        "badge.json": "Wartung läuft",
        "components/rpc/badge.json": "In Wartung",
        "components/explorer/badge.json": "In Betrieb",
    }
    assert "In Wartung" in german["components/rpc/badge.svg"].decode()


def test_german_site_has_german_automatic_updates(german: dict[str, bytes]) -> None:
    body = page_texts("de")("body.in_progress")
    for path in ("index.html", "incidents/upgrade.html", "history.atom", "feed.json", "maintenances.ics"):
        text = german[path].decode().replace("\r\n ", "")
        assert ENGLISH_BODY not in text, path
        assert body in text, path
    assert json.loads(german["feed.json"])["language"] == "de"


def test_german_site_keeps_english_api(german: dict[str, bytes]) -> None:
    summary = json.loads(german["api/v2/summary.json"])
    assert summary["status"]["description"] == "Service Under Maintenance"
    [window] = summary["scheduled_maintenances"]
    assert window["incident_updates"][0]["body"] == ENGLISH_BODY
