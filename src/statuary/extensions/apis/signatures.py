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
    """All signatures that a site knows, each once."""

    functions: frozenset[str] = frozenset()
    errors: frozenset[str] = frozenset()
    events: Mapping[
        str, tuple[str, ...]
    ] = {}  # the declarations of each signature, which differ in `indexed`
    public: frozenset[str] = frozenset()  # the signatures in the content's public list, whose kind is unknown

    @property
    def verified(self) -> frozenset[str]:
        """The signatures of functions, errors and events of verified contracts."""
        return self.functions | self.errors | self.events.keys()

    @property
    def texts(self) -> list[str]:
        """The signatures of verified contracts and of the public list, sorted."""
        return sorted(self.verified | self.public)


def collect_signatures(stored_facts: Iterable[bytes], public: Iterable[str]) -> SiteSignatures:
    """Collect the signatures of all contracts and of the public list.

    Args:
        stored_facts: the lines that `Declarations.encode` returned, without empty ones.
        public: the signatures in the public list.
    """
    functions, errors = set[str](), set[str]()
    events = defaultdict[str, dict[str, str]](dict)
    for line in dict.fromkeys(stored_facts):
        of_record = Declarations.parse(line)
        functions.update(of_record.functions)
        errors.update(of_record.errors)
        for text, full in of_record.events:
            shape = "".join(WORDS_OF_SHAPE.findall(full))
            events[text][shape] = min(full, events[text].get(shape, full))
    declared = {text: tuple(sorted(by_shape.values())) for text, by_shape in events.items()}
    return SiteSignatures(frozenset(functions), frozenset(errors), declared, frozenset(public))


WORDS_OF_SHAPE = re.compile(r"\bindexed\b|[,()]")
"""The parts of an event's declaration that show which parameters are indexed."""


def signature_documents(site: SiteSignatures, refreshed_at: str) -> Iterator[Document]:
    """Yield the documents of the signature API.

    Args:
        site: the signatures of the site.
        refreshed_at: the time at which the newest record was verified.
    """
    texts = site.texts
    yield from _shard_documents("function", texts, site, digits=10)
    yield from _shard_documents("event", texts, site, digits=66)
    yield _plain_document(urls.SIGNATURE_NAMES.path(), "".join(f"{text}\n" for text in texts).encode())
    counts = {
        "function": len(site.functions),
        "event": len(site.events),
        "error": len(site.errors),
        "unknown": len(site.public - site.verified),
        "total": len(texts),
    }
    result = {"count": counts, "metadata": {"refreshed_at": refreshed_at}}
    yield _json_document(urls.SIGNATURE_STATS.path(), {"ok": True, "result": result})
    yield _json_document(urls.FOUNDRY_SIGNATURES.path(), _foundry_cache(site))
    # clef's database maps each selector, written without `0x`, to one function
    clef_database = {
        key[2:]: text for key, text in _best_by_selector(site, _possible_functions(site)).items()
    }
    yield _json_document(urls.CLEF_SIGNATURES.path(), clef_database)


def _plain_document(path: str, body: bytes) -> Document:
    return Document(path=path, body=body, sources=WHOLE_SITE, persistent=True)


def _json_document(path: str, value: object) -> Document:
    return _plain_document(path, encode_json(value))


def _shard_documents(
    kind: str, texts: Iterable[str], site: SiteSignatures, digits: int
) -> Iterator[Document]:
    """Yield files of signatures by the first byte of their hash.

    Args:
        kind: "function" or "event".
        digits: the length of a key, with `0x`.
    """
    hashed = sorted((signature_hash(text)[:digits], signature_rank(text, site), text) for text in texts)
    verified = site.verified
    for shard, entries in groupby(hashed, key=lambda entry: entry[0][2:4]):
        matches: dict[str, list[dict[str, object]]] = defaultdict(list)
        for key, *_, text in entries:
            matches[key].append(signature_item(key, text, is_verified=text in verified))
        yield _plain_document(urls.SIGNATURE_SHARD.path(kind=kind, shard=shard), encode_unchecked(matches))


def signature_rank(text: str, site: SiteSignatures) -> int:
    """Return a number by which signatures with the same hash are sorted.

    A well-known signature comes first, then those of verified contracts, then all others.

    Args:
        text: the signature.
        site: the signatures of the site, which show whether a verified contract has it.
    """
    is_canonical = CANONICAL_SIGNATURES.get(signature_hash(text)[:10]) == text
    is_verified = text in site.functions or text in site.errors or text in site.events
    return (0 if is_canonical else 2) + (0 if is_verified else 1)


def signature_item(key: str, text: str, *, is_verified: bool) -> dict[str, object]:
    """Return the JSON of a signature, as Sourcify's 4byte service has it.

    Args:
        key: the hash under which the signature is listed.
        text: the signature.
        is_verified: whether a verified contract has the signature.
    """
    is_filtered = key in CANONICAL_SIGNATURES and CANONICAL_SIGNATURES[key] != text
    return {"name": text, "filtered": is_filtered, "hasVerifiedContract": is_verified}


def _foundry_cache(site: SiteSignatures) -> dict[str, dict[str, str]]:
    """Return the signatures in the form of Foundry's cache."""
    return {
        "functions": _best_by_selector(site, _possible_functions(site)),
        "errors": _best_by_selector(site, site.errors),
        "events": {signature_hash(text): declared[0] for text, declared in sorted(site.events.items())},
    }


def _possible_functions(site: SiteSignatures) -> frozenset[str]:
    """Return the signatures that may be functions."""
    return site.functions | (site.public - site.errors - site.events.keys())


def _best_by_selector(site: SiteSignatures, texts: Iterable[str]) -> dict[str, str]:
    """Choose the signature with the best rank for each selector."""
    best_by_selector: dict[str, str] = {}
    for key, *_, text in sorted(
        (signature_hash(text)[:10], signature_rank(text, site), text) for text in texts
    ):
        best_by_selector.setdefault(key, text)
    return best_by_selector


SIGNATURE = re.compile(r"(?:(?:function|event|error)\s+)?([A-Za-z_$][\w$]*\([\w$,()\[\]]*\))", re.ASCII)
"""A line of a list of public signatures: canonical, without names of parameters."""


MAX_SIGNATURE = 4_000
"""Characters of the longest line of a list of public signatures."""


def invalid_signature_list(text: str) -> Iterator[tuple[int, str | None]]:
    """Yield the line number and signature of each line of a list.

    Empty lines and lines that begin with `#` are skipped.

    Yields:
        The number of the line, and its signature or None if the line is invalid.
    """
    for number, line in enumerate(text.split("\n"), 1):
        plain = line.strip()
        if plain and not plain.startswith("#"):
            match = SIGNATURE.fullmatch(plain) if len(plain) <= MAX_SIGNATURE else None
            yield number, match and match[1]
