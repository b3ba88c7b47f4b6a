"""The scripts of `assets/` that are bundled from modules: in small files, as esbuild makes them.

After a change of a module: `PYTHONPATH=tests .venv/bin/python tests/support/check_bundle.py`.
"""

import subprocess

from support.edge_runtimes import HOSTS_INSTALL, node
from support.requirements import CHECKOUT, require_node_package

PAGES = CHECKOUT / "src" / "statuary" / "documents" / "pages"
SIGNING = CHECKOUT / "src" / "statuary" / "extensions" / "clear_signing" / "pages"
BUNDLES = {
    PAGES / "assets" / "check.js": "check/page.js",
    PAGES / "assets" / "decode.js": "check/decode.js",
    PAGES / "assets" / "viewer.js": "viewer/page.js",
    SIGNING / "assets" / "clear-signing-view.js": "../../extensions/clear_signing/pages/modules/page.js",
}
"""Each bundle with the module that it is made of."""

BANNER = "// {} of a contract's page, bundled from statuary's documents/pages."
TITLES = {
    "check/page.js": "The check of the record",
    "check/decode.js": "The decoder of calls and logs",
    "viewer/page.js": "The view of any record",
    "../../extensions/clear_signing/pages/modules/page.js": "What a wallet shows",
}


def bundled(module: str) -> bytes:
    """Return the bundle as esbuild makes it of a module."""
    esbuild = require_node_package("esbuild", install=HOSTS_INSTALL) / "esbuild" / "bin" / "esbuild"
    banner = f"--banner:js={BANNER.format(TITLES[module])}"
    options = ["--bundle", "--minify", "--format=esm", "--target=es2023", banner]
    command = [node(), str(esbuild), *options, str(PAGES / module)]
    return subprocess.run(command, capture_output=True, check=True).stdout


if __name__ == "__main__":
    for bundle, module_name in BUNDLES.items():
        bundle.write_bytes(bundled(module_name))
