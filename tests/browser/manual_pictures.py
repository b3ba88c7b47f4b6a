"""The pictures of README and the manual: parts of the demo network's pages, small enough for a repository.

PYTHONPATH=tests python tests/browser/manual_pictures.py     writes content/theme/manual-*.webp and .github/*.webp again
"""

from base64 import b64decode
from pathlib import Path
from tempfile import TemporaryDirectory

from support.browser import browse, build
from support.design import RECORDED, design_digest
from support.requirements import CHECKOUT

NOW = "2026-11-20T12:00:00Z"
BRIDGE = "contracts/748463/0x7794f725ec37158E1f30e805EB7764e9c988693e.html"

PICTURES = {
    "status": ("index.html", 900),
    "incident": ("incidents/2026-11-20-faucet-without-coins.html", 760),
    "uptime": ("uptime.html", 760),
    "contract": (BRIDGE, 1000),
    "evidence": (f"{BRIDGE}#proof", 800),
    "search": ("contracts/index.html?q=transfer", 700),
    "api": ("api.html", 900),
    "pages": ("pages/manual/incidents.html", 800),
}
"""Each picture: the page, and its height in pixels."""

WIDTH, QUALITY = 1100, 0.72


SCHEMES = {"status-page": "light", "status-page-dark": "dark"}
"""README's pictures of the status page: each with its colour scheme."""


def main() -> None:
    """Write the pictures, and the digest of the design that they show."""
    look = {"width": WIDTH, "top": 0, "quality": QUALITY, "now": NOW}
    with TemporaryDirectory() as folder:
        site = build(CHECKOUT / "content", Path(folder) / "site", NOW)
        for name, (path, height) in PICTURES.items():
            picture = browse(site, "webp", path=path, height=height, **look)
            (CHECKOUT / f"content/theme/manual-{name}.webp").write_bytes(b64decode(picture))
        path, height = PICTURES["status"]
        for name, scheme in SCHEMES.items():
            picture = browse(site, "webp", path=path, height=height, scheme=scheme, **look)
            (CHECKOUT / f".github/{name}.webp").write_bytes(b64decode(picture))
    RECORDED.write_text(f"{design_digest()}\n", "ascii")


if __name__ == "__main__":
    main()
