"""The catalogues of page texts: with the gaps of the English ones, and used."""

import re
import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path
from string import Formatter
from typing import Any
from zoneinfo import ZoneInfo

import orjson
import pytest
from babel import Locale
from babel.dates import format_skeleton

import statuary
from statuary.site.pages.page_texts import page_texts
from statuary.site.pages.site_context import DateFormatter
from statuary.site.settings import LANGUAGES
from support.requirements import CHECKOUT

PACKAGE = Path(statuary.__file__).parent
ENGLISH = page_texts("en").by_key
TEXTS = sorted({file.parent for file in PACKAGE.rglob("texts/*.json")})


def gaps(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_every_language_has_status_texts() -> None:
    for section in ("site", "status"):
        files = (PACKAGE / section / "pages/texts").glob("*.json")
        assert tuple(sorted(file.stem for file in files)) == LANGUAGES


@pytest.mark.parametrize("folder", TEXTS, ids=lambda folder: folder.relative_to(PACKAGE).as_posix())
def test_translations_match_english_keys_and_placeholders(folder: Path) -> None:
    """A text may have no translation yet: pages show the English one, and `.ci/check-release` lists it."""
    texts = {file.stem: _flat(orjson.loads(file.read_bytes())) for file in folder.glob("*.json")}
    assert set(texts) <= set(LANGUAGES)
    english = {key: gaps(text) for key, text in texts["en"].items()}
    for own in texts.values():
        known = {key: text for key, text in own.items() if not key.startswith("description.")}
        assert {key: gaps(text) for key, text in known.items()} == {key: english.get(key) for key in known}


def test_text_direction_follows_language_script() -> None:
    """Arabic, Hebrew and Persian run from right to left, and Latin transcriptions of them do not."""
    directions = {
        tag: page_texts(tag).direction for tag in ("he", "ar-EG", "fa", "uz-Arab", "az", "he-Latn", "en")
    }
    assert directions == {
        "he": "rtl",
        "ar-EG": "rtl",
        "fa": "rtl",
        "uz-Arab": "rtl",
        "az": "ltr",
        "he-Latn": "ltr",
        "en": "ltr",
    }


def test_release_check_reports_missing_translations(tmp_path: Path) -> None:
    for file in (CHECKOUT / ".ci/check-release", CHECKOUT / "pyproject.toml", CHECKOUT / "CHANGELOG.md"):
        (tmp_path / file.relative_to(CHECKOUT)).parent.mkdir(exist_ok=True)
        shutil.copy(file, tmp_path / file.relative_to(CHECKOUT))
    texts, further = (tmp_path / "src/statuary" / name / "pages/texts" for name in ("status", "site"))
    for folder in (texts, further):
        folder.mkdir(parents=True)
    (tmp_path / "src/statuary/version.py").write_text("")
    (texts / "en.json").write_text('{"incident": {"began": "Began", "cause": "Cause"}}')
    (texts / "de.json").write_text('{"incident": {"began": "Beginn"}}')
    (further / "en.json").write_text('{"page": {"copy": "Copy"}}')
    script = [sys.executable, str(tmp_path / ".ci/check-release")]
    done = subprocess.run(script, capture_output=True, encoding="utf-8", check=False)
    assert "src/statuary/status/pages/texts/de.json: without a translation: incident.cause" in done.stdout
    assert "src/statuary/site/pages/texts/de.json: without a translation: page.copy" in done.stdout


def _flat(table: dict[str, Any], prefix: str = "") -> dict[str, str]:
    flat: dict[str, str] = {}
    for key, value in table.items():
        flat |= _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
    return flat


def test_every_page_text_is_used() -> None:
    sources = [file for kind in ("*.py", "*.html") for file in PACKAGE.rglob(kind)]
    code = "\n".join(path.read_text("utf-8") for path in sources)
    stems = set(re.findall(r"[\"']([a-z_]+\.[a-z_.]*)", code)) | set(re.findall(r"f[\"']([a-z_.]+)\{", code))

    def used(key: str) -> bool:
        return any(
            key == stem or (stem.endswith((".", "_")) and key.startswith(stem)) for stem in stems
        ) or any(key == f"{stem}.{number}" for stem in stems for number in ("one", "other"))

    assert [key for key in ENGLISH if not used(key)] == []


def test_site_setting_overrides_single_page_text() -> None:
    assert page_texts("en", (("section.status", "State"),))("section.status") == "State"


def test_page_numbers_use_language_format() -> None:
    assert page_texts("en").number(1234567) == "1,234,567"
    assert page_texts("de").number(1234567) == "1.234.567"
    assert page_texts("fr").number(1234567) == "1\u202f234\u202f567"
    assert page_texts("de").decimal(99.9, 2) == "99,90"
    assert [page_texts("en").percent(value) for value in (100, 99.949, 0)] == ["100%", "99.95%", "0.00%"]
    assert page_texts("de").percent(99.9) == "99,90\N{NO-BREAK SPACE}%"
    assert page_texts("en").count("uptime.days_with_issues", 1) == "1 day with issues"


@pytest.mark.parametrize("language", LANGUAGES)
def test_number_formats_match_cldr(language: str) -> None:
    texts, locale = page_texts(language), Locale.parse(language)
    symbols = locale.number_symbols["latn"]
    assert (texts("number.group"), texts("number.point")) == (symbols["group"], symbols["decimal"])
    percent = locale.percent_formats[None].pattern.replace("#,##0", "{percent}")
    assert texts("number.percent") == percent
    singular = [number for number in range(1000) if locale.plural_form(number) == "one"]
    assert texts("number.singular").split() == [str(number) for number in singular]


@pytest.mark.parametrize(
    "language", sorted({*LANGUAGES} - {"en"})
)  # English pages write the day first, as in 5 Nov 2026
def test_date_formats_match_cldr(language: str) -> None:
    dates = DateFormatter(ZoneInfo("Etc/UTC"), page_texts(language))
    for month in range(1, 13):
        for number in range(1, 8):
            day = date(2026, month, number)
            short = dates.short_day(day)
            assert short.text == format_skeleton("yMMMd", day, locale=language)
            assert short.brief == format_skeleton("MMMd", day, locale=language)
            assert dates.month(2026, month).text == format_skeleton("yMMMM", day, locale=language)
            names = Locale.parse(language).days["format"]
            name = page_texts(language)(f"weekday.{day.isoweekday()}")
            assert name in (names["wide"][day.weekday()], names["abbreviated"][day.weekday()])


@pytest.mark.parametrize("language", LANGUAGES)
def test_short_weekday_names_are_distinct(language: str) -> None:
    names = [page_texts(language)(f"weekday_short.{day}") for day in range(1, 8)]
    assert len(set(names)) == 7
    assert max(map(len, names)) <= 3


def test_custom_language_falls_back_to_english() -> None:
    texts = page_texts("it", (("section.status", "Stato"),))
    assert (texts.language, texts("section.status"), texts("section.uptime")) == ("it", "Stato", "Uptime")
