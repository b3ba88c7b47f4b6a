"""A site as a sorted listing: its parts, its differences, and what it keeps on disk."""

from collections.abc import Iterator

from statuary.extensions.snapshots.differences import Difference, find_differences, make_publication_plan
from statuary.publish.listing import (
    MAX_PART_LENGTH,
    MEAN_PART_LENGTH,
    Entry,
    encode_entry_line,
    ends_part,
    parse_part,
    split_into_parts,
)
from statuary.publish.listing_on_disk import Listing
from statuary.publish.manifest import ManifestBuilder
from statuary.publish.plan import Action


def entry(path: str) -> Entry:
    return Entry(path=path, aliases=(), size=1, sha256="0" * 64, media_type="")


def digests(paths: list[str]) -> set[str]:
    tally = ManifestBuilder()
    return {tally.add(part)[0].sha256 for part in split_into_parts(map(entry, sorted(paths)))}


def test_manifest_parts_have_expected_mean_length() -> None:
    parts = list(split_into_parts(entry(f"v2/contract/1/{number:06}") for number in range(100_000)))
    assert sum(map(len, parts)) == 100_000
    assert 0.7 * MEAN_PART_LENGTH < 100_000 / len(parts) < 1.3 * MEAN_PART_LENGTH
    assert max(map(len, parts)) <= MAX_PART_LENGTH


def test_added_document_changes_one_manifest_part() -> None:
    paths = [f"v2/contract/1/{number:05}" for number in range(10_000)]
    before, after = digests(paths), digests([*paths, "v2/contract/1/05000x"])
    assert len(before - after) == len(after - before) == 1


def test_manifest_part_length_has_maximum() -> None:
    def endless() -> Iterator[Entry]:
        number = 0
        while True:
            number += 1
            if not ends_part(f"{number}"):
                yield entry(f"{number}")

    assert len(next(split_into_parts(endless()))) == MAX_PART_LENGTH


PATHS = ["A/b", "a-b", "a.b", "a/b", "a0b", "b", "\u00e9", "\uffee", "\U0001f600"]
"""In the order of their characters' numbers; in UTF-16 the last two would change places."""


def test_file_listing_is_sorted_by_path() -> None:
    with Listing() as listing:
        for path in reversed(PATHS):
            assert listing.add(entry(path))
        assert [item.path for item in listing] == PATHS == sorted(PATHS)
        assert not listing.add(entry("b")._replace(size=9))
        listing.remove(["a/b", "missing"])
        assert (listing.find("a/b"), listing.find("b")) == (None, entry("b"))
        assert listing.size() == (len(PATHS) - 1, len(PATHS) - 1)


def test_manifest_parts_contain_all_listing_entries() -> None:
    entries = [entry(f"v2/contract/1/{number:04}") for number in range(3000)]
    entries[7] = Entry("a/0xAB", ("a/0xab",), 4, "1" * 64, "text/plain")
    with Listing() as listing:
        for item in entries:
            listing.add(item)
        parts = [(part, listing.part(part), text) for part, text in listing.parts()]
    assert len(parts) > 1
    assert [item for _, items, _ in parts for item in items] == sorted(entries)
    for part, items, text in parts:
        assert b"".join(map(encode_entry_line, items)) == text
        assert (part.first, part.documents, part.size) == (items[0].path, len(items), len(text))
    assert parse_part(parts[-1][2], parts[-1][0]) == parts[-1][1]


def test_listing_diff_has_both_entries() -> None:
    before, after = (
        [entry("a"), entry("b"), entry("d")],
        [entry("b")._replace(size=2), entry("c"), entry("d")],
    )
    differences = [
        Difference(entry("a"), None),
        Difference(entry("b"), entry("b")._replace(size=2)),
        Difference(None, entry("c")),
    ]
    assert list(find_differences(before, after)) == differences
    assert [change.action for change in differences] == [Action.REMOVE, Action.REPLACE, Action.ADD]
    plan = make_publication_plan(
        lambda: find_differences(before, after), document_count=3, size_after_build=4
    )
    assert (plan.counts, plan.unchanged) == ({Action.ADD: 1, Action.REPLACE: 1, Action.REMOVE: 1}, 1)
    assert (plan.size, plan.changed_size) == (4, 3)
    assert [str(change) for change in plan.changes()] == ["- a", "~ b (2 bytes)", "+ c (1 bytes)"]
    assert list(find_differences(after, after)) == []
