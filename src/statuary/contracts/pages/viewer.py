"""The viewer: a page that shows any contract by script.

Sites with more contracts than `pages.contracts` have no HTML file for each; the viewer shows these. Every
site has it.
"""

from collections.abc import Iterator
from contextlib import suppress
from functools import cache

from statuary.base.json_values import Json
from statuary.base.primitives import is_utc
from statuary.contracts.pages.contract_assets import ASSETS
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.urls import CONTRACT_VIEWER
from statuary.site.document import Document, encode_json
from statuary.site.pages.assets import script_document
from statuary.site.pages.page_templates import core_templates
from statuary.site.pages.page_texts import PageTexts, one_line, page_texts
from statuary.site.pages.rendering import Renderer, renderer_of
from statuary.site.pages.site_context import PageHead, site_context
from statuary.site.pages.template_trees import (
    TemplateTrees,
    UnknownNodeError,
    fill_constant_texts,
    used_text_keys,
)
from statuary.site.site_content import SiteContent

PAGE = "contract.html"
"""The template of contract pages, which this page has, too."""

VERDICTS = (
    "no_code",
    "other_code",
    "other_implementation",
    "runtime_differs",
    "runtime_empty",
    "compiles_otherwise",
    "failed",
)
"""The verdicts of a contradicted record, by the key of their sentence."""


def viewer_documents(content: SiteContent) -> Iterator[Document]:
    """Yield the viewer, a page whose script shows any contract of the site.

    The script reads the contract's JSON documents. It is yielded too.
    """
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
    english = page_texts("en")
    data = {
        **_fill_texts(_parse_page_templates(renderer), texts),
        # These texts are always in English, because the sentences in proof documents are, too.
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
            for chain in content.content_of(SiteContracts).chains
        },
    }
    yield script_document(ASSETS / "viewer.js", b"const SITE = " + encode_json(data) + b";\n")


SCRIPT_TEXTS = (
    "claim.",
    "claim_status.",
    "code.title",
    "contract.bytes",
    "contract.created",
    "contract.facts",
    "contract.genesis",
    "contract.in_block",
    "contract.network",
    "contract.optimizer_",
    "contract.other_code",
    "contract.proxy_no",
    "contract.size",
    "date.moment",
    "date.short",
    "difference.title",
    "fact.",
    "interface.title",
    "level.",
    "meaning.",
    "month.",
    "number.group",
    "outcome.",
    "pinned.",
    "proof.",
    "proxy.",
    "side.",
    "sources.rest",
    "sources.spaces",
    "sources.title",
    "storage.title",
    "trail.",
    "verdict.",
)
"""How the keys begin of the texts that the script itself uses."""


def _fill_texts(trees: TemplateTrees, texts: PageTexts) -> dict[str, Json]:
    bodies = {name: fill_constant_texts(body, texts) for name, body in trees.bodies.items()}
    macros = {name: [names, fill_constant_texts(body, texts)] for name, (names, body) in trees.macros.items()}
    beginnings = (*SCRIPT_TEXTS, *used_text_keys([bodies, macros]))
    return {
        "templates": {"bodies": bodies, "macros": macros},
        "texts": {key: text for key, text in texts.by_key.items() if key.startswith(beginnings)},
    }


def _parse_page_templates(renderer: Renderer) -> TemplateTrees:
    """Convert the templates of contract pages for the viewer's script.

    The script renders them in the browser. If it cannot render those of the theme, it gets the templates of statuary.
    """
    themed = dict(renderer.site.settings.theme.templates)
    if themed:
        trees = TemplateTrees({**core_templates(), **themed}.__getitem__)
        with suppress(UnknownNodeError, StopIteration, KeyError):
            trees.convert_page_template(PAGE)
            return trees
    return _parse_package_templates()


@cache
def _parse_package_templates() -> TemplateTrees:
    """Parse the package's own templates.

    This is done once, since it takes longer than a small build.
    """
    trees = TemplateTrees(core_templates().__getitem__)
    trees.convert_page_template(PAGE)
    return trees
