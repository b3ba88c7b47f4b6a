"""Configurations of nginx and Caddy."""

import re
from ipaddress import ip_address
from typing import Final, NamedTuple

from statuary.base.errors import StatuaryError
from statuary.extensions.hosting.documents import (
    ANSWERED_WHEN_MISSING,
    EnabledKeys,
    allows_frames,
    list_typed_paths,
    list_urls_with_host_rules,
    url_regex,
)
from statuary.extensions.hosting.host_files import HostFile, HostOptions, render_config, render_explorer_error
from statuary.site.document import encode_json
from statuary.site.urls import (
    COMMON_HEADERS,
    FRAMED_POLICY,
    HTML,
    JSON,
    MEDIA_TYPES,
    REVALIDATE,
    SHORT_LIVED,
    Url,
)
from statuary.status.sources.site_settings import HOST
from statuary.status.urls import EPOCH_DOCUMENT, EPOCH_PATCH, EPOCHS, FEED

PACKED: Final = ("image/png", "image/jpeg", "image/webp", "font/woff2")
"""Media types whose files are already compressed."""

NO_SIGNATURES = {
    "ok": False,
    "error": "This host serves files and looks up no signatures. All of them are in /signature-database/files/names.txt",
}
"""The response of nginx and Caddy to look-ups of signatures; it needs no escapes in their configurations."""


EPOCH_FOLDER_REGEX = f"(?:/{EPOCH_DOCUMENT.path(epoch='[^/]+', path='')[:-1]})?"
"""The optional folder of an epoch: documents have the same paths below it as below the root."""


EDGE_ADDRESS: Final = re.compile(r"(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}")


class WebAddress(NamedTuple):
    """The address on which nginx or Caddy listens, and its domain."""

    host_name: str  # the host name of the site; empty to serve every name without a site of its own
    bind: str  # an IP address without brackets, or localhost; empty for all addresses
    port: str  # the port; empty for the standard ports of HTTP and HTTPS


def parse_web_address(options: HostOptions) -> WebAddress:
    """Parse the options `--domain` and `--listen`, and check `--edge`.

    `--listen` is a port, or an address or host name with an optional port.

    Raises:
        StatuaryError: if the domain or the address of the edge program is invalid.
    """
    if options.domain and not HOST.fullmatch(options.domain):
        raise StatuaryError(
            f"--domain {options.domain!r} is not a host name", "write it like status.example.org"
        )
    if options.edge and not EDGE_ADDRESS.fullmatch(options.edge):
        raise StatuaryError(
            f"--edge {options.edge!r} is not an address with a port", "write it like 127.0.0.1:8001"
        )
    listen = options.listen or ("" if options.domain else DEFAULT_PORT)
    address = _parse_listen_option(listen)
    return address._replace(host_name=options.domain or address.host_name)


def _parse_listen_option(listen_option: str) -> WebAddress:
    if not listen_option or listen_option.isdigit():
        return WebAddress("", "", listen_option)
    host, _, port = listen_option.rpartition(":")
    if not port.isdigit() or _is_ip_address(listen_option):
        host, port = listen_option, ""
    bare_host = host.strip("[]")
    return WebAddress("", bare_host, port) if _is_ip_address(bare_host) else WebAddress(bare_host, "", port)


DEFAULT_PORT: Final = "8080"


def _is_ip_address(host_text: str) -> bool:
    try:
        ip_address(host_text)
    except ValueError:
        return host_text == "localhost"
    return True


def make_nginx_files(options: HostOptions) -> list[HostFile]:
    """Make the configuration file for nginx.

    Raises:
        StatuaryError: if an address in the options is invalid.
    """
    address = parse_web_address(options)
    port = address.port or "80"
    bind = f"[{address.bind}]" if ":" in address.bind else address.bind
    text = render_config(
        "nginx.conf.jinja",
        options=options,
        listen=f"{bind}:{port}" if bind else port,
        server_name=address.host_name,
        **_make_template_values(options.enabled),
    )
    return [HostFile("statuary.conf", text)]


def make_caddy_files(options: HostOptions) -> list[HostFile]:
    """Make the configuration file for the web server Caddy.

    If a domain is given without `--listen`, Caddy obtains a certificate for it. Otherwise the site uses plain
    HTTP.

    Raises:
        StatuaryError: if an address in the options is invalid.
    """
    address = parse_web_address(options)
    text = render_config(
        "Caddyfile.jinja",
        options=options,
        listen=_format_caddy_address(options, address),
        bind=address.bind,
        **_make_template_values(options.enabled),
    )
    return [HostFile("Caddyfile", text)]


def _format_caddy_address(options: HostOptions, address: WebAddress) -> str:
    is_plain = not address.host_name or (options.domain is not None and bool(options.listen))
    if is_plain:
        return f"http://{address.host_name}:{address.port or '80'}"
    return f"{address.host_name}:{address.port}" if address.port else address.host_name


def _make_template_values(enabled: EnabledKeys) -> dict[str, object]:
    short_lived = _make_short_lived_regexes(enabled)
    feed = _add_epoch_folders(url_regex(FEED))
    types = [
        (media_type, rf"\.{extension}$")
        for extension, media_type in MEDIA_TYPES.items()
        if media_type != JSON
    ]
    return {
        "common_headers": COMMON_HEADERS,
        "framed_regexes": [url_regex(url) for url in list_urls_with_host_rules(enabled) if url.framed]
        if allows_frames(enabled)
        else [],
        "framed_policy": FRAMED_POLICY,
        "revalidate": REVALIDATE,
        "short_lived": SHORT_LIVED,
        "short_lived_regexes": short_lived,
        "media_types": MEDIA_TYPES,
        "json": JSON,
        "explorer_error": render_explorer_error(),
        "calls": _list_explorer_answers(enabled),
        "blockscout": {
            url.name: url for url in list_urls_with_host_rules(enabled) if url.name in ANSWERED_WHEN_MISSING
        },
        "signatures": next(
            (url.pattern for url in list_urls_with_host_rules(enabled) if url.name == "signature-stats"), ""
        ),
        "no_signatures": encode_json(NO_SIGNATURES).decode(),
        "creations": "etherscan/creations",
        "feed": FEED,
        "feed_regex": feed,
        "type_regexes": [*types, (JSON, r"\.json$"), (FEED.media_type, feed), *list_typed_paths(enabled)],
        "typed_paths": list_typed_paths(enabled),
        "text_types": _list_compressible_types(),
    }


def _list_compressible_types() -> list[str]:
    """Return the media types of files that compression makes smaller.

    HTML is omitted, since nginx always compresses it.
    """
    types = {media_type.partition(";")[0] for media_type in (*MEDIA_TYPES.values(), FEED.media_type)}
    return sorted(name for name in types if not name.startswith(PACKED) and name != HTML.partition(";")[0])


def _list_explorer_answers(enabled: EnabledKeys) -> dict[str, Url]:
    return {url.name: url for url in list_urls_with_host_rules(enabled) if url.name.startswith("etherscan")}


def _make_short_lived_regexes(enabled: EnabledKeys) -> list[str]:
    """Return regular expressions for documents that change at scheduled times.

    They also match the stored later versions of these documents, in the folder of each time.
    """
    timed = (
        url
        for url in list_urls_with_host_rules(enabled)
        if url.changes_with_time and url not in (EPOCHS, EPOCH_PATCH, EPOCH_DOCUMENT)
    )
    return [url_regex(EPOCHS), url_regex(EPOCH_PATCH), *(_add_epoch_folders(url_regex(url)) for url in timed)]


def _add_epoch_folders(path_regex: str) -> str:
    return f"^{EPOCH_FOLDER_REGEX}{path_regex.removeprefix('^')}"
