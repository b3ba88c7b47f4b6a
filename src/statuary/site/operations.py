"""The operations of openapi.json as values."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from statuary.site.url_table import Url


class Operation(NamedTuple):
    """The operation of a URL."""

    url: Url
    shape: type | None = None  # the type of its JSON body; None for another body
    tag: str = ""  # the part of the API
    query: tuple[dict[str, object], ...] = ()
    rejects: bool = False  # whether it answers 400 to an invalid request
    not_found_shape: type | None = None  # the type of its 404 body; None for the host's own page
    may_be_missing: bool = False  # whether it answers 404 on some sites or for some parameters
    example: str = ""  # a call of an extension's operation, with its query
    extra_members: Mapping[str, object] = MappingProxyType(
        {}
    )  # members of its description that replace or extend the usual ones


class ApiDescription(NamedTuple):
    """The operations of an extension under one tag."""

    tag: str
    description: str
    operations: tuple[Operation, ...]
