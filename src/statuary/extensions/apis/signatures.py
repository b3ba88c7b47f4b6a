"""The signatures of a whole site: look-up, search, and files for tools."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

from statuary.contracts.model.abi import signature_hash
from statuary.extensions.apis import urls
from statuary.extensions.apis.canonical import CANONICAL_SIGNATURES
from statuary.extensions.apis.declarations import Declarations
from statuary.site.document import Document, encode_json, encode_unchecked

WHOLE_SITE = ("contracts",)
"""The source that documents about all contracts name."""


class SiteSignatures(NamedTuple):
    """All signatures of functions, errors and events that a site knows.

    `public` are those in a list that the site's owner wrote.
    """

    functions: frozenset[str] = frozenset()
    errors: frozenset[str] = frozenset()
    events: Mapping[str, tuple[str, ...]] = {}  # by signature: declarations, which differ in `indexed`
    public: frozenset[str] = frozenset()  # the signatures in the content's public list, whose kind is unknown

    @property
    def verified(self) -> frozenset[str]:
        """The signatures of functions, errors and events of verified contracts."""
        return self.functions | self.errors | self.events.keys()

    @property
    def all_signatures(self) -> list[str]:
        """All signatures of the site, sorted.

        They come from verified contracts and from the public list in the content.
        """
        return sorted(self.verified | self.public)


def collect_signatures(
    encoded_declarations: Iterable[bytes], public_signatures: Iterable[str]
) -> SiteSignatures:
    """Collect the signatures of all contracts and of the owner's public list.

    Args:
        encoded_declarations: the non-empty results of `Declarations.encode` for all contracts.
        public_signatures: the signatures in a list that the site's owner wrote.
    """
    functions, errors = set[str](), set[str]()
    events = defaultdict[str, dict[str, str]](dict)
    for line in dict.fromkeys(encoded_declarations):
        of_record = Declarations.parse(line)
        functions.update(of_record.functions)
        errors.update(of_record.errors)
        for text, full in of_record.events:
            shape = "".join(WORDS_OF_SHAPE.findall(full))
            events[text][shape] = min(full, events[text].get(shape, full))
    declared = {text: tuple(sorted(by_shape.values())) for text, by_shape in events.items()}
    return SiteSignatures(frozenset(functions), frozenset(errors), declared, frozenset(public_signatures))


WORDS_OF_SHAPE = re.compile(r"\bindexed\b|[,()]")
"""The parts of an event's declaration that show which parameters are indexed."""


def iter_signature_documents(signatures: SiteSignatures, refreshed_at: str) -> Iterator[Document]:
    """Make the documents from which the signature API responds.

    Clients look up the signature of a function by its selector there.

    Args:
        refreshed_at: the time at which the newest record was verified.
    """
    texts = signatures.all_signatures
    yield from _iter_shard_documents("function", texts, signatures, key_length=10)
    yield from _iter_shard_documents("event", texts, signatures, key_length=66)
    yield _make_document(urls.SIGNATURE_NAMES.path(), "".join(f"{text}\n" for text in texts).encode())
    counts = {
        "function": len(signatures.functions),
        "event": len(signatures.events),
        "error": len(signatures.errors),
        "unknown": len(signatures.public - signatures.verified),
        "total": len(texts),
    }
    result = {"count": counts, "metadata": {"refreshed_at": refreshed_at}}
    yield _make_json_document(urls.SIGNATURE_STATS.path(), {"ok": True, "result": result})
    yield _make_json_document(urls.FOUNDRY_SIGNATURES.path(), _make_foundry_cache(signatures))
    # clef, Geth's program for signing, reads a JSON object with a signature for each selector without `0x`.
    clef_database = {
        key[2:]: text
        for key, text in _choose_best_by_selector(signatures, _select_possible_functions(signatures)).items()
    }
    yield _make_json_document(urls.CLEF_SIGNATURES.path(), clef_database)


def _make_document(path: str, content: bytes) -> Document:
    return Document(path=path, body=content, sources=WHOLE_SITE, persistent=True)


def _make_json_document(path: str, json_value: object) -> Document:
    return _make_document(path, encode_json(json_value))


def _iter_shard_documents(
    signature_kind: str, signatures: Iterable[str], known_signatures: SiteSignatures, key_length: int
) -> Iterator[Document]:
    """Make files of signatures, divided by the first byte of their hash.

    Args:
        signature_kind: "function" or "event".
        signatures: the signatures to list.
        known_signatures: all signatures of the site.
        key_length: the length of a key, with `0x`: 10 for a selector, 66 for a topic.
    """
    hashed = sorted(
        (signature_hash(text)[:key_length], rank_signature(text, known_signatures), text)
        for text in signatures
    )
    verified = known_signatures.verified
    for shard, entries in groupby(hashed, key=lambda entry: entry[0][2:4]):
        matches: dict[str, list[dict[str, object]]] = defaultdict(list)
        for key, *_, text in entries:
            matches[key].append(make_signature_item(key, text, is_verified=text in verified))
        yield _make_document(
            urls.SIGNATURE_SHARD.path(kind=signature_kind, shard=shard), encode_unchecked(matches)
        )


def rank_signature(signature: str, known_signatures: SiteSignatures) -> int:
    """Return a sort key for signatures with the same hash.

    The lowest key is listed first. Well-known signatures come before all others. Signatures of verified contracts
    come before the rest.

    Args:
        signature: the signature, such as `transfer(address,uint256)`.
        known_signatures: the signatures of the site, which show whether a verified contract has it.
    """
    is_canonical = CANONICAL_SIGNATURES.get(signature_hash(signature)[:10]) == signature
    is_verified = (
        signature in known_signatures.functions
        or signature in known_signatures.errors
        or signature in known_signatures.events
    )
    return (0 if is_canonical else 2) + (0 if is_verified else 1)


def make_signature_item(listed_hash: str, signature: str, *, is_verified: bool) -> dict[str, object]:
    """Return a signature as Sourcify's signature API lists it.

    Args:
        listed_hash: the selector or hash under which the signature is listed.
        is_verified: whether a verified contract has the signature.
    """
    is_filtered = listed_hash in CANONICAL_SIGNATURES and CANONICAL_SIGNATURES[listed_hash] != signature
    return {"name": signature, "filtered": is_filtered, "hasVerifiedContract": is_verified}


def _make_foundry_cache(known_signatures: SiteSignatures) -> dict[str, dict[str, str]]:
    return {
        "functions": _choose_best_by_selector(known_signatures, _select_possible_functions(known_signatures)),
        "errors": _choose_best_by_selector(known_signatures, known_signatures.errors),
        "events": {
            signature_hash(text): declared[0] for text, declared in sorted(known_signatures.events.items())
        },
    }


def _select_possible_functions(known_signatures: SiteSignatures) -> frozenset[str]:
    return known_signatures.functions | (
        known_signatures.public - known_signatures.errors - known_signatures.events.keys()
    )


def _choose_best_by_selector(known_signatures: SiteSignatures, signatures: Iterable[str]) -> dict[str, str]:
    best_by_selector: dict[str, str] = {}
    for key, *_, text in sorted(
        (signature_hash(text)[:10], rank_signature(text, known_signatures), text) for text in signatures
    ):
        best_by_selector.setdefault(key, text)
    return best_by_selector


SIGNATURE = re.compile(r"(?:(?:function|event|error)\s+)?([A-Za-z_$][\w$]*\([\w$,()\[\]]*\))", re.ASCII)
"""A line of a list of public signatures: canonical, without names of parameters."""


MAX_SIGNATURE = 4_000
"""Characters of the longest line of a list of public signatures."""


def parse_signature_list(list_text: str) -> Iterator[tuple[int, str | None]]:
    """Parse a text file with one signature in each line.

    Empty lines and lines that begin with `#` are skipped.

    Yields:
        The number of the line with its signature, or with None if the line is invalid.
    """
    for number, line in enumerate(list_text.split("\n"), 1):
        plain = line.strip()
        if plain and not plain.startswith("#"):
            match = SIGNATURE.fullmatch(plain) if len(plain) <= MAX_SIGNATURE else None
            yield number, match and match[1]
