"""Structure-aware mutants of true records: none may raise, none may take long, and few may be accepted.

usage: python tests/benchmarks/record_mutants.py [COUNT] [SEED]

Prints counts, the slowest, and a sample of those that are believed: what was changed, and what the proof says of it.
"""

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import orjson

from statuary.contracts.checks.prove import IDENTITY_CHECKS, prove, run_checks
from statuary.contracts.model.proof import CheckOutcome, Proof
from statuary.contracts.sources.parse_record import parse_record_json
from statuary.source.unreadable import UnreadableError
from support.contracts import FEATURES, made_record
from support.forgeries import repeat
from support.real_records import DATA, real_records, served_vectors

MOST_BYTES = 60_000
MOST_SECONDS = 2.0
SAMPLE = 200
Place = tuple[str | int, ...]
JUNK: list[Any] = [
    None, True, 0, 1, -1, 2**53, 10**30, 1.5, "", "0x", "0x00", "0xzz", "a" * 10_000, "exact_match", "match", "Vyper",
    "Yul", "solc", "0.8.30+commit.73712a01", [], {}, [[]], {"a": 1}, "\u0000", "\ud800", "constructor", "tuple[]",
]  # fmt: skip


class Mutant(NamedTuple):
    """A mutated record: the place that was changed, and how."""

    record: Any
    place: Place
    change: str


def places(value: Any, pointer: Place = ()) -> Iterator[Place]:
    members = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, part in members:
        yield (*pointer, key)
        yield from places(part, (*pointer, key))


def at(record: Any, place: Place) -> Any:
    for key in place:
        record = record[key]
    return record


def nibble(value: Any, chance: random.Random) -> Any:
    if not isinstance(value, str) or not value:
        return value
    where = chance.randrange(len(value))
    return value[:where] + chance.choice("0123456789abcdef") + value[where + 1 :]


def shorter(value: Any, chance: random.Random) -> Any:
    return value[: chance.randrange(len(value))] if isinstance(value, str | list) and value else value


def longer(value: Any, chance: random.Random) -> Any:
    if isinstance(value, str):
        return value + chance.choice([" ", "00", "\n", value])
    return [*value, *value[:1]] if isinstance(value, list) else value


def number(value: Any, chance: random.Random) -> Any:
    return value + chance.choice([-1, 1, 32, 1000]) if type(value) is int else value


def reordered(value: Any, chance: random.Random) -> Any:
    if isinstance(value, dict):
        return dict(chance.sample(list(value.items()), len(value)))
    return chance.sample(value, len(value)) if isinstance(value, list) else value


def junk(_: Any, chance: random.Random) -> Any:
    return chance.choice(JUNK)


CHANGES: dict[str, Callable[[Any, random.Random], Any]] = {
    "junk": junk, "nibble": nibble, "shorter": shorter, "longer": longer, "number": number, "reordered": reordered
}  # fmt: skip


def mutant(texts: list[bytes], chance: random.Random) -> Mutant:
    """Change one place of a true record; half of them repeat the change wherever a record repeats itself."""
    record = orjson.loads(chance.choice(texts))
    place = chance.choice(list(places(record)))
    change = chance.choice([*CHANGES, "removed", "taken from another record"])
    holder = at(record, place[:-1])
    if change == "removed":
        del holder[place[-1]]
    elif change == "taken from another record":
        try:
            holder[place[-1]] = at(orjson.loads(chance.choice(texts)), place)
        except (KeyError, IndexError, TypeError):
            holder[place[-1]] = None
    else:
        holder[place[-1]] = CHANGES[change](holder[place[-1]], chance)
    if chance.random() < 0.5:
        try:
            repeat(record)
        except (KeyError, TypeError, AttributeError, ValueError):
            return Mutant(record, place, change)
        return Mutant(record, place, f"{change}, repeated")
    return Mutant(record, place, change)


def believed(record: Any) -> Proof | None:
    """Return the proof of a record that is published; None of one that is withheld."""
    try:
        parsed = parse_record_json(orjson.dumps(record), "record.json").record
    except (UnreadableError, TypeError, orjson.JSONEncodeError):  # orjson writes no lone surrogates
        return None
    if parsed is None:
        return None
    if any(result.outcome is CheckOutcome.FAILED for result in run_checks(parsed, IDENTITY_CHECKS)):
        return None
    proof = prove(parsed)
    return proof if proof.has_no_errors else None


def repeated(text: bytes) -> Any:
    """Return a true record as this module's repetition leaves it."""
    record = orjson.loads(text)
    repeat(record)
    return record


def true_texts() -> list[bytes]:
    records = [made_record(name) for name in FEATURES]
    if DATA.is_dir():
        records += [record for _, record in [*real_records(), *served_vectors()]]
    return [text for text in map(orjson.dumps, records) if len(text) <= MOST_BYTES]


def main(count: int, seed: int) -> None:
    chance = random.Random(seed)
    texts = true_texts()
    slowest, kept, unchanged = 0.0, [], 0
    true = [each for text in texts for each in (orjson.loads(text), repeated(text))]
    tally: Counter[str] = Counter()
    for _ in range(count):
        made = mutant(texts, chance)
        began = perf_counter()
        proof = believed(made.record)
        slowest = max(slowest, perf_counter() - began)
        if proof is None:
            continue
        if made.record in true:
            unchanged += 1
            continue
        tally[".".join(str(key) for key in made.place if isinstance(key, str))[:60].split(".0x")[0]] += 1
        kept.append((made, proof))
    print(f"{count} mutants of {len(texts)} records: slowest {slowest:.3f} s (limit {MOST_SECONDS} s)")
    print(f"{unchanged} equal to a true record, {len(kept)} changed and believed, the others withheld")
    for made, proof in chance.sample(kept, min(SAMPLE, len(kept))):
        name = ".".join(map(str, made.place))[:90]
        member = next(
            (key for key in proof.pinned if key == ".".join(map(str, made.place[: key.count(".") + 1]))), ""
        )
        findings = sorted({finding.rule for finding in proof.findings})
        print(
            f"{made.change} | {name} | {proof.pinned.get(member, '-')} | {made.record['match']} | {findings}"
        )
    assert slowest < MOST_SECONDS


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000, int(sys.argv[2]) if len(sys.argv) > 2 else 1)
