"""The scripts of the package as documents."""

from functools import cache
from pathlib import Path

from statuary.site.document import Document
from statuary.site.url_table import (
    SCRIPT,
)

FOLDER = Path(__file__).with_name("assets")


EDGE_FOLDER = Path(__file__).parents[2] / "edge"


def script_document(name: str, prefix: bytes = b"", body: bytes | None = None) -> Document:
    """Return a script of the package, or of `body`, with bytes before it."""
    return Document(
        path=SCRIPT.path(name=name),
        body=prefix + (package_file(f"{name}.js") if body is None else body),
        media_type=SCRIPT.media_type,
        cache=SCRIPT.cache,
    )


@cache
def package_file(name: str) -> bytes:
    """Return the bytes of a script, a style sheet or a picture of the package."""
    # pages read epochs as the edge module does
    return (EDGE_FOLDER if name == "epochs.js" else FOLDER).joinpath(name).read_bytes()
