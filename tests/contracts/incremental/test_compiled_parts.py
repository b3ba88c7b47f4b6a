"""A compilation is proved once, and nobody can tell: every outcome is the one without a memory of compilations."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import orjson
import pytest

from benchmarks.record_mutants import mutant
from statuary.base.budget import StepLimitError, consume_steps, limit_steps, remaining_steps
from statuary.base.limits import MAX_STEPS
from statuary.contracts.checks.prove import (
    CONTRACT_CHECKS,
    OF_COMPILATION,
    OF_DEPLOYMENT,
    ProofInput,
    prove_batch,
    run_checks,
)
from statuary.contracts.incremental.build_contract import build_contract_batch
from statuary.contracts.incremental.build_settings import ContractBuildSettings
from statuary.contracts.incremental.built_contracts import contract_build_settings
from statuary.contracts.model.compiled_part import CREATION, OTHERS, RUNTIME, CompiledParts, split_record_text
from statuary.contracts.model.record import MEMBERS
from statuary.contracts.sources import parse_record
from statuary.contracts.sources.contract_source import ContractForm, ContractSource
from statuary.contracts.sources.parse_record import ParsedContract, parse_record_json
from statuary.engine.read_content import read_content
from statuary.source.unreadable import UnreadableError
from support.contracts import FEATURES, made_record
from support.hostile_shapes import CHAIN, at_address
from support.random_runs import seeded, times
from support.real_records import DATA, real_records, served_vectors
from support.sites import small_site, write_files

MUTANTS = times(160)
MEMORY = 10_000_000


def records() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the records at hand, by name."""
    yield from ((name, made_record(name)) for name in FEATURES)
    if DATA.is_dir():
        yield from real_records()
        yield from served_vectors()


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> CompiledParts:
    """A memory of its own for a test."""
    parts = CompiledParts(MEMORY)
    monkeypatch.setattr(parse_record, "COMPILED_PARTS", parts)
    return parts


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> ContractBuildSettings:
    content = write_files(small_site(tmp_path_factory.mktemp("site")), dict([at_address(made_record(), 1)]))
    catalogue = read_content(content).site
    assert catalogue is not None
    chains = frozenset(str(record["chainId"]) for _, record in records()) | {CHAIN}
    return replace(contract_build_settings(catalogue, None, None), chains=chains)


def read(text: bytes, path: str = "contracts/1/record.json") -> ParsedContract | str:
    try:
        return parse_record_json(text, path)
    except UnreadableError as error:
        return str(error)


class Outcome(NamedTuple):
    """Everything that a build makes of a text."""

    record: object
    canonical: object
    built: object
    documents: object


def outcome(text: bytes, settings: ContractBuildSettings) -> Outcome:
    contract = read(text)
    if isinstance(contract, str):
        return Outcome(contract, None, None, None)
    source = ContractSource("contracts/1/record.json", CHAIN, "0x", ContractForm.RECORD)
    if contract.record is not None:
        source = ContractSource(
            source.path, contract.record["chainId"], contract.record["address"], source.form
        )
    (built,) = build_contract_batch([(source, contract)], settings)
    built, documents = built.with_documents()
    known = orjson.dumps(contract.record) if contract.canonical is not None else repr(contract.record)
    return Outcome(known, contract.canonical, (built._replace(make=None), contract.findings), documents)  # type: ignore[arg-type]


def without_memory(text: bytes, settings: ContractBuildSettings, monkeypatch: pytest.MonkeyPatch) -> Outcome:
    with monkeypatch.context() as patched:
        patched.setattr(parse_record, "COMPILED_PARTS", CompiledParts(0))
        return outcome(text, settings)


def met(text: bytes, settings: ContractBuildSettings) -> None:
    """Let the memory learn a record's compilation, and what follows from it."""
    for _ in range(3):
        outcome(text, settings)


@pytest.mark.slow
def test_shared_compilation_matches_uncached_results(
    memory: CompiledParts, settings: ContractBuildSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = held = 0
    for number, (name, record) in enumerate(records(), start=1):
        text = orjson.dumps(record)
        met(text, settings)
        other = at_address(record, number)[1]
        contract = read(other)
        shared += isinstance(contract, ParsedContract) and contract.part is not None
        for each in (text, other):
            assert outcome(each, settings) == without_memory(each, settings, monkeypatch), name
        held += (
            isinstance(contract, ParsedContract)
            and contract.part is not None
            and bool(contract.part.proof_results)
        )
    assert held == shared
    assert shared > len(FEATURES) / 2


def test_mutated_records_match_uncached_results(
    memory: CompiledParts, settings: ContractBuildSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = seeded(1)
    texts = [text for _, record in records() if len(text := orjson.dumps(record)) < 60_000]
    for text in texts:
        met(text, settings)
    of_part = parts = 0
    for _ in range(MUTANTS):
        made = mutant(texts, chance)
        try:
            text = orjson.dumps(made.record)
        except TypeError:
            continue
        expected = without_memory(text, settings, monkeypatch)
        assert outcome(text, settings) == expected, (made.place, made.change)
        of_part += made.place[0] in OTHERS
        parts += 1
    assert MUTANTS / 10 < of_part < parts - MUTANTS / 20


def spellings(text: bytes) -> Iterator[bytes]:
    """Yield texts that are nearly a record's: other bytes at the ends of the pieces, where they are put together."""
    for mark in (
        b',"recompiledBytecode":', b',"transformations":', b'},"runtimeBytecode":{', b'},"deployment":{',
        b',"sources":{', b',"signatures":', b',"proxyResolution":{', b',"match":', b',"address":', b'"onchainBytecode":',
    ):  # fmt: skip
        place = 0
        while (place := text.find(mark, place)) >= 0:
            before, after = text[:place], text[place:]
            yield before + b" " + after
            yield before + b',"matchId":"1"' + after
            yield before + b',"recompiledBytecode":"0x","transformations":[]' + after
            yield before + b',"sources":{}' + after
            yield before + b"}" + after
            yield before + b"]" + after
            yield before + after.replace(mark, mark.replace(b'"', b'"x', 1), 1)
            yield before + after.replace(mark, b"", 1)
            yield before + mark.rstrip(b"{:") + b":1" * mark.endswith(b":") + after
            place += 1
    yield text + b"\n"
    yield text[:-1]
    yield text + text
    yield b"[" + text + b"]"


def test_respelled_records_match_uncached_results(
    memory: CompiledParts, settings: ContractBuildSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = orjson.dumps(made_record())
    met(text, settings)
    contract = parse_record_json(text, "record.json")
    assert contract.part is not None
    count = 0
    for other in spellings(text):
        assert outcome(other, settings) == without_memory(other, settings, monkeypatch), other
        count += 1
    assert count > 100


def looking_like_marks(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a record with names that look like the ends of the pieces."""
    names = (
        "recompiledBytecode",
        "transformations",
        "deployment",
        "sources",
        "proxyResolution",
        "runtimeBytecode",
    )
    for name in names:
        for holder in (
            ("creationBytecode", "linkReferences"),
            ("runtimeBytecode", "cborAuxdata"),
            ("sources",),
            ("userdoc",),
        ):
            changed = orjson.loads(orjson.dumps(record))
            place = changed
            for key in holder[:-1]:
                place = place[key]
            place[holder[-1]] = {"a": {}, name: {"onchainBytecode": {}}, **(place[holder[-1]] or {})}
            yield changed


def test_misleading_member_names_match_uncached_results(
    memory: CompiledParts, settings: ContractBuildSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    for record in looking_like_marks(made_record()):
        text = orjson.dumps(record)
        met(text, settings)
        assert outcome(text, settings) == without_memory(text, settings, monkeypatch)


def test_source_map_resembling_record_is_distinguished(
    memory: CompiledParts, settings: ContractBuildSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = made_record()
    steps: dict[str, Any] = {"transformations": [], "transformationValues": {}}
    record["creationBytecode"]["sourceMap"] = inside = {
        "a": {"recompiledBytecode": "0x", **steps},
        "runtimeBytecode": {"onchainBytecode": "0x", "recompiledBytecode": "0x", **steps},
        "deployment": record["deployment"],
        "sources": {},
    }
    met(orjson.dumps(record), settings)
    inside["runtimeBytecode"]["onchainBytecode"] = "0x00"
    text = orjson.dumps(record)
    assert outcome(text, settings) == without_memory(text, settings, monkeypatch)


def test_compilation_checks_ignore_deployment_members() -> None:
    """They give the same results without the members that the deployment decides."""
    assert sorted((*OF_COMPILATION, *OF_DEPLOYMENT)) == sorted(CONTRACT_CHECKS)
    for name, record in records():
        part = {
            member: value
            for member, value in record.items()
            if member in (*OTHERS, "creationMatch", "runtimeMatch")
        }
        for side, members in (("creationBytecode", CREATION), ("runtimeBytecode", RUNTIME)):
            part[side] = {member: record[side][member] for member in members}
        assert run_checks(part, OF_COMPILATION) == run_checks(record, OF_COMPILATION), name


def test_deployment_checks_are_never_cached(memory: CompiledParts, settings: ContractBuildSettings) -> None:
    record = made_record()
    met(orjson.dumps(record), settings)
    onchain = record["runtimeBytecode"]["onchainBytecode"]
    record["runtimeBytecode"]["onchainBytecode"] = (
        f"{onchain[:10]}{'0' if onchain[10] != '0' else '1'}{onchain[11:]}"
    )
    contract = parse_record_json(orjson.dumps(record), "record.json")
    assert contract.part is not None
    assert contract.part.proof_results
    (proof,) = prove_batch([ProofInput(contract.record or {}, part=contract.part)])
    assert not proof.has_no_errors
    assert "runtime-bytecode-mismatch" in {finding.rule for finding in proof.findings}


def test_new_or_noncanonical_record_misses_cache(memory: CompiledParts) -> None:
    record = made_record()
    text = orjson.dumps(record)
    for spelled in (
        text,
        orjson.dumps(record, option=orjson.OPT_INDENT_2),
        orjson.dumps(record, option=orjson.OPT_SORT_KEYS),
    ):
        contract = parse_record_json(spelled, "record.json")
        assert contract.record is not None
        assert contract.part is None
    assert parse_record_json(text, "record.json").part is not None


def test_cached_compilation_consumes_full_budget(memory: CompiledParts) -> None:
    text = orjson.dumps(made_record())
    spent = []
    for _ in range(4):
        contract = parse_record_json(text, "record.json")
        with limit_steps():
            prove_batch([ProofInput(contract.record or {}, part=contract.part)])
            spent.append(MAX_STEPS - remaining_steps())
    assert len(set(spent)) == 1
    assert spent[0] > 0
    assert remaining_steps() == MAX_STEPS
    with limit_steps(), pytest.raises(StepLimitError):
        consume_steps(MAX_STEPS + 1)


def test_compilation_cache_size_is_limited() -> None:
    by_part = {}
    for text in (orjson.dumps(made_record(name)) for name in FEATURES):
        if (found := split_record_text(text)) is not None:
            by_part[found.compiled] = found, text
    pieces, texts = zip(*by_part.values(), strict=True)
    sizes = [sum(map(len, each.compiled)) for each in pieces]
    parts = CompiledParts(sizes[0] + sizes[1])
    assert all(
        parts.add_compilation(each, orjson.loads(text)) is None
        for each, text in zip(pieces, texts, strict=True)
    )
    first, second = (parts.add_compilation(pieces[number], orjson.loads(texts[number])) for number in (0, 1))
    assert parts.find_compilation(pieces[1]) is second
    assert parts.find_compilation(pieces[0]) is first
    third = next(number for number in range(2, len(pieces)) if sizes[number] <= sizes[1])
    assert parts.add_compilation(pieces[third], orjson.loads(texts[third])) is not None
    assert parts.find_compilation(pieces[1]) is None, "the one that was not used last is forgotten"
    assert parts.find_compilation(pieces[0]) is first


def test_deployment_members_are_record_members() -> None:
    assert set(OTHERS) < set(MEMBERS)
