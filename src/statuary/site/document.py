"""A published file: path, bytes, media type and cache rule."""

import json
import re
from typing import NamedTuple

import orjson

from statuary.base.json_values import NumberText
from statuary.site.settings import CompressedFormat
from statuary.site.url_table import CONTRACT, CONTRACT_SHARD, JSON, PROOF, PROOF_SHARD, match_url


class Document(NamedTuple):
    """A file of the site."""

    path: str  # relative to the site's root, with forward slashes and no leading one
    body: bytes
    media_type: str = JSON
    cache: str = ""  # the `Cache-Control`; empty leaves it to the host
    aliases: tuple[str, ...] = ()  # other paths with the same bytes (the lower-case address)
    # the content files that it is built from, relative to the content folder; `()` means the whole site
    sources: tuple[str, ...] = ()
    digest: bytes = b""  # SHA-256 of the body if already known, else empty
    # whether it stays published, without being added by each build, until a build removes it
    persistent: bool = False


class EncodingError(Exception):
    """A document reads back as another value, because of a bug."""


def encode_json(value: object) -> bytes:
    """Encode a value as JSON and verify it by reading it back.

    Raises:
        EncodingError: if it reads back as another value (a key that is not a string, a number that is not
            finite).
    """
    body = encode_unchecked(value)
    if _read_back(body) != value:
        raise EncodingError(body[:200])
    return body


def _read_back(body: bytes) -> object:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:  # the escape of a lone surrogate
        return json.loads(body)


def encode_unchecked(value: object) -> bytes:
    """Encode a value read from JSON, or of verified parts."""
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


def _encode_slowly(value: object) -> str:
    """Encode the lone surrogates that JSON can contain and orjson rejects."""
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
    return LONE_SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)


SHARDS = {CONTRACT.prefix: CONTRACT_SHARD, PROOF.prefix: PROOF_SHARD}
"""The sharded URL of each family that has one, by the prefix of the plain URL."""

PLAIN_PREFIXES = {sharded.prefix: plain for plain, sharded in SHARDS.items()}

CONTRACT_PATH = re.compile(
    rf"(?P<family>{'|'.join(SHARDS)})(?P<chain_id>[^/]+)/"
    r"(?P<address>0x(?P<shard>[0-9a-fA-F]{2})[0-9a-fA-F]{38})(?:\.json)?"
)
"""A path with an address; `chain_id` is `all-chains` in the look-up over all chains."""

SHARDED_PATH = re.compile(
    rf"(?P<family>{'|'.join(PLAIN_PREFIXES)})(?P<chain_id>[^/]+)/(?P<shard>[0-9a-f]{{2}})/(?P<name>0x[^/]+)"
)

ADDRESS = re.compile("0x[0-9a-fA-F]{40}")


def sharded_path(path: str) -> str:
    """Return a document's path in the sharded layout.

    Only single contracts and proofs have another path there.
    """
    if (match := CONTRACT_PATH.fullmatch(path)) is None:
        return path
    shard = match["shard"].lower()
    return SHARDS[match["family"]].path(chain_id=match["chain_id"], shard=shard, address=match["address"])


def plain_path(path: str) -> str:
    """Return a document's path in the plain layout, from either layout."""
    if (match := SHARDED_PATH.fullmatch(path)) is None:
        return path
    return f"{PLAIN_PREFIXES[match['family']]}{match['chain_id']}/{match['name']}"


def sharded_document(document: Document) -> Document:
    """Return a document with its paths in the sharded layout."""
    return document._replace(
        path=sharded_path(document.path), aliases=tuple(map(sharded_path, document.aliases))
    )


_COMPRESSED = tuple(f".{form}" for form in CompressedFormat)


def uncompressed_path(path: str) -> str:
    """Return the path of the document behind a compressed copy.

    Other paths are unchanged.
    """
    return path.rpartition(".")[0] if path.endswith(_COMPRESSED) else path


def contract_of_path(path: str) -> tuple[str, str] | None:
    """Return the chain id and the address in a record's path.

    Returns:
        The pair, or None for any other path.
    """
    match = match_url(plain_path(path))
    if match is None or match[0] is not CONTRACT or not ADDRESS.fullmatch(match[1]["address"]):
        return None
    return match[1]["chain_id"], match[1]["address"]
