"""Findings about a theme."""

from collections.abc import Collection, Iterator

from statuary.base.findings import Finding, Position, Suggestions
from statuary.site.pages.page_texts import DEFAULT_LANGUAGE, invalid_texts, page_texts
from statuary.site.settings import PageSettings, ThemeError

THEME_TEMPLATES = "template-error"
"""The rule of findings about templates; the pages are made without them."""


def text_findings(settings: PageSettings, extensions: Collection[str]) -> Iterator[Finding]:
    """Yield a finding for each unusable text of a theme.

    Args:
        settings: the settings of pages, with the theme.
        extensions: the keys of enabled extensions.
    """
    suggestions = Suggestions(page_texts(DEFAULT_LANGUAGE).by_key)
    for key, problem in invalid_texts(settings.theme.texts, extensions):
        yield Finding(
            rule="invalid-theme-text",
            path=f"theme/texts/{settings.language}.yaml",
            pointer=tuple(key.split(".")),
            message=f"cannot use the page text {key!r}: {problem}",
            hint=suggestions.suggest(key)
            or "the page *Text keys* of the manual lists the keys and their placeholders",
        )


def template_finding(error: ThemeError) -> Finding:
    """Return the finding for a theme's template that cannot be rendered.

    Pages use statuary's own template instead.
    """
    return Finding(
        rule=THEME_TEMPLATES,
        path=f"theme/templates/{error.template}",
        message=f"cannot render the template: {error}; the page is built without it",
        hint=f"fix it, or extend package/{error.template} and change less",
        position=Position(error.line, 1) if error.line else None,
    )
