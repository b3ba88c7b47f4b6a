"""The host names that the local server accepts, against DNS rebinding."""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

from statuary.extensions.serving.lookup import ReadDocument, Response
from statuary.status import urls as status_urls

PORT = re.compile(r"(?<=[^:]):[0-9]*$")
LOCAL_NAMES = frozenset({"localhost", ""})


def parse_host_name(host_header: str) -> str:
    """Return the host name in an HTTP header `Host`, in lower case.

    The port, a final dot, and the brackets of an IPv6 address are removed. Example: `[::1]:8000` -> `::1`.
    """
    name = PORT.sub("", host_header.strip().lower())
    return name[1:-1] if name.startswith("[") and name.endswith("]") else name.removesuffix(".")


class AllowedHosts(NamedTuple):
    """The host names that the local server responds to.

    The restriction prevents DNS rebinding, an attack in which a foreign site points its own name at this machine.
    Requests from its pages then have a name that is not allowed.
    """

    names: frozenset[str] = frozenset()
    site: Callable[[], str] = str
    """A function that returns the host of the site's own address; empty if it is unknown."""

    def allows_host(self, host_header: str | None) -> bool:
        """Return whether the local server accepts requests for a host name.

        The check prevents DNS rebinding: a foreign site points its own name at this machine. IP addresses and a
        missing header are accepted, because this attack needs a name.

        Args:
            host_header: the header `Host` of the request, or None.
        """
        name = parse_host_name(host_header or "")
        if name in LOCAL_NAMES or name.endswith(".localhost") or name in self.names:
            return True
        try:
            ip_address(name)
        except ValueError:
            return name == self.site()
        return True


def read_site_host(read_document: ReadDocument) -> str:
    """Return the host name in the site's own URL.

    Args:
        read_document: a function that returns the bytes at a path of the site, or None.

    Returns:
        The name, such as `status.example.org`; empty if unknown.
    """
    with suppress(ValueError, KeyError, TypeError):
        return parse_host_name(
            urlsplit(json.loads(read_document(status_urls.SUMMARY.path()) or b"{}")["page"]["url"]).netloc
        )
    return ""


FOREIGN_HOST = Response(
    status=HTTPStatus.MISDIRECTED_REQUEST,
    body=b"This server does not answer for this host; see statuary serve --allow-host.\n",
    headers={"Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"},
)
