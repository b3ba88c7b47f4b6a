"""Where the list of documents is cut."""

from collections.abc import Iterator

from statuary.publishing.listing import MAX_PART_LENGTH, MEAN_PART_LENGTH, Entry, ends_part, split_into_parts
from statuary.publishing.manifest import ManifestBuilder


def entry(path: str) -> Entry:
    return Entry(path=path, aliases=(), size=1, sha256="0" * 64, media_type="")


def digests(paths: list[str]) -> set[str]:
    tally = ManifestBuilder()
    return {tally.add(part)[0].sha256 for part in split_into_parts(map(entry, sorted(paths)))}


def test_parts_have_the_usual_length_on_average() -> None:
    parts = list(split_into_parts(entry(f"v2/contract/1/{number:06}") for number in range(100_000)))
    assert sum(map(len, parts)) == 100_000
    assert 0.7 * MEAN_PART_LENGTH < 100_000 / len(parts) < 1.3 * MEAN_PART_LENGTH
    assert max(map(len, parts)) <= MAX_PART_LENGTH


def test_one_document_more_changes_one_part() -> None:
    paths = [f"v2/contract/1/{number:05}" for number in range(10_000)]
    before, after = digests(paths), digests([*paths, "v2/contract/1/05000x"])
    assert len(before - after) == len(after - before) == 1


def test_a_part_ends_even_where_no_path_ends_it() -> None:
    def endless() -> Iterator[Entry]:
        number = 0
        while True:
            number += 1
            if not ends_part(f"{number}"):
                yield entry(f"{number}")

    assert len(next(split_into_parts(endless()))) == MAX_PART_LENGTH
