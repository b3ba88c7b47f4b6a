"""The pages that depend on the settings or on all contracts but not on the time, and the files that all pages load."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module

import orjson

from statuary.base.json_values import Json
from statuary.engine.catalogue import Catalogue
from statuary.engine.pages.api_pages import api_page, reference_page
from statuary.publish.ledger.contract_rows import ContractCounts
from statuary.site.document import Document
from statuary.site.pages.not_found import not_found_page
from statuary.site.pages.page_parts import PageParts
from statuary.site.pages.rendering import renderer_of
from statuary.site.pages.scripts import package_file, script_document
from statuary.site.pages.site_context import SiteContext, site_context
from statuary.site.pages.states import IMPACT_STATES
from statuary.site.settings import Theme
from statuary.site.url_table import (
    CONTRACT_STYLE,
    DOCS_STYLE,
    ICON,
    STYLE,
    THEME_FILE,
)

ICONS = ("site", *(f"status-{impact}" for impact in IMPACT_STATES))
"""The icon of a site without a status page, and that of each status."""


CONTRACT_SCRIPTS = ("check", "compare", "decode", "solc-settings")
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


MakePages = Callable[[Catalogue], Iterable[Document]]


def config_pages(
    contracts: ContractCounts, current_paths: Iterable[str], openapi: Mapping[str, Json] | None = None
) -> dict[str, MakePages]:
    """Return what makes the pages and files that change only with the settings, by name.

    Args:
        contracts: the published contracts in numbers.
        openapi: the OpenAPI document, or None.
    """
    pages: dict[str, MakePages] = {
        "404.html": lambda catalogue: [not_found_page(site_context(catalogue), contracts.contracts)],
        "the page of the API": lambda catalogue: [
            api_page(catalogue, contracts, current_paths, openapi or {})
        ],
        "the former page of the reference": lambda catalogue: [reference_page(site_context(catalogue))],
        "the files that pages share": lambda catalogue: _shared_files(site_context(catalogue)),
    }
    if contracts.by_chain:
        # sites without contracts do not load it
        viewer = import_module("statuary.contracts.pages.viewer")
        pages["the page of any contract"] = viewer.viewer_documents
    return pages


def _shared_files(site: SiteContext) -> Iterator[Document]:
    return asset_documents(
        site.settings.theme,
        contracts=site.has_contracts,
        search=site.has_contracts and site.settings.search,
        parts=renderer_of(site).parts,
    )
