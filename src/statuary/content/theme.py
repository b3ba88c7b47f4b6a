"""The folder `theme/`: what a site changes about the look of its pages.

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
    style = [file for file in files if file.path == f"{FOLDER}/style.css"]
    templates = [file for file in files if _is_template(file)]
    texts = [file for file in files if _is_text(file)]
    of_language = [file for file in texts if file.pure.stem == language]
    pictures = [file for file in files if len(file.pure.parts) == 2 and file.pure.suffix in FILE_SUFFIXES]
    known = {file.path for file in (*style, *templates, *texts, *pictures)}
    findings += [_unknown_file(file.path) for file in files if file.path not in known]
    if language not in LANGUAGES and not of_language:
        findings.append(_unknown_language(language, texts))
    return Theme(
        templates=tuple(_read(templates, _text, findings)),
        stylesheet="".join(text for _, text in _read(style, _text, findings)),
        files=tuple(_read(pictures, _bytes, findings)),
        texts=tuple(pair for _, pairs in _read(of_language, _pairs, findings) for pair in pairs),
    )


def _is_template(file: SourceFile) -> bool:
    return file.pure.parts[1:-1] == ("templates",) and file.pure.suffix == ".html"


def _is_text(file: SourceFile) -> bool:
    return file.pure.parts[1:-1] == ("texts",) and file.pure.suffix in (".yaml", ".yml")


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
    """Yield the name and content of each file that can be read."""
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
