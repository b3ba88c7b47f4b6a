"""The edge module's files, as they are deployed with a site."""

from importlib.resources import files

from statuary.documents.hosting.host_file import HostFile
from statuary.domain.hosting import Layout

PLAIN_LAYOUT, SHARDED_LAYOUT = (f"export const SHARDED = {value};" for value in ("false", "true"))


def edge_module(folder: str, layout: Layout) -> list[HostFile]:
    """Return the module's files below a folder, set to the site's layout."""
    found = files("statuary").joinpath("edge").iterdir()
    scripts = sorted((file for file in found if file.name.endswith(".js")), key=lambda file: file.name)
    return [HostFile(f"{folder}/{file.name}", _laid_out(file.read_text("utf-8"), layout)) for file in scripts]


def _laid_out(text: str, layout: Layout) -> str:
    return text.replace(PLAIN_LAYOUT, SHARDED_LAYOUT) if layout is Layout.SHARDED else text
