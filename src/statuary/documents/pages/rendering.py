"""View models to pages: Jinja2 templates, everything escaped that is not markup of the house."""

from collections.abc import Mapping
from functools import lru_cache
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

from statuary.documents.document import Document
from statuary.documents.pages.frame import Frame, Head
from statuary.documents.pages.moments import Calendar, Voice
from statuary.documents.pages.texts import Texts, texts_of
from statuary.documents.url_table import (
    API_PAGE,
    CONTRACTS_HOME,
    FEED,
    HISTORY_ATOM,
    HISTORY_PAGE,
    HISTORY_RSS,
    STATUS_PAGE,
    THEME_FILE,
    UPTIME_PAGE,
    Url,
)
from statuary.domain.pages import PageSettings, ThemeBroken

TEMPLATES = files("statuary.documents.pages").joinpath("templates")

SECTION_PAGES = {
    "status": STATUS_PAGE,
    "history": HISTORY_PAGE,
    "uptime": UPTIME_PAGE,
    "contracts": CONTRACTS_HOME,
    "api": API_PAGE,
}
"""The page that each part of a site begins with."""


def section_url(section: str, settings: PageSettings) -> Url:
    """Return the page that a part of a site begins with; without a status page, what is served comes first."""
    return STATUS_PAGE if section == "api" and not settings.status else SECTION_PAGES[section]


class Renderer:
    """Renders the pages of one site.

    Attributes:
        frame: what its pages have in common.
        voice: how they speak.
    """

    def __init__(self, frame: Frame) -> None:
        """Take a frame; templates are read when they are first used."""
        self.frame = frame
        texts = texts_of(frame.settings.language, frame.settings.theme.texts)
        self.voice = Voice(texts, Calendar(frame.zone, texts))
        self._environment = _environment(frame, texts)

    def page(
        self,
        url: Url,
        template: str,
        head: Head,
        view: object,
        *,
        root: str | None = None,
        sources: tuple[str, ...] = (),
    ) -> Document:
        """Return a page as a document.

        Args:
            url: its row in the URL table.
            template: the template that it is made with.
            head: what it says of itself.
            view: what it says.
            root: the way to the site's root; the relative one if left out.
            sources: the content files that it was made from.
        """
        root = root_of(head.path) if root is None else root
        text = self._render(template, view=view, head=head, root=root, sections=self._sections(head, root))
        return Document(
            path=head.path,
            body=text.encode("utf-8", "replace"),
            media_type=url.media_type,
            cache=url.cache,
            sources=sources,
        )

    def fragment(self, template: str, **view: object) -> Markup:
        """Return a part of a page, for one that stands on several."""
        return Markup(self._render(template, **view))  # noqa: S704 - a template escapes

    def _render(self, template: str, **values: object) -> str:
        """Render a template.

        Raises:
            ThemeBroken: if a template of the theme does what cannot be done; the package's own do not.
        """
        own = [name for name, _ in self.frame.settings.theme.templates]
        try:
            return self._environment.get_template(template).render(**values)
        except (TemplateError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            if not own:
                raise
            name = getattr(error, "name", None)
            told = name if name in own else template if template in own else own[0]
            raise ThemeBroken(told, str(error), getattr(error, "lineno", 0)) from error

    def _sections(self, head: Head, root: str) -> list[dict[str, Any]]:
        return [
            {
                "name": self.voice.texts(f"section.{section}"),
                "href": root + section_url(section, self.frame.settings).path(),
                "current": section == head.section,
            }
            for section in self.frame.sections
        ]


@lru_cache(maxsize=4)
def renderer_of(frame: Frame) -> Renderer:
    """Return the renderer of a site's pages; the same one for equal frames, so that templates are read once."""
    return Renderer(frame)


def root_of(path: str) -> str:
    """Return the way from a page to the site's root, so that a site works in any folder of a host."""
    return "../" * path.count("/")


def _environment(frame: Frame, texts: Texts) -> Environment:
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
    file = TEMPLATES.joinpath(name.removeprefix("package/"))
    return file.read_text("utf-8") if file.is_file() else None


def _globals(frame: Frame, texts: Texts) -> dict[str, Any]:
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


def _teller(texts: Texts) -> Any:
    def tell(key: str, /, **parts: object) -> Markup:
        """Return a text whose gaps hold markup."""
        return Markup(escape(texts(key))).format(**parts)  # noqa: S704 - the text is escaped, `format` escapes the parts

    return tell
