"""The language menu in the header of pages."""

from collections.abc import Mapping
from pathlib import Path

from statuary.extensions.languages.settings import LanguageSettings
from statuary.site.pages.page_parts import PageParts

NAMES = {
    "de": "Deutsch",
    "en": "English",
    "es": "Español",
    "fr": "Français",
    "ja": "日本語",
    "pt": "Português",
    "zh": "中文",
}
"""Languages in their own words; one that only a theme has is shown by its tag."""


def _make_language_template_values(settings: LanguageSettings) -> Mapping[str, str]:
    """Return the menu of languages, for the page's template.

    `rows` has one line for each language: tag, name and folder, separated by tabs. It is empty if the site has
    one language.
    """
    if not settings.additional_languages:
        return {"rows": ""}
    folders = ("", *(f"{tag}/" for tag in settings.additional_languages))
    rows = zip(settings.tags, folders, strict=True)
    return {"rows": "\n".join(f"{tag}\t{NAMES.get(tag, tag)}\t{folder}" for tag, folder in rows)}


PARTS = PageParts(
    folder=Path(__file__).parent,
    urls=(),
    slots={"head": "languages_head.html", "masthead": "languages_switch.html"},
    scripts={},
    values=_make_language_template_values,
)
