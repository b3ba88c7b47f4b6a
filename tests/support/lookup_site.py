"""A small site in memory: the documents that the contract look-up answers from, by their paths."""

import json
from collections.abc import Iterable
from typing import Any

from statuary.serving.lookup.contracts_list import MAX_LIMIT

Row = dict[str, Any]
Site = dict[str, bytes]

LISTED = ("match", "creationMatch", "runtimeMatch", "chainId", "address", "verifiedAt", "matchId")
LISTED_ON_ALL_CHAINS = (
    "match",
    "creationMatch",
    "runtimeMatch",
    "matchId",
    "chainId",
    "address",
    "verifiedAt",
)


def lookup_site(records: Iterable[bytes], chains: bytes, rows: Iterable[Row] = ()) -> Site:
    """Return the documents of a site that holds these records, and that lists `rows` beside them."""
    bodies = [(json.loads(record), record) for record in records]
    listed = {row["matchId"]: row for row in (*(value for value, _ in bodies), *rows)}
    in_order = sorted(listed.values(), key=match_id)
    site = {contract_path(value): record for value, record in bodies} | {"chains": chains}
    for chain_id in {row["chainId"] for row in in_order}:
        site |= chain_lists(chain_id, [row for row in in_order if row["chainId"] == chain_id])
    for address in {row["address"] for row in in_order}:
        same = [row for row in in_order if row["address"] == address]
        site[f"v2/contract/all-chains/{address.lower()}"] = results(same, LISTED_ON_ALL_CHAINS)
    return site


def chain_lists(chain_id: str, rows: list[Row], size: int = MAX_LIMIT) -> Site:
    """Return the lists of one chain: the newest, the pages from the oldest, and their index."""
    base = f"v2/contracts-pages/{chain_id}"
    site = {f"v2/contracts/{chain_id}": results(rows[-size:][::-1], LISTED)}
    pages = [rows[start : start + size] for start in range(0, len(rows), size)]
    for number, page in enumerate(pages, 1):
        site[f"{base}/{number}.json"] = results(page[::-1], LISTED)
    index = [
        {
            "page": number,
            "firstMatchId": page[0]["matchId"],
            "lastMatchId": page[-1]["matchId"],
            "count": len(page),
        }
        for number, page in enumerate(pages, 1)
    ]
    site[f"{base}/index.json"] = compact({"chainId": chain_id, "count": len(rows), "pages": index})
    return site


def contract_path(record: Row) -> str:
    """Return the path of a record."""
    return f"v2/contract/{record['chainId']}/{record['address'].lower()}"


def results(rows: list[Row], members: tuple[str, ...]) -> bytes:
    """Return a list document."""
    return compact({"results": [{name: row[name] for name in members} for row in rows]})


def match_id(row: Row) -> int:
    """Return the number that lists are ordered by."""
    return int(row["matchId"])


def compact(value: Any) -> bytes:
    """Return JSON as the real server writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
