"""A published file: path, bytes, media type and cache rule."""

import json
import re
from typing import NamedTuple

import orjson

from statuary.base.json_values import NumberText
from statuary.site.settings import CompressedFormat
from statuary.site.urls import JSON


class Document(NamedTuple):
    """A file of the site.

    Attributes:
        sources: paths of the content files that the document is built from; `()` means all content.
        persistent: whether the document stays published when later builds do not add it again.
    """

    path: str  # relative to the site's root, with forward slashes and no leading one
    body: bytes
    media_type: str = JSON
    cache: str = ""  # the `Cache-Control`; empty leaves it to the host
    aliases: tuple[str, ...] = ()  # other paths with the same bytes (the lower-case address)
    sources: tuple[str, ...] = ()
    digest: bytes = b""  # SHA-256 of the body if already known, else empty
    persistent: bool = False


class EncodingError(Exception):
    """A value cannot be written as JSON: reading it back gives another one."""


def encode_json(value: object) -> bytes:
    """Encode a value as JSON, and check that it reads back unchanged.

    Raises:
        EncodingError: if the JSON reads back as another value: a key is not a string, or a number is not
            finite.
    """
    body = encode_unchecked(value)
    if _parse_json_again(body) != value:
        raise EncodingError(body[:200])
    return body


def _parse_json_again(body: bytes) -> object:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:  # the escape of a lone surrogate
        return json.loads(body)


def encode_unchecked(value: object) -> bytes:
    """Encode a value as JSON without checking the result.

    Use `encode_json` for values that JSON may not preserve, such as NaN.
    """
    try:
        return orjson.dumps(value, default=_encode_fragment, option=orjson.OPT_PASSTHROUGH_SUBCLASS)
    except orjson.JSONEncodeError:
        return _encode_with_surrogates(value).encode("utf-8")


def _encode_fragment(value: object) -> orjson.Fragment | str:
    if isinstance(value, NumberText):
        return orjson.Fragment(value)
    if isinstance(value, str):
        return str(value)
    raise TypeError(f"a value of type {type(value).__name__} cannot be written as JSON")


LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def _encode_with_surrogates(value: object) -> str:
    """Encode a value that contains half of a surrogate pair, which orjson rejects.

    A record may have such text, because JSON can contain it as an escape.
    """
    if isinstance(value, NumberText):
        return value
    if isinstance(value, dict):
        return (
            "{"
            + ",".join(f"{_quote_string(key)}:{_encode_with_surrogates(item)}" for key, item in value.items())
            + "}"
        )
    if isinstance(value, list):
        return "[" + ",".join(map(_encode_with_surrogates, value)) + "]"
    if isinstance(value, str):
        return _quote_string(value)
    return orjson.dumps(value).decode("ascii")


def _quote_string(string: str) -> str:
    quoted = json.dumps(string, ensure_ascii=False)
    return LONE_SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)


ADDRESS = re.compile("0x[0-9a-fA-F]{40}")

_COMPRESSED = tuple(f".{form}" for form in CompressedFormat)


def uncompressed_path(path: str) -> str:
    """Return the path of a compressed copy's document.

    For example, `a.json.br` becomes `a.json`. Other paths are returned as they are.
    """
    return path.rpartition(".")[0] if path.endswith(_COMPRESSED) else path
