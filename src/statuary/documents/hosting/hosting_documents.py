"""The documents that hosts need inside the site."""

import json
from collections.abc import Callable, Iterator

from statuary.documents.document import Document
from statuary.documents.encode import encode_json
from statuary.documents.hosting.globs import static_globs
from statuary.documents.hosting.headers_file import headers_file
from statuary.documents.hosting.redirects import redirects_file
from statuary.documents.url_table import HOST_FILES, NOT_FOUND_JSON
from statuary.domain.hosting_settings import HostingPlatform, HostingSettings, PathLayout


def hosting_documents(settings: HostingSettings) -> Iterator[Document]:
    """Yield what hosts need inside the site: the body of a 404, and the files of the hosts that the settings name."""
    yield Document(path=NOT_FOUND_JSON.path(), body=not_found_body(), cache=NOT_FOUND_JSON.cache)
    for url in HOST_FILES:
        if url.pattern in _wanted(settings):
            text = FILE_TEXTS[url.pattern](settings)
            yield Document(path=url.path(), body=text.encode(), media_type=url.media_type)


def not_found_body() -> bytes:
    """Return what an address that is not verified is answered with, as far as a file can know it.

    The real server's answer names chain and address beside these members.
    """
    return encode_json({"match": None, "creationMatch": None, "runtimeMatch": None})


def _wanted(settings: HostingSettings) -> set[str]:
    wanted = {name for host in settings.files for name in FILES_BY_PLATFORM[host]}
    return wanted | ({"_redirects"} if settings.layout is PathLayout.SHARDED else set())


FILES_BY_PLATFORM: dict[HostingPlatform, tuple[str, ...]] = {
    HostingPlatform.NETLIFY: ("_headers", "_redirects"),
    HostingPlatform.CLOUDFLARE: ("_headers", "_redirects", "_routes.json", ".assetsignore"),
    HostingPlatform.GITHUB_PAGES: (".nojekyll",),
}
"""The files of the site that a host reads."""


def _routes(_settings: HostingSettings) -> str:
    """Return what Cloudflare Pages asks the edge module for: everything but what it has no business with."""
    routes = {"version": 1, "include": ["/*"], "exclude": list(static_globs())}
    return json.dumps(routes, indent=2) + "\n"


FILE_TEXTS: dict[str, Callable[[HostingSettings], str]] = {
    "_headers": lambda _settings: headers_file(),
    "_redirects": redirects_file,
    "_routes.json": _routes,
    ".assetsignore": lambda _settings: ".statuary\n",
    ".nojekyll": lambda _settings: "",
}
