"""Contracts by the hash of their code: every clone of a template, whatever its immutables, libraries and metadata are."""

import copy
import json
from typing import Any

import pytest

from statuary.base.primitives import keccak256
from statuary.contracts.model.contract_row import ContractRow
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.read_contract import read_contract
from statuary.engine.read_content import read_content
from statuary.extensions.apis.code import (
    CodeFacts,
    Template,
    hash_contract_code,
    iter_same_code_documents,
    strip_metadata,
    zero_ranges,
)
from statuary.extensions.apis.documents import derive_record_output
from statuary.extensions.apis.settings import Api, ApisSettings
from support.contracts import FEATURES, made_record, unjudged
from support.ethereum_node import ask, ethereum_node, send
from support.real_records import DATA, real_records
from support.requirements import CHECKOUT


def code_of(record) -> bytes:
    return bytes.fromhex(record["runtimeBytecode"]["onchainBytecode"][2:])


def looked_up(code: bytes, documents: dict[str, dict]) -> list[str]:
    """What a reader does with the code of a node, by the manual."""
    digests = []
    for hashed, is_whole in ((strip_metadata(code), False), (code, True)):
        listed = documents.get(f"code/length/{len(hashed)}", {"templates": []})
        digests += [
            entry["template"]
            for entry in listed["templates"]
            if entry["isWhole"] is is_whole
            and entry["template"] == f"0x{keccak256(zero_ranges(hashed, entry['zeroed'])).hex()}"
        ]
    return [
        contract["address"]
        for template in digests
        for contract in documents[f"code/template/{template}"]["contracts"]
    ]


def documents_of(records) -> dict[str, dict]:
    rows = []
    for number, record in enumerate(records):
        row = ContractRow("match", None, "match", "1", f"0x{number:040x}", "2026-01-01", str(number))
        facts = hash_contract_code(record)
        assert facts is not None
        rows.append((row, CodeFacts.parse(facts.encode())))
    return {document.path: json.loads(document.body) for document in iter_same_code_documents(rows)}


@pytest.mark.parametrize("name", FEATURES)
def test_contract_is_found_by_bytecode_hash(name):
    record = made_record(name)
    documents = documents_of([record])
    digest = f"0x{keccak256(code_of(record)).hex()}"
    assert [one["address"] for one in documents[f"code/{digest}"]["contracts"]] == [f"0x{0:040x}"]
    assert looked_up(code_of(record), documents) == [f"0x{0:040x}"]


@pytest.mark.parametrize("name", ["immutables", "everything"])
def test_clone_with_other_immutables_matches_template(name):
    record = made_record(name)
    documents = documents_of([record])
    template = hash_contract_code(record).template
    clone = bytearray(code_of(record))
    for start, size in template.zeroed:
        clone[start : start + size] = b"\x5a" * size
    clone[-10] ^= 1  # in the hash of the metadata
    assert looked_up(bytes(clone), documents) == [f"0x{0:040x}"]
    clone[template.zeroed[0][0] - 1] ^= 1  # beside an immutable
    assert looked_up(bytes(clone), documents) == []


def test_code_changed_elsewhere_has_no_template():
    record = made_record("immutables")
    code = bytearray(code_of(record))
    code[0] ^= 1
    record["runtimeBytecode"]["onchainBytecode"] = f"0x{code.hex()}"
    facts = hash_contract_code(record)
    assert facts == CodeFacts(f"0x{keccak256(bytes(code)).hex()}", None)


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("recompiledBytecode", "0x60__zz"),
        ("recompiledBytecode", "0x"),
        ("recompiledBytecode", "0x6"),
        ("linkReferences", {"a": 1}),
        ("immutableReferences", {"1": [{"start": -5, "length": 10**9}]}),
        ("cborAuxdata", {"1": {"offset": -1, "value": "0x00"}}),
        ("cborAuxdata", {"1": {"offset": "x", "value": 7}}),
        ("transformations", {}),
    ],
)
def test_invalid_bytecode_fields_keep_code_hash(member, value):
    record = made_record("plain")
    record["runtimeBytecode"][member] = value
    facts = hash_contract_code(record)
    assert facts.digest == f"0x{keccak256(code_of(record)).hex()}"


def test_record_without_code_has_no_hash():
    record = made_record("plain")
    record["runtimeBytecode"]["onchainBytecode"] = None
    assert hash_contract_code(record) is None
    assert derive_record_output(unjudged(record), ApisSettings((Api.CODE,)), "x")[0] == b""


def test_abi_declarations_include_code_hash():
    record = made_record("plain")
    for apis in ((Api.CODE,), (Api.CODE, Api.SIGNATURES), (Api.CODE, Api.OTTERSCAN)):
        first, _, rest = derive_record_output(unjudged(record), ApisSettings(apis), "x")[0].partition(b"\n")
        assert bool(first) is (len(apis) > 1)
        assert CodeFacts.parse(rest) == hash_contract_code(record)


def test_code_template_lists_all_matching_contracts():
    template = Template("0x" + "22" * 32, 100, ((1, 20), (50, 32)))
    rows = [
        (ContractRow("match", None, "match", "1", address, "", "1"), CodeFacts(f"0x{digest * 32}", template))
        for address, digest in (("0xa", "aa"), ("0xb", "bb"), ("0xc", "bb"))
    ]
    documents = {document.path: json.loads(document.body) for document in iter_same_code_documents(rows)}
    assert [one["address"] for one in documents[f"code/template/{template.digest}"]["contracts"]] == [
        "0xa",
        "0xb",
        "0xc",
    ]
    assert [one["address"] for one in documents[f"code/0x{'bb' * 32}"]["contracts"]] == ["0xb", "0xc"]
    assert documents["code/length/100"]["templates"] == [
        {"template": template.digest, "zeroed": [[1, 20], [50, 32]], "isWhole": False}
    ]


def of_vyper() -> list[Any]:
    """The records of Vyper with immutables: of the demo network, and those that a real server sent."""
    content = CHECKOUT / "content"
    sources = read_content(content).site.content_of(SiteContracts).sources
    own = [read_contract(content, source).record for source in sources]
    folder = DATA / "contract-records"
    real = [record for _, record in real_records()] if folder.is_dir() else []
    return [
        record
        for record in [*own, *real]
        if record["compilation"]["language"] == "Vyper" and record["runtimeBytecode"]["transformations"]
    ]


def test_vyper_clone_is_found_by_bytecode():
    records = of_vyper()
    assert len(records) >= 2
    for record in records:
        documents = documents_of([record])
        compiled = bytes.fromhex(record["runtimeBytecode"]["recompiledBytecode"][2:])
        immutables = len(code_of(record)) - len(compiled)
        # the last reads as metadata of two bytes before its length, the others as none
        for last in (b"\x5a" * 5, b"\x00" * 4 + b"\xfe", b"\xa1\x00\x00\x00\x03"):
            clone = compiled + b"\x11" * (immutables - 5) + last
            assert looked_up(clone, documents) == [f"0x{0:040x}"]
        for other in (compiled, compiled + bytes(immutables + 32), b"\x00" + clone[1:]):
            assert looked_up(other, documents) == []


def test_vyper_without_immutables_has_no_template():
    record = copy.deepcopy(of_vyper()[0])
    record["runtimeBytecode"]["onchainBytecode"] = record["runtimeBytecode"]["recompiledBytecode"]
    assert hash_contract_code(record).template is None
    record["runtimeBytecode"]["onchainBytecode"] += "00" * 31  # not whole words
    assert hash_contract_code(record).template is None


@pytest.mark.slow
def test_vyper_redeployment_is_found_by_bytecode():
    """The same creation code with other arguments, run by a node."""
    for record, arguments in ((one, ARGUMENTS.get(one["compilation"]["name"])) for one in of_vyper()):
        if arguments is None:
            continue
        creation = record["creationBytecode"]
        own = creation["transformationValues"]["constructorArguments"][2:]
        head, tail = creation["onchainBytecode"].removesuffix(own), own
        for before, after in arguments:
            assert tail.count(before) == 1
            tail = tail.replace(before, after)
        with ethereum_node() as node:
            address = send(node, head + tail)["contractAddress"]
            code = bytes.fromhex(ask(node, "eth_getCode", address, "latest")[2:])
        assert code != code_of(record)
        assert looked_up(code, documents_of([record])) == [f"0x{0:040x}"]


ARGUMENTS = {"PriceFeed": [(f"{3600:064x}", f"{7200:064x}"), (f"{8:064x}", f"{6:064x}")]}
"""Of a contract's constructor: words, and those in place of them."""
