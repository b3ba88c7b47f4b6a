"""nginx, Caddy and Deno: the site as plain files, or behind a `deno serve` of the edge module.

Debian's njs (0.7.9) cannot run the edge module: it supports neither destructuring nor classes, maps or streams. Exact
responses behind nginx come from Deno over the loopback interface.
"""

from statuary.documents.hosting.host_files import (
    EDGE_FOLDER,
    HostFile,
    HostOptions,
    edge_module_files,
    json_text,
    render_config,
)
from statuary.documents.hosting.path_rules import regex_of, static_globs
from statuary.documents.media_types import JSON, MEDIA_TYPES
from statuary.documents.url import COMMON_HEADERS, REVALIDATE, SHORT_LIVED
from statuary.documents.url_table import EPOCH_DOCUMENT, EPOCH_PATCH, EPOCHS, FEED, URLS

EPOCH_FOLDER_REGEX = f"(?:/{EPOCH_DOCUMENT.path(epoch='[^/]+', path='')[:-1]})?"
"""Documents of later instants are below the epochs as the present ones are below the root."""


def nginx_files(options: HostOptions) -> list[HostFile]:
    """Return the configuration of nginx."""
    return [HostFile("statuary.conf", render_config("nginx.conf.jinja", options=options, **_table_values()))]


def caddy_files(options: HostOptions) -> list[HostFile]:
    """Return the configuration of Caddy."""
    listen = f":{options.listen}" if options.listen.isdigit() else options.listen
    text = render_config("Caddyfile.jinja", options=options, listen=listen, **_table_values())
    return [HostFile("Caddyfile", text)]


def deno_files(options: HostOptions) -> list[HostFile]:
    """Return the edge module and the task that runs it: `deno task serve`."""
    address, _, port = (options.edge or "127.0.0.1:8001").rpartition(":")
    serve = (
        f"deno serve --allow-read={options.publish} --host={address} --port={port} "
        f"{EDGE_FOLDER}/modules/deno-serve.js {options.publish}"
    )
    return [HostFile("deno.json", json_text({"tasks": {"serve": serve}})), *edge_module_files(options)]


def _table_values() -> dict[str, object]:
    """Return the template values that come from the URL table; rules of web servers are regular expressions."""
    short_lived = _short_lived_regexes()
    feed = _with_epochs(regex_of(FEED))
    types = [
        (media_type, rf"\.{extension}$")
        for extension, media_type in MEDIA_TYPES.items()
        if media_type != JSON
    ]
    return {
        "common_headers": COMMON_HEADERS,
        "revalidate": REVALIDATE,
        "short_lived": SHORT_LIVED,
        "short_lived_regexes": short_lived,
        "media_types": MEDIA_TYPES,
        "json": JSON,
        "feed": FEED,
        "feed_regex": feed,
        "type_regexes": [*types, (JSON, r"\.json$"), (FEED.media_type, feed)],
        "static_globs": static_globs(),
    }


def _short_lived_regexes() -> list[str]:
    """Return the expressions of all timed documents, at present and at later instants."""
    timed = (url for url in URLS if url.is_timed and url not in (EPOCHS, EPOCH_PATCH, EPOCH_DOCUMENT))
    return [regex_of(EPOCHS), regex_of(EPOCH_PATCH), *(_with_epochs(regex_of(url)) for url in timed)]


def _with_epochs(expression: str) -> str:
    return f"^{EPOCH_FOLDER_REGEX}{expression.removeprefix('^')}"
