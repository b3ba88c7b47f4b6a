"""The ledger of a store as texts: shards, their lines, the index; and what objects are served with."""

import pytest

from statuary.documents.url_table import JSON, PutStep
from statuary.extensions.object_stores.objects import (
    ObjectHeaders,
    headers_of,
    step_of,
    stored_headers,
)
from statuary.extensions.object_stores.store_comparison import (
    ENTRIES_PER_SHARD,
    MAX_BITS,
    StoreIndex,
    StoreLedgerEntry,
    bits_for,
    line_of,
    pack,
    parse_index,
    shard_of,
    unpack,
)
from statuary.publishing.files import MANIFEST, PublishingError

RECORD = "v2/contract/1/0x" + "Ab" * 20
REVALIDATE = "public, max-age=0, must-revalidate"


def entry(number: int) -> StoreLedgerEntry:
    return StoreLedgerEntry(f"v2/contract/1/0x{number:040x}", f"{number:064x}", number, "12345678")


def test_packed_rows_unpack_again():
    from hashlib import sha256

    entries = [entry(number) for number in range(100)]
    digest = sha256(b"".join(map(line_of, entries))).hexdigest()
    body = pack(entries)
    assert list(unpack(body, "site", digest)) == entries
    assert pack(entries) == body
    for harmed in (body[:-20], body[10:], b"", pack(entries[:-1])):
        with pytest.raises(PublishingError, match="is damaged"):
            list(unpack(harmed, "site", digest))


@pytest.mark.parametrize(
    ("entries", "bits"),
    [
        (0, 0),
        (1, 0),
        (ENTRIES_PER_SHARD, 0),
        (ENTRIES_PER_SHARD + 1, 1),
        (2 * ENTRIES_PER_SHARD, 1),
        (2 * ENTRIES_PER_SHARD + 1, 2),
        (10**12, MAX_BITS),
    ],
)
def test_shards_double_when_they_are_full(entries, bits):
    assert bits_for(entries) == bits


def test_contracts_are_sharded_and_the_rest_is_not():
    names = [shard_of(entry(number).path, 4) for number in range(4000)]
    counts = {name: names.count(name) for name in set(names)}
    assert len(counts) == 16
    assert max(counts.values()) < 2 * min(counts.values())
    assert {shard_of(path, 4) for path in ("chains", "api/v2/summary.json", "index.html")} == {"site"}


def test_an_index_reads_back():
    for index in (StoreIndex(), StoreIndex(shards={"site": "ab"}), StoreIndex(begun=({"site": "cd"}, {}))):
        assert parse_index(index.encode()) == index
    assert StoreIndex(shards={"a": "1"}, begun=({"a": "2", "b": "3"},)).named() == {
        ("a", "1"),
        ("a", "2"),
        ("b", "3"),
    }


@pytest.mark.parametrize(
    "text", [b"", b"[]", b"null", b"{}", b'{"format":1}', b'{"format":1,"shards":{},"begun":3}']
)
def test_invalid_indexes_are_rejected(text):
    with pytest.raises(PublishingError, match="is not a ledger"):
        parse_index(text)


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        (RECORD, ObjectHeaders(JSON, REVALIDATE)),
        (f"{RECORD}.br", ObjectHeaders(JSON, REVALIDATE, "br")),
        (f"{RECORD}.zst", ObjectHeaders(JSON, REVALIDATE, "zstd")),
        ("api/v2/summary.json", ObjectHeaders(JSON, "public, max-age=30")),
        ("backup.tar.gz", ObjectHeaders("application/octet-stream")),
        ("assets/theme/logo.png", ObjectHeaders("image/png", REVALIDATE)),
    ],
)
def test_headers_follow_the_table_of_urls(path, headers):
    assert headers_of(path) == headers
    assert stored_headers(headers.attributes("ab" * 32)) == headers


def test_headers_that_differ_have_other_tags():
    tags = {headers_of(path).tag for path in (RECORD, f"{RECORD}.br", "index.html", "chains", "badge.svg")}
    assert len(tags) == 4  # a record and the chains are served alike


def test_bodies_come_before_what_names_them():
    first_to_last = [
        RECORD,
        "contracts/1/0x04F317c09B2c9E32D0Ce6Dd2F9bcf05dF6753678.html",
        "v2/contracts-pages/1/2.json",
        "v2/contracts-pages/1/index.json",
        "api/v2/summary.json",
        MANIFEST,
    ]
    assert [step_of(path) for path in first_to_last] == list(PutStep)
    assert step_of("robots.txt") == PutStep.BODY
