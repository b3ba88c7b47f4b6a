"""The ledger of a store as texts: listings, their parts, the index; and what objects are served with."""

from collections.abc import Iterator

import pytest

from statuary.base.files import MANIFEST, PublishingError
from statuary.extensions.object_stores.objects import (
    get_upload_step,
    make_object_attributes,
    make_object_entry,
    make_stored_entry,
)
from statuary.extensions.object_stores.store_comparison import (
    StoreComparison,
    StoreIndex,
    parse_ledger_listing,
    parse_ledger_part,
    parse_store_index,
)
from statuary.publish.listing import Entry
from statuary.publish.plan import Action
from statuary.site.urls import JSON, PutStep

RECORD = "v2/contract/1/0x" + "Ab" * 20
REVALIDATE = "public, max-age=0, must-revalidate"


def entry(number: int, digest: int = 1) -> Entry:
    return make_object_entry(f"v2/contract/1/0x{number:040x}", f"{digest:064x}", 3)


@pytest.fixture
def comparison() -> Iterator[StoreComparison]:
    comparison = StoreComparison()
    yield comparison
    comparison.close()


def test_encoded_listing_parts_parse_unchanged(comparison):
    entries = [entry(number) for number in range(2000)]
    comparison.add_site_entries(reversed(entries))
    comparison.divide_into_parts()
    assert parse_ledger_listing(comparison.parts_text) == comparison.parts
    assert len(comparison.parts) > 1
    texts = map(comparison.encode_part, comparison.parts)
    assert [read for text in texts for read in parse_ledger_part(text)] == entries


def test_duplicate_path_in_listing_is_rejected(comparison):
    with pytest.raises(PublishingError, match="two documents have the same path"):
        comparison.add_site_entries([entry(1), entry(2), entry(1)])


def test_objects_with_differing_listings_are_uncertain(comparison):
    """What an unfinished publication puts, replaces or leaves out may be there or not."""
    finished = [entry(1), entry(2), entry(3), entry(4)]
    begun = [entry(1), entry(2, digest=7), entry(4), entry(5)]
    doubted = [entry(1), entry(2), entry(3), entry(4, digest=7)]
    comparison.add_store_entries([finished, doubted, begun])
    assert list(comparison.stored) == [entry(1)]
    assert [item.path for item in comparison.uncertain] == [entry(number).path for number in (2, 3, 4, 5)]


def test_interrupted_first_publication_leaves_objects_uncertain(comparison):
    comparison.add_store_entries([(), [entry(1), entry(2)]])
    assert list(comparison.stored) == []
    assert [item.path for item in comparison.uncertain] == [entry(1).path, entry(2).path]


def test_foreign_objects_become_publication_conflicts(comparison):
    comparison.add_site_entries([entry(1), entry(2)])
    comparison.divide_into_parts()
    for number, attributes in (
        (1, {}),
        (2, make_object_attributes(entry(2))),
        (3, {}),
        (4, make_object_attributes(entry(4))),
    ):
        comparison.add_stored_object(make_stored_entry(entry(number).path, 99, attributes))
    assert [(change.action, change.entry.path) for change in comparison.iter_changes()] == [
        (Action.ADD, entry(1).path),
        (Action.REMOVE, entry(4).path),
    ]
    assert comparison.make_plan(adopt=False).conflicts == (entry(1).path,)
    assert comparison.make_plan(adopt=True).conflicts == ()


def test_unchanged_listing_parts_are_skipped(comparison):
    comparison.add_site_entries(entry(number) for number in range(2000))
    comparison.divide_into_parts()
    first, *others = comparison.parts
    comparison.exclude_equal_parts([comparison.parts, others])
    assert comparison.same == frozenset(others)
    inside = comparison.site.part(first)
    assert [change.entry for change in comparison.iter_changes()] == inside
    assert [number for number in range(2000) if comparison.is_upload_needed(entry(number).path)] == list(
        range(len(inside))
    )


def test_encoded_store_index_parses_unchanged():
    for index in (
        StoreIndex(),
        StoreIndex("ab", instant="x"),
        StoreIndex(begun=("cd", "ef"), doubted=("a",)),
    ):
        assert parse_store_index(index.encode()) == index
    assert StoreIndex("a", begun=("b", "c"), doubted=("d",)).all_listing_digests == ("a", "d", "b", "c")


def test_earlier_store_index_lists_nothing():
    text = b'{"format":1,"shards":{"site":"ab"},"begun":[],"instant":"2026-11-02T10:00:00.000Z"}'
    assert parse_store_index(text) == StoreIndex(instant="2026-11-02T10:00:00.000Z")


@pytest.mark.parametrize(
    "text", [b"", b"[]", b"null", b"{}", b'{"format":2}', b'{"format":2,"listing":"a","begun":3}']
)
def test_invalid_store_index_is_rejected(text):
    with pytest.raises(PublishingError, match="is not a ledger"):
        parse_store_index(text)


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        (RECORD, (JSON, REVALIDATE, "")),
        (f"{RECORD}.br", (JSON, REVALIDATE, "br")),
        (f"{RECORD}.zst", (JSON, REVALIDATE, "zstd")),
        ("api/v2/summary.json", (JSON, "public, max-age=30", "")),
        ("backup.tar.gz", ("application/octet-stream", "", "")),
        ("assets/theme/logo.png", ("image/png", REVALIDATE, "")),
    ],
)
def test_object_headers_follow_url_table(path, headers):
    wanted = make_object_entry(path, "ab" * 32, 7)
    assert (wanted.media_type, wanted.cache, wanted.encoding) == headers
    assert make_stored_entry(path, 7, make_object_attributes(wanted)) == wanted


def test_linked_objects_are_uploaded_first():
    first_to_last = [
        "log/pending.json",
        RECORD,
        "contracts/1/0x04F317c09B2c9E32D0Ce6Dd2F9bcf05dF6753678.html",
        "v2/contracts-pages/1/2.json",
        "v2/contracts-pages/1/index.json",
        "api/v2/summary.json",
        MANIFEST,
    ]
    assert [get_upload_step(path) for path in first_to_last] == list(PutStep)
    assert get_upload_step("robots.txt") == PutStep.BODY
