"""Status documents that change by themselves: which file is the answer at an instant, and for how long.

Every instant at which a status document changes is known when the site is built, and the documents of those
later epochs are written beside the present ones. `api/v2/_epochs/index.json` says which:

    {"epochs":[{"from":"2026-12-01T10:00:00.000Z",
                "documents":{"api/v2/summary.json":"api/v2/_epochs/<key>/summary.json", …}}, …]}

An epoch lasts until the next one begins. A document that an epoch does not name is the plain file at its own
path, as it is before the first epoch, without this index, and wherever nothing can look at a clock.
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from statuary.domain.primitives import Instant, InvalidValueError, parse_instant

EPOCH_INDEX = "api/v2/_epochs/index.json"

MAX_AGE = 30
"""Seconds that a status document may be kept without asking."""


class EpochDocuments(NamedTuple):
    """The stretch from one transition to the next.

    Attributes:
        start: the transition that it begins with.
        documents: the file that holds a document, by the document's path.
    """

    start: Instant
    documents: dict[str, str]


def parse_epochs(text: bytes | None) -> tuple[EpochDocuments, ...]:
    """Read the index, in the order of time; what is no epoch is left out, since stale is better than nothing."""
    try:
        index = json.loads(text or b"{}")
    except ValueError:
        return ()
    found = index.get("epochs") if isinstance(index, dict) else None
    epochs = _readable(found if isinstance(found, list) else [])
    return tuple(sorted(epochs, key=lambda epoch: epoch.start))


def _readable(values: list[Any]) -> Iterator[EpochDocuments]:
    for value in values:
        try:
            yield EpochDocuments(parse_instant(value["from"]), dict(value.get("documents") or {}))
        except (InvalidValueError, TypeError, KeyError, AttributeError):
            continue


def document_at(epochs: tuple[EpochDocuments, ...], path: str, now: Instant) -> str:
    """Return the path of the file that holds a document at an instant."""
    begun = [epoch for epoch in epochs if epoch.start <= now]
    return begun[-1].documents.get(path, path) if begun else path


def is_timed(epochs: tuple[EpochDocuments, ...], path: str) -> bool:
    """Say whether a document changes by itself at some instant."""
    return any(path in epoch.documents for epoch in epochs)


def cache_control(epochs: tuple[EpochDocuments, ...], now: Instant) -> str:
    """Return how a status document may be kept: never beyond the next transition."""
    coming = [epoch.start - now for epoch in epochs if epoch.start > now]
    seconds = min(MAX_AGE, int(coming[0].total_seconds())) if coming else MAX_AGE
    return f"public, max-age={seconds}"
