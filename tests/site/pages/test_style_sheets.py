"""The style sheets: every class and element id that a rule names is written by a template, a script or Python code."""

import re

import pytest

from support.requirements import CHECKOUT

PACKAGE = CHECKOUT / "src/statuary"
PAGES = tuple(PACKAGE.glob("*/pages"))
SHEETS = {file.name: file for file in sorted(PACKAGE.glob("*/pages/styles/*.css"))}
WRITERS = [
    file
    for folder in (*PAGES, *(PACKAGE / "extensions").iterdir())
    for suffix in ("html", "js", "py")
    for file in folder.rglob(f"*.{suffix}")
    if folder in PAGES or suffix != "py" or "pages" in file.as_posix()
]

CLASS_ATTRIBUTE = re.compile(r'class="((?:\{\{.*?\}\}|\{%.*?%\}|[^"])*)"')
STRING = re.compile(r"""(["'`])((?:(?!\1)[^\n])*)\1""")


def written_names() -> tuple[set[str], set[str]]:
    """Return the names that a page can have as class or id, and the beginnings of those that are put together."""
    names: set[str] = set()
    beginnings: set[str] = set()
    for file in WRITERS:
        text = file.read_text("utf-8")
        places = [match[1] for match in CLASS_ATTRIBUTE.finditer(text)]
        places += re.findall(r'\bid="([\w-]+)"', text)
        if file.suffix != ".html":
            places += [match[2] for match in STRING.finditer(text)]
        for place in places:
            beginnings |= set(re.findall(r"([\w-]+-)(?:\{\{|\$\{|\{)", place))
            names |= set(re.findall(r"[A-Za-z][\w-]*", re.sub(r"\{%.*?%\}", " ", place)))
    return names, beginnings


def named_in(sheet: str) -> set[str]:
    """Return the classes and ids of the selectors of a sheet."""
    text = re.sub(r"/\*.*?\*/", "", SHEETS[sheet].read_text("utf-8"), flags=re.DOTALL)
    selectors = re.findall(r"([^{};]+)\{", re.sub(r'"[^"]*"', '""', text))
    return {
        name
        for one in selectors
        if not one.strip().startswith("@")
        for name in re.findall(r"[.#]([A-Za-z][\w-]*)", one)
    }


@pytest.mark.parametrize("sheet", SHEETS)
def test_pages_use_every_css_class(sheet: str) -> None:
    names, beginnings = written_names()
    assert {"s-", "l-", "d-", "m-", "tone-"} <= beginnings, "the parts of a state are put together"
    unused = {name for name in named_in(sheet) - names if not name.startswith(tuple(beginnings))}
    assert unused == set()


def test_unused_css_class_is_detected() -> None:
    names, beginnings = written_names()
    assert "corridors" not in names
    assert not "corridors".startswith(tuple(beginnings))
