"""The page that shows any contract in the browser, with its data.

Sites with more contracts than `pages.contracts` have no file for each; every site has this page, so that
every contract has one.
"""

from collections.abc import Iterator
from contextlib import suppress
from functools import cache

from statuary.base.primitives import is_utc
from statuary.contracts.pages.contract_assets import ASSETS
from statuary.contracts.site_contracts import SiteContracts
from statuary.site.document import Document, encode_json
from statuary.site.pages.assets import script_document
from statuary.site.pages.page_templates import core_templates
from statuary.site.pages.page_texts import one_line, page_texts
from statuary.site.pages.rendering import Renderer, renderer_of
from statuary.site.pages.site_context import PageHead, site_context
from statuary.site.pages.template_trees import TemplateTrees, UnknownNodeError
from statuary.site.site_content import SiteContent
from statuary.site.url_table import CONTRACT_VIEWER

PAGE = "contract.html"
"""The template of contract pages, which this page has, too."""

VERDICTS = (
    *("no_code", "other_code", "other_implementation", "runtime_differs", "runtime_empty"),
    *("compiles_otherwise", "failed"),
)
"""The verdicts of a contradicted record, by the key of their sentence."""


def viewer_documents(content: SiteContent) -> Iterator[Document]:
    """Yield the page, and what its script reads."""
    site = site_context(content)
    renderer = renderer_of(site)
    texts, zone = renderer.localization.texts, renderer.localization.dates.zone
    head = PageHead(
        path=CONTRACT_VIEWER.path(),
        title=texts("viewer.title"),
        description=texts("viewer.page", name=site.name),
        section="contracts",
    )
    yield renderer.page(CONTRACT_VIEWER, "viewer.html", head, None, asks_nodes=True)
    trees = _trees(renderer)
    english = page_texts("en")
    data = {
        "templates": {"bodies": trees.bodies, "macros": trees.macros},
        "texts": _texts(renderer, trees),
        # proofs are in English
        "verdicts": [[key, english(f"claim_reason.verdict_{key}")] for key in VERDICTS],
        "url": site.url,
        "zone": zone.key,
        "isUtc": is_utc(zone),
        "chains": {
            str(chain.chain_id): {
                "title": one_line(chain.title),
                "explorer": chain.explorer,
                "rpc": chain.rpc[0] if chain.rpc else "",
            }
            for chain in content.of(SiteContracts).chains
        },
    }
    yield script_document(ASSETS / "viewer.js", b"const SITE = " + encode_json(data) + b";\n")


TEXT_FAMILIES = frozenset(
    (
        *(
            "check",
            "claim",
            "claim_status",
            "code",
            "compare",
            "contract",
            "date",
            "decode",
            "difference",
            "fact",
        ),
        *("interface", "level", "mark", "meaning", "month", "number", "outcome", "page", "pinned", "proof"),
        *("proxy", "section", "side", "sources", "storage", "trail", "type", "verdict"),
    )
)
"""The first names of the texts that the package's templates and the script use."""


def _texts(renderer: Renderer, trees: TemplateTrees) -> dict[str, str]:
    """Return the texts of the page; templates of a theme may use any."""
    texts, package = renderer.localization.texts.by_key, _package_trees()
    if (trees.bodies, trees.macros) != (package.bodies, package.macros):
        return dict(texts)
    return {key: text for key, text in texts.items() if key.partition(".")[0] in TEXT_FAMILIES}


def _trees(renderer: Renderer) -> TemplateTrees:
    """Return contract pages' templates as trees.

    They are the package's if the script cannot render the theme's.
    """
    themed = dict(renderer.site.settings.theme.templates)
    if themed:
        trees = TemplateTrees({**core_templates(), **themed}.__getitem__)
        with suppress(UnknownNodeError, StopIteration, KeyError):
            trees.add_page(PAGE)
            return trees
    return _package_trees()


@cache
def _package_trees() -> TemplateTrees:
    """Return the trees of the package's own templates, which take longer to parse than a small site to write."""
    trees = TemplateTrees(core_templates().__getitem__)
    trees.add_page(PAGE)
    return trees
