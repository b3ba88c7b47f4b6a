"""`statuary contract anchor`, and `contract add --rpc`, against a real node, and against false and incomplete nodes."""

import json
import re
import shutil
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from urllib.request import Request, urlopen

import jsonschema
import pytest
from click.testing import CliRunner

from statuary import open_snapshot
from statuary.base.files import OWN_FOLDER
from statuary.base.installation import extra_install_command
from statuary.base.primitives import checksum_address
from statuary.cli.exit_codes import ExitCode
from statuary.cli.main import command
from statuary.engine.json_schemas import json_schema
from statuary.publish.listing import DamagedSnapshotError
from support.ethereum_node import ask, ethereum_node, send
from support.imported_projects import FOUNDRY, chain, empty_site
from support.local_server import LocalServer

pytestmark = pytest.mark.slow

NOW = "2026-11-20T12:00:00Z"
FARE = checksum_address(chain()["contracts"]["foundry"]["Fare"]["address"])
STATED = "stated_by_a_file"
ARTIFACT = str(FOUNDRY / "out/Fare.sol/Fare.json")


@pytest.fixture(scope="module")
def node():
    # an epoch of one block makes the last block but two final
    with ethereum_node(31337, "--slots-in-an-epoch", "1") as url:
        for transaction in chain()["transactions"]:
            send(url, transaction["data"], transaction.get("to"))
        for _ in range(3):
            ask(url, "evm_mine")
        yield url


def run(*arguments):
    result = CliRunner().invoke(command, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture
def content(tmp_path):
    return empty_site(tmp_path)


def add(content, url, *more):
    result = run(
        "contract",
        "add",
        ARTIFACT,
        "--content",
        content,
        "--now",
        NOW,
        "--address",
        FARE,
        "--rpc",
        url,
        *more,
    )
    assert result.exit_code == ExitCode.OK, result.output
    return result


def anchor(content, url, *more):
    return run("contract", "anchor", "--content", content, "--now", NOW, "--rpc", url, *more)


def anchor_file(content):
    return content / f"contracts/31337/{FARE}/anchor.json"


def proof(content):
    built = run("build", "--content", content, "--out", content.parent / "site", "--now", NOW)
    assert built.exit_code in {ExitCode.OK, ExitCode.PUBLISHED_WITH_FAULTS}, built.output
    published = json.loads((content.parent / f"site/proof/31337/{FARE}.json").read_bytes())
    is_contradicted = published["verdict"]["status"] == "contradicted"
    assert (built.exit_code == ExitCode.PUBLISHED_WITH_FAULTS) is is_contradicted, built.output
    return published, built.output


def statuses(content):
    claims = proof(content)[0]["claims"]
    return claims["onChain"]["status"], claims["deployed"]["status"]


def test_contract_add_writes_merkle_proofs(content, node):
    assert "code proved by the node in block" in add(content, node).output
    value = json.loads(anchor_file(content).read_text())
    jsonschema.validate(value, json_schema("anchor"))
    assert value["block"]["agreed"] == ["127.0.0.1"]
    assert statuses(content) == (STATED, STATED)
    published, _ = proof(content)
    assert published["anchor"] == value
    assert published["pinnedBy"]["runtimeBytecode.onchainBytecode"] == "stated"
    assert published["pinnedBy"]["deployment.deployer"] == "stated"


def test_no_anchor_option_skips_anchor(content, node):
    add(content, node, "--no-anchor")
    assert not anchor_file(content).exists()
    assert statuses(content) == ("not_shown", "not_shown")


def test_older_than_option_keeps_recent_anchor(content, node):
    add(content, node)
    before = anchor_file(content).stat().st_mtime_ns
    result = anchor(content, node, "--older-than", "100d")
    assert result.output == "the code of 1 of 1 contracts is proved on chain 31337\n"
    assert anchor_file(content).stat().st_mtime_ns == before
    again = anchor(content, node)
    assert f"{FARE}  code proved by the node in block" in again.output
    assert "note: no checkpoint names block " in again.output
    assert "to `checkpoints` of chain 31337 in site.yaml" in again.output
    assert anchor_file(content).stat().st_mtime_ns != before


def test_changed_record_invalidates_merkle_proofs(content, node):
    add(content, node)
    settings = content / f"contracts/31337/{FARE}/contract.yaml"
    settings.write_text(re.sub(r'match_id: "?1"?', "match_id: 7", settings.read_text()))
    published, output = proof(content)
    assert published["claims"]["onChain"] == {
        "status": "not_shown",
        "reason": "the anchor belongs to another record",
    }
    assert published["published"]
    assert "note: not proven: the anchor belongs to another record" in output
    assert anchor(content, node, "--older-than", "100d").exit_code == ExitCode.OK
    assert statuses(content) == (STATED, STATED)


@pytest.mark.parametrize("text", ["{}", "[1]", "{", '{"record": "00"}', '{"record": 5, "other": 1}'])
def test_unreadable_anchor_file_gives_note(content, node, text):
    add(content, node)
    anchor_file(content).write_text(text)
    published, output = proof(content)
    assert published["claims"]["onChain"]["status"] == "not_shown"
    assert published["published"]
    assert "anchor.json" in output
    notes = output.count("anchor.json:")
    assert f"0 errors, 0 warnings, {notes} note{'s' if notes > 1 else ''}\n" in output


def test_missing_chain_extra_skips_deployment_check(content, node, monkeypatch):
    add(content, node)
    monkeypatch.setattr(
        "statuary.contracts.checks.anchor_claims.RECOVERING_SENDERS", ("nowhere_to_be_found",)
    )
    published, output = proof(content)
    assert published["claims"]["onChain"]["status"] == STATED
    assert "needs the extra 'chain', which is not installed" in published["claims"]["deployed"]["reason"]
    assert extra_install_command("chain") in output


@contextmanager
def through(url, change):
    """Serve a node's responses, changed."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            request = Request(url, body, {"Content-Type": "application/json"})
            with urlopen(request, timeout=30) as response:
                answers = json.load(response)
            requested = json.loads(body)
            if isinstance(requested, list):
                methods = {one["id"]: one["method"] for one in requested}
                answers = [change(methods[one["id"]], one) for one in answers]
            else:
                answers = change(requested["method"], answers)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(answers).encode())

        def log_message(self, *_):
            pass

    server = LocalServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def no_proofs(method, answer):
    error = {"code": -32601, "message": "the method does not exist"}
    return {"id": answer["id"], "error": error} if method == "eth_getProof" else answer


def pruned(method, answer):
    error = {"code": -32000, "message": "missing trie node"}
    return {"id": answer["id"], "error": error} if method == "eth_getProof" else answer


def other_header(method, answer):
    if method == "eth_getBlockByNumber":
        answer["result"]["stateRoot"] = "0x" + "11" * 32
    return answer


def no_finalized(method, answer):
    if method == "eth_getBlockByNumber":
        answer["result"] = None
    return answer


def wrong_proof(method, answer):
    if method == "eth_getProof":
        answer["result"]["accountProof"] = answer["result"]["accountProof"][:-1]
    return answer


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (no_proofs, "does not support eth_getProof"),
        (no_proofs, "use a node that does"),
        (pruned, "gives no proof: missing trie node"),
        (pruned, "It no longer has the state of block"),
        (other_header, "the block headers of this chain are not in Ethereum's format"),
        (no_finalized, "does not have the requested block"),
        (wrong_proof, "the Merkle proof ends before the value"),
    ],
)
def test_node_without_valid_proof_is_reported(content, node, change, reason):
    add(content, node, "--no-anchor")
    with through(node, change) as url:
        result = anchor(content, url)
    assert result.exit_code == ExitCode.OK
    assert reason in result.output
    published, output = proof(content)
    assert reason in published["claims"]["onChain"]["reason"]
    assert "no errors or warnings" in output
    # a later anchor shows it, and a node that cannot does not take that away
    anchor(content, node)
    assert statuses(content)[0] == STATED
    with through(node, change) as url:
        anchor(content, url)
    assert statuses(content) == (STATED, STATED)


def test_contract_after_finalized_block_is_reported(content):
    """A young chain: nothing is wrong, and the node's proof is not looked at."""
    with ethereum_node() as url:
        for transaction in chain()["transactions"]:
            send(url, transaction["data"], transaction.get("to"))
        number = int(ask(url, "eth_getTransactionReceipt", deployment_of(FARE, url))["blockNumber"], 16)
        output = add(content, url).output
    said = f"the finalized block 0 is older than block {number} of the deployment"
    assert output.count(said) == 2
    assert "another hash than in its parent" not in output
    assert said in proof(content)[0]["claims"]["onChain"]["reason"]


def deployment_of(address, url):
    return ask(url, "ots_getContractCreator", address)["hash"]


def test_node_proof_of_other_state_is_reported(content):
    """Anvil's block 0 has a state root that is not that of its accounts."""
    with ethereum_node() as url:
        for transaction in chain()["transactions"]:
            send(url, transaction["data"], transaction.get("to"))
        runtime, file = ask(url, "eth_getCode", FARE, "latest"), content / "runtime.hex"
        file.write_text(runtime)
        options = ["--content", content, "--now", NOW, "--address", FARE]
        added = run("contract", "add", ARTIFACT, *options, "--runtime", file)
        assert added.exit_code == ExitCode.OK, added.output
        output = anchor(content, url).output
    assert "is not for the finalized block 0" in output


def other_hash(method, answer):
    if method == "eth_getBlockByNumber":
        answer["result"]["hash"] = "0x" + "22" * 32
    return answer


def with_nodes(content, *urls):
    site = content / "site.yaml"
    listed = ", ".join(f'"{url}"' for url in urls)
    site.write_text(site.read_text().replace("31337}", f"31337, rpc: [{listed}]}}"))
    assert "rpc" in site.read_text()


def test_disagreeing_nodes_write_no_anchor(content, node):
    add(content, node, "--no-anchor")
    with through(node, other_hash) as url:
        with_nodes(content, url)
        result = anchor(content, node)
    assert result.exit_code == ExitCode.FAILED
    assert "disagree about block" in result.output
    assert not anchor_file(content).exists()


def test_anchor_lists_hosts_of_agreeing_nodes(content, node):
    add(content, node, "--no-anchor")
    with through(node, lambda _, answer: answer) as url:
        with_nodes(content, url.replace("127.0.0.1", "localhost"), "http://nowhere.invalid")
        result = anchor(content, node)
    assert result.exit_code == ExitCode.OK, result.output
    assert "note: nowhere.invalid was not compared" in result.output
    value = json.loads(anchor_file(content).read_text())
    assert value["block"]["agreed"] == ["127.0.0.1", "localhost"]


@pytest.fixture
def changed_node(node):
    """Yield the node; what a test does to its chain is undone."""
    before = ask(node, "evm_snapshot")
    yield node
    ask(node, "evm_revert", before)


def with_code(url, code):
    ask(url, "anvil_setCode", FARE, code)
    for _ in range(3):
        ask(url, "evm_mine")


CONTRADICTED = {
    "0x": "there is no code at the address",
    "0x33ff": "the code at the address has the Keccak-256 0x",
}


@pytest.mark.parametrize("code", CONTRADICTED)
def test_newer_state_proof_contradicts_older_one(content, changed_node, code):
    add(content, changed_node)
    assert statuses(content)[0] == STATED
    with_code(changed_node, code)
    result = anchor(content, changed_node)
    assert result.exit_code == ExitCode.FINDINGS
    assert f"{FARE}  code contradicted as of block " in result.output
    assert CONTRADICTED[code] in result.output
    assert "the code of 0 of 1 contracts is proved on chain 31337, 1 contradicted\n" in result.output
    published, output = proof(content)
    first = published["claims"]["onChain"]["evidence"]["blockNumber"]
    assert published["claims"]["onChain"]["status"] == published["verdict"]["status"] == "contradicted"
    assert published["verdict"]["sentence"].startswith(f"Contradicted as of block {first}: ")
    assert published["published"]
    assert CONTRADICTED[code] in output
    checked = run("check", "--content", content, "--now", NOW)
    assert checked.exit_code == ExitCode.FINDINGS
    assert f"error: contradicted as of block {first}, " in checked.output

    # it stays contradicted since the first block, also where only old anchors are to be renewed
    with_code(changed_node, code)
    assert anchor(content, changed_node, "--older-than", "100d").exit_code == ExitCode.FINDINGS
    assert proof(content)[0]["claims"]["onChain"]["evidence"]["blockNumber"] == first
    # a node that cannot prove anything does not take it away
    with through(changed_node, no_proofs) as url:
        anchor(content, url)
    assert statuses(content)[0] == "contradicted"


def test_node_contradicting_own_proof_is_rejected(content, changed_node):
    code = ask(changed_node, "eth_getCode", FARE, "latest")
    with_code(changed_node, "0x33ff")

    def lying(method, answer):
        return answer | {"result": code} if method == "eth_getCode" else answer

    with through(changed_node, lying) as url:
        arguments = ("contract", "add", ARTIFACT, "--content", content, "--now", NOW, "--address", FARE)
        result = run(*arguments, "--rpc", url)
    assert result.exit_code == ExitCode.FINDINGS
    assert "code contradicted as of block " in result.output
    assert (
        "statuary: the code that the node returned does not match the node's own Merkle proof; nothing was written"
        in result.output
    )
    assert not (content / "contracts").exists()


def test_block_checkpoint_confirms_or_rejects_anchor(content, node):
    add(content, node)
    block = json.loads(anchor_file(content).read_text())["block"]
    site, claimed = content / "site.yaml", site_with_checkpoint(content, block["number"], block["hash"])
    site.write_text(claimed)
    assert statuses(content)[0] == "verified_here"
    again = anchor(content, node)
    assert "code verified here in block" in again.output
    assert "note: no checkpoint" not in again.output
    site.write_text(claimed.replace(block["hash"], "0x" + "11" * 32))
    published, output = proof(content)
    assert published["claims"]["onChain"]["status"] == "not_shown"
    assert "note: not proven: the anchor belongs to another chain" in output


def site_with_checkpoint(content, number, name):
    listed = f'31337, checkpoints: [{{block: {number}, hash: "{name}"}}]}}'
    return (content / "site.yaml").read_text().replace("31337}", listed)


def test_snapshot_verification_proves_anchors(content, node, tmp_path):
    add(content, node)
    snapshot = tmp_path / "site.zip"
    assert run("snapshot", "create", snapshot, "--content", content, "--now", NOW).exit_code == ExitCode.OK
    verified = run("snapshot", "verify", snapshot, "--prove")
    assert verified.exit_code == ExitCode.OK, verified.output
    assert "the chain's own proofs show the code of 1 and the deployment of 1" in verified.output
    with open_snapshot(snapshot) as site:
        fare = site.contract(31337, FARE)
        assert (fare.on_chain.status, fare.deployed.status) == (STATED, STATED)
        assert fare.on_chain.evidence["blockHash"] == fare.proof["anchor"]["block"]["hash"]


def test_snapshot_claiming_incomplete_proof_is_rejected(content, node, tmp_path):
    add(content, node)
    site = tmp_path / "site"
    built, _ = proof(content)
    built["anchor"]["account"] = built["anchor"]["account"][:-1]
    for name in (FARE, FARE.lower()):
        (site / f"proof/31337/{name}.json").unlink()
        (site / f"proof/31337/{name}.json").write_text(json.dumps(built))
    for folder in (OWN_FOLDER, "snapshot"):  # both have the digest of the proof that was built
        shutil.rmtree(site / folder)
    forged = tmp_path / "forged.zip"
    assert run("snapshot", "create", forged, "--from", site, "--now", NOW).exit_code == ExitCode.OK
    with (
        open_snapshot(forged) as opened,
        pytest.raises(DamagedSnapshotError, match="says that onChain is stated by a file"),
    ):
        _ = opened.contract(31337, FARE).on_chain
    verified = run("snapshot", "verify", forged, "--prove")
    assert verified.exit_code == ExitCode.FINDINGS
    assert "the proof says that onChain is stated by a file; it is not" in verified.output
