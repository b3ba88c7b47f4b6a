"""The catalogues of page texts: complete, with the same gaps, and used."""

import re
from pathlib import Path
from string import Formatter

import pytest

import statuary.documents.pages as package
from statuary.documents.pages.page_texts import languages, page_texts
from statuary.domain.settings import LANGUAGES
from statuary.extensions import own_pages

PACKAGE = Path(package.__file__).parent
ENGLISH = page_texts("en").by_key


def gaps(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_the_languages_are_those_that_settings_know() -> None:
    assert languages() == LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_text_with_the_same_placeholders(language: str) -> None:
    own = page_texts(language).by_key
    described = {key for key in own if key.startswith("description.")}
    assert set(own) - described == set(ENGLISH)
    assert {key for key in ENGLISH if gaps(own[key]) != gaps(ENGLISH[key])} == set()


def test_every_text_is_used() -> None:
    folders = (PACKAGE, Path(own_pages.__file__).parent)  # own pages take their texts from here
    sources = [file for folder in folders for kind in ("*.py", "*.html") for file in folder.rglob(kind)]
    code = "\n".join(path.read_text("utf-8") for path in sources)
    stems = set(re.findall(r"[\"']([a-z_]+\.[a-z_.]*)", code)) | set(re.findall(r"f[\"']([a-z_.]+)\{", code))

    def used(key: str) -> bool:
        return any(
            key == stem or (stem.endswith((".", "_")) and key.startswith(stem)) for stem in stems
        ) or any(key == f"{stem}.{number}" for stem in stems for number in ("one", "other"))

    assert [key for key in ENGLISH if not used(key)] == []


def test_a_site_changes_single_texts() -> None:
    assert page_texts("en", (("section.status", "State"),))("section.status") == "State"


def test_numbers_follow_the_language() -> None:
    assert page_texts("en").number(1234567) == "1,234,567"
    assert page_texts("de").number(1234567) == "1'234'567"
    assert page_texts("de").decimal(99.9, 2) == "99,90"
    assert page_texts("en").count("uptime.days_with_issues", 1) == "1 day with issues"


def test_a_custom_language_falls_back_to_english() -> None:
    texts = page_texts("fr", (("section.status", "État"),))
    assert (texts.language, texts("section.status"), texts("section.uptime")) == ("fr", "État", "Uptime")
