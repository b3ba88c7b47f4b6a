"""No translation stays behind an English text that changed."""

import pytest

from statuary.site.settings import LANGUAGES
from support.translations import (
    LANGUAGES as RECORDED_LANGUAGES,
)
from support.translations import (
    current_digests,
    recorded_digests,
    stale_translations,
)

TEXT = ("e1", "d1", "s1", "f1", "j1", "p1", "z1")

CHANGES = {
    "nothing": (TEXT, []),
    "English alone": (("e2", *TEXT[1:]), ["key: de, es, fr, ja, pt, zh"]),
    "English and three": (("e2", "d2", "s2", "f2", *TEXT[4:]), ["key: ja, pt, zh"]),
    "all": (("e2", "d2", "s2", "f2", "j2", "p2", "z2"), []),
    "a translation alone": (("e1", "d2", *TEXT[2:]), []),
    "English, and translations removed": (("e2", "-", "-", "-", "-", "-", "-"), []),
    "English, and one removed": (("e2", "-", "s2", "f2", "j2", "p2", "z1"), ["key: zh"]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_changed_english_text_reports_stale_translations(change: str) -> None:
    current, stale = CHANGES[change]
    assert list(stale_translations({"key": TEXT}, {"key": current})) == stale


def test_untranslated_new_text_is_not_stale() -> None:
    assert list(stale_translations({}, {"key": ("e1", "-", "-", "-", "-", "-", "-")})) == []


def test_later_added_translation_is_not_stale() -> None:
    recorded = {"key": ("e1", "-", "-", "-", "-", "-", "-")}
    assert list(stale_translations(recorded, {"key": TEXT})) == []


def test_shipped_translations_are_not_stale() -> None:
    recorded, current = recorded_digests(), current_digests()
    assert list(stale_translations(recorded, current)) == []
    assert recorded == current, "write the digests again: python tests/support/regenerate.py translations"


def test_translation_digests_cover_every_language() -> None:
    assert set(RECORDED_LANGUAGES) == set(LANGUAGES)
