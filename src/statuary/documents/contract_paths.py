"""What a path stands for, whatever a site's settings for its hosts made of it: another layout, a compressed form."""

import re

from statuary.documents.match_url import match_url
from statuary.documents.stored_paths import plain_path
from statuary.documents.url_table import CONTRACT
from statuary.domain.hosting_settings import CompressedFormat

ADDRESS = re.compile("0x[0-9a-fA-F]{40}")


def uncompressed_path(path: str) -> str:
    """Return the path of the document that a path holds a compressed form of; the path itself of all others."""
    for form in CompressedFormat:
        if path.endswith(f".{form}"):
            return path.removesuffix(f".{form}")
    return path


def contract_of_path(path: str) -> tuple[str, str] | None:
    """Return chain id and address of the record that a path holds, in whichever layout; None if it holds none."""
    found = match_url(plain_path(path))
    if found is None or found[0] is not CONTRACT or not ADDRESS.fullmatch(found[1]["address"]):
        return None
    return found[1]["chain_id"], found[1]["address"]
