"""The site's templates: Jinja2 with autoescaping, replaceable by a theme."""

import re
import sys
import traceback
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

from jinja2 import (
    DictLoader,
    Environment,
    FileSystemBytecodeCache,
    FunctionLoader,
    StrictUndefined,
    compiler,
    nodes,
)
from jinja2.bccache import Bucket
from markupsafe import Markup, escape
from typing_extensions import override

from statuary.base.primitives import is_utc
from statuary.site.pages.page_parts import CORE_FOLDERS, PageParts
from statuary.site.pages.page_policy import forbidden_markup_error
from statuary.site.pages.page_texts import PageTexts
from statuary.site.pages.site_context import SiteContext, frame_links, section_url
from statuary.site.pages.states import IMPACT_STATES, STATUS_STATES
from statuary.site.settings import ThemeError
from statuary.site.urls import THEME_FILE
from statuary.system.files import read_text

REMEMBERED = {
    "calendar_week.html": "calendar_head calendar_week",
    "downtime_day.html": "downtime_day",
    "macros.html": "sign icon moment brief day ago age period running since tag state affects short_updates more incident_card"
    " work_card past_card past_line planned_line component_row tabs month_cell downtime_line component_calendar",
    "record_lists.html": "past_lines planned_lines downtime_lines",
    "legend.html": "legend",
    "small_trail.html": "small_trail",
    "feed_links.html": "feed_links",
    "masthead.html": "masthead",
}
"""The macros whose results are cached, by template, since pages at many times show the same cards.

They depend only on their parameters. Large parameters, such as cards and rows, equal only themselves, so that the
caches find them at once.
"""


class PageTemplates:
    """The HTML templates of a site's pages: statuary's own, and the theme's."""

    def __init__(self, context: SiteContext, texts: PageTexts, parts: Sequence[PageParts] = ()) -> None:
        """Prepare the templates; each is compiled when it is first used.

        Args:
            context: the name, theme and links of the site.
            texts: the translated texts.
            parts: the templates that extensions add.
        """
        theme = dict(context.settings.theme.templates)
        self._own = list(theme)
        errors = (forbidden_markup_error(name, text) for name, text in theme.items())
        self._forbidden = next((error for error in errors if error is not None), None)
        package = core_templates()
        for part in parts:
            package |= package_templates(part.folder / "templates")
        self._environment = _theme_environment(theme, package) if theme else _package_environment(package)
        self._environment.globals |= _page_globals(context, texts) | _part_globals(context, parts)

    def render(self, template: str, **values: object) -> str:
        """Render a template to HTML.

        Args:
            template: the name of the template.
            values: the values that the template can use, by name.

        Raises:
            ThemeError: if a template of the theme cannot be rendered.
        """
        if not self._own:
            return self._environment.get_template(template).render(**values)
        if self._forbidden is not None:
            raise self._forbidden
        from statuary.site.pages.theme_filters import limit_rendering

        try:
            with limit_rendering():
                return self._environment.get_template(template).render(**values)
        except Exception as error:  # templates of a theme can raise any exception
            raise self._locate_theme_error(template, error) from error

    def _locate_theme_error(self, template: str, error: Exception) -> ThemeError:
        places = [
            (frame.filename, frame.lineno or 0)
            for frame in traceback.extract_tb(error.__traceback__)
            if frame.filename in self._own
        ]
        name = getattr(error, "name", None)
        if isinstance(name, str) and name in self._own:
            places.append((name, getattr(error, "lineno", 0)))
        fallback = template if template in self._own else self._own[0], 0
        message = "it includes itself" if isinstance(error, RecursionError) else str(error)
        return ThemeError(message, *(places[-1] if places else fallback))


class CompiledTemplates(FileSystemBytecodeCache):
    """A cache of compiled templates, beside Python's compiled modules.

    Compiling a page's templates takes longer than rendering it. A theme's templates are not stored, and are
    compiled each time.
    """

    def __init__(self) -> None:
        folder = Path(cache_from_source(str(Path(__file__).parent / "templates" / "any.py"))).parent
        # The size and time of Jinja's compiler stand for its version. After an update of Jinja, all templates
        # are compiled again.
        compiler_stat = Path(compiler.__file__).stat()
        version = f"{compiler_stat.st_size:x}-{compiler_stat.st_mtime_ns:x}"
        super().__init__(str(folder), f"%s.jinja-{version}.{sys.implementation.cache_tag}.pyc")

    @override
    def get_source_checksum(self, source: str) -> str:
        """Hash a template's text, to find its compiled form in the cache.

        The hash covers this module too, because it sets the options of the template compiler.
        """
        return super().get_source_checksum(f"{_compiler_source()}{source}")

    @override
    def load_bytecode(self, bucket: Bucket) -> None:
        """Load a compiled template from the cache folder into the bucket.

        If the file is missing or damaged, the bucket stays empty, and Jinja compiles the template again.
        """
        with suppress(OSError, EOFError, UnpicklingError):
            super().load_bytecode(bucket)

    @override
    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store a compiled template in the cache folder, if it is writable."""
        if not sys.dont_write_bytecode:
            with suppress(OSError):
                Path(self.directory).mkdir(parents=True, exist_ok=True)
                super().dump_bytecode(bucket)


class _PackageCompiler(compiler.CodeGenerator):
    """Compiles templates that need less of Jinja.

    Calls have no context, which none of statuary's functions takes, and some macros are cached.
    """

    @override
    def visit_Call(self, node: nodes.Call, frame: compiler.Frame, forward_caller: bool = False) -> None:
        self.write("call(")
        self.visit(node.node, frame)
        self.signature(node, frame, {"caller": "caller"} if forward_caller else None)
        self.write(")")

    @override
    def macro_def(self, macro_ref: compiler.MacroRef, frame: compiler.Frame) -> None:
        name = getattr(macro_ref.node, "name", "")
        is_cached = name in REMEMBERED.get(self.name or "", "").split()
        self.write("cached(" if is_cached else "(")
        super().macro_def(macro_ref, frame)
        self.write(")")


COMPILED_IMPORTS = f"""
from functools import lru_cache
from operator import call
from {__name__} import escape_text as escape
cached = lru_cache(maxsize=16_384)
"""
"""The last lines of a compiled template."""


FIND_ESCAPED = re.compile("[&<>\"']").search
"""Finds a character that HTML writes as an entity. Escaping a text without one takes five times as long."""


def escape_text(value: object) -> str:
    """Return a value as HTML; most are HTML already, or have nothing to escape."""
    if type(value) is Markup or (type(value) is str and not FIND_ESCAPED(value)):
        return value
    return escape(value)


class _PackageEnvironment(Environment):
    """The environment of the package's templates, which share their globals."""

    code_generator_class = _PackageCompiler

    @override
    def _generate(self, *arguments: Any, **options: Any) -> str:
        return super()._generate(*arguments, **options) + COMPILED_IMPORTS

    @override
    def make_globals(self, d: MutableMapping[str, object] | None) -> MutableMapping[str, object]:
        return self.globals


@cache
def _compiler_source() -> str:
    return read_text(Path(__file__))


@cache
def package_templates(folder: Path) -> Mapping[str, str]:
    """Read the HTML templates in a folder, by file name."""
    return {file.name: read_text(file) for file in folder.glob("*.html")}


def core_templates() -> dict[str, str]:
    """Read the templates of pages, except those of extensions, by name."""
    templates: dict[str, str] = {}
    for folder in CORE_FOLDERS:
        templates |= package_templates(folder / "templates")
    return templates


def _package_environment(package: Mapping[str, str]) -> Environment:
    return _PackageEnvironment(
        loader=DictLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        bytecode_cache=CompiledTemplates(),
    )


def _theme_environment(theme: Mapping[str, str], package: Mapping[str, str]) -> Environment:
    """Return the Jinja environment of a site with a theme.

    Args:
        theme: the theme's templates, by name.
        package: statuary's own templates. A theme can include the one that it replaces as `package/<name>`.
    """
    from statuary.site.pages.theme_sandbox import ThemeEnvironment

    originals = {f"package/{name}": text for name, text in package.items()}
    sources = {**package, **originals, **theme}

    def load(name: str) -> tuple[str, str, None] | None:
        # Jinja shows the second value as the file name in tracebacks.
        return (sources[name], name, None) if name in sources else None

    return ThemeEnvironment(FunctionLoader(load))


def _page_globals(context: SiteContext, texts: PageTexts) -> dict[str, object]:
    theme = context.settings.theme
    return {
        "site": context,
        "t": texts,
        "t_markup": texts.markup,
        "api_page": section_url("api", context.settings).path(),
        "zone": "UTC" if is_utc(context.zone) else context.zone.key,
        "states": STATUS_STATES,
        "icon_names": {state: impact for impact, state in IMPACT_STATES.items()},
        "search": frame_links()["contracts"].home.path() if context.has_search else "",
        "months": "|".join(texts(f"month.{month}.short") for month in range(1, 13)),
        "units": "|".join(texts(f"unit.{unit}") for unit in ("d", "h", "min", "moment")),
        "logo": THEME_FILE.path(name=theme.logo) if theme.logo else "",
    } | _status_globals(context)


def _status_globals(context: SiteContext) -> dict[str, object]:
    links = frame_links()["status"]
    feeds = links.feeds if context.settings.status else ()
    return {
        "tab_pages": [(name, url.path()) for name, url in links.tabs.items()],
        "calendar": "" if links.calendar is None else links.calendar.path(),
        "feeds": [(url.path(), url.media_type, name) for url, name in feeds],
    }


def _part_globals(context: SiteContext, parts: Sequence[PageParts]) -> dict[str, Callable[..., object]]:
    values = {key: dict(values_by_name) for key, values_by_name in context.parts}
    urls = {url.name: url for part in parts for url in part.urls}
    return {
        "slot": lambda name: [part.slots[name] for part in parts if name in part.slots],
        "scripts": lambda template: [part.scripts[template] for part in parts if template in part.scripts],
        "part": lambda key, name: values[key][name],
        "path": lambda name, **parameters: urls[name].path(**parameters),
    }
