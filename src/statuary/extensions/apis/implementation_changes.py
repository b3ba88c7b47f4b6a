"""Compare two implementations of a proxy: storage, ABI and sources."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import islice
from typing import Final, NamedTuple

from statuary.base.budget import consume, consume_for_text
from statuary.base.json_values import Json, JsonObject, as_object, as_text
from statuary.contracts.model.record import RecordValue
from statuary.extensions.apis.merged_abi import AbiChange, compare_abis
from statuary.extensions.apis.storage_changes import StorageChange, compare_layouts, layout_variables

CONTEXT: Final = 3
"""Unchanged lines that are shown before and after a change."""

LONGEST_PART: Final = 2_000
"""Limit for the lines between the first and the last change of a source; a longer part is only marked as changed."""

LONGEST_DIFFERENCE: Final = 2_000
"""Lines of a difference that are shown."""

NAMESPACE: Final = "erc7201:"
"""The text by which sources with ERC-7201 namespaces are recognized."""


class SourceChange(NamedTuple):
    """A source file that was added, removed or changed."""

    change: str  # "added", "removed" or "changed"
    path: str
    lines: tuple[str, ...] = ()  # a unified diff without its header; none if the changed part is too long
    is_cut: bool = False  # whether there are more lines than are shown

    def to_json(self) -> JsonObject:
        """Return the change of a source file as JSON, with a diff if it was changed."""
        body = {"change": self.change, "path": self.path}
        return {**body, "cut": self.is_cut, "lines": list(self.lines)} if self.change == "changed" else body


class Side(NamedTuple):
    """One of two implementations of a proxy that are compared."""

    address: str
    name: str
    compiler: str
    has_layout: bool
    variables: int
    has_namespaces: bool  # whether the sources name ERC-7201 namespaces; layouts omit the variables there

    def to_json(self) -> JsonObject:
        """Return the address, name, compiler and layout of an implementation as JSON."""
        layout: Json = {"variables": self.variables} if self.has_layout else None
        return {
            "address": self.address,
            "name": self.name,
            "compiler": self.compiler,
            "layout": layout,
            "namespaces": self.has_namespaces,
        }


class ImplementationChanges(NamedTuple):
    """The differences between two implementations of a proxy."""

    before: Side
    after: Side
    storage: tuple[StorageChange, ...] | None  # None if a record has no layout
    abi: tuple[AbiChange, ...]
    sources: tuple[SourceChange, ...]

    @property
    def hazards(self) -> int:
        """The number of storage variables that the new code reads differently.

        The number is 0 if a storage layout is unknown.
        """
        return sum(change.is_hazard for change in self.storage or ())

    def to_json(self, chain_id: str, proxy: str) -> JsonObject:
        """Return the differences as the JSON document of the comparison.

        Args:
            chain_id: the chain of the proxy.
            proxy: the address of the proxy.
        """
        return {
            "chainId": chain_id,
            "proxy": proxy,
            "before": self.before.to_json(),
            "after": self.after.to_json(),
            "hazards": None if self.storage is None else self.hazards,
            "storage": None if self.storage is None else [change.to_json() for change in self.storage],
            "abi": [change.to_json() for change in self.abi],
            "sources": [change.to_json() for change in self.sources],
        }


def compare_implementations(before: RecordValue, after: RecordValue) -> ImplementationChanges:
    """Compare storage, ABI and sources of two implementations of a proxy.

    Args:
        before: the record of the earlier implementation.
        after: the record of the later implementation.
    """
    old = layout_variables(before["storageLayout"])
    new = layout_variables(after["storageLayout"])
    return ImplementationChanges(
        before=_make_side(before, old),
        after=_make_side(after, new),
        storage=None if old is None or new is None else tuple(compare_layouts(old, new)),
        abi=tuple(compare_abis(before["abi"], after["abi"])),
        sources=tuple(_source_changes(as_object(before["sources"]), as_object(after["sources"]))),
    )


def _make_side(record: RecordValue, variables: Sequence[object] | None) -> Side:
    compilation = as_object(record["compilation"])
    texts = (as_text(as_object(source).get("content")) for source in as_object(record["sources"]).values())
    return Side(
        address=record["address"],
        name=as_text(compilation.get("name")),
        compiler=f"{as_text(compilation.get('compiler'))} {as_text(compilation.get('compilerVersion'))}",
        has_layout=variables is not None,
        variables=len(variables or ()),
        has_namespaces=any(NAMESPACE in text for text in texts),
    )


def _source_changes(before: JsonObject, after: JsonObject) -> Iterator[SourceChange]:
    for path in sorted(before.keys() | after.keys()):
        if path not in before or path not in after:
            yield SourceChange("removed" if path in before else "added", path)
            continue
        old, new = (as_text(as_object(sources[path]).get("content")) for sources in (before, after))
        if old != new:
            yield _file_change(path, old.splitlines(), new.splitlines())


def _file_change(path: str, old: list[str], new: list[str]) -> SourceChange:
    consume_for_text(sum(map(len, old)) + sum(map(len, new)))
    shorter = min(len(old), len(new))
    start = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    same = next((at for at in range(shorter - start) if old[-1 - at] != new[-1 - at]), shorter - start)
    first_line = max(start - CONTEXT, 0)
    end = max(same - CONTEXT, 0)
    old_part = old[first_line : len(old) - end]
    new_part = new[first_line : len(new) - end]
    if max(len(old_part), len(new_part)) > LONGEST_PART:
        return SourceChange("changed", path, is_cut=True)
    consume(len(old_part) + len(new_part))
    lines = tuple(islice(_unified_diff_lines(old_part, new_part, first_line), LONGEST_DIFFERENCE + 1))
    return SourceChange("changed", path, lines[:LONGEST_DIFFERENCE], len(lines) > LONGEST_DIFFERENCE)


def _unified_diff_lines(old: list[str], new: list[str], offset: int) -> Iterator[str]:
    """Yield the lines of a unified diff, without its header.

    Args:
        offset: the number of equal lines that both files have before these.
    """
    for group in SequenceMatcher(None, old, new).get_grouped_opcodes(CONTEXT):
        (_, first_line, _, start, _) = group[0]
        (_, _, last_line, _, end) = group[-1]
        yield f"@@ -{offset + first_line + 1},{last_line - first_line} +{offset + start + 1},{end - start} @@"
        for tag, i, j, k, m in group:
            if tag == "equal":
                yield from (f" {line}" for line in old[i:j])
            else:
                yield from (f"-{line}" for line in old[i:j])
                yield from (f"+{line}" for line in new[k:m])
