"""The operations of the contract look-up, for openapi.json."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from statuary.contracts import urls as contract_urls
from statuary.contracts.api import shapes
from statuary.contracts.api.list_pages import OLDEST_PAGE
from statuary.contracts.model.contract_row import ContractRow
from statuary.contracts.model.field_names import DOTTED, SELECTABLE
from statuary.contracts.model.record import Record
from statuary.site.operations import ApiDescription, Operation


def _name_list_pattern(names: Sequence[str], *, single: str = "") -> str:
    """Return a regular expression for a comma-separated list of names.

    Args:
        single: a word, such as `all`, that may stand in place of the list.
    """
    any_name = "|".join(name.replace(".", r"\.") for name in names)
    pattern = f"({any_name})(,({any_name}))*"
    return f"^({single}|{pattern})$" if single else f"^{pattern}$"


FIELDS_PARAMETER: dict[str, Any] = {
    "name": "fields",
    "in": "query",
    "description": "The members to return besides the seven of every response, separated by commas; `all` for every "
    "member. A dot selects within a group. Cannot be combined with `omit`.",
    "schema": {"type": "string", "pattern": _name_list_pattern((*SELECTABLE, *DOTTED), single="all")},
    "example": "abi,compilation.compilerVersion",
}
OMIT_PARAMETER: dict[str, Any] = {
    "name": "omit",
    "in": "query",
    "description": "The members to leave out, separated by commas. Cannot be combined with `fields`.",
    "schema": {"type": "string", "pattern": _name_list_pattern((*SELECTABLE, *DOTTED))},
    "example": "stdJsonInput,stdJsonOutput",
}
LIST_PARAMETERS: tuple[dict[str, Any], ...] = (
    {
        "name": "sort",
        "in": "query",
        "description": "By match id: `desc` is newest first.",
        "schema": {"type": "string", "enum": ["asc", "desc"], "default": "desc"},
    },
    {
        "name": "limit",
        "in": "query",
        "schema": {"type": "integer", "minimum": 1, "maximum": 200, "default": 200},
    },
    {
        "name": "afterMatchId",
        "in": "query",
        "description": "The match id after which the list starts, in the direction of `sort`.",
        "schema": {"type": "string", "pattern": "^[0-9]+$"},
    },
)

LOOKUP_TAG = "contract look-up"
"""The part of the API, as a tag."""

_look_up = partial(Operation, tag=LOOKUP_TAG)

LOOKUP = ApiDescription(
    LOOKUP_TAG,
    "Sourcify's API v2. A host that serves only plain files ignores `fields`, `omit` and the query of lists, "
    "and sends its own error pages.",
    (
        _look_up(
            contract_urls.CONTRACT,
            Record,
            query=(FIELDS_PARAMETER, OMIT_PARAMETER),
            rejected_shape=shapes.RejectedRequest,
            not_found_shape=shapes.NotVerified,
            may_be_missing=True,
        ),
        _look_up(
            contract_urls.CONTRACT_ALL_CHAINS,
            shapes.ContractOnAllChains,
            rejected_shape=shapes.RejectedRequest,
            not_found_shape=shapes.ContractOnAllChains,
            may_be_missing=True,
        ),
        _look_up(
            contract_urls.CONTRACTS,
            shapes.ContractList,
            query=LIST_PARAMETERS,
            rejected_shape=shapes.RejectedRequest,
        ),
        _look_up(contract_urls.CHAINS, list[shapes.ListedChain]),
        _look_up(contract_urls.HEALTH, None),
        _look_up(contract_urls.VERSION_DOCUMENT, None),
        _look_up(contract_urls.CONTRACTS_PAGES, shapes.ListPages, may_be_missing=True),
        _look_up(contract_urls.CONTRACTS_PAGE, shapes.ContractList, may_be_missing=True),
        _look_up(contract_urls.PROOF, schema=contract_urls.PROOF_SCHEMA, may_be_missing=True),
    ),
)
"""Sourcify's API v2."""


ENDPOINTS = (
    contract_urls.CONTRACT,
    contract_urls.CONTRACT_ALL_CHAINS,
    contract_urls.CONTRACTS,
    contract_urls.CONTRACTS_PAGES,
    contract_urls.CONTRACTS_PAGE,
    contract_urls.CHAINS,
    contract_urls.PROOF,
    contract_urls.PROOF_CHECKS,
    contract_urls.PROOF_SCHEMA,
)
"""The endpoints that programs use."""


def example_paths(example_contract: ContractRow | None) -> Iterator[str]:
    """Yield paths of documents that the API page links to as examples.

    Args:
        example_contract: a contract of the site, or None if there are none.
    """
    yield from (
        url.path() for url in (contract_urls.CHAINS, contract_urls.PROOF_CHECKS, contract_urls.PROOF_SCHEMA)
    )
    if example_contract is not None:
        members: dict[str, str | int] = {
            "chain_id": example_contract.chainId,
            "address": example_contract.address,
            "page": OLDEST_PAGE,
        }
        for url in ENDPOINTS:
            yield url.path(**members)
