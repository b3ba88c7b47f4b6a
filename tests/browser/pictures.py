"""Pictures of a site's pages at two widths, by day and by night, on paper and without scripts.

PYTHONPATH=tests python tests/browser/pictures.py SITE FOLDER [PATH ...]
"""

import sys
from pathlib import Path

from support.browser import LOOKS, browse

PAPER = {"width": 794, "height": 1123, "colorScheme": "light", "media": "print"}
WITHOUT_SCRIPTS = {"width": 1280, "height": 900, "colorScheme": "light", "javaScriptEnabled": False}


def pages_of(site: Path) -> list[str]:
    """Return the pages of a site, without those of later epochs."""
    pages = (page.relative_to(site) for page in sorted(site.rglob("*.html")))
    return [page.as_posix() for page in pages if "_epochs" not in page.parts]


def main(site: Path, folder: Path, paths: list[str]) -> None:
    """Write the pictures, and say what each page shifted and complained of."""
    folder.mkdir(parents=True, exist_ok=True)
    looks = [*LOOKS, PAPER, WITHOUT_SCRIPTS]
    taken = browse(site, "pictures", paths=paths or pages_of(site), looks=looks, folder=str(folder))
    for picture in taken:
        print(f"{picture['shift']:.3f}  {picture['file']}", *picture["complaints"], sep="  ")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]).resolve(), sys.argv[3:])
