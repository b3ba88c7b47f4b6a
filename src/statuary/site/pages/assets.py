"""The package's style sheets, scripts and icons as documents."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from statuary.site.document import Document
from statuary.site.settings import Theme
from statuary.site.urls import DOCS_STYLE, ICON, SCRIPT, STYLE, THEME_FILE, Url
from statuary.system.files import read_file

ASSETS = Path(__file__).with_name("assets")


def script_document(file: Path, prefix: bytes = b"") -> Document:
    """Return one of statuary's scripts as a document.

    Args:
        file: the file of the script.
        prefix: bytes to put before the script.
    """
    body = prefix + asset_bytes(file)
    return Document(
        path=SCRIPT.path(name=file.stem), body=body, media_type=SCRIPT.media_type, cache=SCRIPT.cache
    )


def style_document(url: Url, folder: Path, theme: Theme) -> Document:
    """Return one of statuary's style sheets, followed by the theme's CSS.

    Args:
        url: the address of the style sheet.
        folder: the folder that contains the file with that name.
        theme: the theme, whose CSS may be empty.
    """
    style = asset_bytes(folder / url.path().rpartition("/")[2])
    if theme.stylesheet:
        style += b"\n/* the theme of this site */\n" + theme.stylesheet.encode("utf-8", "replace")
    return Document(path=url.path(), body=style, media_type=url.media_type, cache=url.cache)


def icon_document(file: Path) -> Document:
    """Return an icon as a document to publish.

    Args:
        file: the icon's SVG file in the package.
    """
    path = ICON.path(name=file.stem)
    return Document(path=path, body=asset_bytes(file), media_type=ICON.media_type, cache=ICON.cache)


def frame_assets(theme: Theme) -> Iterator[Document]:
    """Yield the style sheets, scripts and icon that all pages use.

    The files of the theme are among them.
    """
    for url in (STYLE, DOCS_STYLE):
        yield style_document(url, ASSETS, theme)
    # `epochs.js` lets an open page show documents that a build has precomputed for later times.
    for file in (ASSETS / "statuary.js", ASSETS / "epochs.js", ASSETS / "docs.js"):
        yield script_document(file)
    yield icon_document(ASSETS / "site.svg")
    for name, body in theme.files:
        yield Document(path=THEME_FILE.path(name=name), body=body, media_type="", cache=THEME_FILE.cache)


@cache
def asset_bytes(file: Path) -> bytes:
    """Read a script, style sheet or picture of the installed package."""
    return read_file(file)
