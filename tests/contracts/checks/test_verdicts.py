"""What page, proof and `check` say first of a record: nothing that its evidence does not show."""

import re
from collections.abc import Callable
from hashlib import sha256
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pytest
from click.testing import CliRunner, Result

from statuary.cli.main import command
from statuary.contracts.chain.anchor import Anchor
from statuary.contracts.checks.anchor_claims import decide_chain_claims
from statuary.contracts.checks.prove import prove
from statuary.contracts.checks.record_view import RecordView
from statuary.contracts.model.proof import ClaimName, ClaimStatus, CompilationEvidence
from statuary.contracts.model.record import sort_members_as_served
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.evidence import encode_anchor, encode_compilation_evidence
from statuary.contracts.sources.read_contract import read_contract
from statuary.engine.read_content import read_content
from statuary.site.document import encode_unchecked
from support.contracts import made_record
from support.made_anchors import LATER, anchor_of
from support.real_records import real_records, served_vectors
from support.requirements import CHECKOUT
from support.sites import SITE as DEMO_SITE
from support.sites import write_files

SITE = DEMO_SITE.replace("  id:", "  created_at: 2026-01-01T00:00:00Z\n  id:")
NOW = "2027-02-01T12:00:00Z"
VERIFIED, STATED, NOT_SHOWN, CONTRADICTED = map(str, ClaimStatus)
EXACT = "Exact match within the record; the sources were not recompiled."
NOT_COMPARED = "Not compared with the chain."
OTHER_CODE = "0x33ff"


class Case(NamedTuple):
    """What somebody tries, and what is said of it."""

    files: Callable[[], dict[str, Any]]  # the content besides site.yaml
    sentence: str  # what page and proof say first
    verdict: str
    claims: dict[str, str]  # by name: the status in the proof
    check: str  # a part of what `check` prints
    exit_code: int = 0  # of `check`
    published: bool = True
    site: str = ""  # lines of the chain in site.yaml


def folder(record: dict[str, Any]) -> str:
    return f"contracts/{record['chainId']}/{record['address']}"


def digest_of(record: dict[str, Any]) -> str:
    return sha256(encode_unchecked(sort_members_as_served(record))).hexdigest()


def with_files(record: dict[str, Any], **evidence: bytes) -> dict[str, Any]:
    return {
        f"{folder(record)}.json": orjson.dumps(record),
        **{f"{folder(record)}/{name}.json": body for name, body in evidence.items()},
    }


def unmatched(side: str, code: str | None) -> dict[str, Any]:
    """Return a record with another code of one side on the chain, for which it claims no match."""
    record = made_record()
    record[f"{side}Match"] = None
    record[f"{side}Bytecode"] |= {
        "onchainBytecode": code,
        "transformations": None,
        "transformationValues": None,
    }
    return record


def constructor_that_returns_its_argument() -> dict[str, Any]:
    """Return a record whose creation code matches exactly, and whose code on the chain is another."""
    return unmatched("runtime", OTHER_CODE)


def without_runtime_code() -> dict[str, Any]:
    return unmatched("runtime", None)


def words_of_an_anchor() -> bytes:
    return orjson.dumps({"record": digest_of(made_record()), "missing": {"onChain": "Shown by Etherscan."}})


def proxy() -> tuple[dict[str, Any], Anchor]:
    """Return the record and the anchor of the demo network's proxy."""
    catalogue, _ = read_content(CHECKOUT / "content")
    assert catalogue is not None
    for source in catalogue.content_of(SiteContracts).sources:
        read = read_contract(CHECKOUT / "content", source)
        if read.record and read.anchor and read.record["compilation"]["name"] == "CatalogueProxy":
            return dict(sort_members_as_served(read.record)), read.anchor
    raise AssertionError("the demo network has no CatalogueProxy")


def upgraded(time: int = LATER) -> dict[str, Any]:
    """Return a proxy with a proof of another word in its slot."""
    record, own = proxy()
    slots = {slot: 0xAA if slot.startswith("0x360894") else 0 for slot in own.storage}
    code = record["runtimeBytecode"]["onchainBytecode"]
    anchor = anchor_of(digest_of(record), record["address"], code, slots=slots, time=time)
    return with_files(record, anchor=encode_anchor(anchor))


def anchored(code: str | None = None, record: dict[str, Any] | None = None, **given: Any) -> dict[str, Any]:
    """Return a true record with a proof of some code at its address, or of its own."""
    record = record or made_record()
    its = record["runtimeBytecode"]["onchainBytecode"] if code is None else code
    return with_files(
        record, anchor=encode_anchor(anchor_of(digest_of(record), record["address"], its, **given))
    )


def block_of(files: dict[str, Any]) -> dict[str, Any]:
    """Return the block of an anchor among files."""
    [body] = [body for path, body in files.items() if path.endswith("anchor.json")]
    block: dict[str, Any] = orjson.loads(body)["block"]
    return block


def checkpoint(hash_of_block: str) -> str:
    return f'    checkpoints:\n      - {{block: 21000000, hash: "{hash_of_block}"}}\n'


def compiled(**changes: Any) -> dict[str, Any]:
    record = made_record()
    version = record["compilation"]["compilerVersion"]
    members = ("abi", "storageLayout", "verifiedAt", "deployment.deployer", "sources")
    evidence = CompilationEvidence(
        digest_of(record), version, "aa" * 32, "bb" * 32, "cc" * 32, "1.0", members
    )
    return with_files(record, compilation=encode_compilation_evidence(evidence._replace(**changes)))


CASES = {
    "nothing but the record": Case(
        lambda: with_files(made_record()),
        f"{EXACT} {NOT_COMPARED}",
        NOT_SHOWN,
        {"consistent": VERIFIED, "hashed": VERIFIED, "compiled": NOT_SHOWN, "onChain": NOT_SHOWN},
        "no errors or warnings",
    ),
    "a constructor that returns its argument": Case(
        lambda: with_files(constructor_that_returns_its_argument()),
        "Contradicted: the on-chain code is not the compiled code.",
        CONTRADICTED,
        {"onChain": NOT_SHOWN},
        "note: contradicted: the code on the chain (2 bytes) is not the compiled code (",
    ),
    "a constructor that returns its argument, with a proof of what it returned": Case(
        lambda: anchored(OTHER_CODE, constructor_that_returns_its_argument()),
        "Contradicted: the on-chain code is not the compiled code.",
        CONTRADICTED,
        {"onChain": STATED},
        "note: contradicted: the code on the chain (2 bytes) is not the compiled code (",
    ),
    "a destroyed contract": Case(
        lambda: anchored("0x"),
        "Contradicted as of block 21,000,000: there is no code at the address.",
        CONTRADICTED,
        {"onChain": CONTRADICTED, "consistent": VERIFIED},
        "contradicted as of block 21,000,000",
        1,
    ),
    "other code at the address": Case(
        lambda: anchored(OTHER_CODE),
        "Contradicted as of block 21,000,000: the address has different code.",
        CONTRADICTED,
        {"onChain": CONTRADICTED},
        "contradicted as of block 21,000,000",
        1,
    ),
    "a proof from before the deployment": Case(
        lambda: anchored("0x", number=11, time=1),
        f"{EXACT} {NOT_COMPARED}",
        NOT_SHOWN,
        {"onChain": NOT_SHOWN},
        "note: not proven: block 11 is older than the record and has different code at the address",
    ),
    "creation code alone": Case(
        lambda: with_files(without_runtime_code()),
        "The code at the address was not checked: the record does not have it.",
        NOT_SHOWN,
        {"consistent": VERIFIED, "onChain": NOT_SHOWN},
        "no errors or warnings",
    ),
    "creation code that does not match": Case(
        lambda: with_files(unmatched("creation", "0x6080604052")),
        f"{EXACT} {NOT_COMPARED}",
        NOT_SHOWN,
        {"consistent": VERIFIED},
        "no errors or warnings",
    ),
    "words in an anchor": Case(
        lambda: with_files(made_record(), anchor=words_of_an_anchor()),
        f"{EXACT} {NOT_COMPARED}",
        NOT_SHOWN,
        {"onChain": NOT_SHOWN},
        "no errors or warnings",
    ),
    "a block whose number no JSON holds": Case(
        lambda: {path: body.replace(b"21000000", b"1" + b"0" * 30) for path, body in anchored().items()},
        f"{EXACT} {NOT_COMPARED}",
        NOT_SHOWN,
        {"onChain": NOT_SHOWN},
        "anchor.json:",
    ),
    "a block of the year 10 to the 20": Case(
        lambda: anchored(time=10**20),
        f"{EXACT} {NOT_COMPARED}",
        NOT_SHOWN,
        {"onChain": NOT_SHOWN},
        "note: not proven: blockTime is too large for Ethereum",
    ),
    "an upgraded proxy": Case(
        upgraded,
        "Contradicted as of block 21,000,000: the proxy's slot holds 0x00000000000000000000000000000000000000AA;"
        " the record names another implementation.",
        CONTRADICTED,
        {"onChain": CONTRADICTED},
        "the proxy's slot holds 0x00000000000000000000000000000000000000AA; the record names another implementation",
        1,
    ),
    "a proxy before the record": Case(
        lambda: upgraded(time=1),
        f"{EXACT} Compared with block 21,000,000, which is known only from a file.",
        NOT_SHOWN,
        {"onChain": STATED},
        "no errors or warnings",
    ),
    "a header made by hand, with hosts typed into the file": Case(
        lambda: anchored(agreed=("mainnet.infura.io", "cloudflare-eth.com")),
        f"{EXACT} Compared with block 21,000,000, which is known only from a file.",
        NOT_SHOWN,
        {"onChain": STATED},
        "no errors or warnings",
    ),
    "a block that a checkpoint names": Case(
        anchored,
        f"{EXACT} Compared with the chain at block 21,000,000.",
        NOT_SHOWN,
        {"onChain": VERIFIED},
        "no errors or warnings",
        site=checkpoint(block_of(anchored())["hash"]),
    ),
    "a header made by hand, and a checkpoint of the chain": Case(
        anchored,
        f"{EXACT} {NOT_COMPARED}",
        NOT_SHOWN,
        {"onChain": NOT_SHOWN},
        "note: not proven: the anchor belongs to another chain: its block 21,000,000 has hash",
        site=checkpoint("0x" + "11" * 32),
    ),
    "a compilation written by hand, of another compiler": Case(
        lambda: compiled(compiler_version="9.9.9+commit.audited"),
        f"{EXACT} {NOT_COMPARED}",
        NOT_SHOWN,
        {"compiled": NOT_SHOWN},
        "note: not proven: the submitted recompilation used the compiler '9.9.9+commit.audited', but the record names 0.8.30",
    ),
    "a compilation written by hand": Case(
        compiled,
        f"Exact match; a file says that the sources compile to it. {NOT_COMPARED}",
        NOT_SHOWN,
        {"compiled": STATED},
        "no errors or warnings",
    ),
    "a compilation of another record": Case(
        lambda: compiled(record="dd" * 32),
        f"{EXACT} {NOT_COMPARED}",
        NOT_SHOWN,
        {"compiled": NOT_SHOWN},
        "note: not proven: the submitted recompilation is of another record",
    ),
    "a compilation that cannot be read": Case(
        lambda: with_files(made_record(), compilation=b"{"),
        f"{EXACT} {NOT_COMPARED}",
        NOT_SHOWN,
        {"compiled": NOT_SHOWN},
        "compilation.json:",
    ),
    "a compilation and a checkpoint": Case(
        lambda: compiled() | anchored(),
        "Exact match; a file says that the sources compile to it. Compared with the chain at block 21,000,000.",
        STATED,
        {"compiled": STATED, "onChain": VERIFIED},
        "no errors or warnings",
        site=checkpoint(block_of(anchored())["hash"]),
    ),
    "own code under an innocent metadata hash": Case(
        lambda: with_files(made_record()),  # nothing in a record tells the two apart: see the sentences below
        f"{EXACT} {NOT_COMPARED}",
        NOT_SHOWN,
        {"hashed": VERIFIED, "compiled": NOT_SHOWN},
        "no errors or warnings",
    ),
}


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(command, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def written(folder: Path, case: Case) -> Path:
    files = case.files()
    chain_id = next(iter(files)).split("/")[1]
    site = SITE.replace("748463", chain_id).replace("    name: Plinth\n", f"    name: Plinth\n{case.site}")
    return write_files(folder / "content", {"site.yaml": site, **files})


def text_of(page: str) -> str:
    return " ".join(unescape(re.sub("<[^>]*>", " ", page)).split())


@pytest.mark.parametrize("name", CASES)
def test_attack_record_gets_expected_verdict(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    content = written(tmp_path, case)
    checked = run("check", "--content", content, "--now", NOW)
    assert case.check in " ".join(checked.output.split()), checked.output
    assert checked.exit_code == case.exit_code, checked.output
    run("build", "--content", content, "--out", tmp_path / "site", "--now", NOW)
    [proof_file] = [
        file for file in (tmp_path / "site/proof").glob("*/0x*.json") if file.stem != file.stem.lower()
    ]
    proof = orjson.loads(proof_file.read_bytes())
    assert proof["verdict"] == {"status": case.verdict, "sentence": case.sentence}
    assert {claim: proof["claims"][claim]["status"] for claim in case.claims} == case.claims
    assert proof["published"] == case.published
    page = (tmp_path / f"site/contracts/{proof['chainId']}/{proof['address']}.html").read_text()
    [sentence] = re.findall('<p class="why">([^<]*)</p>', page)
    assert unescape(sentence).strip() == case.sentence
    assert f'class="verdict panel l-{case.verdict}"' in page
    listed = (tmp_path / "site/contracts/index.html").read_text()
    listed = re.sub("<select.*?</select>", "", listed, flags=re.DOTALL)  # what the search can ask for
    assert ("Contradicted" in listed) == (case.verdict == CONTRADICTED)
    assert ("operational" in page.partition("</h2>")[0].partition("verdict l-")[2]) == (
        case.verdict == VERIFIED
    )


NO_PROXY = {"isProxy": False, "proxyType": None, "implementations": []}
FACTORY = "0x600080f0" + "00" * 40


@pytest.mark.parametrize(
    ("resolution", "creation", "status"),
    [
        (None, None, ClaimStatus.CONTRADICTED),
        (NO_PROXY, None, ClaimStatus.CONTRADICTED),  # a slot that was empty
        (NO_PROXY, FACTORY, ClaimStatus.STATED),  # to Sourcify, whatever creates contracts is no proxy
        ({"proxyResolutionError": {"message": "no answer"}}, None, ClaimStatus.STATED),
    ],
)
def test_storage_slot_contradicts_only_proxy_claim(
    resolution: dict[str, Any] | None, creation: str | None, status: ClaimStatus
) -> None:
    record, own = proxy()
    slots = {slot: 0xAA if slot.startswith("0x360894") else 0 for slot in own.storage}
    anchor = anchor_of("ab", record["address"], record["runtimeBytecode"]["onchainBytecode"], slots=slots)
    if resolution is not None:
        record["proxyResolution"] = resolution
    if creation is not None:
        record["creationBytecode"] = record["creationBytecode"] | {"onchainBytecode": creation}
    assert decide_chain_claims(RecordView(record), anchor, "ab").claims[0].status is status


def test_page_states_block_time_and_author(tmp_path: Path) -> None:
    for name, words in {
        "a block that a checkpoint names": "operator pinned this block hash.",
        "a header made by hand, with hosts typed into the file": "Only the file anchor.json says that this block"
        " belongs to the chain; according to it, mainnet.infura.io, cloudflare-eth.com returned this hash.",
    }.items():
        case = CASES[name]
        run(
            "build",
            "--content",
            written(tmp_path / name, case),
            "--out",
            tmp_path / name / "site",
            "--now",
            NOW,
        )
        [page] = [*(tmp_path / name / "site/contracts").glob("*/0x*.html")]
        text = text_of(page.read_text())
        assert block_of(case.files())["hash"] in text
        assert 'class="relative age" data-at="2027-01-15T08:00:00' in page.read_text()
        assert words in text
        assert "Compare these block hashes with a node that you trust" in text


def test_page_states_differing_creation_code(tmp_path: Path) -> None:
    for name, words in {
        "creation code that does not match": "The creation code differs.",
        "words in an anchor": "anchor.json says: “Shown by Etherscan.”",
    }.items():
        run(
            "build",
            "--content",
            written(tmp_path / name, CASES[name]),
            "--out",
            tmp_path / name / "s",
            "--now",
            NOW,
        )
        [page] = [*(tmp_path / name / "s/contracts").glob("*/0x*.html")]
        assert words in text_of(page.read_text())


def test_compilation_proves_only_compiler_output() -> None:
    record = made_record()
    evidence = CompilationEvidence(
        "ab",
        record["compilation"]["compilerVersion"],
        "",
        "",
        "",
        "",
        ("storageLayout", "verifiedAt", "sources", "x"),
    )
    with_evidence = prove(record, compilation=evidence, record_digest="ab").pinned
    without = prove(record).pinned
    differing = {name: str(pin) for name, pin in with_evidence.items() if pin != without.get(name)}
    assert differing == ({"storageLayout": "stated"} if record["storageLayout"] else {})


def test_uncompiled_sources_are_not_verified(
    tmp_path: Path,
) -> None:
    """A record of one's own code under an innocent metadata hash is like any other: only a compilation tells."""
    content = written(tmp_path, CASES["own code under an innocent metadata hash"])
    run("build", "--content", content, "--out", tmp_path / "site", "--now", NOW)
    [page] = [*(tmp_path / "site/contracts").glob("*/0x*.html")]
    text = text_of(page.read_text())
    for words in ("recompiling these sources gave", "not even a comment", "Source verified", "Shown"):
        assert words not in text
    assert "Anyone can append a hash" in text
    assert "nobody has recompiled these sources" in text


def workspace(runtime: str) -> dict[str, Any]:
    demo = CHECKOUT / "content/contracts/748463"
    source = next(
        file.parent
        for file in sorted(demo.glob("*/contract.yaml"))
        if (file.parent / "runtime.hex").is_file()
    )
    files = {f"contracts/748463/{source.name}/{file.name}": file.read_bytes() for file in source.iterdir()}
    return files | {f"contracts/748463/{source.name}/runtime.hex": runtime.encode()}


def test_differing_workspace_runtime_code_is_error(tmp_path: Path) -> None:
    content = write_files(tmp_path / "content", {"site.yaml": SITE, **workspace(OTHER_CODE)})
    checked = run("check", "--content", content, "--now", NOW)
    assert "error: contradicted: the code on the chain (2 bytes) is not the compiled code (" in checked.output
    assert checked.exit_code == 1
    assert (
        run("build", "--content", content, "--out", tmp_path / "site", "--now", NOW, "--strict").exit_code
        == 4
    )
    [proof] = [orjson.loads(file.read_bytes()) for file in (tmp_path / "site/proof").glob("*/0x*[A-F]*.json")]
    assert (proof["published"], proof["verdict"]["status"]) == (False, CONTRADICTED)
    assert not [*(tmp_path / "site/v2/contract").glob("*/0x*")]
    page = (tmp_path / f"site/contracts/748463/{proof['address']}.html").read_text()
    assert "Contradicted: the on-chain code is not the compiled code." in page
    assert "this record fails verification" in text_of(page)


def test_only_known_real_record_is_contradicted() -> None:
    found = {
        name
        for name, record in [*real_records(), *served_vectors()]
        if (verdict := prove(record).verdict) and verdict.status is ClaimStatus.CONTRADICTED
    }
    assert {name.partition("/")[2][:6] for name in found} == {"0x7eCF"}


def test_real_records_claim_only_consistency() -> None:
    for name, record in real_records():
        claims = {claim.name: claim.status for claim in prove(record).claims}
        assert claims[ClaimName.CONSISTENT] is ClaimStatus.VERIFIED, name
        assert claims[ClaimName.ON_CHAIN] is claims[ClaimName.COMPILED] is ClaimStatus.NOT_SHOWN, name
