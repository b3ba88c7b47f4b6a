"""The content folder to the catalogue: site, status, pages in Markdown and theme, with the findings of reading them."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path, PurePosixPath
from typing import NamedTuple, Protocol, TypeVar

from statuary.content.contract_scan import ContractScan, ExternalSource, ScanResult
from statuary.content.extension_settings import (
    ExtensionSettings,
    extensions_with_model,
    read_extension_settings,
)
from statuary.content.file_kinds import (
    CONTRACTS,
    FileKind,
    is_ignored,
    match_pattern,
    pattern_of,
    unknown_file_finding,
)
from statuary.content.load_model import load_model, read_tree, validate_tree
from statuary.content.parse_yaml import Tree, parse_yaml
from statuary.content.source_files import SourceFile, walk_folder
from statuary.content.source_model import Flag, SourceModel, Text, WholeNumber, value_of
from statuary.content.sources.component_source import ComponentsSource, translate_components
from statuary.content.sources.incident_source import IncidentSource, translate_incident
from statuary.content.sources.maintenance_source import MaintenanceSource, translate_maintenance
from statuary.content.sources.site_source import SiteSource, translate_page
from statuary.content.unreadable import BEYOND_LIMIT, UnreadableError
from statuary.domain.catalogue import Catalogue
from statuary.domain.findings import Finding, Severity
from statuary.domain.limits import LARGEST_SOURCE_FILE
from statuary.domain.reserved_names import is_reserved_name
from statuary.domain.settings import (
    LANGUAGES,
    ContractSettings,
    HostingSettings,
    PageSettings,
    SitePage,
    Theme,
)
from statuary.domain.status.records import StatusCatalogue, StatusSettings, with_creation

PAGES = "pages"

FRONT_MATTER = re.compile(r"---[ \t]*\n.*?(?=^---[ \t]*$)", re.DOTALL | re.MULTILINE)
"""The keys of a page, up to the line that ends them."""

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""A name in the path of a page, which is part of its URL."""


MAX_PAGE_PATH = 180
"""Characters of the path of a page below `pages/`, so that Windows allows its file."""


class PageFile(SourceModel):
    """The keys at the beginning of a page."""

    title: Text
    """The title of the page, and its name in the navigation."""
    order: WholeNumber = 0
    """The position among the pages of a folder, lowest first; pages with the same order are sorted by title."""
    navigation: Flag | None = None
    """Whether every page of the site links to it; by default, only pages directly in `pages/` are linked."""


def read_pages(files: Iterable[SourceFile], findings: list[Finding]) -> tuple[SitePage, ...]:
    """Return the pages in order; `findings` gains what is wrong with their files."""
    pages = [page for file in files for page in _read_page(file, findings)]
    return tuple(sorted(pages, key=lambda page: (page.folder, page.order, page.title)))


def _read_page(file: SourceFile, findings: list[Finding]) -> Iterator[SitePage]:
    path = file.path.removeprefix(f"{PAGES}/").removesuffix(".md")
    odd = [name for name in path.split("/") if not NAME.fullmatch(name) or is_reserved_name(name)]
    if odd or len(path) > MAX_PAGE_PATH:
        odd = odd or [f"{path[:20]}…"]
        hint = f"use letters, digits, dots, hyphens and underscores, {MAX_PAGE_PATH} in all, and no name that Windows reserves"
        findings.append(
            Finding(rule="page-name", path=file.path, message=f"invalid name {odd[0]!r}", hint=hint)
        )
        return
    try:
        text = file.text(LARGEST_SOURCE_FILE).replace("\r\n", "\n")
        keys = front_matter(text)
        source = validate_tree(parse_yaml(keys), PageFile, file.path, findings)
    except UnreadableError as error:
        findings.append(error.finding(file.path))
        return
    if source is None:
        return
    _, _, body = text[len(keys) :].partition("\n")
    navigation = "/" not in path if source.navigation is None else source.navigation
    first_line = keys.count("\n") + 2
    yield value_of(
        SitePage, source, path=path, navigation=navigation, body=body, source=file.path, first_line=first_line
    )


def front_matter(text: str) -> str:
    """Return the keys at the beginning of a page as YAML; without any, an empty mapping.

    Raises:
        UnreadableError: if they have no end.
    """
    match = FRONT_MATTER.match(text)
    if match is None and text.startswith("---"):
        raise UnreadableError("the front matter of the page has no end", "end it with a line ---")
    return match[0] if match else "{}"


THEME = "theme"

Content = TypeVar("Content")
Content_co = TypeVar("Content_co", covariant=True)

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
        templates=tuple(_read_theme_files(by_kind["template"], _text, findings)),
        stylesheet="".join(text for _, text in _read_theme_files(by_kind["style"], _text, findings)),
        files=tuple(_read_theme_files(by_kind["picture"], _bytes, findings)),
        texts=tuple(pair for _, pairs in _read_theme_files(texts, _pairs, findings) for pair in pairs),
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
        case (), suffix if suffix in FILE_SUFFIXES and not is_reserved_name(file.pure.name):
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


def _read_theme_files(
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
        hint=f"statuary reads: {THEME}/style.css, {THEME}/templates/<name>.html,"
        f" {THEME}/texts/<language>.yaml, {THEME}/<name> with {', '.join(FILE_SUFFIXES)}",
    )


def _unknown_language(language: str, texts: Iterable[SourceFile]) -> Finding:
    languages = sorted({*LANGUAGES, *(file.pure.stem for file in texts)})
    return Finding(
        rule="known-language",
        path="site.yaml",
        pointer=("pages", "language"),
        message=f"no page texts in language {language!r}",
        hint=f"write {THEME}/texts/{language}.yaml, or one of: {', '.join(languages)}",
    )


class Load(Protocol[Content_co]):
    """Reads a file: returns its content, or None after adding what is wrong to `findings`."""

    def __call__(self, file: SourceFile, *, limit: int, findings: list[Finding]) -> Content_co | None:
        """Read the file; `limit` is its largest size in bytes."""


class ReadResult(NamedTuple):
    """The result of reading the content folder."""

    catalogue: Catalogue | None  # the site; None if its settings or components could not be read
    # what is wrong with the files, contracts' own files excepted (they are read one by one later)
    findings: list[Finding]


def read_content(root: Path, files: Iterable[SourceFile | Finding] | None = None) -> ReadResult:
    """Read everything but the contracts.

    Args:
        files: the files to read, as `walk_folder` yields them, without contracts; by default all files.
    """
    if files is None and not root.is_dir():
        message = f"no content folder {str(root)!r}"
        return ReadResult(None, [Finding(rule="content-folder", message=message, hint="run `statuary init`")])
    reader = _Reader(root, has_contracts=files is None)
    for file in walk_folder(root, (CONTRACTS,)) if files is None else files:
        if isinstance(file, Finding):
            reader.findings.append(file)
        else:
            reader.take(file)
    return ReadResult(reader.catalogue(), reader.findings)


def is_withheld(finding: Finding) -> bool:
    """Return whether a finding is why an incident, a maintenance or a page is withheld: it exceeds a limit.

    No genuine file exceeds one, so the site is published without it.
    """
    pattern = match_pattern(PurePosixPath(finding.path)) if finding.rule == BEYOND_LIMIT else None
    return pattern is not None and pattern.kind in (FileKind.INCIDENT, FileKind.MAINTENANCE, FileKind.PAGE)


class _Reader:
    """Sorts the files of a content folder, then reads them."""

    def __init__(self, root: Path, *, has_contracts: bool) -> None:
        self.root = root
        self.has_contracts = has_contracts
        self.findings: list[Finding] = []
        self.files: dict[FileKind, list[SourceFile]] = {kind: [] for kind in FileKind}
        self.theme: list[SourceFile] = []

    def take(self, file: SourceFile) -> None:
        path = file.pure
        if is_ignored(path):
            return
        if path.parts[0] == THEME and len(path.parts) > 1:
            self.theme.append(file)
            return
        pattern = match_pattern(path)
        if pattern is None:
            self.findings.append(unknown_file_finding(path, file.path))
        else:
            self.files[pattern.kind].append(file)

    def catalogue(self) -> Catalogue | None:
        """Return the catalogue of the files; None without settings or with unreadable components."""
        site = self._only(FileKind.SITE, _load_site)
        if not self.files[FileKind.SITE]:
            message = "the content folder has no site.yaml"
            self.findings.append(Finding(rule="required-file", message=message, hint="run `statuary init`"))
        components = self._only(FileKind.COMPONENTS, partial(load_model, model=ComponentsSource))
        incidents = list(self._all(FileKind.INCIDENT, partial(load_model, model=IncidentSource)))
        maintenances = list(self._all(FileKind.MAINTENANCE, partial(load_model, model=MaintenanceSource)))
        if site is None or (components is None and self.files[FileKind.COMPONENTS]):
            return None
        file, (settings, extensions) = site
        page = translate_page(settings.page)
        status = StatusCatalogue(
            page=page,
            page_source=file.path,
            components=() if components is None else translate_components(components[1], page),
            components_source="components.yaml" if components is None else components[0].path,
            incidents=tuple(
                translate_incident(incident, file.pure.stem, file.path) for file, incident in incidents
            ),
            maintenances=tuple(
                translate_maintenance(maintenance, file.pure.stem, file.path, page)
                for file, maintenance in maintenances
            ),
        )
        self._require_components(status)
        return self._catalogue(file, settings, with_creation(status))._replace(extensions=extensions)

    def _require_components(self, status: StatusCatalogue) -> None:
        """Note that components.yaml is missing, if an incident or a maintenance names a component."""
        named = any(record.components for record in (*status.incidents, *status.maintenances))
        if named and not self.files[FileKind.COMPONENTS]:
            message = "the content folder has no components.yaml"
            hint = "list the components that incidents and maintenances name"
            self.findings.append(Finding(rule="required-file", message=message, hint=hint))

    def _catalogue(self, file: SourceFile, settings: SiteSource, status: StatusCatalogue) -> Catalogue:
        external = [
            ExternalSource(location, file.path, ("contracts", "sources", number))
            for number, location in enumerate(settings.contracts.sources)
        ]
        contracts = settings.contracts
        theme = read_theme(self.theme, settings.pages.language, self.findings)
        return Catalogue(
            chains=tuple(chain.chain() for chain in settings.chains),
            contract_settings=value_of(
                ContractSettings, contracts, join_memory=contracts.join_memory_mib << 20
            ),
            contracts=ContractScan(self.root, external, None if self.has_contracts else ScanResult(0)),
            status=status,
            status_settings=value_of(
                StatusSettings, settings.status, horizon=timedelta(days=settings.status.horizon_days)
            ),
            pages=value_of(PageSettings, settings.pages, theme=theme),
            hosting=value_of(HostingSettings, settings.hosting),
            own_pages=read_pages(self.files[FileKind.PAGE], self.findings),
        )

    def _only(self, kind: FileKind, load: Load[Content]) -> tuple[SourceFile, Content] | None:
        for extra in self.files[kind][1:]:
            message = f"{self.files[kind][0].path} already contains the same settings"
            hint = "keep one of the two files"
            self.findings.append(Finding(rule="one-file", path=extra.path, message=message, hint=hint))
        return next(self._all(kind, load), None)

    def _all(self, kind: FileKind, load: Load[Content]) -> Iterator[tuple[SourceFile, Content]]:
        limit = pattern_of(kind).limit
        for file in self.files[kind]:
            value = load(file, limit=limit, findings=self.findings)
            if value is not None:
                yield file, value


def _load_site(
    file: SourceFile, *, limit: int, findings: list[Finding]
) -> tuple[SiteSource, ExtensionSettings] | None:
    """Return the settings of the core and those of extensions; None after adding what is wrong to `findings`."""
    try:
        tree = read_tree(file, limit)
    except UnreadableError as error:
        findings.append(error.finding(file.path))
        return None
    extensions: ExtensionSettings | None = ()
    if isinstance(tree, dict):
        extensions = read_extension_settings(tree, file.path, findings)
        own = {extension.key for extension in extensions_with_model()}
        tree = {key: value for key, value in tree.items() if key not in own}
    source = validate_tree(tree, SiteSource, file.path, findings)
    return None if source is None or extensions is None else (source, extensions)
