"""The part of a record that its compilation decides: canonical records are put together again, others refused."""

import orjson
import pytest

from statuary.contracts.model.compiled_part import (
    CompiledPart,
    CompiledParts,
    RecordPieces,
    split_record_text,
)
from statuary.contracts.model.record import sort_members_as_served
from support.contracts import made_record


def record_and_pieces(name: str = "plain") -> tuple[dict, RecordPieces]:
    record = dict(sort_members_as_served(made_record(name)))
    pieces = split_record_text(orjson.dumps(record))
    assert pieces is not None
    return record, pieces


def added(parts: CompiledParts, name: str = "plain") -> CompiledPart | None:
    """Add a record twice, since a part is made when its bytes are met again."""
    record, pieces = record_and_pieces(name)
    assert parts.add_compilation(pieces, record) is None
    return parts.add_compilation(pieces, record)


def size_of(name: str) -> int:
    return sum(map(len, record_and_pieces(name)[1].compiled))


def test_split_record_is_reassembled() -> None:
    record, pieces = record_and_pieces()
    part = added(CompiledParts(1_000_000))
    assert part is not None
    assert orjson.dumps(part.record_with_deployment(pieces.deployed)) == orjson.dumps(record)


def test_noncanonical_record_is_not_split() -> None:
    part, (_, pieces) = added(CompiledParts(1_000_000)), record_and_pieces()
    assert part is not None
    for place, piece in enumerate(pieces.deployed):
        spaced = (*pieces.deployed[:place], b" " + piece, *pieces.deployed[place + 1 :])
        with pytest.raises(ValueError, match="the texts are not in canonical form"):
            part.record_with_deployment(spaced)


def test_unexpected_members_prevent_splitting() -> None:
    part, (_, pieces) = added(CompiledParts(1_000_000)), record_and_pieces()
    assert part is not None
    for place, piece in enumerate(pieces.deployed):
        longer = (*pieces.deployed[:place], piece[:-1] + b',"more":1}', *pieces.deployed[place + 1 :])
        with pytest.raises(ValueError, match="the texts do not have the members of a record"):
            part.record_with_deployment(longer)


def test_code_with_unexpected_members_is_refused() -> None:
    part, (_, pieces) = added(CompiledParts(1_000_000)), record_and_pieces()
    assert part is not None
    before = pieces.deployed[0].replace(b'"onchainBytecode"', b'"otherBytecode"')
    with pytest.raises(ValueError, match="the texts do not have the members of a record"):
        part.record_with_deployment((before, *pieces.deployed[1:]))


def test_oversized_compilation_is_not_cached() -> None:
    size = size_of("plain")
    assert added(CompiledParts(size - 1)) is None
    assert added(CompiledParts(size)) is not None


def test_full_cache_drops_oldest_compilation() -> None:
    parts = CompiledParts(size_of("plain") + size_of("immutables") + size_of("libraries") - 1)
    first, second = added(parts, "plain"), added(parts, "immutables")
    assert (
        parts.find_compilation(record_and_pieces("plain")[1]) is first
    )  # and so the other one is the oldest
    third = added(parts, "libraries")
    assert parts.find_compilation(record_and_pieces("immutables")[1]) is None
    assert parts.find_compilation(record_and_pieces("plain")[1]) is first
    assert parts.find_compilation(record_and_pieces("libraries")[1]) is third
    assert second is not None


@pytest.mark.parametrize(
    "mark", [b',"transformations":', b'},"runtimeBytecode":{', b',"proxyResolution":{', b',"sources":{']
)
def test_incomplete_record_text_is_not_split(mark: bytes) -> None:
    text = orjson.dumps(sort_members_as_served(made_record()))
    assert split_record_text(text) is not None
    assert split_record_text(text.replace(mark, b"")) is None
