"""`assets/check.js`: the modules of `check/` in one small file, as esbuild makes it.

After a change of a module: `PYTHONPATH=tests .venv/bin/python tests/support/check_bundle.py`.
"""

import subprocess

from support.edge_runtimes import HOSTS_INSTALL, node
from support.requirements import CHECKOUT, require_node_package

PAGES = CHECKOUT / "src" / "statuary" / "documents" / "pages"
MODULES = PAGES / "check"
BUNDLE = PAGES / "assets" / "check.js"

BANNER = "// The check of a contract's record in the reader's browser, bundled from statuary's documents/pages/check."


def bundled() -> bytes:
    """Return the bundle as esbuild makes it of the modules."""
    esbuild = require_node_package("esbuild", install=HOSTS_INSTALL) / "esbuild" / "bin" / "esbuild"
    options = ["--bundle", "--minify", "--format=esm", "--target=es2023", f"--banner:js={BANNER}"]
    command = [node(), str(esbuild), *options, str(MODULES / "page.js")]
    return subprocess.run(command, capture_output=True, check=True).stdout


if __name__ == "__main__":
    BUNDLE.write_bytes(bundled())
