"""Findings about a theme."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from statuary.base.findings import Finding, Position, Severity, Suggestions
from statuary.site.pages.page_texts import DEFAULT_LANGUAGE, invalid_texts, page_texts
from statuary.site.settings import PageSettings, ThemeError
from statuary.site.site_content import Fault
from statuary.source.file_kinds import THEME

THEME_TEMPLATES = "template-error"
"""The rule of findings about templates; the pages are made without them."""


def theme_text_findings(settings: PageSettings, extensions: Collection[str]) -> Iterator[Finding]:
    """Yield a finding for each text of a theme that is unusable.

    For example, a text with an unknown placeholder is unusable.

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
            hint=suggestions.suggest_similar(key)
            or "the page *Text keys* of the manual lists the keys and their placeholders",
        )


def without_invalid_texts(
    settings: PageSettings, extensions: Collection[str], findings: list[Finding]
) -> PageSettings:
    """Return the page settings without texts that cannot be used.

    A theme can replace texts. For example, a text with an unknown placeholder cannot be used.

    Args:
        settings: the settings of pages, with the theme.
        extensions: the keys of enabled extensions.
        findings: receives a finding for each text that is left out.
    """
    found = list(theme_text_findings(settings, extensions))
    invalid = {".".join(map(str, finding.pointer)) for finding in found}
    findings += found
    texts = tuple(text for text in settings.theme.texts if text[0] not in invalid)
    return replace(settings, theme=settings.theme._replace(texts=texts))


REPLACEMENTS = {
    ".html": "statuary's own template is used",
    ".css": "pages have only statuary's own style",
    ".yaml": "statuary's own text is used",
    ".yml": "statuary's own text is used",
}
"""What pages have instead of a theme's file, by the end of its name."""


def theme_faults(findings: Iterable[Finding]) -> tuple[Fault, ...]:
    """Return the errors in a theme's files.

    A build continues despite these errors.

    Args:
        findings: the findings about the theme.
    """
    return tuple(
        Fault(finding, REPLACEMENTS.get(PurePosixPath(finding.path).suffix, "the file is left out"))
        for finding in findings
        if finding.severity is Severity.ERROR and finding.path.startswith(f"{THEME}/")
    )


def failing_template_finding(error: ThemeError) -> Finding:
    """Return the finding about a theme's template that cannot be rendered.

    Pages use statuary's own template instead.
    """
    return Finding(
        rule=THEME_TEMPLATES,
        path=f"theme/templates/{error.template}",
        message=f"cannot render the template: {error}; pages use statuary's own template instead",
        hint=f"fix the template, or extend package/{error.template} and change less",
        position=Position(error.line, 1) if error.line else None,
    )
