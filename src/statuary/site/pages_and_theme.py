"""Read the author's Markdown pages and the theme."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from io import BytesIO
from typing import Literal, NoReturn, TypeVar
from xml.parsers import expat

from statuary.base.budget import INTERRUPTIONS, run_guarded
from statuary.base.findings import Finding, Position, Severity, did_you_mean
from statuary.base.json_values import Json
from statuary.base.limits import LARGEST_SOURCE_FILE, MAX_QUOTED
from statuary.base.reserved_names import is_reserved_name
from statuary.site.settings import LANGUAGES, SitePage, Theme, suggest_language
from statuary.source.conflict_markers import refuse_conflict_markers
from statuary.source.file_kinds import THEME
from statuary.source.front_matter import NO_KEYS, front_matter
from statuary.source.load_model import read_tree, validate_tree
from statuary.source.parse_yaml import parse_yaml
from statuary.source.source_files import SourceFile, decode_utf8
from statuary.source.source_model import Flag, SourceModel, Text, WholeNumber, convert_model
from statuary.source.unreadable import UnreadableError

PAGES = "pages"

RELOADED = (*INTERRUPTIONS, UnreadableError)


NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""A name in the path of a page, which is part of its URL."""


MAX_PAGE_PATH = 180
"""Characters of the path of a page below `pages/`, so that Windows allows its file."""


class PageFile(SourceModel):
    """The keys at the beginning of a Markdown page."""

    title: Text
    """The title of the page, and its name in the navigation."""
    order: WholeNumber = 0
    """The position of the page among the pages of its folder, lowest first. Pages with the same position are
    sorted by title."""
    group: Text = ""
    """The heading under which the sidebar lists the page. The order of the headings is that of their first
    pages."""
    description: Text = ""
    """A sentence about the page, which readers see below the title and in search engines."""
    navigation: Flag | None = None
    """Whether the header of every page links to this page. Default: `true` for pages directly in `pages/`,
    else `false`."""
    keywords: tuple[Text, ...] = ()
    """Extra words for the search, such as `https` on a page about certificates."""
    search: Literal["normal", "low", "none"] = "normal"
    """The rank of the page in search results: `low` is below other pages, `none` excludes the page."""
    aliases: tuple[Text, ...] = ()
    """Earlier file names of the page, relative to its folder. The site redirects their addresses to this
    page."""


def read_pages(files: Iterable[SourceFile], findings: list[Finding]) -> tuple[SitePage, ...]:
    """Read the Markdown pages that the site's author wrote.

    Args:
        files: the files of the pages.
        findings: receives the errors in the files.
    """
    pages = []
    for file in files:
        page = run_guarded(partial(next, _read_page(file, findings), None), file.path, "reading the page")
        if isinstance(page, Finding):
            findings.append(page)
        elif page is not None:
            pages.append(page)
    return tuple(sorted(pages, key=lambda page: (page.folder, page.order, page.title)))


def _read_page(file: SourceFile, findings: list[Finding]) -> Iterator[SitePage]:
    path = file.path.removeprefix(f"{PAGES}/").removesuffix(".md")
    odd = [name for name in path.split("/") if not NAME.fullmatch(name) or is_reserved_name(name)]
    if odd or len(path) > MAX_PAGE_PATH:
        odd = odd or [f"{path[:20]}…"]
        hint = f"use letters, digits, dots, hyphens and underscores, {MAX_PAGE_PATH} in all, and no name that Windows reserves"
        findings.append(
            Finding(
                rule="invalid-page-name",
                path=file.path,
                message=f"the page has the invalid name {odd[0]!r}",
                hint=hint,
            )
        )
        return
    try:
        text = file.load_text(LARGEST_SOURCE_FILE).replace("\r\n", "\n")
        refuse_conflict_markers(text)
        keys = front_matter(text)
        source = _parse_front_matter(keys, file.path, findings)
    except UnreadableError as error:
        findings.append(error.to_finding(file.path))
        return
    if source is None:
        return
    _, _, body = text[len(keys) :].partition("\n")
    navigation = "/" not in path if source.navigation is None else source.navigation
    first_line = keys.count("\n") + 2
    yield convert_model(
        SitePage, source, path=path, navigation=navigation, body=body, source=file.path, first_line=first_line
    )


def _parse_front_matter(keys: str, path: str, findings: list[Finding]) -> PageFile | None:
    """Read the title and other keys at the beginning of a Markdown page."""
    found: list[Finding] = []
    source = validate_tree(parse_yaml(keys), PageFile, path, found)
    if keys == NO_KEYS:
        hint = "begin the file with three lines: ---, title: TITLE, ---"
        found = [replace(finding, message="the page has no title", hint=hint) for finding in found]
    findings += found
    return source


Content = TypeVar("Content")

FILE_SUFFIXES = (".svg", ".png", ".webp", ".jpg", ".woff2")
"""Pictures and fonts."""


LOGOS = frozenset({"logo.svg", "logo.png", "logo.webp"})
"""The names of the picture beside the name of the page."""


def read_theme(
    files: Sequence[SourceFile], language: str, site_source: str, findings: list[Finding]
) -> Theme:
    """Read the theme of a site: templates, CSS and replaced texts.

    Args:
        files: the files of the theme.
        language: the language of the site, which chooses the replaced texts.
        site_source: the path of site.yaml, for the finding about an unknown language.
        findings: receives the errors in the files.
    """
    by_kind: dict[str, list[SourceFile]] = {"style": [], "template": [], "text": [], "picture": [], "": []}
    for file in files:
        by_kind[_theme_file_kind(file)].append(file)
    findings += [_unknown_file_finding(file.path) for file in by_kind[""]]
    findings += _misnamed_logo_findings(by_kind["picture"])
    texts = [file for file in by_kind["text"] if file.pure_path.stem == language]
    if language not in LANGUAGES and not texts:
        findings.append(_unknown_language_finding(language, site_source, by_kind["text"]))
    return Theme(
        templates=tuple(_read_theme_files(by_kind["template"], _read_theme_text, findings)),
        stylesheet=_read_stylesheet(by_kind["style"], findings),
        files=tuple(_read_theme_files(by_kind["picture"], _read_picture, findings)),
        texts=tuple(
            pair
            for _, pairs in _read_theme_files(
                texts, lambda file: list(_flatten_texts(read_tree(file, LARGEST_SOURCE_FILE), "")), findings
            )
            for pair in pairs
        ),
    )


def _theme_file_kind(file: SourceFile) -> str:
    match file.pure_path.parts[1:-1], file.pure_path.suffix:
        case (), ".css" if file.pure_path.stem == "style":
            return "style"
        case ("templates",), ".html":
            return "template"
        case ("texts",), ".yaml" | ".yml":
            return "text"
        case (), suffix if suffix in FILE_SUFFIXES and not is_reserved_name(file.pure_path.name):
            return "picture"
    return ""


def _read_theme_text(file: SourceFile) -> str:
    return file.load_text(LARGEST_SOURCE_FILE)


def _read_stylesheet(files: Sequence[SourceFile], findings: list[Finding]) -> str:
    text = "".join(text for _, text in _read_theme_files(files, _read_theme_text, findings))
    if text:
        findings += _blocked_style_findings(files[0].path, text)
    return text


FOREIGN = re.compile(r"@import\b|url\(\s*[\"']?\s*(?:https?:)?//[^)\"'\s]*", re.IGNORECASE)


def _blocked_style_findings(path: str, text: str) -> Iterator[Finding]:
    """Warn about parts of a style sheet that the pages' policy blocks."""
    code = re.sub(r"(?s)/\*.*?(?:\*/|$)", lambda comment: re.sub(r"[^\n]", " ", comment[0]), text)
    for match in FOREIGN.finditer(code):
        yield Finding(
            rule="blocked-style",
            path=path,
            message=f"{match[0][:MAX_QUOTED]!r} has no effect: pages load nothing from other sites, and no second style sheet",
            hint="put fonts and pictures beside style.css, and name them without a folder",
            severity=Severity.WARNING,
            position=Position(
                code.count("\n", 0, match.start()) + 1, match.start() - code.rfind("\n", 0, match.start())
            ),
        )


def _read_picture(file: SourceFile) -> bytes:
    raw = file.load_bytes(LARGEST_SOURCE_FILE)
    if file.pure_path.suffix == ".svg":
        check_svg(raw)
    return raw


ACTIVE = frozenset({"script", "handler", "foreignobject", "iframe", "embed", "object", "html", "body"})
"""Elements of an SVG that run a script, or hold HTML, which may."""

ACTIVE_URL = re.compile(r"javascript:|(?<![a-z])data:(?!image/(?:png|jpeg|webp|gif)|font/)")
"""A URL in an SVG that may run a script."""


def check_svg(raw: bytes) -> None:
    """Check that an SVG image is well-formed and has no scripts.

    Raises:
        UnreadableError: if the image is not XML, or may run a script.
    """
    parser = expat.ParserCreate("utf-8", namespace_separator=" ")

    def refuse_markup(what: str) -> NoReturn:
        position = Position(parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)
        raise UnreadableError(
            f"the SVG image contains {what}, which is not allowed",
            "export the image without scripts",
            position,
            "unsafe-svg",
        )

    def check_element(name: str, attributes: dict[str, str]) -> None:
        if name.rpartition(" ")[2].lower() in ACTIVE:
            refuse_markup(f"the element {name.rpartition(' ')[2]!r}")
        for key, value in attributes.items():
            local_name = key.rpartition(" ")[2].lower()
            attribute_value = "".join(value.split()).lower()
            if local_name.startswith("on"):
                refuse_markup(f"the attribute {local_name!r}")
            if ACTIVE_URL.search(attribute_value):
                refuse_markup(f"the attribute {local_name!r} that leads to {value[:MAX_QUOTED]!r}")

    def check_doctype(_name: str, _system: str | None, _public: str | None, has_entities: int) -> None:
        if has_entities:
            refuse_markup("entities of its own")

    parser.StartElementHandler = check_element
    parser.StartDoctypeDeclHandler = check_doctype
    parser.ProcessingInstructionHandler = lambda target, _: refuse_markup(f"the instruction {target!r}")
    try:
        parser.ParseFile(BytesIO(decode_utf8(raw).encode()))
    except expat.ExpatError as error:
        position = Position(error.lineno, error.offset + 1)
        raise UnreadableError(
            f"the SVG image is not XML: {expat.ErrorString(error.code)}", "", position
        ) from None


def _flatten_texts(tree: Json, prefix: str) -> Iterable[tuple[str, str]]:
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from _flatten_texts(value, f"{prefix}.{key}" if prefix else str(key))
    elif isinstance(tree, str) and prefix:
        yield prefix, tree
    else:
        raise UnreadableError(f"{prefix or 'the file'} is not a text", "write a mapping of keys to texts")


def _read_theme_files(
    files: Iterable[SourceFile], read_file: Callable[[SourceFile], Content], findings: list[Finding]
) -> Iterator[tuple[str, Content]]:
    for file in files:
        try:
            content = run_guarded(partial(read_file, file), file.path, "reading the file", RELOADED)
        except UnreadableError as error:
            content = error.to_finding(file.path)
        if isinstance(content, Finding):
            findings.append(content)
        else:
            yield file.pure_path.name, content


def _unknown_file_finding(path: str) -> Finding:
    return Finding(
        rule="unknown-file",
        severity=Severity.WARNING,
        path=path,
        message="unknown file; it is not read",
        hint=did_you_mean(path, (f"{THEME}/style.css",))
        or f"statuary reads: {THEME}/style.css, {THEME}/templates/<name>.html,"
        f" {THEME}/texts/<language>.yaml, {THEME}/<name> with {', '.join(FILE_SUFFIXES)}",
    )


def _misnamed_logo_findings(pictures: Iterable[SourceFile]) -> Iterator[Finding]:
    for file in pictures:
        name = file.pure_path.name
        if name.lower() in LOGOS - {name}:
            message = f"{name!r} is not shown as the logo: names of files are in lower case"
            yield Finding(
                rule="unknown-file",
                severity=Severity.WARNING,
                path=file.path,
                message=message,
                hint=f"rename it to {name.lower()}",
            )


def _unknown_language_finding(language: str, site_source: str, texts: Iterable[SourceFile]) -> Finding:
    languages = sorted({*LANGUAGES, *(file.pure_path.stem for file in texts)})
    return Finding(
        rule="unknown-language",
        path=site_source,
        pointer=("pages", "language"),
        message=f"there are no page texts in the language {language!r}",
        hint=suggest_language(language)
        or did_you_mean(language, languages)
        or f"write {THEME}/texts/{language}.yaml, or one of: {', '.join(languages)}",
    )
