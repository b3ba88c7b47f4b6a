"""The folder `theme/`: a site's own look for its pages.

theme/style.css                rules after those of the package; most themes only set custom properties
theme/logo.svg                 beside the page's name (or .png, .webp)
theme/<name>.<ext>             other pictures and fonts, published as assets/theme/<name>.<ext>
theme/templates/<name>.html    replaces the package's template of that name, and may extend it
theme/texts/<language>.yaml    page texts by key; also adds a language
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from statuary.content.load_model import read_tree
from statuary.content.parse_yaml import Tree
from statuary.content.source_files import SourceFile
from statuary.content.unreadable import UnreadableError
from statuary.domain.findings import Finding, Severity
from statuary.domain.limits import LARGEST_SOURCE_FILE
from statuary.domain.page_settings import LANGUAGES, Theme

FOLDER = "theme"

Content = TypeVar("Content")

FILE_SUFFIXES = (".svg", ".png", ".webp", ".jpg", ".woff2")
"""Pictures and fonts."""


def read_theme(files: Sequence[SourceFile], language: str, findings: list[Finding]) -> Theme:
    """Return the theme of pages in a language, after adding what is wrong to `findings`."""
    by_kind: dict[str, list[SourceFile]] = {"style": [], "template": [], "text": [], "picture": [], "": []}
    for file in files:
        by_kind[_kind(file)].append(file)
    findings += [_unknown_file(file.path) for file in by_kind[""]]
    texts = [file for file in by_kind["text"] if file.pure.stem == language]
    if language not in LANGUAGES and not texts:
        findings.append(_unknown_language(language, by_kind["text"]))
    return Theme(
        templates=tuple(_read(by_kind["template"], _text, findings)),
        stylesheet="".join(text for _, text in _read(by_kind["style"], _text, findings)),
        files=tuple(_read(by_kind["picture"], _bytes, findings)),
        texts=tuple(pair for _, pairs in _read(texts, _pairs, findings) for pair in pairs),
    )


def _kind(file: SourceFile) -> str:
    """Return the kind of a theme's file; empty if it is not part of a theme."""
    match file.pure.parts[1:-1], file.pure.suffix:
        case (), ".css" if file.pure.stem == "style":
            return "style"
        case ("templates",), ".html":
            return "template"
        case ("texts",), ".yaml" | ".yml":
            return "text"
        case (), suffix if suffix in FILE_SUFFIXES:
            return "picture"
    return ""


def _text(file: SourceFile) -> str:
    return file.text(LARGEST_SOURCE_FILE)


def _bytes(file: SourceFile) -> bytes:
    return file.bytes(LARGEST_SOURCE_FILE)


def _pairs(file: SourceFile) -> list[tuple[str, str]]:
    return list(_flat(read_tree(file, LARGEST_SOURCE_FILE), ""))


def _flat(tree: Tree, prefix: str) -> Iterable[tuple[str, str]]:
    """Yield the texts of a tree, keys of several levels joined by dots."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from _flat(value, f"{prefix}.{key}" if prefix else str(key))
    elif isinstance(tree, str) and prefix:
        yield prefix, tree
    else:
        raise UnreadableError(f"{prefix or 'the file'} is not a text", "write a mapping of keys to texts")


def _read(
    files: Iterable[SourceFile], read: Callable[[SourceFile], Content], findings: list[Finding]
) -> Iterator[tuple[str, Content]]:
    for file in files:
        try:
            yield file.pure.name, read(file)
        except UnreadableError as error:
            findings.append(error.finding(file.path))


def _unknown_file(path: str) -> Finding:
    return Finding(
        rule="known-files",
        severity=Severity.WARNING,
        path=path,
        message="unknown file; it is not read",
        hint=f"statuary reads: {FOLDER}/style.css, {FOLDER}/templates/<name>.html,"
        f" {FOLDER}/texts/<language>.yaml, {FOLDER}/<name> with {', '.join(FILE_SUFFIXES)}",
    )


def _unknown_language(language: str, texts: Iterable[SourceFile]) -> Finding:
    known = sorted({*LANGUAGES, *(file.pure.stem for file in texts)})
    return Finding(
        rule="known-language",
        path="site.yaml",
        pointer=("pages", "language"),
        message=f"no page texts in language {language!r}",
        hint=f"write {FOLDER}/texts/{language}.yaml, or one of: {', '.join(known)}",
    )
