"""Operations of openapi.json, and those that extensions add."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from statuary.documents.url_table import Url
from statuary.domain.catalogue import Catalogue
from statuary.domain.contracts.rows import ContractRow
from statuary.extension_table import EXTENSIONS, load


class Operation(NamedTuple):
    """The operation of a URL."""

    url: Url
    shape: type | None = None  # the type of its JSON body; None for another body
    tag: str = ""  # the part of the API
    query: tuple[dict[str, object], ...] = ()
    rejects: bool = False  # whether it answers 400 to an invalid request
    missing: type | None = None  # the type of the body of its 404; None if that is the host's own page
    may_be_missing: bool = False  # whether it answers 404 on some sites or for some parameters
    example: str = ""  # a call of an extension's operation, with its query
    more: Mapping[str, object] = MappingProxyType(
        {}
    )  # members of its description besides, or in place of, the usual


class DescribedApi(NamedTuple):
    """The operations of an extension under one tag."""

    tag: str
    description: str
    operations: tuple[Operation, ...]


def described_apis(catalogue: Catalogue, example: ContractRow | None) -> list[DescribedApi]:
    """Return the interfaces of the extensions that are on."""
    settings = dict(catalogue.extensions)
    rows = (row for row in EXTENSIONS if row.apis and row.key in settings)
    return [api for row in rows for api in load(row.apis, "openapi.json")(settings[row.key], example)]
