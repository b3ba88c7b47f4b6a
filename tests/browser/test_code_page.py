"""The page that finds the name of pasted code: held to the Python code under deno, and used in a real browser."""

import json
import socket
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Thread
from typing import Any

import orjson
import pytest

from statuary.base.primitives import keccak256
from statuary.contracts.model.contract_row import ContractRow
from statuary.extensions.apis.code import (
    CodeFacts,
    hash_contract_code,
    iter_same_code_documents,
    strip_metadata,
    zero_ranges,
)
from support.browser import LOOKS, browse, html_complaints
from support.contracts import FEATURES, made_record
from support.edge_runtimes import run_deno
from support.ethereum_node import ask, ethereum_node
from support.local_server import LocalServer
from support.requirements import CHECKOUT
from support.sites import CHAIN, NOW, address_of, build, path_of, site_of_many

pytestmark = pytest.mark.slow

PAGE = "bytecode/index.html"


def code_of(record: dict[str, Any]) -> bytes:
    return bytes.fromhex(record["runtimeBytecode"]["onchainBytecode"][2:])


def clone_of(record: dict[str, Any]) -> bytes:
    """Return the code of a record with other immutables and another hash of its metadata."""
    facts = hash_contract_code(record)
    assert facts is not None
    assert facts.template is not None
    clone = bytearray(code_of(record))
    for start, size in facts.template.zeroed:
        clone[start : start + size] = b"\x5a" * size
    clone[-10] ^= 1
    return bytes(clone)


def vyper_record() -> dict[str, Any]:
    """Return a record whose code ends with immutables."""
    record = made_record("plain")
    record["compilation"]["language"] = "Vyper"
    runtime = record["runtimeBytecode"]
    runtime["onchainBytecode"] = runtime["recompiledBytecode"] + "33" * 64
    return record


def documents_of(records: list[dict[str, Any]]) -> dict[str, Any]:
    rows = []
    for number, record in enumerate(records):
        facts = hash_contract_code(record)
        assert facts is not None
        row = ContractRow("match", None, "match", "1", f"0x{number:040x}", "2026-01-01", str(number))
        rows.append((row, CodeFacts.parse(facts.encode())))
    return {document.path: json.loads(document.body) for document in iter_same_code_documents(rows)}


def answer_of_python(code: bytes, documents: dict[str, Any]) -> dict[str, Any]:
    """Return what the manual says a reader finds, by the functions that make the documents."""
    plain = strip_metadata(code)
    exact = documents.get(f"code/0x{keccak256(code).hex()}")
    if exact is not None:
        return {"plain": len(plain), "isExact": True, "contracts": exact["contracts"]}
    hashed = {len(plain): [(plain, False)]}
    hashed.setdefault(len(code), []).append((code, True))
    contracts = [
        contract
        for length, forms in hashed.items()
        for entry in documents.get(f"code/length/{length}", {"templates": []})["templates"]
        for form, is_whole in forms
        if entry["isWhole"] is is_whole
        and entry["template"] == f"0x{keccak256(zero_ranges(form, entry['zeroed'])).hex()}"
        for contract in documents[f"code/template/{entry['template']}"]["contracts"]
    ]
    return {"plain": len(plain), "isExact": False, "contracts": contracts}


@pytest.mark.slow
def test_bytecode_search_script_matches_python_results() -> None:
    records = [*(made_record(name) for name in FEATURES), vyper_record()]
    documents = documents_of(records)
    with_template = [
        record for record in records if (hash_contract_code(record) or CodeFacts("", None)).template
    ]
    codes = [
        *map(code_of, records),
        *map(clone_of, with_template),
        *(code[:-1] for code in map(code_of, records)),
        b"\x01",
        b"\xfe",
        b"\xa1\x00",
        b"\xa1\x00\x01",
        b"\xfe\xa1\x00\x01",
        b"\x00\xa5\x00\x01",
        b"\x60\xfe\xfe\xa4\x00\x01",
        b"\xff\xff",
        b"\xa1\xff\xff",
        b"\x00" * 200,
    ]
    question = {"site": documents, "codes": [f"0x{code.hex()}" for code in codes]}
    answers = run_deno(CHECKOUT / "tests/browser/name_code.js", json.dumps(question))
    assert answers == [answer_of_python(code, documents) for code in codes]
    of_clones = answers[len(records) : len(records) + len(with_template)]
    by_template = [answer for answer in of_clones if answer["contracts"] and not answer["isExact"]]
    assert len(by_template) > 2, "clones are among the vectors"


@pytest.mark.slow
@pytest.mark.parametrize("text", ["", "0x", "0x0", "0xzz", "6080 604", "contract A {}"])
def test_pasted_partial_byte_is_rejected(text: str) -> None:
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


@pytest.mark.slow
def test_pasted_bytecode_lists_matching_contracts(site: Path) -> None:
    texts = [f"0x{code_of(RECORD).hex()}", f"  {clone_of(RECORD).hex().upper()}\n", "0x6001", "no code"]
    said = browse(site, "code", path=PAGE, texts=texts)
    exact, clone, none, invalid = said["said"]
    assert exact["text"].startswith("Exact matches:")
    assert clone["text"].startswith("Same code apart from immutables")
    for answer in (exact, clone):
        assert answer["links"][0] == f"../contract.html?chain={CHAIN}&address={address_of(1)}"
        assert answer["links"][1] == f"../proof/{CHAIN}/{address_of(1)}.json"
        assert len(answer["links"]) == 4
        assert answer["states"] == ["state s-none: Not proven"] * 2
    assert none == {"text": "No match on this site.", "states": [], "links": []}
    assert invalid == {"text": "Not valid hex.", "states": [], "links": []}
    assert not [line for line in said["complaints"] if "404" not in line]


ANSWERS = {
    "/page": (404, b"<!doctype html>", "That address answered HTTP 404; it is not a JSON-RPC node."),
    "/number": (200, b'{"result":5}', "That address answered HTTP 200; it is not a JSON-RPC node."),
    "/list": (200, b"[]", "That address answered HTTP 200; it is not a JSON-RPC node."),
    "/null": (200, b"null", "That address answered HTTP 200; it is not a JSON-RPC node."),
    "/half": (200, b'{"result":"0x0"}', "That address answered HTTP 200; it is not a JSON-RPC node."),
    "/limit": (
        429,
        b'{"error":{"message":"{status} <b>\xe2\x80\xae"}}',
        r"The node refused: {status} <b>\u{202e}",
    ),
    "/other-site": (200, b'{"result":"0x6001"}', "The node is unreachable or does not allow requests"),
    "/silent": (200, b"", "The node did not respond within 1 seconds."),
}
"""What answers at a path of a server that is no node: status, body, and how the page's text begins."""


class NoNode(BaseHTTPRequestHandler):
    def do_OPTIONS(self) -> None:
        self.send_response(204)
        if self.path != "/other-site":
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Access-Control-Allow-Headers", "content-type")
        self.end_headers()

    def do_POST(self) -> None:
        status, body, _ = ANSWERS[self.path]
        if self.path == "/silent":
            time.sleep(2)
        self.send_response(status)
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_details: object) -> None:
        """Say nothing."""


@pytest.fixture
def no_node() -> Iterator[str]:
    server = LocalServer(("127.0.0.1", 0), NoNode)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.slow
def test_bytecode_search_reads_code_from_node(site: Path) -> None:
    contract, clone, empty = (f"0x{digit * 40}" for digit in "abc")
    with ethereum_node() as node:
        ask(node, "anvil_setCode", contract, f"0x{code_of(RECORD).hex()}")
        ask(node, "anvil_setCode", clone, f"0x{clone_of(RECORD).hex()}")
        asked = [{"node": node, "contract": one} for one in (contract, clone, empty)]
        said = browse(site, "code", path=PAGE, asked=asked)
    texts = [answer["text"] for answer in said["said"]]
    assert texts[0].startswith("Exact matches:")
    assert texts[1].startswith("Same code apart from immutables")
    assert texts[2] == "No code at this address on this node."
    assert said["said"][0]["links"][0] == f"../contract.html?chain={CHAIN}&address={address_of(1)}"
    assert not [line for line in said["complaints"] if "404" not in line]


@pytest.mark.slow
def test_failed_node_request_shows_reason(site: Path, no_node: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{free.getsockname()[1]}"
    # a page may ask no address of the network in plain http: the policy of the page keeps the browser from it
    beyond = "http://192.0.2.1:8545"
    nodes = [*(no_node + path for path in ANSWERS), nobody, beyond]
    asked = [{"node": node, "contract": f"0x{'a' * 40}"} for node in nodes]
    said = browse(site, "code", path=PAGE, asked=asked, seconds=1)["said"]
    *expected, unreachable = [*(text for _, _, text in ANSWERS.values()), ANSWERS["/other-site"][2]]
    for answer, text in zip(said, [*expected, unreachable, unreachable], strict=True):
        assert answer["text"].startswith(text)
        assert answer["links"] == []


@pytest.mark.slow
@pytest.mark.parametrize("width", sorted({look["width"] for look in LOOKS}))
def test_bytecode_search_page_is_accessible(site: Path, width: int) -> None:
    observed = browse(site, "accessibility", paths=[PAGE], widths=[width], now=NOW, whole=True)
    assert observed == {"broken": [], "shifted": [], "acted": []}


@pytest.mark.slow
def test_bytecode_search_page_is_linked(site: Path) -> None:
    assert html_complaints(site / "bytecode") == []
    assert f'href="../{PAGE}"' in (site / "contracts/index.html").read_text("utf-8")
    pages = [page for page in site.rglob("*.html") if "code-names.js" in page.read_text("utf-8")]
    assert pages == [site / PAGE]


def test_bytecode_search_page_requires_code_api(tmp_path: Path) -> None:
    content, out = site_of_many(tmp_path, 1, pages=True), tmp_path / "out"
    settings = (content / "site.yaml").read_text("utf-8")
    for more, is_there in (("pages: {contracts: 0}\napis: [code]\n", True), ("apis: [proxies]\n", False)):
        (content / "site.yaml").write_text(settings + more, "utf-8")
        assert build(content, out).applied
        assert (out / PAGE).is_file() is is_there
        assert (PAGE in (out / "contracts/index.html").read_text("utf-8")) is is_there
