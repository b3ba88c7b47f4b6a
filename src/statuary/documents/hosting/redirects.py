"""Which path is answered by another, and `_redirects`, which Netlify and Cloudflare read from the site."""

from statuary.documents.hosting.header_rules import server_globs
from statuary.documents.stored_paths import shard_rewrites
from statuary.domain.hosting_settings import HostingSettings, PathLayout

INTERNAL_FILES_RULE = ("/.statuary/*", "/404.html")
"""The build's own notes lie in the folder that is published, and are no part of the site."""


def server_rewrites() -> list[tuple[str, str]]:
    """Return the rewrites of the look-up's paths below `/server`, where some clients look for it."""
    return [(glob, glob.removeprefix("/server").replace("*", ":splat")) for glob in server_globs()]


def redirects_file(settings: HostingSettings) -> str:
    """Return the text of `_redirects`.

    Cloudflare knows no answer of 404 here and no limit that shards would cure; the first rule that fits wins.
    """
    shards = shard_rewrites() if settings.layout is PathLayout.SHARDED else []
    lines = [f"{asked} {held} 200" for asked, held in (*server_rewrites(), *shards)]
    return "\n".join((*lines, f"{INTERNAL_FILES_RULE[0]} {INTERNAL_FILES_RULE[1]} 302")) + "\n"
