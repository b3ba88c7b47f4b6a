"""The texts in a descriptor that wallets show."""

from collections.abc import Iterator
from typing import Final

from statuary.base.budget import consume_steps
from statuary.base.findings import Pointer
from statuary.base.json_values import Json
from statuary.base.primitives import shorten


def quote_shortened(text: str) -> str:
    """Quote a string for an error message, and shorten a long one."""
    return repr(text) if len(text) <= 60 else shorten(text)


_SHOWN: Final = frozenset(
    (
        "label",
        "intent",
        "interpolatedIntent",
        "owner",
        "contractName",
        "separator",
        "message",
        "fallbackLabel",
    )
)
_TOKEN_TEXTS: Final = frozenset(("ticker", "name", "base"))
_ENUMS: Final = ("metadata", "enums")


def find_shown_texts(
    part: Json, pointer: Pointer = (), *, is_shown: bool = False
) -> Iterator[tuple[Pointer, str]]:
    """Yield the strings in a descriptor that wallets show to users.

    Args:
        part: the part of the descriptor to search, at any depth.
        pointer: the keys that lead to this part.
        is_shown: whether wallets show the part itself.

    Yields:
        The pointer of each string, and the string.
    """
    consume_steps(1)
    if isinstance(part, str) and is_shown:
        yield pointer, part
    elif isinstance(part, dict):
        if pointer[-1:] == ("intent",):
            yield from ((pointer, key) for key in part)
        for key, inner in part.items():
            yield from find_shown_texts(
                inner, (*pointer, key), is_shown=is_shown or _is_shown_member(key, pointer)
            )
    elif isinstance(part, list):
        for number, inner in enumerate(part):
            yield from find_shown_texts(inner, (*pointer, number))


def _is_shown_member(key: str, parent_pointer: Pointer) -> bool:
    return (
        key in _SHOWN
        or parent_pointer[:2] == _ENUMS
        or (key in _TOKEN_TEXTS and parent_pointer[-1:] in (("token",), ("params",)))
    )
