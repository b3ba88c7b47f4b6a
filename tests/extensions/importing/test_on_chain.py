"""What a real node returns for real deployments, over HTTP; and that no response of a node does harm."""

import json
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler

import pytest

from statuary.base.primitives import parse_address
from statuary.contracts.chain.transaction import compute_create_address
from statuary.contracts.checks.proxy_checks import unresolved_proxy_findings
from statuary.contracts.model.derivation import WorkspaceDeployment
from statuary.extensions.importing.evidence import ethereum_node as node_module
from statuary.extensions.importing.evidence.ethereum_node import EthereumNode, RpcError
from statuary.extensions.importing.evidence.on_chain_contract import read_chain_id, read_on_chain_contract
from statuary.extensions.importing.evidence.proxy_resolution import resolve_proxy
from statuary.extensions.importing.prepare_contract import prepare_contract
from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.toolchains.hardhat import read_compilation
from statuary.system.network.connections import Timeouts
from support.ethereum_node import ask, ethereum_node, mined, send
from support.imported_projects import FOUNDRY, added, catalogue_of, chain, empty_site, on_chain, wanted
from support.local_server import LocalServer

SOURCE = FOUNDRY / "out"


@pytest.fixture(scope="module")
def url():
    """A node that holds what the fixtures hold: the same transactions from the same account, so the same addresses."""
    with ethereum_node() as address:
        for transaction in chain()["transactions"]:
            send(address, transaction["data"], transaction.get("to"))
        yield address


def held(tool, contract):
    entry = chain()["contracts"][tool][contract]
    return parse_address(entry["address"]), entry["transaction"]


@pytest.mark.slow
@pytest.mark.parametrize("contract", ["Fare", "Turnstile", "Station"])
def test_node_returns_contract_with_creation_transaction(contract, url):
    address, transaction = held("foundry", contract)
    assert read_chain_id(EthereumNode(url)) == "31337"
    assert read_on_chain_contract(EthereumNode(url), address, transaction) == on_chain("foundry", contract)


@pytest.mark.slow
def test_creation_code_requires_creation_transaction(url):
    address, _ = held("hardhat2", "Station")
    assert read_on_chain_contract(EthereumNode(url), address, None) == on_chain("hardhat2", "Station")


@pytest.mark.slow
def test_trace_contains_factory_contract_creation(url, tmp_path):
    address, transaction = held("foundry", "child")
    found = read_on_chain_contract(EthereumNode(url), address, transaction)
    assert found.creation != ask(url, "eth_getTransactionByHash", transaction)["input"]
    compilation = read_compilation(SOURCE / "Turnstile.sol/Turnstile.json")
    content = empty_site(tmp_path)
    record = prepare_contract(
        content, catalogue_of(content), wanted("foundry", "child"), compilation, found
    ).verification.record
    assert (record["creationMatch"], record["runtimeMatch"]) == ("exact_match", "exact_match")
    assert "constructorArguments" in record["creationBytecode"]["transformationValues"]
    assert record["deployment"]["transactionHash"] == transaction


@pytest.mark.slow
def test_node_and_files_give_same_record(url, tmp_path):
    content = empty_site(tmp_path)
    address, transaction = held("foundry", "Turnstile")
    compilation = read_compilation(SOURCE / "Turnstile.sol/Turnstile.json")
    requested = prepare_contract(
        content,
        catalogue_of(content),
        wanted("foundry", "Turnstile"),
        compilation,
        read_on_chain_contract(EthereumNode(url), address, transaction),
        node=EthereumNode(url),
    )
    assert (
        requested.verification.record
        == added(content, "foundry", "Turnstile", compilation).verification.record
    )


@pytest.mark.slow
def test_transaction_of_other_contract_is_rejected(url):
    address, _ = held("foundry", "child")
    _, other = held("foundry", "Fare")
    with pytest.raises(NotImportableError, match="did not create 0x"):
        read_on_chain_contract(EthereumNode(url), address, other)


@pytest.mark.slow
def test_unknown_or_failed_transaction_is_rejected(url):
    address, _ = held("foundry", "Fare")
    with pytest.raises(NotImportableError, match="has no transaction 0x1111"):
        read_on_chain_contract(EthereumNode(url), address, "0x" + "11" * 32)
    [sender, *_] = ask(url, "eth_accounts")
    reverting = {"from": sender, "data": "0x60006000fd", "gas": hex(100_000)}
    failed = ask(url, "eth_sendTransaction", reverting)
    mined(url, failed, status="0x0")
    with pytest.raises(NotImportableError, match="failed, so it created no contract"):
        read_on_chain_contract(EthereumNode(url), address, failed)


@pytest.mark.slow
def test_address_without_code_is_rejected(url):
    with pytest.raises(NotImportableError, match="has no code, according to") as raised:
        read_on_chain_contract(EthereumNode(url), parse_address("0x" + "12" * 20), None)
    assert "the node is anvil, whose chain begins anew at each start" in raised.value.hint


@pytest.mark.slow
def test_unknown_transaction_suggests_restarted_development_node(url):
    with pytest.raises(NotImportableError, match="has no transaction") as raised:
        read_on_chain_contract(EthereumNode(url), held("foundry", "Fare")[0], "0x" + "12" * 32)
    assert "if this was deployed in an earlier run" in raised.value.hint


IMPLEMENTATION_SLOT = "360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"
BEACON_SLOT = "a3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50"
TARGET = parse_address("0x" + "77" * 20)


def with_storage(slot, word):
    """Return creation code that stores a word and leaves a runtime code which pushes both."""
    runtime = f"7f{slot}507f{word}00"
    size = len(runtime) // 2
    head = f"7f{word}7f{slot}5560{size:02x}60{32 + 1 + 32 + 1 + 1 + 11:02x}60003960{size:02x}6000f3"
    return "0x" + head + "00" + runtime


@pytest.mark.slow
@pytest.mark.parametrize(
    ("slot", "proxy_type"),
    [
        (IMPLEMENTATION_SLOT, "EIP1967Proxy"),
        ("7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3", "ZeppelinOSProxy"),
        ("c5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7", "PROXIABLEProxy"),
    ],
)
def test_proxy_implementation_is_read_from_slot(slot, proxy_type, url):
    proxy = send(url, with_storage(slot, TARGET[2:].zfill(64)))["contractAddress"]
    code = bytes.fromhex(slot_code(slot))
    found = resolve_proxy(EthereumNode(url), parse_address(proxy), code, {TARGET: "Vault"}.get)
    assert found == {
        "isProxy": True,
        "proxyType": proxy_type,
        "implementations": [{"address": TARGET, "name": "Vault"}],
    }
    empty = resolve_proxy(EthereumNode(url), TARGET, code, {}.get)
    assert empty == {"isProxy": False, "proxyType": None, "implementations": []}


def slot_code(slot):
    """Return code that pushes a slot, as a proxy's does."""
    return f"7f{slot}5400"


@pytest.mark.slow
def test_beacon_proxy_implementation_is_read(url):
    answering = f"73{TARGET[2:]}60005260206000f3"
    size = len(answering) // 2
    beacon = send(url, f"0x60{size:02x}600b60003960{size:02x}6000f3{answering}".replace("600b", "600c"))
    proxy = send(url, with_storage(BEACON_SLOT, beacon["contractAddress"][2:].zfill(64)))["contractAddress"]
    code = bytes.fromhex(slot_code(BEACON_SLOT))
    found = resolve_proxy(EthereumNode(url), parse_address(proxy), code, {}.get)
    assert found["implementations"] == [{"address": TARGET}]


DIAMOND_SLOT = "c8fcad8db84d3cc18b4c41d551ea0ee66dd599cde068d998e57d5e09332c131c"


def returning(data):
    """Return creation code of a contract that returns the same bytes to every call."""
    copying = "".join(f"7f{data[at : at + 64]}60{at // 2:02x}52" for at in range(0, len(data), 64))
    runtime = f"{copying}61{len(data) // 2:04x}6000f3"
    return f"0x61{len(runtime) // 2:04x}80600c6000396000f3" + runtime


@pytest.mark.slow
@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (f"{32:064x}{2:064x}{TARGET[2:]:0>64}{'12' * 20:0>64}", [TARGET, parse_address("0x" + "12" * 20)]),
        (f"{32:064x}{0:064x}", []),
    ],
)
def test_diamond_facets_are_read(data, expected, url):
    diamond = parse_address(send(url, returning(data))["contractAddress"])
    code = bytes.fromhex(slot_code(DIAMOND_SLOT))
    found = resolve_proxy(EthereumNode(url), diamond, code, {TARGET: "Vault"}.get)
    implementations = [{"address": facet} for facet in expected]
    for implementation in implementations[:1]:
        implementation["name"] = "Vault"
    assert found == {"isProxy": True, "proxyType": "DiamondProxy", "implementations": implementations}


@pytest.mark.slow
@pytest.mark.parametrize("data", ["", f"{32:064x}", f"{32:064x}{1:064x}{'ff' * 32}"])
def test_diamond_slot_without_facets_is_ignored(data, url):
    address = parse_address(send(url, returning(data))["contractAddress"])
    code = bytes.fromhex(slot_code(DIAMOND_SLOT))
    assert resolve_proxy(EthereumNode(url), address, code, {}.get) == {
        "isProxy": False,
        "proxyType": None,
        "implementations": [],
    }


@pytest.mark.slow
def test_diamond_without_facets_uses_proxy_slot(url):
    """The facets are asked for first, then the slots in the order of the code."""
    proxy = send(url, with_storage(IMPLEMENTATION_SLOT, TARGET[2:].zfill(64)))["contractAddress"]
    code = bytes.fromhex(f"7f{IMPLEMENTATION_SLOT}507f{DIAMOND_SLOT}5400")
    found = resolve_proxy(EthereumNode(url), parse_address(proxy), code, {}.get)
    assert found["proxyType"] == "EIP1967Proxy"


@pytest.mark.slow
def test_safe_and_sequence_implementations_are_read(url):
    """A Safe's proxy has it in slot 0, Sequence's wallet in the slot of its own address."""
    safe = send(url, with_storage("00" * 32, TARGET[2:].zfill(64)))["contractAddress"]
    code = bytes.fromhex(slot_code("a619486e" + "00" * 28))
    found = resolve_proxy(EthereumNode(url), parse_address(safe), code, {}.get)
    assert (found["proxyType"], found["implementations"]) == ("GnosisSafeProxy", [{"address": TARGET}])
    [sender, *_] = ask(url, "eth_accounts")
    nonce = int(ask(url, "eth_getTransactionCount", sender, "latest"), 16)
    wallet = compute_create_address(parse_address(sender), nonce)
    sent = send(url, with_storage(wallet[2:].lower().zfill(64), TARGET[2:].zfill(64)))
    assert sent["contractAddress"] == wallet.lower()
    found = resolve_proxy(EthereumNode(url), wallet, bytes.fromhex("30545af400"), {}.get)
    assert (found["proxyType"], found["implementations"]) == ("SequenceWalletProxy", [{"address": TARGET}])


def test_code_without_proxy_queries_no_node():
    assert resolve_proxy(EthereumNode("http://nowhere.invalid"), TARGET, b"\x00", {}.get) is None


@contextmanager
def answering(answer, status=200):
    """Serve the same bytes to every question, or what a function makes of the question."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            body = answer(question) if callable(answer) else answer
            self.send_response(status)
            self.end_headers()
            with suppress(ConnectionError):  # a client may close the connection early
                self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = LocalServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1/a-secret-key"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


NO_ANSWERS = {
    "HTML": (b"<html>", 200, "invalid JSON"),
    "nothing": (b"", 200, "invalid JSON"),
    "a list": (b"[]", 200, "is not an Ethereum node: no result for eth_chainId"),
    "no result": (b'{"id": 1}', 200, "is not an Ethereum node: no result for eth_chainId"),
    "a status": (b"forbidden", 403, "HTTP status 403"),
    "a number": (b'{"result": 31337}', 200, "responds with '31337' for eth_chainId"),
    "no number": (b'{"result": "0xnope"}', 200, "responds with '0xnope' for eth_chainId"),
    "decimal": (b'{"result": "31337"}', 200, "responds with '31337' for eth_chainId"),
    "deep": (b'{"result": ' + b"[" * 5000 + b"]" * 5000 + b"}", 200, "invalid JSON"),
    "an error": (
        b'{"error": {"code": -32000, "message": "busy"}}',
        200,
        "does not return its chain id: busy",
    ),
    "an error under a status": (b'{"error": {"code": 1, "message": "key"}}', 401, "its chain id: key"),
}


@pytest.mark.parametrize("kind", NO_ANSWERS)
def test_invalid_node_response_hides_url_secret(kind):
    body, status, message = NO_ANSWERS[kind]
    with answering(body, status) as url, pytest.raises(NotImportableError, match=message) as refused:
        read_chain_id(EthereumNode(url))
    assert "secret" not in f"{refused.value}{refused.value.hint}"
    assert "127.0.0.1" in str(refused.value)


def test_oversized_node_response_is_rejected(monkeypatch):
    monkeypatch.setattr(node_module, "MAX_RESPONSE_BYTES", 1000)
    body = b'{"result": "' + b"0" * 5000 + b'"}'
    with answering(body) as url, pytest.raises(NotImportableError, match="more than 1,000 bytes"):
        EthereumNode(url).call("eth_getCode")


def test_silent_node_times_out(monkeypatch):
    monkeypatch.setattr(node_module, "TIMEOUTS", Timeouts(5.0, timeout=0.1))
    release = threading.Event()

    def late(_):
        release.wait(5)
        return b"{}"

    with answering(late) as url:
        with pytest.raises(NotImportableError, match="does not respond: it responds too slowly"):
            EthereumNode(url).call("eth_chainId")
        release.set()


@pytest.mark.parametrize(
    "address", ["", "127.0.0.1:8545", "file:///etc/passwd", "ftp://x", "http://", "http://[::"]
)
def test_non_http_url_is_rejected(address):
    with pytest.raises(NotImportableError, match="does not start with http"):
        EthereumNode(address)


def test_unreachable_node_is_reported():
    with pytest.raises(NotImportableError, match="does not respond"):
        EthereumNode("http://127.0.0.1:9").call("eth_chainId")


def replying(answers):
    """Serve each method's answer; a method that is not listed is not found."""

    def reply(question):
        if question["method"] in answers:
            return json.dumps({"result": answers[question["method"]]}).encode()
        return json.dumps({"error": {"code": -32601, "message": "Method not found"}}).encode()

    return answering(reply)


HASH, SENDER = "0x" + "ab" * 32, "0x" + "cd" * 20
TRANSACTION = {
    "hash": HASH,
    "from": SENDER,
    "blockNumber": "0x10",
    "transactionIndex": "0x0",
    "input": "0x6001",
}
PLAIN = {
    "eth_getCode": "0x6000",
    "eth_getTransactionByHash": TRANSACTION,
    "eth_getTransactionReceipt": {"status": "0x1", "contractAddress": None},
}


NO_DEPLOYMENT = WorkspaceDeployment()

UNSHOWN = {
    "a plain transfer": {"to": "0x" + "99" * 20, "input": "0x"},
    "a call": {"to": "0x" + "99" * 20, "input": "0x12345678"},
    "the creation of another contract": {"to": None, "nonce": "0x7"},
}


@pytest.mark.parametrize("kind", UNSHOWN)
def test_transaction_without_proven_creation_is_skipped(kind):
    answers = {**PLAIN, "eth_getTransactionByHash": TRANSACTION | UNSHOWN[kind]}
    with replying(answers) as url:
        found = read_on_chain_contract(EthereumNode(url), TARGET, HASH)
    assert (found.creation, found.deployment) == (None, NO_DEPLOYMENT)
    [note] = found.notes
    assert note.startswith(f"the record has no deployment: nothing shows that transaction {HASH} created")
    assert "does not trace" in note


@pytest.mark.parametrize("nonce", ["0x0", "0x1", "0x7f", "0x80", "0x100", "0xffffffffffffffff"])
def test_sender_and_nonce_prove_deployment(nonce):
    created = compute_create_address(parse_address(SENDER), int(nonce, 16))
    answers = {**PLAIN, "eth_getTransactionByHash": TRANSACTION | {"to": None, "nonce": nonce}}
    with replying(answers) as url:
        found = read_on_chain_contract(EthereumNode(url), created, HASH)
    assert (found.creation, found.deployment.block_number, found.notes) == ("0x6001", "16", ())


def test_create_address_matches_known_values():
    # https://ethereum.stackexchange.com/questions/760: the first contracts of a well-known account
    sender = parse_address("0x6ac7ea33f8831ea9dcc53393aaa88b25a785dbf0")
    assert [compute_create_address(sender, nonce).lower() for nonce in range(4)] == [
        "0xcd234a471b72ba2f1ccf0a70fcaba648a5eecd8d",
        "0x343c43a37d37dff08ae8c4a11544c718abb4fcf8",
        "0xf778b86fa74e846c4f0a1fbd1335fe81c00a0c91",
        "0xfffd933a0bc612844eaf0c6fe3e5b8e9b6c1d19c",
    ]


@pytest.mark.slow
def test_create_address_matches_real_deployment(url):
    address, transaction = held("foundry", "Fare")
    sent = ask(url, "eth_getTransactionByHash", transaction)
    assert compute_create_address(parse_address(sent["from"]), int(sent["nonce"], 16)) == address


def test_transaction_receipt_proves_deployment_without_trace():
    answers = {
        **PLAIN,
        "eth_getTransactionByHash": TRANSACTION | {"to": "0x" + "80" * 20},
        "eth_getTransactionReceipt": {"status": "0x1", "contractAddress": TARGET},
    }
    with replying(answers) as url:
        found = read_on_chain_contract(EthereumNode(url), TARGET, HASH)
    assert (found.creation, found.deployment.transaction_hash) == (None, HASH)
    assert "the record has no creation code" in found.notes[0]


@pytest.mark.slow
def test_transfer_transaction_does_not_prove_deployment(url):
    [sender, *_] = ask(url, "eth_accounts")
    transfer = ask(url, "eth_sendTransaction", {"from": sender, "to": sender, "value": "0x1"})
    mined(url, transfer)
    address, _ = held("foundry", "Fare")
    with pytest.raises(NotImportableError, match="did not create 0x"):
        read_on_chain_contract(EthereumNode(url), address, transfer)


def test_contract_without_transaction_has_empty_deployment():
    with replying({"eth_getCode": "0x6000"}) as url:
        found = read_on_chain_contract(EthereumNode(url), TARGET, None)
    assert (found.creation, found.deployment.transaction_hash) == (None, None)
    assert "--transaction" in found.notes[0]


def test_reverted_trace_calls_are_ignored():
    made = {"type": "CREATE2", "to": TARGET.lower(), "input": "0x6002"}
    undone = {"type": "CALL", "error": "execution reverted", "calls": [made | {"input": "0x6003"}]}
    trace = {"type": "CALL", "calls": [{"type": "CALL", "calls": [made]}, undone]}
    with replying({**PLAIN, "debug_traceTransaction": trace}) as url:
        assert read_on_chain_contract(EthereumNode(url), TARGET, HASH).creation == "0x6002"


WRONG = [
    ("eth_getTransactionByHash", TRANSACTION | {"from": None}),
    ("eth_getTransactionByHash", TRANSACTION | {"from": "0x12"}),
    ("eth_getTransactionByHash", TRANSACTION | {"blockNumber": None}),
    ("eth_getTransactionByHash", TRANSACTION | {"blockNumber": 16}),
    ("eth_getTransactionReceipt", []),
    ("eth_getTransactionReceipt", {"contractAddress": TARGET, "status": "0x0"}),
    ("eth_getCode", None),
    ("eth_getCode", "0xabc"),
    ("debug_traceTransaction", None),
    ("debug_traceTransaction", {"calls": {"a": 1}, "type": "CREATE", "to": TARGET, "input": 7}),
]


@pytest.mark.parametrize(("method", "answer"), WRONG)
def test_inconsistent_node_response_is_rejected(method, answer):
    with replying({**PLAIN, method: answer}) as url, pytest.raises(NotImportableError):
        read_on_chain_contract(EthereumNode(url), TARGET, HASH)


def test_json_rpc_error_keeps_code():
    with replying({}) as url, pytest.raises(RpcError) as refused:
        EthereumNode(url).call("eth_chainId")
    assert refused.value.code == node_module.METHOD_NOT_FOUND


def test_unresolved_proxy_is_reported_as_note(tmp_path):
    compilation = read_compilation(SOURCE / "Fare.sol/Fare.json")
    prepared = added(empty_site(tmp_path), "foundry", "Fare", compilation)
    record = {**prepared.record, "proxyResolution": {"proxyResolutionError": {}}}
    [finding] = unresolved_proxy_findings(record)
    assert (finding.severity.value, finding.pointer) == ("note", ("proxyResolution",))
    assert unresolved_proxy_findings(prepared.record) == ()
