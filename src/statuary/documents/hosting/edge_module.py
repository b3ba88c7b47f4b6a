"""The edge module's files, as they are deployed with a site."""

from importlib.resources import files

from statuary.documents.hosting.host_file import HostFile
from statuary.domain.hosting_settings import PathLayout

PLAIN_LAYOUT, SHARDED_LAYOUT = (f"export const SHARDED = {value};" for value in ("false", "true"))


def edge_module_files(folder: str, layout: PathLayout) -> list[HostFile]:
    """Return the module's files below a folder, set to the site's layout."""
    found = files("statuary").joinpath("edge").iterdir()
    scripts = sorted((file for file in found if file.name.endswith(".js")), key=lambda file: file.name)
    return [HostFile(f"{folder}/{file.name}", _laid_out(file.read_text("utf-8"), layout)) for file in scripts]


def _laid_out(text: str, layout: PathLayout) -> str:
    return text.replace(PLAIN_LAYOUT, SHARDED_LAYOUT) if layout is PathLayout.SHARDED else text
