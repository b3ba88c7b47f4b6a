"""The implementations of proxies: current, earlier, and their merged ABI."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import orjson

from statuary.base.json_values import Json, JsonObject, as_list, as_object, as_text
from statuary.contracts.model.judged_record import JudgedRecord
from statuary.contracts.model.record import RecordValue
from statuary.contracts.urls import CONTRACT
from statuary.extensions.apis import urls
from statuary.extensions.apis.merged_abi import MergedAbi, merged_abi
from statuary.site.document import encode_unchecked

MOST_VERSIONS = 1_000
"""Versions that are kept of a proxy; the oldest are dropped."""

ContractLocation = tuple[str, str]
"""Chain id and checksummed address."""


class ProxyFacts(NamedTuple):
    """A proxy's type and implementations, for the ledger."""

    proxy_type: str
    implementations: tuple[str, ...]  # checksummed addresses, as the record has them
    abi: Json  # the proxy's own; None if its code is not that of its sources
    is_contradicted: bool = False  # whether the record names other implementations

    def encode(self) -> bytes:
        """Encode for the ledger."""
        return encode_unchecked(list(self))

    @classmethod
    def read(cls, line: bytes) -> "ProxyFacts":
        """Parse what `encode` returned."""
        proxy_type, implementations, abi, is_contradicted = orjson.loads(line)
        return cls(proxy_type, tuple(implementations), abi, is_contradicted)


def proxy_facts(judged: JudgedRecord) -> ProxyFacts | None:
    """Return a proxy's type and implementations, for the ledger.

    Returns:
        The data; None if the record is not of a proxy with implementations, or if it is contradicted and the
        present implementation is unknown.
    """
    record, other = judged.record, judged.other_implementation
    resolution = as_object(record.get("proxyResolution"))
    addresses = [
        as_text(item.get("address")) for item in map(as_object, as_list(resolution.get("implementations")))
    ]
    if resolution.get("isProxy") is not True or not addresses:
        return None
    kind = as_text(resolution.get("proxyType"))
    if judged.is_contradicted:
        own_abi = record["abi"] if judged.is_code_of_sources else None
        return ProxyFacts(kind, (other,), own_abi, is_contradicted=True) if other else None
    return ProxyFacts(kind, tuple(dict.fromkeys(addresses)), record["abi"])


class Version(NamedTuple):
    """The implementations that a proxy had from a time on."""

    implementations: tuple[str, ...]
    since: str = ""  # an instant with milliseconds; empty if unknown
    block: int | None = None
    stated_by: str = "site"  # `file`: the content says so; `site`: a build has seen it in the record

    def to_json(self) -> JsonObject:
        """Return the version as JSON."""
        return {
            "implementations": list(self.implementations),
            "since": self.since or None,
            "block": self.block,
            "statedBy": self.stated_by,
        }


def published_versions(resolved: bytes | None) -> list[Version]:
    """Return the versions of a proxy that earlier builds saw.

    Versions that a file of the content states are skipped.

    Args:
        resolved: the published document of the proxy, or None.

    Returns:
        The versions, oldest first; none without a document, or if it is damaged.
    """
    try:
        history = as_list(as_object(orjson.loads(resolved or b"{}")).get("history"))
    except orjson.JSONDecodeError:
        return []
    versions = []
    for item in map(as_object, history):
        addresses = tuple(filter(None, map(as_text, as_list(item.get("implementations")))))
        if addresses and item.get("statedBy") == "site":
            versions.append(Version(addresses, as_text(item.get("since"))))
    return versions


def proxy_history(
    stated_versions: Sequence[Version],
    seen_versions: Sequence[Version],
    current_addresses: Sequence[str],
    now: str,
) -> list[Version]:
    """Combine a proxy's stated and seen versions, oldest first.

    Stated versions come first, then the seen ones that are not among them. The oldest beyond `MOST_VERSIONS`
    are dropped.

    Args:
        stated_versions: those in a file of the content.
        seen_versions: those that the site saw in earlier builds.
        current_addresses: the implementations that the record names; they are added unless they are the last.
        now: the time from which on an added version is known.
    """
    stated_sets = {version.implementations for version in stated_versions}
    versions = [
        *stated_versions,
        *(version for version in seen_versions if version.implementations not in stated_sets),
    ]
    if not versions or versions[-1].implementations != tuple(current_addresses):
        versions.append(Version(tuple(current_addresses), now))
    return versions[-MOST_VERSIONS:]


def compared_pairs(versions: Sequence[Version]) -> list[tuple[str, str]]:
    """Return the pairs of a proxy's implementations to compare.

    They are successive ones, and each one with the current one. Versions with several implementations are
    skipped: the facets of a diamond have no common layout.

    Returns:
        The pairs, each once; none if the current version has several implementations.
    """
    single = [version.implementations[0] for version in versions if len(version.implementations) == 1]
    if not single or len(versions[-1].implementations) > 1:
        return []
    pairs = [*pairwise(single), *((address, single[-1]) for address in single)]
    return [pair for pair in dict.fromkeys(pairs) if pair[0] != pair[1]]


class ResolvedProxy(NamedTuple):
    """A proxy with its implementations and their merged ABI."""

    location: ContractLocation
    name: str
    facts: ProxyFacts
    names: Mapping[str, str]  # names of implementations with a record here, also earlier ones, by address
    merged_abi: MergedAbi
    history: Sequence[Version]
    pairs: Sequence[tuple[str, str]]  # pairs of implementations that both have a record

    @property
    def is_complete(self) -> bool:
        """Whether the site has a record of each current implementation.

        The proxy's own record must be right too.
        """
        return not self.facts.is_contradicted and all(
            address in self.names for address in self.facts.implementations
        )

    def changes_path(self, pair: tuple[str, str], *, page: bool = False) -> str:
        """Return the published path of a comparison of two implementations.

        Args:
            pair: the two addresses.
            page: return the path of the page, not of the JSON document.
        """
        url = urls.PROXY_CHANGES_PAGE if page else urls.PROXY_CHANGES
        old_address, new_address = pair
        return url.path(
            chain_id=self.location[0], address=self.location[1], before=old_address, after=new_address
        )

    def to_json(self) -> JsonObject:
        """Return the proxy's document."""
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


def resolved_proxy(
    place: ContractLocation,
    name: str,
    facts: ProxyFacts,
    records: Mapping[str, RecordValue],
    history: Sequence[Version],
) -> ResolvedProxy:
    """Combine a proxy with the records of its implementations.

    Args:
        place: the chain and address of the proxy.
        name: the name in the proxy's own record.
        facts: the data about the proxy.
        records: the records that the site has of implementations in the history, by address.
        history: the proxy's versions, oldest first.
    """
    recorded = [address for address in facts.implementations if address in records]
    return ResolvedProxy(
        location=place,
        name=name,
        facts=facts,
        names={address: record["compilation"]["name"] for address, record in records.items()},
        merged_abi=merged_abi(
            (place[1], facts.abi), [(address, records[address]["abi"]) for address in recorded]
        ),
        history=history,
        pairs=[pair for pair in compared_pairs(history) if pair[0] in records and pair[1] in records],
    )
