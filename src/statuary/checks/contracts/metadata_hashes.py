"""The possible hashes of a record's metadata, each computed once."""

from collections.abc import Iterator

import orjson

from statuary.checks.contracts.json_comparison import json_bytes, same_json
from statuary.domain.computed_once import computed_once
from statuary.domain.contracts.metadata.metadata_text import (
    has_repeated_keys,
    metadata_hash,
    metadata_texts,
)
from statuary.domain.json_values import Json
from statuary.domain.primitives import InvalidValueError


class MetadataHashes:
    """The hashes of a metadata object, as the compiler may have spelled it.

    Args:
        value: the record's `metadata`.
        output_text: the metadata in the compiler's output.
    """

    def __init__(self, value: Json, output_text: Json) -> None:
        self._value = value if isinstance(value, dict) else None
        self._output_text = output_text
        self._known: dict[tuple[str, bytes], bool] = {}

    @computed_once
    def text(self) -> str | None:
        """The compiler's text, if it is the same object and has no key twice; else None."""
        text = self._output_text
        if not isinstance(text, str) or self._value is None:
            return None
        encoded = text.encode("utf-8", "surrogatepass")
        if encoded == json_bytes(self._value) or encoded == json_bytes(self._value, sort_keys=True):
            return text  # as solc writes it, so no key is repeated
        try:
            is_same = same_json(orjson.loads(text), self._value)
        except (ValueError, TypeError):
            return None
        return text if is_same and not has_repeated_keys(text) else None

    def has(self, scheme: str, digest: bytes) -> bool:
        """Return whether a digest is the hash of the metadata."""
        key = scheme, digest
        if key not in self._known:
            self._known[key] = any(digest == found for found in self.digests(scheme))
        return self._known[key]

    def digests(self, scheme: str) -> Iterator[bytes]:
        """Yield the hashes of the texts that the compiler may have written."""
        if self._value is None:
            return
        try:
            for text in metadata_texts(self._value, self.text):
                yield metadata_hash(text, scheme)
        except InvalidValueError:
            return
