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
    """Return one of the package's scripts as a document, after some bytes.

    Args:
        body: the script itself, instead of the package's.
    """
    return Document(
        path=SCRIPT.path(name=name),
        body=prefix + (package_file(f"{name}.js") if body is None else body),
        media_type=SCRIPT.media_type,
        cache=SCRIPT.cache,
    )


@cache
def package_file(name: str) -> bytes:
    """Read a script, style sheet or picture of the package."""
    # pages read epochs as the edge module does
    return (EDGE_FOLDER if name == "epochs.js" else FOLDER).joinpath(name).read_bytes()
