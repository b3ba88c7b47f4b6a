"""The signatures of an ABI, as the ledger stores them."""

import re
from collections.abc import Mapping
from typing import NamedTuple

import orjson

from statuary.base.budget import consume_steps
from statuary.base.json_values import Json
from statuary.contracts.model.abi import is_identifier, item_signature

MODIFIERS = frozenset({"indexed", "anonymous", "memory", "storage", "calldata", "payable"})
"""Words that parsers take for a modifier, so that a parameter with such a name is written without it."""

MAX_DECLARATION = 4_000
"""Characters of the longest declaration; the signature replaces a longer one."""


class Declarations(NamedTuple):
    """The signatures of functions, errors and events in a contract's ABI.

    They are sorted and unique.
    """

    functions: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    events: tuple[tuple[str, str], ...] = ()  # the signature, and the declaration with names and `indexed`

    def encode(self) -> bytes:
        """Convert the signatures to a line of JSON, for the build's database.

        Returns:
            The line; empty if there are no signatures.
        """
        return orjson.dumps(tuple(self)) if any(self) else b""

    @classmethod
    def parse(cls, stored_line: bytes) -> "Declarations":
        """Restore the signatures from a line that `encode` returned.

        The line must not be empty.
        """
        functions, errors, events = orjson.loads(stored_line)
        return cls(tuple(functions), tuple(errors), tuple((text, full) for text, full in events))


def parse_declarations(abi: Json) -> Declarations:
    """Collect the signatures of functions, errors and events in an ABI.

    Items that ethers, a JavaScript library, rejects are skipped. If an event is declared several times, the first
    declaration in sorting order is used.

    Args:
        abi: the contract's interface as parsed JSON; a value that is not a list has no signatures.
    """
    texts: dict[str, set[str]] = {"function": set(), "error": set()}
    events: dict[str, str] = {}
    for item in abi if isinstance(abi, list) else ():
        if not isinstance(item, dict):
            continue
        kind, text = item.get("type"), item_signature(item)
        if text is None:
            continue
        if kind == "event":
            full = format_event(text, item)
            events[text] = min(full, events.get(text, full))
        elif kind in ("function", "error"):
            texts[str(kind)].add(text)
    consume_steps(len(abi) if isinstance(abi, list) else 0)
    return Declarations(
        tuple(sorted(texts["function"])), tuple(sorted(texts["error"])), tuple(sorted(events.items()))
    )


def format_event(signature: str, abi_item: Mapping[str, Json]) -> str:
    """Format an event with its parameter names.

    Example: `Transfer(address indexed from, uint256 value)`

    Args:
        signature: the signature, such as `Transfer(address,uint256)`, which is returned if the result would
            be longer than `MAX_DECLARATION`.
        abi_item: the event's item in the ABI, which ethers accepts.
    """
    inputs = abi_item.get("inputs")
    parameters = [_format_parameter(value) for value in inputs] if isinstance(inputs, list) else []
    full = f"{abi_item['name']}({', '.join(parameters)})"
    return full if len(full) <= MAX_DECLARATION else signature


def _format_parameter(parameter: Json) -> str:
    if not isinstance(parameter, dict):
        return ""
    indexed = "indexed" if parameter.get("indexed") is True else ""
    name = parameter.get("name")
    shown_name = str(name) if is_identifier(name) and name not in MODIFIERS else ""
    return " ".join(filter(None, (_format_parameter_type(parameter), indexed, shown_name)))


def _format_parameter_type(parameter: Mapping[str, Json]) -> str:
    name = str(parameter.get("type"))
    if not name.startswith("tuple"):
        return SHORT.sub(r"\g<0>256", name)
    components = parameter.get("components")
    members = ", ".join(map(_format_parameter, components)) if isinstance(components, list) else ""
    return f"({members}){name.removeprefix('tuple')}"


SHORT = re.compile(r"u?int(?![0-9])")
"""Integer types without a size, which are of 256 bits."""
