"""The query string, parsed as Express does and checked as Sourcify's OpenAPI validator does."""

import re
from urllib.parse import unquote_to_bytes

from statuary.serving.lookup.request_error import RequestError

QueryParameters = dict[str, str | None]
"""Parameters in the order they first appear; None is one that is not a single text (`a=1&a=2`, `a[]=1`)."""

BRACKETS = re.compile(r"\[[^\[\]]*\]")
STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
RESERVED = re.compile(r"[:/?#\[\]@!$&'()*+,;=]")


def parse_query(text: str) -> QueryParameters:
    """Parse a query string, without its `?`."""
    query: QueryParameters = {}
    for pair in text.split("&"):
        raw_name, _, raw_value = pair.partition("=")
        name = percent_decoded(raw_name.replace("+", " "))
        brackets = BRACKETS.search(name)
        if brackets and brackets.start():
            query[name[: brackets.start()]] = None
        elif name:
            query[name] = None if name in query else percent_decoded(raw_value.replace("+", " "))
    return query


def percent_decoded(text: str) -> str:
    """Return text with its percent escapes decoded; the text itself if they are not UTF-8."""
    try:
        return decode_component(text)
    except ValueError:
        return text


def decode_component(text: str) -> str:
    """Decode percent escapes as ECMAScript's `decodeURIComponent` does.

    Raises:
        ValueError: if an escape is not two hex digits, or the bytes are not UTF-8.
    """
    if STRAY_PERCENT.search(text):
        raise ValueError("malformed uri")
    return unquote_to_bytes(text).decode("utf-8")


def check_names(query: QueryParameters, known: tuple[str, ...]) -> None:
    """Raise RequestError, with the measured message, for the first parameter that is unknown or empty."""
    for name, value in query.items():
        if name not in known:
            raise RequestError(f"Unknown query parameter '{name}'")
        if value == "":
            raise RequestError(f"Empty value found for query parameter '{name}'")


def check_single(query: QueryParameters, name: str, kind: str = "string") -> str | None:
    """Return a parameter's text, or None if it was not given.

    Raises:
        RequestError: if it was given twice, or as an array or an object.
    """
    value = query.get(name)
    if value is None and name in query:
        raise RequestError(f"request/query/{name} must be {kind}")
    return value


def check_reserved(text: str, names: tuple[str, ...]) -> None:
    """Raise an error for reserved characters that are not percent-encoded, in the order of `names`.

    The measured server checks this for the list's parameters, not for `fields` and `omit`.

    Raises:
        RequestError: with its message.
    """
    pairs = [pair.split("=") for pair in text.split("&")]
    for name in names:
        if any(RESERVED.search(pair[1]) for pair in pairs if pair[0] == name and len(pair) > 1):
            raise RequestError(
                f"Parameter '{name}' must be url encoded. It's value may not contain reserved characters."
            )
