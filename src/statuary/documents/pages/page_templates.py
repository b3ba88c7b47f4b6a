"""The templates of one site: Jinja2, everything escaped that is not markup of the house."""

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from jinja2 import (
    BaseLoader,
    ChoiceLoader,
    DictLoader,
    Environment,
    FunctionLoader,
    StrictUndefined,
    TemplateError,
)
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup, escape

from statuary.documents.pages.page_context import PageContext
from statuary.documents.pages.page_texts import PageTexts
from statuary.documents.pages.section_pages import section_url
from statuary.documents.url_table import FEED, HISTORY_ATOM, HISTORY_RSS, THEME_FILE
from statuary.domain.page_settings import ThemeError

FOLDER = files("statuary.documents.pages").joinpath("templates")


class PageTemplates:
    """The templates of one site: those of the package, and those that its theme has instead."""

    def __init__(self, frame: PageContext, texts: PageTexts) -> None:
        """Take a frame, and what its pages say; a template is read when it is first used."""
        self._own = [name for name, _ in frame.settings.theme.templates]
        self._environment = _environment(frame, texts)

    def render(self, template: str, **values: object) -> str:
        """Render a template.

        Raises:
            ThemeBroken: if a template of the theme does what cannot be done; the package's own do not.
        """
        try:
            return self._environment.get_template(template).render(**values)
        except (TemplateError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            if not self._own:
                raise
            name = getattr(error, "name", None)
            told = name if name in self._own else template if template in self._own else self._own[0]
            raise ThemeError(told, str(error), getattr(error, "lineno", 0)) from error


def _environment(frame: PageContext, texts: PageTexts) -> Environment:
    theme = dict(frame.settings.theme.templates)
    # templates of the package are code; those of content may come with a pull request
    kind = ImmutableSandboxedEnvironment if theme else Environment
    environment = kind(
        loader=_loader(theme),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.globals |= _globals(frame, texts)
    return environment


def _loader(theme: Mapping[str, str]) -> BaseLoader:
    return ChoiceLoader([DictLoader(theme), FunctionLoader(_package_template)])


def _package_template(name: str) -> str | None:
    # `package/…` is the template that a theme's own replaces, so that it can extend it
    file = FOLDER.joinpath(name.removeprefix("package/"))
    return file.read_text("utf-8") if file.is_file() else None


def _globals(frame: PageContext, texts: PageTexts) -> dict[str, Any]:
    theme = frame.settings.theme
    return {
        "site": frame,
        "say": texts,
        "tell": _teller(texts),
        "api_page": section_url("api", frame.settings).path(),
        "logo": THEME_FILE.path(name=theme.logo) if theme.logo else "",
        "feeds": [
            (HISTORY_ATOM.path(), HISTORY_ATOM.media_type, "Atom"),
            (HISTORY_RSS.path(), HISTORY_RSS.media_type, "RSS"),
            (FEED.path(), FEED.media_type, "JSON Feed"),
        ]
        if frame.settings.status
        else [],
    }


def _teller(texts: PageTexts) -> Any:
    def tell(key: str, /, **parts: object) -> Markup:
        """Return a text whose gaps hold markup."""
        return Markup(escape(texts(key))).format(**parts)  # noqa: S704 - the text is escaped, `format` escapes the parts

    return tell
