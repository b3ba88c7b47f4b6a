"""The index of epochs: which file is a status document at an instant, for all instants that a build foresees.

Every instant at which a status document changes is known when the site is built, and the documents of those later
epochs are published beside the present ones. `api/v2/_epochs/index.json` lists them:

    {"from":"…","until":"…","documents":{…},"epochs":[{"from":"2026-12-01T10:00:00.000Z",
        "documents":{"api/v2/summary.json":"api/v2/_epochs/<key>/summary.json", …}}, …]}

An epoch lasts until the next one begins. A document that an epoch does not list is the file at the document's own path,
of which `documents` has a copy as the build made it.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from statuary.documents import url_table
from statuary.domain.primitives import Instant, InvalidValueError, parse_instant
from statuary.publishing.errors import PublishingError

BROKEN = (orjson.JSONDecodeError, InvalidValueError, TypeError, KeyError, AttributeError, ValueError)
"""What reading something else than an index raises."""

Epochs = tuple[tuple[Instant, Mapping[str, str]], ...]
"""When each epoch begins, and the file of each of its documents, by the document's path; in the order of time."""


class EpochIndex(NamedTuple):
    """The index of a site's epochs.

    Attributes:
        until: the instant up to which the epochs are complete.
        initial: copies of the documents that change later, by path.
    """

    start: Instant
    until: Instant
    initial: Mapping[str, str]
    epochs: Epochs

    def files_at(self, now: Instant) -> Mapping[str, str]:
        """Return the file of every changing document at an instant, by the document's path."""
        return {**self.initial, **documents_at(self.epochs, now)}

    def absent_at(self, now: Instant) -> frozenset[str]:
        """Return the paths of the documents that appear after an instant."""
        paths = {path for _, documents in self.epochs for path in documents}
        return frozenset(paths - self.files_at(now).keys())

    def next_after(self, now: Instant) -> Instant | None:
        """Return the next instant at which a document changes; None if there is none before the end."""
        return next((since for since, _ in self.epochs if now < since < self.until), None)


def documents_at(epochs: Epochs, now: Instant) -> Mapping[str, str]:
    """Return the files of the documents that differ at an instant from those at their own paths."""
    begun = [documents for since, documents in epochs if since <= now]
    return begun[-1] if begun else {}


def read_epoch_index(folder: Path) -> EpochIndex:
    """Return the epoch index of a published site.

    Raises:
        PublishingError: if there is none, or it cannot be read.
    """
    file = folder / url_table.EPOCHS.path()
    try:
        index = orjson.loads(file.read_bytes())
        epochs = tuple(map(_epoch, index["epochs"]))
        initial = dict(index.get("documents") or {})
        return EpochIndex(parse_instant(index["from"]), parse_instant(index["until"]), initial, epochs)
    except OSError as error:
        raise PublishingError(f"{file} cannot be read: {error.strerror}", "run `statuary build`") from None
    except BROKEN:
        raise PublishingError(f"{file} is not an epoch index", "run `statuary build`") from None


def readable_epochs(text: bytes | None) -> Epochs:
    """Return the epochs of an index without broken ones: a stale answer is better than none."""
    try:
        found = orjson.loads(text or b"{}")["epochs"]
    except BROKEN:
        return ()
    return tuple(sorted(_readable(found if isinstance(found, list) else []), key=lambda epoch: epoch[0]))


def stale_since(text: bytes | None, now: Instant) -> str:
    """Return the end of the last epoch if it has passed, otherwise an empty string."""
    try:
        until = orjson.loads(text or b"{}")["until"]
        return str(until) if parse_instant(until) <= now else ""
    except BROKEN:
        return ""


def _readable(values: list[Any]) -> Iterator[tuple[Instant, Mapping[str, str]]]:
    for value in values:
        try:
            yield _epoch(value)
        except BROKEN:
            continue


def _epoch(value: Any) -> tuple[Instant, Mapping[str, str]]:
    return parse_instant(value["from"]), dict(value.get("documents") or {})
