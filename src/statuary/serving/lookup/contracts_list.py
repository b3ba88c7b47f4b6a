"""The list of a chain's contracts: `sort`, `limit` and `afterMatchId`, answered from prepared pages.

`v2/contracts/<chainId>` has the newest 200 by matchId, newest first: what a plain host sends. The whole list
is in `v2/contracts-pages/<chainId>/<page>.json`, 200 a page, filled from the oldest so that a full page never
changes; `index.json` beside them has the match ids of each page. An answer needs that index and two or three
pages.
"""

import json
import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

from statuary.documents.url_table import CONTRACTS, CONTRACTS_PAGE, CONTRACTS_PAGES
from statuary.domain.contracts.selection.json_members import items, members
from statuary.serving.lookup.query import QueryParameters, check_names, check_reserved, check_single
from statuary.serving.lookup.request_error import RequestError

ReadDocument = Callable[[str], bytes | None]
"""Returns the bytes of a document of the site by its path, or None if there is no such document."""

PARAMETERS = ("sort", "limit", "afterMatchId")
MAX_LIMIT = 200
MATCH_ID_DIGITS = 40
EMPTY_RESULTS = b'{"results":[]}'

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?\Z")
DIGITS = re.compile(r"[0-9]+\Z")


class ListQuery(NamedTuple):
    """The parameters of a list request."""

    newest_first: bool = True  # order by matchId
    limit: int = MAX_LIMIT  # 1 to 200
    after: int | None = None  # the matchId after which the list begins; None for the beginning


def parse_list_query(query: QueryParameters, text: str) -> ListQuery:
    """Parse the query parameters in the order in which the measured server checks them.

    Raises:
        RequestError: with the measured message. An `afterMatchId` that is not a number was a 500 on the
            measured server; its description has since been given the pattern that is enforced here.
    """
    check_reserved(text, PARAMETERS)
    check_names(query, PARAMETERS)
    sort = check_single(query, "sort")
    if sort not in (None, "asc", "desc"):
        raise RequestError("request/query/sort must be equal to one of the allowed values: asc, desc")
    limit = _limit(check_single(query, "limit", "number"))
    after = check_single(query, "afterMatchId")
    if after is not None and not DIGITS.match(after):
        raise RequestError(r'request/query/afterMatchId must match pattern "^\d+$"')
    return ListQuery(
        newest_first=sort != "asc", limit=limit, after=None if after is None else _match_id(after)
    )


def _match_id(digits: str) -> int:
    """Return a match id; one beyond all real ids is capped, since Python does not parse 5,000 digits."""
    significant = digits.lstrip("0")
    return int(significant or "0") if len(significant) <= MATCH_ID_DIGITS else 10**MATCH_ID_DIGITS


def _limit(text: str | None) -> int:
    """Return the limit; a fraction is dropped, as measured."""
    if text is None:
        return MAX_LIMIT
    if not NUMBER.match(text):
        raise RequestError("request/query/limit must be number")
    limit = float(text)
    if limit < 1:
        raise RequestError("request/query/limit must be >= 1")
    if limit > MAX_LIMIT:
        raise RequestError(f"request/query/limit must be <= {MAX_LIMIT}")
    return int(limit)


def contracts_list(chain_id: str, listing: ListQuery, read: ReadDocument) -> bytes:
    """Return the body of the list: `{"results":[…]}`, its items copied from the pages."""
    if listing == ListQuery():
        return read(CONTRACTS.path(chain_id=chain_id)) or EMPTY_RESULTS
    results = islice(_results(chain_id, listing, read), listing.limit)
    return b'{"results":[' + b",".join(results) + b"]}"


def _results(chain_id: str, listing: ListQuery, read: ReadDocument) -> Iterator[bytes]:
    index = json.loads(read(CONTRACTS_PAGES.path(chain_id=chain_id)) or b'{"pages":[]}')
    pages = index["pages"][::-1] if listing.newest_first else index["pages"]
    for page in pages:
        farthest = int(page["firstMatchId"] if listing.newest_first else page["lastMatchId"])
        if _is_beyond(farthest, listing):
            body = read(CONTRACTS_PAGE.path(chain_id=chain_id, page=page["page"])) or EMPTY_RESULTS
            yield from _page_results(body, listing)


def _page_results(body: bytes, listing: ListQuery) -> Iterator[bytes]:
    """Yield the results of one page, in the list's order."""
    results = items(body, members(body)[0].value)
    for start, end in results if listing.newest_first else reversed(results):
        match_id = next(part for part in members(body, start) if part.name == "matchId")
        if _is_beyond(int(body[match_id.value + 1 : match_id.end - 1]), listing):
            yield body[start:end]


def _is_beyond(match_id: int, listing: ListQuery) -> bool:
    if listing.after is None:
        return True
    return match_id < listing.after if listing.newest_first else match_id > listing.after
