"""The pages that depend on the settings or on all contracts but not on the time, and the files that all pages load."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path

import orjson

from statuary.documents.document import Document
from statuary.documents.pages.api_pages import api_page, reference_page
from statuary.documents.pages.contract.lists import ContractListPages, search_documents
from statuary.documents.pages.page_parts import PageParts
from statuary.documents.pages.rendering import renderer_of
from statuary.documents.pages.site_context import PageHead, SiteContext, site_context
from statuary.documents.pages.states import IMPACT_STATES
from statuary.documents.url_table import (
    CONTRACT_STYLE,
    DOCS_STYLE,
    ICON,
    NOT_FOUND_PAGE,
    SCRIPT,
    STYLE,
    THEME_FILE,
)
from statuary.domain.catalogue import Catalogue
from statuary.domain.contracts.rows import ContractCounts, ContractRow
from statuary.domain.contracts.site_contracts import SiteContracts
from statuary.domain.json_values import Json
from statuary.domain.settings import Theme

FOLDER = Path(__file__).with_name("assets")

ICONS = ("site", *(f"status-{impact}" for impact in IMPACT_STATES))
"""The icon of a site without a status page, and that of each status."""

EDGE_FOLDER = Path(__file__).parents[2] / "edge"

CONTRACT_SCRIPTS = ("check", "compare", "decode")
"""The scripts of contract pages; `tests/support/check_bundle.py` makes them of `check/` and `scripts/`."""


def asset_documents(
    theme: Theme, *, contracts: bool, search: bool, parts: Iterable[PageParts]
) -> Iterator[Document]:
    """Yield the files that pages share, those of contracts, of the search and of extensions where there are any."""
    for url in (STYLE, DOCS_STYLE, *([CONTRACT_STYLE] if contracts else [])):
        style = package_file(url.path().rpartition("/")[2])
        if theme.stylesheet:  # its rules follow those of every sheet
            style += b"\n/* the theme of this site */\n" + theme.stylesheet.encode("utf-8", "replace")
        yield Document(path=url.path(), body=style, media_type=url.media_type, cache=url.cache)
    yield from map(script_document, ("statuary", "epochs", "docs"))
    if contracts:
        yield from map(script_document, CONTRACT_SCRIPTS)
        languages = orjson.dumps(orjson.loads(package_file("languages.json")))
        yield script_document("contract", b"const LANGUAGES = " + languages + b";\n")
    if search:
        yield script_document("search")
    for part in parts:
        for file in sorted((part.folder / "assets").glob("*.js")):
            yield script_document(file.stem, body=file.read_bytes())
    for name in ICONS:
        body = package_file(f"{name}.svg")
        yield Document(path=ICON.path(name=name), body=body, media_type=ICON.media_type, cache=ICON.cache)
    for name, body in theme.files:
        yield Document(path=THEME_FILE.path(name=name), body=body, media_type="", cache=THEME_FILE.cache)


def script_document(name: str, before: bytes = b"", body: bytes | None = None) -> Document:
    """Return a script of the package, or of `body`, with bytes before it."""
    return Document(
        path=SCRIPT.path(name=name),
        body=before + (package_file(f"{name}.js") if body is None else body),
        media_type=SCRIPT.media_type,
        cache=SCRIPT.cache,
    )


@cache
def package_file(name: str) -> bytes:
    """Return the bytes of a script, a style sheet or a picture of the package."""
    # pages read epochs as the edge module does
    return (EDGE_FOLDER if name == "epochs.js" else FOLDER).joinpath(name).read_bytes()


CONTRACTS = ("contracts",)
"""The source of the pages that list contracts: the whole folder."""


MakePages = Callable[[Catalogue], Iterable[Document]]


def settings_only_pages(
    contracts: ContractCounts, present: Iterable[str], openapi: Mapping[str, Json] | None = None
) -> dict[str, MakePages]:
    """Return what makes the pages and files that change only with the settings, by name.

    Args:
        contracts: the published contracts in numbers.
        openapi: the OpenAPI document, or None.
    """
    pages: dict[str, MakePages] = {
        "404.html": lambda catalogue: [not_found_page(site_context(catalogue), contracts.contracts)],
        "the page of the API": lambda catalogue: [api_page(catalogue, contracts, present, openapi or {})],
        "the former page of the reference": lambda catalogue: [reference_page(site_context(catalogue))],
        "the files that pages share": lambda catalogue: _shared_files(site_context(catalogue)),
    }
    if contracts.by_chain:
        # sites without contracts do not load it
        viewer = import_module("statuary.documents.pages.contract.viewer")
        pages["the page of any contract"] = viewer.viewer_documents
    return pages


def _shared_files(site: SiteContext) -> Iterator[Document]:
    return asset_documents(
        site.settings.theme,
        contracts=site.has_contracts,
        search=site.has_contracts and site.settings.search,
        parts=renderer_of(site).parts,
    )


def contract_list_pages(
    catalogue: SiteContracts, contracts: ContractCounts, entries: Sequence[ContractRow]
) -> Iterator[Document]:
    """Yield the lists of contracts and the search over them.

    Args:
        contracts: the published contracts in numbers.
        entries: all contracts; empty if they are too many to be listed.
    """
    site = site_context(catalogue)
    if site.has_contracts:
        for document in _contract_lists(site, catalogue, contracts, entries):
            yield document._replace(sources=CONTRACTS, persistent=True)


def _contract_lists(
    site: SiteContext, catalogue: SiteContracts, contracts: ContractCounts, entries: Sequence[ContractRow]
) -> Iterator[Document]:
    renderer, with_pages = renderer_of(site), catalogue.has_contract_pages
    listed = len(entries) == contracts.contracts
    search = listed and catalogue.pages.search
    lists = ContractListPages(renderer, entries, with_pages=with_pages)
    yield lists.home(catalogue.chains, dict(contracts.by_chain), search=search, listed=listed)
    if listed:
        for chain in catalogue.chains:
            yield from lists.chain_documents(chain)
    if search:
        yield from search_documents(entries, renderer.localization.texts, with_pages=with_pages)


def not_found_page(site: SiteContext, contracts: int) -> Document:
    """Return the page for an unknown address of a site with a number of contracts."""
    renderer = renderer_of(site)
    head = PageHead(
        path=NOT_FOUND_PAGE.path(),
        title=renderer.localization.texts("not_found.title"),
        description=renderer.localization.texts("not_found.text"),
    )
    return renderer.page(NOT_FOUND_PAGE, "not_found.html", head, contracts, root=site.root)
