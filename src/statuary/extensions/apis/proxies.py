"""The implementations of proxies: current, earlier, and their merged ABI."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import orjson

from statuary.base.json_values import Json, JsonObject, as_list, as_object, as_text
from statuary.contracts.model.record import RecordValue
from statuary.contracts.model.record_with_proof import RecordWithProof
from statuary.contracts.urls import CONTRACT
from statuary.extensions.apis import urls
from statuary.extensions.apis.merged_abi import MergedAbi, merge_abis
from statuary.site.document import encode_unchecked

MOST_VERSIONS = 1_000
"""Versions that are kept of a proxy; the oldest are dropped."""

ContractLocation = tuple[str, str]
"""Chain id and checksummed address."""


class ProxyFacts(NamedTuple):
    """A proxy's type, implementations and ABI, as the build database stores them.

    A proxy is a contract that forwards calls to others, its implementations.
    """

    proxy_type: str
    implementations: tuple[str, ...]  # the checksummed addresses in the record
    abi: Json  # the proxy's own ABI; None if its sources do not give its code
    is_contradicted: bool = False  # whether the chain contradicts the implementations in the record

    def encode(self) -> bytes:
        """Convert the proxy's data to a line of JSON, for the build's database."""
        return encode_unchecked(list(self))

    @classmethod
    def parse(cls, stored_line: bytes) -> "ProxyFacts":
        """Restore a proxy's data from the line that `encode` returned."""
        proxy_type, implementations, abi, is_contradicted = orjson.loads(stored_line)
        return cls(proxy_type, tuple(implementations), abi, is_contradicted)


def read_proxy_facts(checked_record: RecordWithProof) -> ProxyFacts | None:
    """Return the type and the implementations from a proxy's record.

    Returns:
        The data, or None if the contract is not a proxy with implementations. If evidence contradicts the
        record, the data has only the current implementation, or is None if that is unknown.
    """
    record, other = checked_record.record, checked_record.unrecorded_implementation
    resolution = as_object(record.get("proxyResolution"))
    addresses = [
        as_text(item.get("address")) for item in map(as_object, as_list(resolution.get("implementations")))
    ]
    if resolution.get("isProxy") is not True or not addresses:
        return None
    kind = as_text(resolution.get("proxyType"))
    if checked_record.is_contradicted:
        own_abi = record["abi"] if checked_record.has_credible_sources else None
        return ProxyFacts(kind, (other,), own_abi, is_contradicted=True) if other else None
    return ProxyFacts(kind, tuple(dict.fromkeys(addresses)), record["abi"])


class ProxyVersion(NamedTuple):
    """The implementations that a proxy had from some time on.

    A proxy forwards calls to its implementations; an upgrade replaces them.
    """

    implementations: tuple[str, ...]
    since: str = ""  # an instant with milliseconds; empty if unknown
    block: int | None = None
    stated_by: str = "site"  # `file`: the content says so; `site`: a build has seen it in the record

    def to_json(self) -> JsonObject:
        """Return the implementations, and since when the proxy uses them, as JSON."""
        return {
            "implementations": list(self.implementations),
            "since": self.since or None,
            "block": self.block,
            "statedBy": self.stated_by,
        }


def parse_published_versions(proxy_document: bytes | None) -> list[ProxyVersion]:
    """Return the history of implementations that earlier builds recorded.

    The rest of a proxy's history comes from a file in the content, and is left out.

    Args:
        proxy_document: the document that the last build published, or None.

    Returns:
        The versions, oldest first; empty if there is no document, or it is damaged.
    """
    try:
        history = as_list(as_object(orjson.loads(proxy_document or b"{}")).get("history"))
    except orjson.JSONDecodeError:
        return []
    versions = []
    for item in map(as_object, history):
        addresses = tuple(filter(None, map(as_text, as_list(item.get("implementations")))))
        if addresses and item.get("statedBy") == "site":
            versions.append(ProxyVersion(addresses, as_text(item.get("since"))))
    return versions


def merge_proxy_history(
    stated_versions: Sequence[ProxyVersion],
    seen_versions: Sequence[ProxyVersion],
    current_addresses: Sequence[str],
    now: str,
) -> list[ProxyVersion]:
    """Combine what is known of a proxy's implementations over time.

    Implementations from a file in the content come first, then the ones that only earlier builds recorded.
    The last `MOST_VERSIONS` are returned.

    Args:
        stated_versions: the implementations in a file of the content.
        seen_versions: the implementations that earlier builds recorded.
        current_addresses: the implementations in the record, which are added if they differ from the last
            ones.
        now: the start time of added implementations.
    """
    stated_sets = {version.implementations for version in stated_versions}
    versions = [
        *stated_versions,
        *(version for version in seen_versions if version.implementations not in stated_sets),
    ]
    if not versions or versions[-1].implementations != tuple(current_addresses):
        versions.append(ProxyVersion(tuple(current_addresses), now))
    return versions[-MOST_VERSIONS:]


def choose_implementation_pairs(versions: Sequence[ProxyVersion]) -> list[tuple[str, str]]:
    """Choose the pairs of a proxy's implementations to compare.

    For implementations A, B and C, the pairs are A and B, B and C, A and C. The proxy of a diamond has
    several implementations at once. They have no common storage layout, so they are not compared.

    Args:
        versions: the implementations over time, oldest first.

    Returns:
        The addresses in each pair; empty if the proxy now has several implementations.
    """
    single = [version.implementations[0] for version in versions if len(version.implementations) == 1]
    if not single or len(versions[-1].implementations) > 1:
        return []
    pairs = [*pairwise(single), *((address, single[-1]) for address in single)]
    return [pair for pair in dict.fromkeys(pairs) if pair[0] != pair[1]]


class ResolvedProxy(NamedTuple):
    """A proxy, together with its implementations and their merged ABI.

    The merged ABI has the functions of the proxy and of the contracts to which it forwards calls.
    """

    location: ContractLocation
    name: str
    facts: ProxyFacts
    names: Mapping[str, str]  # names of present and earlier implementations with a record, by address
    merged_abi: MergedAbi
    history: Sequence[ProxyVersion]
    pairs: Sequence[tuple[str, str]]  # pairs of implementations that both have a record

    @property
    def is_complete(self) -> bool:
        """Whether the site has all contracts to which the proxy forwards calls.

        It is False if evidence contradicts the proxy's own record.
        """
        return not self.facts.is_contradicted and all(
            address in self.names for address in self.facts.implementations
        )

    def changes_path(self, pair: tuple[str, str], *, of_page: bool = False) -> str:
        """Return the path of the comparison between two implementations.

        Args:
            pair: the addresses of the earlier and the later implementation.
            of_page: whether to return the path of the page instead of the JSON document.
        """
        url = urls.PROXY_CHANGES_PAGE if of_page else urls.PROXY_CHANGES
        old_address, new_address = pair
        return url.path(
            chain_id=self.location[0], address=self.location[1], before=old_address, after=new_address
        )

    def to_json(self) -> JsonObject:
        """Return the proxy's implementations, merged ABI and history as JSON."""
        chain_id, address = self.location
        implementations: list[Json] = [
            {
                "address": implementation,
                "name": self.names.get(implementation),
                "record": CONTRACT.path(chain_id=chain_id, address=implementation)
                if implementation in self.names
                else None,
            }
            for implementation in self.facts.implementations
        ]
        return {
            "chainId": chain_id,
            "address": address,
            "name": self.name,
            "record": CONTRACT.path(chain_id=chain_id, address=address),
            "proxyType": self.facts.proxy_type or None,
            "implementations": implementations,
            "complete": self.is_complete,
            "abi": [entry.to_json() for entry in self.merged_abi.entries],
            "clashes": [clash.to_json() for clash in self.merged_abi.clashes],
            "history": [version.to_json() for version in self.history],
            "changes": [
                {"before": pair[0], "after": pair[1], "path": self.changes_path(pair)} for pair in self.pairs
            ],
        }


def resolve_proxy(
    proxy_location: ContractLocation,
    proxy_name: str,
    facts: ProxyFacts,
    records: Mapping[str, RecordValue],
    history: Sequence[ProxyVersion],
) -> ResolvedProxy:
    """Combine a proxy with the records of its implementations.

    The site then shows which functions its address has.

    Args:
        proxy_location: the chain and address of the proxy.
        proxy_name: the name of the proxy in its record.
        facts: the proxy's type and implementations.
        records: the records of current and earlier implementations, as far as the site has them, by address.
        history: the proxy's implementations over time, oldest first.
    """
    recorded = [address for address in facts.implementations if address in records]
    return ResolvedProxy(
        location=proxy_location,
        name=proxy_name,
        facts=facts,
        names={address: record["compilation"]["name"] for address, record in records.items()},
        merged_abi=merge_abis(
            (proxy_location[1], facts.abi), [(address, records[address]["abi"]) for address in recorded]
        ),
        history=history,
        pairs=[
            pair for pair in choose_implementation_pairs(history) if pair[0] in records and pair[1] in records
        ],
    )
