"""Templates of a theme that no page uses."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from jinja2 import DictLoader, TemplateError
from jinja2.meta import find_referenced_templates

from statuary.base.findings import Finding, Severity, did_you_mean
from statuary.site.pages.page_parts import page_parts_of_extensions
from statuary.site.pages.page_templates import core_templates, package_templates
from statuary.site.pages.theme_sandbox import ThemeEnvironment
from statuary.site.settings import PageSettings


def unused_template_findings(settings: PageSettings, extensions: Collection[str]) -> Iterator[Finding]:
    """Warn about each template of a theme that no page uses.

    There is no warning if a template cannot be parsed, or computes the name of another template.

    Args:
        settings: the settings of pages, with the theme.
        extensions: the keys of the extensions whose templates the theme may replace.
    """
    theme = dict(settings.theme.templates)
    replaceable = _replaceable_templates(extensions)
    used = _used_templates(theme, replaceable)
    if used is None:
        return
    for name in theme:
        if name not in used:
            yield Finding(
                rule="unused-template",
                path=f"theme/templates/{name}",
                message=f"no page uses the template {_template_stem(name)!r}",
                hint=did_you_mean(_template_stem(name), map(_template_stem, replaceable))
                or "name it as the template of statuary that it replaces, or include it in one of yours",
                severity=Severity.WARNING,
            )


def _used_templates(theme: Mapping[str, str], replaceable: Collection[str]) -> set[str] | None:
    """Return the templates of a theme that pages use.

    Returns:
        The templates, or None if that cannot be told.
    """
    used, added = set[str](), {name for name in theme if name in replaceable}
    while added:
        used |= added
        found = set[str]()
        for name in added:
            names = _templates_named_in(theme[name])
            if names is None:
                return None
            found.update(names)
        added = (found & theme.keys()) - used
    return used


def _template_stem(name: str) -> str:
    return name.removesuffix(".html")


def _replaceable_templates(extensions: Iterable[str]) -> set[str]:
    names = set(core_templates())
    for part in page_parts_of_extensions(extensions):
        names |= package_templates(part.folder / "templates").keys()
    return names


def _templates_named_in(text: str) -> list[str] | None:
    """Return the templates that a template of a theme includes, extends or imports.

    Returns:
        Their names; None if it computes one of them, or cannot be parsed.
    """
    try:
        names = list(find_referenced_templates(ThemeEnvironment(DictLoader({})).parse(text)))
    except (TemplateError, RecursionError):
        return None
    return None if None in names else [name for name in names if name is not None]
