"""Documents that hosts need inside the site: the body of a 404, and files such as `_headers`."""

import json
from collections.abc import Callable, Iterator

from statuary.documents.document import Document
from statuary.documents.encode import encode_json
from statuary.documents.hosting.path_rules import (
    INTERNAL_FILES_RULE,
    header_rules,
    server_rewrites,
    static_globs,
)
from statuary.documents.stored_paths import shard_rewrites
from statuary.documents.url_table import HOST_FILES, NOT_FOUND_JSON
from statuary.domain.hosting_settings import HostingPlatform, HostingSettings, PathLayout

FILES_BY_PLATFORM: dict[HostingPlatform, tuple[str, ...]] = {
    HostingPlatform.NETLIFY: ("_headers", "_redirects"),
    HostingPlatform.CLOUDFLARE: ("_headers", "_redirects", "_routes.json", ".assetsignore"),
    HostingPlatform.GITHUB_PAGES: (".nojekyll",),
}


def hosting_documents(settings: HostingSettings) -> Iterator[Document]:
    """Yield the body of a 404, and the files of the hosts in the settings."""
    # the real server adds chain and address, which a file cannot know
    body = encode_json({"match": None, "creationMatch": None, "runtimeMatch": None})
    yield Document(path=NOT_FOUND_JSON.path(), body=body, cache=NOT_FOUND_JSON.cache)
    wanted = {name for host in settings.files for name in FILES_BY_PLATFORM[host]}
    if settings.layout is PathLayout.SHARDED:
        wanted.add("_redirects")
    for url in HOST_FILES:
        if url.pattern in wanted:
            text = FILE_TEXTS[url.pattern](settings)
            yield Document(path=url.path(), body=text.encode(), media_type=url.media_type)


def headers_file() -> str:
    """Return the text of `_headers`: globs, each with its headers below it.

    Cloudflare accepts up to 100 rules of at most 2,000 characters a line; the site has about thirty.
    """
    blocks = (
        "\n".join((rule.glob, *(f"  {name}: {value}" for name, value in rule.headers.items())))
        for rule in header_rules()
    )
    return "\n\n".join(blocks) + "\n"


def redirects_file(settings: HostingSettings) -> str:
    """Return the text of `_redirects`; the first matching rule wins.

    Cloudflare supports no status 404 here, so internal files are redirected.
    """
    shards = shard_rewrites() if settings.layout is PathLayout.SHARDED else []
    lines = [f"{requested} {served} 200" for requested, served in (*server_rewrites(), *shards)]
    return "\n".join((*lines, f"{INTERNAL_FILES_RULE[0]} {INTERNAL_FILES_RULE[1]} 302")) + "\n"


def _routes_file() -> str:
    """Return the text of `_routes.json`: the edge module of Cloudflare Pages handles all but the static paths."""
    return json.dumps({"version": 1, "include": ["/*"], "exclude": list(static_globs())}, indent=2) + "\n"


FILE_TEXTS: dict[str, Callable[[HostingSettings], str]] = {
    "_headers": lambda _settings: headers_file(),
    "_redirects": redirects_file,
    "_routes.json": lambda _settings: _routes_file(),
    ".assetsignore": lambda _settings: ".statuary\n",
    ".nojekyll": lambda _settings: "",
}
