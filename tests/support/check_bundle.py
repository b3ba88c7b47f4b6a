"""The files of `assets/` that esbuild and terser make: of modules a bundle, of a script or a style sheet the same in fewer bytes.

After a change of a source: `PYTHONPATH=tests .venv/bin/python tests/support/check_bundle.py`.
"""

import json
import os
import subprocess
from pathlib import Path

from support.edge_runtimes import HOSTS_INSTALL, node
from support.requirements import CHECKOUT, require_node_package

PACKAGE = CHECKOUT / "src/statuary"
PAGES = PACKAGE / "site/pages"
CONTRACT_PAGES = PACKAGE / "contracts/pages"
CHECK = PACKAGE / "contracts/pages/check"
VIEWER = PACKAGE / "contracts/pages/viewer_script"
EXTENSIONS = PACKAGE / "extensions"
SIGNING = EXTENSIONS / "clear_signing" / "pages"
APIS = EXTENSIONS / "apis" / "pages"
LOG = EXTENSIONS / "log" / "pages"
OWN_PAGES = EXTENSIONS / "own_pages"
KECCAK = PACKAGE / "edge/keccak.js"
RECORD_PARTS = CHECK / "record-parts.js"
BUNDLES = {
    CONTRACT_PAGES / "assets" / "check.js": "contracts/pages/check/page.js",
    CONTRACT_PAGES / "assets" / "record-parts.js": "contracts/pages/check/record-parts.js",
    CONTRACT_PAGES / "assets" / "keccak.js": "edge/keccak.js",
    CONTRACT_PAGES / "assets" / "decode.js": "contracts/pages/check/decode.js",
    CONTRACT_PAGES / "assets" / "viewer.js": "contracts/pages/viewer_script/page.js",
    SIGNING / "assets" / "clear-signing-view.js": "extensions/clear_signing/pages/modules/page.js",
    APIS / "assets" / "code-names.js": "extensions/apis/pages/modules/page.js",
    OWN_PAGES / "assets" / "page-search.js": "extensions/own_pages/modules/page-search.js",
}
"""Each bundle with the module that it is made of, as a path in the package."""

SHARED = {
    KECCAK: KECCAK,
    **{
        CHECK / f"{name}.js": RECORD_PARTS for name in ("abi", "auxdata", "cbor", "transformations", "values")
    },
}
"""Each module that bundles do not include, with the one whose bundle they import it from."""

BUNDLER = Path(__file__).with_name("bundle.mjs")
BANNER = "// {}. Bundled; the readable modules are in statuary's repository."
TITLES = {
    "contracts/pages/check/page.js": "The check of the record of a contract's page",
    "contracts/pages/check/record-parts.js": "What scripts of a contract's page read of a record",
    "edge/keccak.js": "Keccak-256",
    "contracts/pages/check/decode.js": "The decoder of calls and logs of a contract's page",
    "contracts/pages/viewer_script/page.js": "The view of any record of a contract's page",
    "extensions/clear_signing/pages/modules/page.js": "What a wallet shows of a contract's page",
    "extensions/apis/pages/modules/page.js": "The look-up by code",
    "extensions/own_pages/modules/page-search.js": "The search over pages in Markdown",
}

SMALLER = {
    folder / "assets" / source.name: source
    for folder in (PAGES, CONTRACT_PAGES, LOG, SIGNING)
    for source in sorted([*folder.glob("scripts/*.js"), *folder.glob("styles/*.css")])
} | {PAGES / "assets" / "epochs.js": PACKAGE / "edge" / "epochs.js"}
"""Each script and style sheet as it is sent, with its source."""


def bundled(module: str) -> bytes:
    """Return the bundle of a module."""
    entry = PACKAGE / module
    shared = {str(file): f"./{bundle.name}" for file, bundle in SHARED.items() if bundle != entry}
    return _minified(entry, banner=BANNER.format(TITLES[module]), shared=shared)


def smaller(source: Path) -> bytes:
    """Return a script or a style sheet without what only its readers in the repository need."""
    if source.suffix == ".css":
        return _minified(
            source, banner=f"/* Minified; {source.name} with comments is in statuary's repository. */"
        )
    return _minified(source)


def _minified(entry: Path, **question: object) -> bytes:
    for package in ("esbuild", "minisearch", "terser"):
        modules = require_node_package(package, install=HOSTS_INSTALL)
    command = [node(), str(BUNDLER), json.dumps({"entry": str(entry), **question})]
    environment = os.environ | {"NODE_PATH": str(modules)}  # where modules find what they import by name
    return subprocess.run(command, env=environment, capture_output=True, check=True).stdout


if __name__ == "__main__":
    for bundle, module_name in BUNDLES.items():
        bundle.write_bytes(bundled(module_name))
    for asset, file in SMALLER.items():
        asset.parent.mkdir(exist_ok=True)
        asset.write_bytes(smaller(file))
