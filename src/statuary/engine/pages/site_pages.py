"""Pages that do not change with time, and shared files."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from statuary.base.json_values import Json
from statuary.engine.pages.api_pages import api_page, reference_page
from statuary.publish.ledger.contract_rows import ContractCounts
from statuary.section import Run
from statuary.site.document import Document
from statuary.site.pages.assets import frame_assets, script_document
from statuary.site.pages.not_found import not_found_page
from statuary.site.pages.rendering import renderer_of
from statuary.site.pages.site_context import SiteContext, site_context
from statuary.site.site_content import SiteContent

MakePages = Callable[[SiteContent], Iterable[Document]]


def config_pages(run: Run, openapi: Mapping[str, Json] | None = None) -> dict[str, MakePages]:
    """Return the functions that make pages of settings alone, by name.

    Args:
        openapi: the OpenAPI document, or None.
    """
    counts = run.result(ContractCounts) or ContractCounts()
    return {
        "404.html": lambda site: [not_found_page(site_context(site), counts.contracts)],
        "the page of the API": lambda site: [api_page(site, run, openapi or {})],
        "the former page of the reference": lambda site: [reference_page(site_context(site))],
        "the files that pages share": lambda site: _shared_files(site_context(site)),
    }


def _shared_files(site: SiteContext) -> Iterator[Document]:
    """Yield the scripts, styles and icons that all pages load."""
    yield from frame_assets(site.settings.theme)
    for part in renderer_of(site).parts:
        for file in sorted((part.folder / "assets").glob("*.js")):
            yield script_document(file)
