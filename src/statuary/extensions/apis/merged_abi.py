"""Merge the ABI of a proxy with those of its implementations."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from statuary.base.budget import consume_steps
from statuary.base.json_values import Json, JsonObject, as_list, as_object
from statuary.contracts.model.abi import item_signature, signature_hash

CodeAbi = tuple[str, Json]
"""The address of a contract, and its ABI as its record has it."""

ONCE: Final = ("constructor", "fallback", "receive")
"""The kinds of entries that a contract has at most once, without a signature."""


class AbiEntry(NamedTuple):
    """A function, event or error of a proxy or its implementations.

    `addresses` are the contracts that declare it, and `key` is its hash (selector or topic).
    """

    addresses: tuple[str, ...]  # the contracts that have the code
    kind: str
    signature: str  # empty for a constructor, `fallback` and `receive`
    key: str  # the selector, or the topic of an event; empty without a signature
    item: JsonObject  # the entry in the ABI

    def to_json(self) -> JsonObject:
        """Return the function, event or error as JSON, with its contracts."""
        key = {"topic" if self.kind == "event" else "selector": self.key} if self.key else {}
        signature = {"signature": self.signature} if self.signature else {}
        return {"from": list(self.addresses), "type": self.kind, **signature, **key, "item": self.item}


class Clash(NamedTuple):
    """Two functions with the same selector, or events with the same topic.

    A call of one function then runs the other. Selectors and topics are hashes of signatures.
    """

    kind: str  # "shadowed", "selector" or "topic"
    key: str
    first: AbiEntry  # the entry that runs if it is an entry of the proxy
    second: AbiEntry

    def to_json(self) -> JsonObject:
        """Return the clash as JSON: the hash and both signatures."""
        sides: dict[str, Json] = {
            name: {"from": entry.addresses[0], "signature": entry.signature}
            for name, entry in (("first", self.first), ("second", self.second))
        }
        return {"kind": self.kind, "type": self.second.kind, "hash": self.key, **sides}


class MergedAbi(NamedTuple):
    """All functions, events and errors that a proxy's address has.

    They come from the proxy and from the contracts to which it forwards calls.
    """

    entries: tuple[AbiEntry, ...]
    clashes: tuple[Clash, ...]

    @property
    def abi(self) -> list[Json]:
        """The merged ABI in the usual form, which other tools can read.

        It does not say which contract declares an item.
        """
        return [entry.item for entry in self.entries]


def merge_abis(proxy: CodeAbi, implementations: Sequence[CodeAbi]) -> MergedAbi:
    """Merge the ABI of a proxy with the ABIs of its implementations.

    If the proxy and an implementation have a function with the same selector, the proxy's is included. If
    several implementations have it, the first one's is included. All events and errors are included, but of
    the constructors only the proxy's.

    Args:
        proxy: the address and the ABI of the proxy.
        implementations: the address and the ABI of each implementation.
    """
    merging = _AbiMerge(proxy[0])
    for code in (proxy, *implementations):
        merging.add_contract_abi(code)
    return MergedAbi(tuple(merging.entries.values()), tuple(merging.clashes))


class _AbiMerge:
    def __init__(self, proxy_address: str) -> None:
        self._proxy = proxy_address
        self.entries: dict[tuple[str, ...], AbiEntry] = {}
        self.clashes: list[Clash] = []
        self._topics: dict[tuple[str, str], AbiEntry] = {}

    def add_contract_abi(self, contract_abi: CodeAbi) -> None:
        for entry in iter_valid_entries(contract_abi):
            consume_steps(1)
            if entry.kind == "constructor" and entry.addresses[0] != self._proxy:
                continue
            identity = _make_entry_key(entry)
            earlier_entry = self.entries.get(identity)
            if earlier_entry is None:
                self.entries[identity] = entry
            elif entry.kind != "function" and (
                earlier_entry.signature == entry.signature or not entry.signature
            ):
                self._add_holder(identity, earlier_entry, entry)
                continue
            if entry.key:
                self._record_clash(identity, earlier_entry, entry)

    def _add_holder(self, identity: tuple[str, ...], earlier_entry: AbiEntry, entry: AbiEntry) -> None:
        # `fallback` and `receive` keep the first contract only, because only its code runs.
        if entry.signature and entry.addresses[0] not in earlier_entry.addresses:
            self.entries[identity] = earlier_entry._replace(
                addresses=earlier_entry.addresses + entry.addresses
            )

    def _record_clash(
        self, identity: tuple[str, ...], earlier_entry: AbiEntry | None, entry: AbiEntry
    ) -> None:
        if entry.kind == "event":
            first_entry = self._topics.setdefault((entry.kind, entry.key), entry)
            if first_entry is not entry:
                self.clashes.append(Clash("topic", entry.key, first_entry, entry))
        elif earlier_entry is not None and earlier_entry.addresses != entry.addresses:
            is_shadowed = entry.kind == "function" and earlier_entry.addresses[0] == self._proxy
            self.clashes.append(
                Clash("shadowed" if is_shadowed else "selector", entry.key, earlier_entry, entry)
            )
            if entry.kind == "error":
                self.entries[(*identity, entry.signature)] = entry


def _make_entry_key(entry: AbiEntry) -> tuple[str, ...]:
    """Return the key by which a merged ABI finds equal entries.

    It is the kind and the selector or topic, and for an event also the positions of indexed parameters.
    """
    if entry.kind != "event":
        return entry.kind, entry.key
    inputs = map(as_object, as_list(entry.item.get("inputs")))
    indexed = "".join("1" if parameter.get("indexed") is True else "0" for parameter in inputs)
    return entry.kind, entry.key, indexed


def iter_valid_entries(contract_abi: CodeAbi) -> Iterable[AbiEntry]:
    """Yield the functions, events and errors in an ABI, except invalid ones.

    Args:
        contract_abi: the address of the contract, and its ABI.
    """
    address, abi = contract_abi
    for item in map(as_object, as_list(abi)):
        kind = str(item.get("type", "function"))
        if kind in ONCE:
            yield AbiEntry((address,), kind, "", "", item)
            continue
        text = item_signature(item) if kind in ("function", "event", "error") else None
        if text is not None:
            digest = signature_hash(text)
            yield AbiEntry((address,), kind, text, digest if kind == "event" else digest[:10], item)


class AbiChange(NamedTuple):
    """A function, event or error that was added, removed or changed."""

    change: str  # "added", "removed" or "changed"
    kind: str
    signature: str
    details: tuple[str, ...] = ()  # the names of the members that differ, if the entry was changed

    def to_json(self) -> JsonObject:
        """Return the change as JSON: its kind, the signature and what differs."""
        details: Mapping[str, Json] = {"members": list(self.details)} if self.details else {}
        return {"change": self.change, "type": self.kind, "signature": self.signature, **details}


def compare_abis(before: Json, after: Json) -> list[AbiChange]:
    """Find the functions, events and errors that differ between two ABIs.

    Args:
        before: the ABI of the earlier implementation, as parsed JSON.
        after: the ABI of the later one.

    Returns:
        The changes, sorted by kind and signature.
    """
    old, new = (
        {(entry.kind, entry.signature): entry for entry in iter_valid_entries(("", abi))}
        for abi in (before, after)
    )
    changes = []
    for kind, signature in sorted(old.keys() | new.keys()):
        old_entry = old.get((kind, signature))
        new_entry = new.get((kind, signature))
        if old_entry is None or new_entry is None:
            changes.append(AbiChange("added" if old_entry is None else "removed", kind, signature))
        elif old_entry.item != new_entry.item:
            members = tuple(
                sorted(
                    name
                    for name in old_entry.item.keys() | new_entry.item.keys()
                    if old_entry.item.get(name) != new_entry.item.get(name)
                )
            )
            changes.append(AbiChange("changed", kind, signature, members))
    return changes
