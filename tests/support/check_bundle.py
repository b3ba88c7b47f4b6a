"""`assets/check.js` and `assets/decode.js`: the modules of `check/` in small files, as esbuild makes them.

After a change of a module: `PYTHONPATH=tests .venv/bin/python tests/support/check_bundle.py`.
"""

import subprocess

from support.edge_runtimes import HOSTS_INSTALL, node
from support.requirements import CHECKOUT, require_node_package

PAGES = CHECKOUT / "src" / "statuary" / "documents" / "pages"
MODULES = PAGES / "check"
BUNDLES = {PAGES / "assets" / "check.js": "page.js", PAGES / "assets" / "decode.js": "decode.js"}
"""Each bundle with the module that it is made of."""

BANNER = "// {} of a contract's page, bundled from statuary's documents/pages/check."
TITLES = {"page.js": "The check of the record", "decode.js": "The decoder of calls and logs"}


def bundled(module: str) -> bytes:
    """Return the bundle as esbuild makes it of a module."""
    esbuild = require_node_package("esbuild", install=HOSTS_INSTALL) / "esbuild" / "bin" / "esbuild"
    banner = f"--banner:js={BANNER.format(TITLES[module])}"
    options = ["--bundle", "--minify", "--format=esm", "--target=es2023", banner]
    command = [node(), str(esbuild), *options, str(MODULES / module)]
    return subprocess.run(command, capture_output=True, check=True).stdout


if __name__ == "__main__":
    for bundle, module_name in BUNDLES.items():
        bundle.write_bytes(bundled(module_name))
