"""What is wrong with a site's theme, before anything is made with it."""

from collections.abc import Iterator

from statuary.documents.pages.page_texts import invalid_texts
from statuary.domain.findings import Finding, Position
from statuary.domain.page_settings import PageSettings, ThemeError


def text_findings(settings: PageSettings) -> Iterator[Finding]:
    """Yield a finding for each text of the theme that no page can say."""
    for key, problem in invalid_texts(settings.theme.texts):
        yield Finding(
            rule="theme-texts",
            path=f"theme/texts/{settings.language}.yaml",
            pointer=tuple(key.split(".")),
            message=f"the page text {key!r} cannot be used: {problem}",
            hint="take keys and gaps from the package's own texts",
        )


def template_finding(broken: ThemeError) -> Finding:
    """Return the finding for a template that cannot be rendered."""
    return Finding(
        rule="theme-templates",
        path=f"theme/templates/{broken.template}",
        message=f"the template cannot be rendered: {broken}",
        hint=f"mend it, or extend package/{broken.template} and change less",
        position=Position(broken.line, 1) if broken.line else None,
    )
