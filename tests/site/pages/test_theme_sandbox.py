"""Templates of a theme come from strangers: they reach nothing but the page, and cannot stop the build."""

import os
import re
from contextlib import suppress
from itertools import count
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from jinja2.exceptions import SecurityError

import statuary
from statuary.site.pages import theme_filters
from statuary.site.pages.page_templates import PageTemplates
from statuary.site.pages.page_texts import page_texts
from statuary.site.pages.site_context import SiteContext
from statuary.site.pages.theme_sandbox import TESTS
from statuary.site.settings import PageSettings, Theme, ThemeError

SECRET = "hunter2-of-the-build"

MOST_MEMORY = 512 << 20
"""Bytes by which the process may grow."""

FILES = {
    "include-absolute": '{% include "/proc/self/environ" %}',
    "include-passwd": '{% include "/etc/passwd" %}',
    "include-parent": '{% include "../../page_templates.py" %}',
    "include-parent-of-package": '{% include "package/../../texts/en.json" %}',
    "include-computed": '{% include ["/proc", "self", "environ"] | join("/") %}',
    "include-list": '{% include ["/proc/self/environ", "/etc/hostname"] %}',
    "import-file": '{% import "/etc/passwd" as passwd %}{{ passwd }}',
    "from-file": '{% from "/proc/self/environ" import PATH %}{{ PATH }}',
    "extends-file": '{% extends "/etc/passwd" %}',
    "extends-bytes": '{% extends "package//etc/passwd" %}',
}

OBJECTS = {
    "class": "{{ ''.__class__ }}",
    "mro": "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "attr-filter": "{{ ''|attr('__class__') }}",
    "item-class": "{{ ''['__class__'] }}",
    "map-class": "{{ ['']|map(attribute='__class__')|list|first }}",
    "globals-of-function": "{{ tell.__globals__ }}",
    "init-globals": "{{ say.__init__.__globals__['__builtins__'] }}",
    "call-globals": "{{ say.__call__.__func__.__globals__ }}",
    "private-texts": "{{ say._texts }}",
    "texts-fill": "{{ say.fill('{x.__class__}', {'x': 1}) }}",
    "zone-class": "{{ site.zone.__class__ }}",
    "zone-from-file": "{{ site.zone.from_file(1) }}",
    "zone-other": "{{ site.zone.no_cache('../../../etc/passwd') }}",
    "replace-context": "{{ site._replace(name='x') }}",
    "macro-globals": "{% macro m() %}{% endmacro %}{{ m._func.__globals__ }}",
    "self-context": "{{ self._TemplateReference__context }}",
    "loop-context": "{% for x in [1] %}{{ loop._iterable }}{% endfor %}",
    "cycler": "{{ cycler.__init__.__globals__.os.environ }}",
    "lipsum": "{{ lipsum.__globals__['os'].environ }}",
    "joiner": "{{ joiner }}",
    "dict": "{{ dict(a=1) }}",
    "namespace-class": "{{ namespace.__init__ }}",
    "format": "{{ '{0.__class__}'.format(site) }}",
    "format-map": "{{ '{site.__class__}'.format_map({'site': site}) }}",
    "percent": "{{ '%s' % site }}",
    "print-context": "{{ site }}",
    "print-settings": "{{ site.settings }}",
    "pprint": "{{ site|pprint }}",
    "tojson": "{{ [1]|tojson }}",
    "random": "{{ [1, 2]|random }}",
    "mutate": "{{ [1].append(2) }}",
    "environment": "{{ environment }}",
}

BOMBS = {
    "nested-ranges": "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "nested-letters": "{% set t = 'x' * 99999 %}{% for a in t %}{% for b in t %}{% endfor %}{% endfor %}",
    "self-include": '{% include "status.html" %}',
    "self-include-twice": '{% include "status.html" %}{% include "status.html" %}',
    "self-extends": '{% extends "status.html" %}',
    "self-import": '{% import "status.html" as again %}',
    "endless-macro": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "branching-macro": "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(40) }}",
    "branching-call": "{% macro m(n) %}{% if n %}{% call m(n - 1) %}{% endcall %}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(40) }}",
    "self-block": "{% block b %}{{ self.b() }}{% endblock %}",
    "recursive-loop": "{% for a in [1, 2] recursive %}{{ loop([1, 2]) }}{% endfor %}",
    "power": "{{ 9 ** 9 ** 9 }}",
    "growing-number": "{% set n = namespace(x=9) %}{% for i in range(99) %}{% set n.x = n.x * n.x %}{% endfor %}",
    "repeat-text": "{{ ('x' * 999999999)|length }}",
    "repeat-list": "{{ ([1] * 999999999)|length }}",
    "add-lists": "{% set n = namespace(x=[1]) %}{% for i in range(99) %}{% set n.x = n.x + n.x %}{% endfor %}",
    "double-text": "{% set n = namespace(x='xx') %}{% for i in range(99) %}{% set n.x = n.x ~ n.x %}{% endfor %}",
    "double-block": "{% set n = namespace(x='xx') %}{% for i in range(99) %}{% set n.x %}{{ n.x }}{{ n.x }}{% endset %}{% endfor %}",
    "double-macro": "{% macro m(t) %}{{ t }}{{ t }}{% endmacro %}{% set n = namespace(x='xx') %}{% for i in range(99) %}{% set n.x = m(n.x) %}{% endfor %}",
    "join": "{{ ('x' * 99999)|list|join('y' * 99999) }}",
    "replace": "{{ ('x' * 99999)|replace('x', 'y' * 99999) }}",
    "replace-empty": "{{ ('x' * 99999)|replace('', 'y' * 99999) }}",
    "center": "{{ 'x'|center(999999999) }}",
    "ljust": "{{ 'x'.ljust(999999999) }}",
    "zfill": "{{ '1'.zfill(999999999) }}",
    "expandtabs": "{{ '\t'.expandtabs(999999999) }}",
    "indent": "{{ 'x'|indent(999999999, true) }}",
    "percent-width": "{{ '%999999999d' % 1 }}",
    "format-width": "{{ '{:>999999999}'.format(1) }}",
    "format-filter": "{{ '%999999999d'|format(1) }}",
    "slice": "{{ [1]|slice(999999999)|list }}",
    "batch": "{{ [1]|batch(999999999, 0)|list }}",
    "round": "{{ 1.5|round(999999999, 'ceil') }}",
    "shared-list": "{% set n = namespace(x=[1]) %}{% for i in range(60) %}{% set n.x = [n.x, n.x] %}{% endfor %}{{ n.x }}",
    "shared-list-as-text": "{% set t = 'x' * 999999 %}{{ [[t, t, t, t], [t, t, t, t]]|upper }}",
    "compare-lists": "{% set a = namespace(x=[1]) %}{% for i in range(60) %}{% set a.x = [a.x, a.x] %}{% endfor %}{{ a.x == a.x }}",
    "varargs": "{% macro m(n) %}{{ m(n, varargs, varargs) }}{% endmacro %}{{ m(1, 1) }}",
    "long-page": "{% set t = 'x' * 999999 %}{% for i in range(999) %}{{ t }}{% endfor %}",
    "nested-brackets": "{{ " + "(" * 20_000 + "1" + ")" * 20_000 + " }}",
    "nested-blocks": "{% if 1 %}" * 2_000 + "{% endif %}" * 2_000,
    "nested-loops": "{% for a in [1] %}" * 60 + "{% endfor %}" * 60,
    "large-template": "{{ 1 }}" * 100_000,
    "straight-filters": "{% set t = 'x' * 999999 %}" + "{% set t = t|list|reverse|list|join|upper %}" * 700,
}


def templates(theme: dict[str, str], texts: tuple[tuple[str, str], ...] = ()) -> PageTemplates:
    settings = PageSettings(theme=Theme(templates=tuple(theme.items()), texts=texts))
    context = SiteContext(
        name="Plinth",
        url="https://plinth.example",
        zone=ZoneInfo("UTC"),
        settings=settings,
        has_contracts=True,
    )
    return PageTemplates(context, page_texts("en", texts))


def resident_bytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize("attack", (FILES | OBJECTS).values(), ids=(FILES | OBJECTS).keys())
def test_template_cannot_reach_files_or_objects(attack, monkeypatch):
    monkeypatch.setenv("STATUARY_SECRET", SECRET)
    with pytest.raises(ThemeError) as error:
        templates({"status.html": attack}).render("status.html")
    assert error.value.template == "status.html"
    assert SECRET not in str(error.value)


SLOW_BOMBS = ("branching-macro", "nested-letters", "nested-ranges", "straight-filters")


@pytest.mark.parametrize(
    "attack",
    [
        pytest.param(text, id=name, marks=[pytest.mark.thorough] if name in SLOW_BOMBS else [])
        for name, text in BOMBS.items()
    ],
)
def test_template_rendering_resources_are_bounded(attack):
    before = resident_bytes()
    with pytest.raises(ThemeError) as error:
        templates({"status.html": attack}).render("status.html")
    assert resident_bytes() - before < MOST_MEMORY
    assert error.value.template == "status.html"


def steps_of(source, monkeypatch):
    """Return how many steps the rendering of a template takes."""
    shown = templates({"own.html": source})
    for steps in count():
        monkeypatch.setattr(theme_filters, "MAX_STEPS", steps)
        with suppress(ThemeError):
            shown.render("own.html")
            return steps
    return None


REPEATED = {
    "loop": ("{% for a in '", "x", "' %}{% endfor %}"),
    "calls": ("{% macro m() %}{% endmacro %}", "{% if m() %}{% endif %}", ""),
    "filters": ("{{ 'x'", "|upper", " }}"),
}


@pytest.mark.parametrize("parts", REPEATED.values(), ids=REPEATED.keys())
def test_template_step_count_grows_linearly(parts, monkeypatch):
    before, repeated, behind = parts
    few, more = (steps_of(f"{before}{repeated * times}{behind}", monkeypatch) for times in (2, 12))
    assert more - few == 10


def test_template_literals_have_limited_size(monkeypatch):
    """A list counts as one beside its items."""
    monkeypatch.setattr(theme_filters, "MAX_LITERAL_ITEMS", 5)
    assert theme_filters.require_literal_size([1, [2], 3])
    with pytest.raises(SecurityError, match="more than 5 items"):
        theme_filters.require_literal_size([1, [2], 3, 4])


def test_error_in_included_template_reports_line():
    theme = {"status.html": "<p>\n{% include 'macros.html' %}", "macros.html": "\n\n{{ ''.__class__ }}"}
    with pytest.raises(ThemeError) as error:
        templates(theme).render("status.html")
    assert (error.value.template, error.value.line) == ("macros.html", 3)


SELECTION = re.compile(r"""(?:select|reject)attr\([^,()]+,\s*["'](\w+)["']""")
"""A filter that selects by a test, which Jinja looks up while it renders."""


def test_package_templates_use_only_sandboxed_tests():
    assert SELECTION.findall('selectattr("state", "in", minor)') == ["in"]
    templates = Path(statuary.__file__).parent.rglob("*.html")
    found = {test for template in templates for test in SELECTION.findall(template.read_text("utf-8"))}
    assert found <= TESTS | {"eq", "equalto"}


def test_theme_texts_are_sandboxed():
    own = (("page.home", "{name.__class__} {name!r} {name[0]} {{name}} {name}"),)
    shown = templates({"status.html": "{{ t('page.home', name=site.name) }}"}, own).render("status.html")
    assert shown == "{name.__class__} {name!r} {name[0]} {name} Plinth"


def test_sandboxed_template_supports_loops_and_macros():
    source = """
    {%- from "package/macros.html" import icon -%}
    {%- set shown = namespace(count=0) -%}
    {%- for key, name in {"a": "Alpha", "b": "Beta"}.items() if name != "Gamma" -%}
      {{ loop.index }}/{{ loop.length }} {{ name|upper }}{{ ", " if not loop.last }}
      {%- set shown.count = shown.count + 1 -%}
    {%- endfor -%}
    {{ " " ~ shown.count ~ " of " ~ site.name }} {{ ["x", "y"]|join("+") }} {{ "x" in "xyz" }}
    {{- " " ~ icon("operational") }} {{ site.zone.key }} {{ t("section.status") }} {{ "<b>" }}"""
    shown = templates({"own.html": source}).render("own.html")
    assert shown.startswith("1/2 ALPHA, 2/2 BETA 2 of Plinth x+y True <svg")
    assert shown.endswith("UTC Status &lt;b&gt;")
