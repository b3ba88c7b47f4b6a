"""Compare two implementations of a proxy: storage, ABI and sources."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import islice
from typing import Final, NamedTuple

from statuary.base.budget import consume_search_steps, consume_steps
from statuary.base.json_values import Json, JsonObject, as_object, as_text
from statuary.contracts.model.record import RecordValue
from statuary.extensions.apis.merged_abi import AbiChange, compare_abis
from statuary.extensions.apis.storage_changes import StorageChange, compare_layouts, parse_layout_variables

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
        """Return the change of the file as JSON.

        If the proxy's earlier and new implementation both have the file, the JSON contains a diff.
        """
        body = {"change": self.change, "path": self.path}
        return {**body, "cut": self.is_cut, "lines": list(self.lines)} if self.change == "changed" else body


class ComparedImplementation(NamedTuple):
    """One of two contracts to which a proxy forwarded calls, compared."""

    address: str
    name: str
    compiler: str
    has_layout: bool
    variables: int
    has_namespaces: bool  # whether the sources name ERC-7201 namespaces; layouts omit the variables there

    def to_json(self) -> JsonObject:
        """Return the implementation's address, name, compiler and storage as JSON."""
        layout: Json = {"variables": self.variables} if self.has_layout else None
        return {
            "address": self.address,
            "name": self.name,
            "compiler": self.compiler,
            "layout": layout,
            "namespaces": self.has_namespaces,
        }


class ImplementationChanges(NamedTuple):
    """The differences between two implementations of a proxy.

    A proxy is a contract that forwards calls to another one, its implementation. An upgrade replaces it.
    """

    before: ComparedImplementation
    after: ComparedImplementation
    storage: tuple[StorageChange, ...] | None  # None if a record has no layout
    abi: tuple[AbiChange, ...]
    sources: tuple[SourceChange, ...]

    @property
    def hazards(self) -> int:
        """The number of storage variables that the new code would misread.

        For example, a variable may have moved to another slot. Above 0, upgrading the proxy damages its data.
        The number is 0 if a storage layout is unknown.
        """
        return sum(change.is_hazard for change in self.storage or ())

    def to_json(self, chain_id: str, proxy: str) -> JsonObject:
        """Return the differences between a proxy's implementations as JSON.

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


def compare_proxy_implementations(before: RecordValue, after: RecordValue) -> ImplementationChanges:
    """Compare two implementations of a proxy: storage, ABI and sources.

    The site shows what an upgrade of the proxy changed.

    Args:
        before: the record of the earlier implementation.
        after: the record of the later implementation.
    """
    old = parse_layout_variables(before["storageLayout"])
    new = parse_layout_variables(after["storageLayout"])
    return ImplementationChanges(
        before=_describe_implementation(before, old),
        after=_describe_implementation(after, new),
        storage=None if old is None or new is None else tuple(compare_layouts(old, new)),
        abi=tuple(compare_abis(before["abi"], after["abi"])),
        sources=tuple(_compare_sources(as_object(before["sources"]), as_object(after["sources"]))),
    )


def _describe_implementation(
    record: RecordValue, storage_variables: Sequence[object] | None
) -> ComparedImplementation:
    compilation = as_object(record["compilation"])
    texts = (as_text(as_object(source).get("content")) for source in as_object(record["sources"]).values())
    return ComparedImplementation(
        address=record["address"],
        name=as_text(compilation.get("name")),
        compiler=f"{as_text(compilation.get('compiler'))} {as_text(compilation.get('compilerVersion'))}",
        has_layout=storage_variables is not None,
        variables=len(storage_variables or ()),
        has_namespaces=any(NAMESPACE in text for text in texts),
    )


def _compare_sources(old_sources: JsonObject, new_sources: JsonObject) -> Iterator[SourceChange]:
    for path in sorted(old_sources.keys() | new_sources.keys()):
        if path not in old_sources or path not in new_sources:
            yield SourceChange("removed" if path in old_sources else "added", path)
            continue
        old, new = (
            as_text(as_object(sources[path]).get("content")) for sources in (old_sources, new_sources)
        )
        if old != new:
            yield _compare_source_file(path, old.splitlines(), new.splitlines())


def _compare_source_file(path: str, old_lines: list[str], new_lines: list[str]) -> SourceChange:
    consume_search_steps(sum(map(len, old_lines)) + sum(map(len, new_lines)))
    shorter = min(len(old_lines), len(new_lines))
    start = next((at for at in range(shorter) if old_lines[at] != new_lines[at]), shorter)
    same = next(
        (at for at in range(shorter - start) if old_lines[-1 - at] != new_lines[-1 - at]), shorter - start
    )
    first_line = max(start - CONTEXT, 0)
    end = max(same - CONTEXT, 0)
    old_part = old_lines[first_line : len(old_lines) - end]
    new_part = new_lines[first_line : len(new_lines) - end]
    if max(len(old_part), len(new_part)) > LONGEST_PART:
        return SourceChange("changed", path, is_cut=True)
    consume_steps(len(old_part) + len(new_part))
    lines = tuple(islice(_iter_diff_lines(old_part, new_part, first_line), LONGEST_DIFFERENCE + 1))
    return SourceChange("changed", path, lines[:LONGEST_DIFFERENCE], len(lines) > LONGEST_DIFFERENCE)


def _iter_diff_lines(old_lines: list[str], new_lines: list[str], skipped_lines: int) -> Iterator[str]:
    for group in SequenceMatcher(None, old_lines, new_lines).get_grouped_opcodes(CONTEXT):
        (_, first_line, _, start, _) = group[0]
        (_, _, last_line, _, end) = group[-1]
        yield f"@@ -{skipped_lines + first_line + 1},{last_line - first_line} +{skipped_lines + start + 1},{end - start} @@"
        for tag, i, j, k, m in group:
            if tag == "equal":
                yield from (f" {line}" for line in old_lines[i:j])
            else:
                yield from (f"-{line}" for line in old_lines[i:j])
                yield from (f"+{line}" for line in new_lines[k:m])
