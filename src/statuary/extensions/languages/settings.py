"""The key `languages` of site.yaml."""

from typing import Annotated, NamedTuple

from pydantic import AfterValidator
from typing_extensions import override

from statuary.base.findings import did_you_mean
from statuary.base.primitives import InvalidValueError
from statuary.engine.extension_settings import ExtensionSource
from statuary.site.settings import LANGUAGE_NAMES, LANGUAGES, suggest_language
from statuary.source.source_model import Text


class LanguageSettings(NamedTuple):
    """A site's languages as BCP 47 tags, such as `en` and `pt-BR`.

    The first is `pages.language`, with pages at the root.
    """

    tags: tuple[str, ...]

    @property
    def additional_languages(self) -> tuple[str, ...]:
        """All languages except the first; each has its own folder of pages."""
        return self.tags[1:]


def _validate_tags(language_tags: tuple[str, ...]) -> tuple[str, ...]:
    """Check that languages are unique and have page texts.

    Raises:
        InvalidValueError: if a language is repeated, or a further one has no texts.
    """
    for place, tag in enumerate(language_tags):
        if tag in language_tags[:place]:
            raise InvalidValueError(f"language {tag!r} is named twice", "list each language once")
        if tag.lower() in LANGUAGE_NAMES or (place and tag not in LANGUAGES):
            raise InvalidValueError(
                f"there are no page texts in the language {tag!r}",
                suggest_language(tag)
                or did_you_mean(tag, LANGUAGES)
                or f"choose a further language from {', '.join(LANGUAGES)}; a language of your theme can only be the first",
            )
    return language_tags


class SiteLanguagesSource(ExtensionSource):
    """The key `languages` of site.yaml."""

    languages: Annotated[tuple[Text, ...], AfterValidator(_validate_tags)] = ()
    """The languages of the site, such as `[en, de]`. The first must be that of `pages.language`. Pages in the
    other languages are in folders such as `/de/`."""

    @override
    def to_settings(self) -> LanguageSettings | None:
        """Return the settings, or None if site.yaml lists no languages."""
        return LanguageSettings(self.languages) if self.languages else None
