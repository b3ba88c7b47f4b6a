"""Scripts and styles of contract pages."""

from collections.abc import Iterator
from pathlib import Path

import orjson

from statuary.contracts.urls import CONTRACT_STYLE
from statuary.site.document import Document
from statuary.site.pages.assets import asset_bytes, script_document, style_document
from statuary.site.settings import Theme

ASSETS = Path(__file__).with_name("assets")

SCRIPTS = ("check", "compare", "decode", "keccak", "record-parts")
"""The scripts of contract pages; `tests/support/check_bundle.py` makes them of `check/` and `scripts/`."""


def contract_assets(theme: Theme, *, search: bool) -> Iterator[Document]:
    """Yield the scripts and style sheets of contract pages.

    Args:
        theme: the theme of the site; its style sheets replace statuary's own.
        search: whether to include the script of the search.
    """
    yield style_document(CONTRACT_STYLE, ASSETS, theme)
    for name in SCRIPTS:
        yield script_document(ASSETS / f"{name}.js")
    languages = orjson.dumps(orjson.loads(asset_bytes(ASSETS / "languages.json")))
    yield script_document(ASSETS / "contract.js", b"const LANGUAGES = " + languages + b";\n")
    if search:
        yield script_document(ASSETS / "search.js")
