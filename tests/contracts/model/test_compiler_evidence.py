"""The table of what each release of a compiler leaves in code and output."""

from itertools import pairwise
from pathlib import Path

import orjson
import pytest

from statuary.contracts.model.auxdata import parse_cbor_auxdata
from statuary.contracts.model.compiler_evidence import EVIDENCE, CompilerEvidence, compiler_evidence

COMPILATIONS = Path(__file__).parents[1] / "checks/compilations.jsonl"
RECORDS = {item["name"]: item["record"] for item in map(orjson.loads, COMPILATIONS.read_bytes().splitlines())}
LAYOUTS = ("storageLayout", "transientStorageLayout")


@pytest.mark.parametrize("name", RECORDS)
def test_real_compilation_has_stated_evidence(name):
    record = RECORDS[name]
    compilation = record["compilation"]
    evidence = compiler_evidence(compilation["language"], compilation["compilerVersion"])
    assert evidence.layouts == tuple(member for member in LAYOUTS if record[member] is not None)
    assert evidence.has_source_ids == (record["sourceIds"] is not None)
    assert evidence.has_interface == (record["abi"] is not None)
    assert evidence.has_runtime_auxdata == bool(parse_cbor_auxdata(record["runtimeBytecode"]["cborAuxdata"]))


@pytest.mark.parametrize(
    ("language", "last_without", "first_with", "member"),
    [
        ("Solidity", "0.3.5", "0.3.6", "has_source_ids"),
        ("Solidity", "0.4.7-nightly.2016.12.1", "0.4.7", "auxdata"),
        ("Solidity", "0.4.7-nightly.2016.12.1", "0.4.7", "has_runtime_auxdata"),
        ("Solidity", "0.4.7-nightly.2016.12.1", "0.4.7", "source_hash"),
        ("Solidity", "0.4.10", "0.4.11", "has_documentation"),
        ("Solidity", "0.4.11", "0.4.12-nightly.2017.7.1", "lists_auxdata"),
        ("Solidity", "0.5.8", "0.5.9", "names_compiler"),
        ("Solidity", "0.5.12", "0.5.13", "layouts"),
        ("Solidity", "0.8.27", "0.8.28", "layouts"),
        ("Solidity", "0.8.28", "0.8.29", "starts_anywhere"),
        ("Vyper", "0.3.0", "0.3.1", "immutables"),
        ("Vyper", "0.3.3", "0.3.4rc1", "auxdata"),
        ("Vyper", "0.3.4", "0.3.5", "auxdata"),
        ("Vyper", "0.3.9", "0.3.10", "auxdata"),
        ("Vyper", "0.3.9", "0.3.10", "has_runtime_auxdata"),
        ("Vyper", "0.3.9", "0.3.10", "immutables"),
        ("Vyper", "0.4.0", "0.4.1", "source_hash"),
        ("Vyper", "0.4.0", "0.4.1", "layouts"),
    ],
)
def test_evidence_changes_with_release(language, last_without, first_with, member):
    before, after = compiler_evidence(language, last_without), compiler_evidence(language, first_with)
    assert getattr(before, member) != getattr(after, member)


@pytest.mark.parametrize("language", EVIDENCE)
def test_each_table_row_changes_evidence(language):
    for before, after in pairwise(EVIDENCE[language]):
        assert before.first < after.first
        assert before.evidence != after.evidence


@pytest.mark.parametrize("language", EVIDENCE)
def test_unreadable_version_counts_as_oldest(language):
    assert compiler_evidence(language, "unknown") == EVIDENCE[language][0].evidence


def test_unknown_language_gives_no_evidence():
    assert compiler_evidence("Solang", "0.8.30") == CompilerEvidence()
