"""PostgreSQL's `jsonb` order of an object's keys: shorter first, then by bytes.

Sourcify stores ABIs, documentation, layouts, settings and transformations as `jsonb`, so they are served in
that order; metadata and the maps of sources are not.
"""

from statuary.domain.json_values import Json
from statuary.domain.limits import MAX_JSON_DEPTH
from statuary.domain.primitives import InvalidValueError


def jsonb_key(key: str) -> tuple[int, bytes]:
    """Return the sort key of a `jsonb` key: its length in bytes, then the bytes."""
    encoded = key.encode("utf-8", "surrogatepass")
    return len(encoded), encoded


def in_jsonb_order(value: Json, depth: int = 0) -> Json:
    """Return a JSON value with the keys of all its objects in `jsonb` order; arrays keep theirs.

    Raises:
        InvalidValueError: if the value is nested more than `MAX_JSON_DEPTH` levels.
    """
    if depth > MAX_JSON_DEPTH:
        raise InvalidValueError(f"JSON nested more than {MAX_JSON_DEPTH} levels")
    if isinstance(value, dict):
        return {key: in_jsonb_order(value[key], depth + 1) for key in sorted(value, key=jsonb_key)}
    if isinstance(value, list):
        return [in_jsonb_order(item, depth + 1) for item in value]
    return value
