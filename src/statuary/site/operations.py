"""The operations of openapi.json as values."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from statuary.site.urls import Url


class Operation(NamedTuple):
    """The description of an API call in openapi.json.

    Attributes:
        not_found_shape: the type of a 404 response's body; None if the host sends its own page.
        extra_members: members of the operation in openapi.json that replace or extend the usual ones.
    """

    url: Url
    shape: type | None = None  # the type of the response's JSON body; None for any other body
    schema: Url | None = None  # the document with the JSON Schema of a body without a type
    tag: str = ""  # the part of the API
    query: tuple[dict[str, object], ...] = ()
    rejected_shape: type | None = None  # the type of a 400 response's body; None if no request is rejected
    not_found_shape: type | None = None
    may_be_missing: bool = False  # whether the call returns 404 on some sites or for some parameters
    example: str = ""  # a call of an extension's operation, with its query
    extra_members: Mapping[str, object] = MappingProxyType({})


class ApiDescription(NamedTuple):
    """The calls of an extension's API, under one tag of openapi.json."""

    tag: str
    description: str
    operations: tuple[Operation, ...]


LISTED = re.compile(
    r"(up to|every|functions|events|the (newest|latest|unresolved|upcoming|active|scheduled|incidents|chains"
    r"|pages|months|instants|proxies|templates|verified contracts|signatures|functions|events))\b"
)
"""How the description of a list begins."""


def operation_title(url: Url) -> str:
    """Return an API call's title: `List the chains of this site`.

    Args:
        url: the URL of the call; the title is made from its description.
    """
    phrase = re.split("[,:;] ", url.description)[0]
    return f"{'List' if LISTED.match(phrase) else 'Get'} {phrase}"
