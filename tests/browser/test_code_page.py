"""The page that finds the name of pasted code: held to the Python code under deno, and used in a real browser."""

import json
from pathlib import Path
from typing import Any

import orjson
import pytest

from statuary.domain.contracts.rows import ContractRow
from statuary.domain.primitives import keccak256
from statuary.extensions.apis.code import CodeFacts, code_documents, code_facts, without_metadata, zeroed
from support.browser import LOOKS, browse, html_complaints
from support.contracts import FEATURES, made_record
from support.edge_runtimes import run_deno
from support.requirements import CHECKOUT
from support.sites import CHAIN, NOW, address_of, build, path_of, site_of_many

PAGE = "bytecode/index.html"


def code_of(record: dict[str, Any]) -> bytes:
    return bytes.fromhex(record["runtimeBytecode"]["onchainBytecode"][2:])


def clone_of(record: dict[str, Any]) -> bytes:
    """Return the code of a record with other immutables and another hash of its metadata."""
    facts = code_facts(record)
    assert facts is not None
    assert facts.template is not None
    clone = bytearray(code_of(record))
    for start, size in facts.template.zeroed:
        clone[start : start + size] = b"\x5a" * size
    clone[-10] ^= 1
    return bytes(clone)


def documents_of(records: list[dict[str, Any]]) -> dict[str, Any]:
    rows = []
    for number, record in enumerate(records):
        facts = code_facts(record)
        assert facts is not None
        row = ContractRow("match", None, "match", "1", f"0x{number:040x}", "2026-01-01", str(number))
        rows.append((row, CodeFacts.read(facts.encoded())))
    return {document.path: json.loads(document.body) for document in code_documents(rows)}


def answer_of_python(code: bytes, documents: dict[str, Any]) -> dict[str, Any]:
    """Return what the manual says a reader finds, by the functions that make the documents."""
    plain = without_metadata(code)
    exact = documents.get(f"code/0x{keccak256(code).hex()}")
    if exact is not None:
        return {"plain": len(plain), "isExact": True, "contracts": exact["contracts"]}
    listed = documents.get(f"code/length/{len(plain)}", {"templates": []})
    contracts = [
        contract
        for entry in listed["templates"]
        if entry["template"] == f"0x{keccak256(zeroed(plain, entry['zeroed'])).hex()}"
        for contract in documents[f"code/template/{entry['template']}"]["contracts"]
    ]
    return {"plain": len(plain), "isExact": False, "contracts": contracts}


def test_the_script_finds_what_the_python_code_finds() -> None:
    records = [made_record(name) for name in FEATURES]
    documents = documents_of(records)
    with_template = [record for record in records if (code_facts(record) or CodeFacts("", None)).template]
    codes = [
        *map(code_of, records),
        *map(clone_of, with_template),
        *(code[:-1] for code in map(code_of, records)),
        *(b"\x01", b"\xfe", b"\xa1\x00", b"\xa1\x00\x01", b"\xfe\xa1\x00\x01", b"\x00\xa5\x00\x01"),
        *(b"\x60\xfe\xfe\xa4\x00\x01", b"\xff\xff", b"\xa1\xff\xff", b"\x00" * 200),
    ]
    question = {"site": documents, "codes": [f"0x{code.hex()}" for code in codes]}
    answers = run_deno(CHECKOUT / "tests/browser/name_code.js", json.dumps(question))
    assert answers == [answer_of_python(code, documents) for code in codes]
    of_clones = answers[len(records) : len(records) + len(with_template)]
    by_template = [answer for answer in of_clones if answer["contracts"] and not answer["isExact"]]
    assert len(by_template) > 2, "clones are among the vectors"


@pytest.mark.parametrize("text", ["", "0x", "0x0", "0xzz", "6080 604", "contract A {}"])
def test_a_text_that_is_not_whole_bytes_is_no_code(text: str) -> None:
    question = json.dumps({"site": {}, "codes": [text]})
    assert run_deno(CHECKOUT / "tests/browser/name_code.js", question) == [None]


RECORD = made_record("immutables")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a site with two contracts of one code."""
    root = tmp_path_factory.mktemp("site")
    content = site_of_many(root, 2, pages=True)
    with (content / "site.yaml").open("a") as file:
        file.write("apis: [code]\ncontracts: {publish: all}\n")
    for number in (1, 2):
        at = {"chainId": CHAIN, "address": address_of(number), "matchId": str(number)}
        (content / path_of(number)).write_bytes(orjson.dumps(RECORD | at))
    assert build(content, root / "out").applied
    return root / "out"


def test_pasted_code_has_its_names(site: Path) -> None:
    texts = [f"0x{code_of(RECORD).hex()}", f"  {clone_of(RECORD).hex().upper()}\n", "0x6001", "no code"]
    said = browse(site, "code", path=PAGE, texts=texts)
    exact, clone, none, invalid = said["said"]
    assert exact["text"].startswith("Exactly this code has:")
    assert clone["text"].startswith("The same code, but for immutables")
    for answer in (exact, clone):
        assert answer["links"][0] == f"../contract.html?chain={CHAIN}&address={address_of(1)}"
        assert answer["links"][1] == f"../proof/{CHAIN}/{address_of(1)}.json"
        assert len(answer["links"]) == 4
    assert none == {"text": "No verified contract of this site has this code.", "links": []}
    assert invalid == {"text": "This is not whole bytes of hex.", "links": []}
    assert not [line for line in said["complaints"] if "404" not in line]


@pytest.mark.parametrize("width", sorted({look["width"] for look in LOOKS}))
def test_the_page_is_accessible_and_keeps_its_layout(site: Path, width: int) -> None:
    observed = browse(site, "accessibility", paths=[PAGE], widths=[width], now=NOW, whole=True)
    assert observed == {"broken": [], "shifted": [], "acted": []}


def test_the_page_is_valid_html_is_linked_and_alone_has_the_script(site: Path) -> None:
    assert html_complaints(site / "bytecode") == []
    assert f'href="../{PAGE}"' in (site / "contracts/index.html").read_text("utf-8")
    pages = [page for page in site.rglob("*.html") if "code-names.js" in page.read_text("utf-8")]
    assert pages == [site / PAGE]


def test_a_site_whose_contracts_have_no_pages_has_it_and_one_without_the_key_has_not(tmp_path: Path) -> None:
    content, out = site_of_many(tmp_path, 1, pages=True), tmp_path / "out"
    settings = (content / "site.yaml").read_text("utf-8")
    for more, is_there in (("pages: {contracts: 0}\napis: [code]\n", True), ("apis: [proxies]\n", False)):
        (content / "site.yaml").write_text(settings + more, "utf-8")
        assert build(content, out).applied
        assert (out / PAGE).is_file() is is_there
        assert (PAGE in (out / "contracts/index.html").read_text("utf-8")) is is_there
