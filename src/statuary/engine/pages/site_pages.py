"""Pages that depend on settings or contracts but not on time, and shared files."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module

from statuary.base.json_values import Json
from statuary.contracts.pages.contract_assets import contract_assets
from statuary.engine.pages.api_pages import api_page, reference_page
from statuary.publish.ledger.contract_rows import ContractCounts
from statuary.site.document import Document
from statuary.site.pages.assets import frame_assets, script_document
from statuary.site.pages.not_found import not_found_page
from statuary.site.pages.page_parts import PageParts
from statuary.site.pages.rendering import renderer_of
from statuary.site.pages.site_context import SiteContext, site_context
from statuary.site.settings import Theme
from statuary.site.site_content import SiteContent
from statuary.status.pages.status_assets import status_assets


def asset_documents(
    theme: Theme, *, contracts: bool, search: bool, parts: Iterable[PageParts]
) -> Iterator[Document]:
    """Yield the files that pages load, including those of extensions."""
    yield from frame_assets(theme)
    yield from status_assets()
    if contracts:
        yield from contract_assets(theme, search=search)
    for part in parts:
        for file in sorted((part.folder / "assets").glob("*.js")):
            yield script_document(file)


MakePages = Callable[[SiteContent], Iterable[Document]]


def config_pages(
    contracts: ContractCounts, current_paths: Iterable[str], openapi: Mapping[str, Json] | None = None
) -> dict[str, MakePages]:
    """Return the makers of config-only pages and files, by name.

    Args:
        contracts: the numbers of published contracts.
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
        search=site.settings.search,
        parts=renderer_of(site).parts,
    )
