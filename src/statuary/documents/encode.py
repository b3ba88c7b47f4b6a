"""The JSON encoder of all documents.

Compact UTF-8, members in the given order. Strings are escaped like ECMAScript's `JSON.stringify` (which both
real systems use): control characters and lone surrogates only.
"""

import json
import re

import orjson

from statuary.domain.json_values import Json, NumberText


class EncodingError(Exception):
    """A document did not read back as its value: a defect of statuary, not of content."""


def encode_json(value: Json) -> bytes:
    """Return the JSON bytes of a value, verified by reading them back.

    Raises:
        EncodingError: if they read back as another value (a key that is not text, a number that is not
            finite).
    """
    body = encode_unchecked(value)
    if _read_back(body) != value:
        raise EncodingError(body[:200])
    return body


def _read_back(body: bytes) -> Json:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:  # the escape of a lone surrogate
        return json.loads(body)


def encode_unchecked(value: Json) -> bytes:
    """Return the JSON bytes of a value that was read from JSON, or whose parts are verified."""
    try:
        return orjson.dumps(value, default=_fragment, option=orjson.OPT_PASSTHROUGH_SUBCLASS)
    except orjson.JSONEncodeError:
        return _encode_slowly(value).encode("utf-8")


def _fragment(value: object) -> orjson.Fragment | str:
    if isinstance(value, NumberText):
        return orjson.Fragment(value)
    if isinstance(value, str):
        return str(value)
    raise TypeError(f"{type(value).__name__} is no JSON value")


LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def _encode_slowly(value: Json) -> str:
    """Encode what orjson rejects: lone surrogates, which JSON text can contain and UTF-8 cannot."""
    if isinstance(value, NumberText):
        return value
    if isinstance(value, dict):
        return "{" + ",".join(f"{_quoted(key)}:{_encode_slowly(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_encode_slowly, value)) + "]"
    if isinstance(value, str):
        return _quoted(value)
    return orjson.dumps(value).decode("ascii")


def _quoted(text: str) -> str:
    quoted = json.dumps(text, ensure_ascii=False)
    return LONE_SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)
