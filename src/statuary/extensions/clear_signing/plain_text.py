"""The texts in a descriptor that wallets show."""

from collections.abc import Iterator
from typing import Final

from statuary.base.budget import consume
from statuary.base.findings import Pointer
from statuary.base.json_values import Json
from statuary.base.primitives import shorten


def quote_shortened(text: str) -> str:
    """Return a text in quotes for an error message; a long text is shortened."""
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


def shown_texts(value: Json, at: Pointer = (), *, is_shown: bool = False) -> Iterator[tuple[Pointer, str]]:
    """Yield the strings in a descriptor that wallets show.

    Args:
        value: a part of the descriptor.
        at: the pointer of the part in the descriptor.
        is_shown: whether wallets show the part itself.

    Yields:
        The pointer of each string, and the string.
    """
    consume(1)
    if isinstance(value, str) and is_shown:
        yield at, value
    elif isinstance(value, dict):
        if at[-1:] == ("intent",):
            yield from ((at, key) for key in value)
        for key, inner in value.items():
            yield from shown_texts(inner, (*at, key), is_shown=is_shown or _is_shown(key, at))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from shown_texts(inner, (*at, number))


def _is_shown(key: str, at: Pointer) -> bool:
    return key in _SHOWN or at[:2] == _ENUMS or (key in _TOKEN_TEXTS and at[-1:] in (("token",), ("params",)))
