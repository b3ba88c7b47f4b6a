"""The files of `assets/` that esbuild makes: of modules a bundle, of a script or a style sheet the same in fewer bytes.

After a change of a source: `PYTHONPATH=tests .venv/bin/python tests/support/check_bundle.py`.
"""

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
BUNDLES = {
    CONTRACT_PAGES / "assets" / "check.js": "contracts/pages/check/page.js",
    CONTRACT_PAGES / "assets" / "solc-settings.js": "contracts/pages/check/solc-settings.js",
    CONTRACT_PAGES / "assets" / "decode.js": "contracts/pages/check/decode.js",
    CONTRACT_PAGES / "assets" / "viewer.js": "contracts/pages/viewer_script/page.js",
    SIGNING / "assets" / "clear-signing-view.js": "extensions/clear_signing/pages/modules/page.js",
    APIS / "assets" / "code-names.js": "extensions/apis/pages/modules/page.js",
    OWN_PAGES / "assets" / "page-search.js": "extensions/own_pages/modules/page-search.js",
}
"""Each bundle with the module that it is made of, as a path in the package."""

SHARED = "./solc-settings.js"
"""A module that bundles import as a file of its own."""

BANNER = "// {}. Bundled; the readable modules are in statuary's repository."
TITLES = {
    "contracts/pages/check/page.js": "The check of the record of a contract's page",
    "contracts/pages/check/solc-settings.js": "The settings in solc's metadata, for the check of a record",
    "contracts/pages/check/decode.js": "The decoder of calls and logs of a contract's page",
    "contracts/pages/viewer_script/page.js": "The view of any record of a contract's page",
    "extensions/clear_signing/pages/modules/page.js": "What a wallet shows of a contract's page",
    "extensions/apis/pages/modules/page.js": "The look-up by code",
    "extensions/own_pages/modules/page-search.js": "The search over pages in Markdown",
}

SMALLER = {
    folder / "assets" / source.name: source
    for folder in (PAGES, CONTRACT_PAGES, LOG)
    for source in sorted([*folder.glob("scripts/*.js"), *folder.glob("styles/*.css")])
}
"""Each script and style sheet as it is sent, with its source."""


def bundled(module: str) -> bytes:
    """Return the bundle as esbuild makes it of a module."""
    banner = f"--banner:js={BANNER.format(TITLES[module])}"
    return _esbuild("--bundle", "--format=esm", f"--external:{SHARED}", banner, PACKAGE / module)


def smaller(source: Path) -> bytes:
    """Return a script or a style sheet without what only its readers in the repository need."""
    if source.suffix == ".css":
        return _esbuild(
            f"--banner:css=/* Minified; {source.name} with comments is in statuary's repository. */", source
        )
    return _esbuild("--format=esm", source)


def _esbuild(*options: object) -> bytes:
    modules = require_node_package("esbuild", install=HOSTS_INSTALL)
    require_node_package("minisearch", install=HOSTS_INSTALL)
    command = [node(), modules / "esbuild" / "bin" / "esbuild", "--minify", "--target=es2023", *options]
    environment = os.environ | {"NODE_PATH": str(modules)}  # where modules find what they import by name
    return subprocess.run(list(map(str, command)), env=environment, capture_output=True, check=True).stdout


if __name__ == "__main__":
    for bundle, module_name in BUNDLES.items():
        bundle.write_bytes(bundled(module_name))
    for asset, file in SMALLER.items():
        asset.parent.mkdir(exist_ok=True)
        asset.write_bytes(smaller(file))
