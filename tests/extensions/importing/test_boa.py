"""What titanoboa and moccasin note of their deployments is imported: a real compiler's input, code of a real node."""

import json
import sqlite3
import subprocess
from contextlib import closing

import pytest

from statuary.cli.exit_codes import ExitCode
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.read_contract import read_contract
from support.ethereum_node import COMPILERS, ask, ethereum_node, send
from support.imported_projects import catalogue_of, empty_site, imported
from support.requirements import require_program

MODULE = "count: public(uint256)\n"
SOURCE = """# pragma version 0.4.3
import counter

initializes: counter
exports: counter.count

limit: immutable(uint256)

@deploy
def __init__(limit_: uint256):
    limit = limit_

@external
def add():
    assert counter.count < limit
    counter.count += 1
"""
COLUMNS = (
    "deployment_id integer primary key autoincrement, session_id text, contract_address text, contract_name text,"
    " filename text, rpc text, deployer text, tx_hash text, broadcast_ts real, tx_dict text, receipt_dict text,"
    " source_code text, abi text"
)
"""The table as titanoboa 0.2.8 makes it."""


@pytest.fixture(scope="module")
def vyper():
    return require_program(str(COMPILERS / "bin/vyper-0.4.3"), install=".ci/install-compilers")


@pytest.fixture(scope="module")
def deployed(vyper, tmp_path_factory):
    """Deploy a contract with a module and an immutable, and yield the node with the row of the deployment."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "src").mkdir()
    (folder / "src/counter.vy").write_text(MODULE)
    (folder / "src/ride.vy").write_text(SOURCE)

    def compiled(form):
        done = subprocess.run(
            [vyper, "-f", form, "src/ride.vy"], cwd=folder, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    with ethereum_node(31337, "--slots-in-an-epoch", "1") as url:
        receipt = send(url, compiled("bytecode") + f"{9:064x}")
        for _ in range(3):
            ask(url, "evm_mine")
        sent = ask(url, "eth_getTransactionByHash", receipt["transactionHash"])
        transaction = {
            "from": sent["from"],
            "data": sent["input"],
            "nonce": sent["nonce"],
            "chainId": hex(31337),
        }
        row = {
            "session_id": "a",
            "contract_address": receipt["contractAddress"],
            "contract_name": "ride",
            "filename": "src/ride.vy",
            "rpc": url,
            "deployer": receipt["from"],
            "tx_hash": receipt["transactionHash"],
            "broadcast_ts": 1.5,
            "tx_dict": json.dumps(transaction),
            "receipt_dict": json.dumps(receipt),
            "source_code": compiled("solc_json"),
            "abi": "[]",
        }
        yield url, row


def database(folder, *rows, name=".deployments.db"):
    folder.mkdir(exist_ok=True)
    with closing(sqlite3.connect(folder / name)) as connection, connection:
        connection.execute(f"CREATE TABLE deployments({COLUMNS})")
        for row in rows:
            connection.execute(
                f"INSERT INTO deployments({', '.join(row)}) VALUES({', '.join('?' * len(row))})",
                tuple(row.values()),
            )
    return folder


def records(content):
    return [
        read_contract(content, one).record for one in catalogue_of(content).content_of(SiteContracts).sources
    ]


@pytest.mark.slow
def test_boa_deployment_is_verified_and_anchored(deployed, vyper, tmp_path):
    url, row = deployed
    content, project = empty_site(tmp_path), database(tmp_path / "project", row)
    before = (project / ".deployments.db").read_bytes()
    result = imported(content, "boa", "--compiler", f"vyper={vyper}", "--rpc", url, source=project)
    assert result.exit_code == ExitCode.OK, result.output
    [record] = records(content)
    assert record["compilation"]["fullyQualifiedName"] == "src/ride.vy:ride"
    assert record["creationMatch"] == "exact_match"
    assert record["deployment"]["transactionHash"] == row["tx_hash"]
    assert "compiled again with the same outcome: 1 contract" in result.output
    assert "anchored on chain 31337: 1 of 1 contract" in result.output
    assert (project / ".deployments.db").read_bytes() == before


@pytest.mark.slow
def test_boa_deployment_is_imported_without_node(deployed, vyper, tmp_path):
    _, row = deployed
    content = empty_site(tmp_path)
    project = database(tmp_path / "project", row, name="deployments.db")
    result = imported(content, "boa", "--compiler", f"vyper={vyper}", source=project / "deployments.db")
    assert result.exit_code == ExitCode.OK, result.output
    assert [record["creationMatch"] for record in records(content)] == ["exact_match"]


@pytest.mark.slow
def test_invalid_boa_rows_are_reported(deployed, vyper, tmp_path):
    _, row = deployed
    rows = [
        {**row, "contract_address": "0x" + "12" * 20, "contract_name": "bare", "source_code": None},
        {**row, "contract_address": "0x" + "34" * 20, "contract_name": "cut", "source_code": "{"},
        {**row, "contract_address": "nowhere", "contract_name": "lost"},
    ]
    result = imported(empty_site(tmp_path), "boa", source=database(tmp_path / "project", *rows))
    assert result.exit_code == ExitCode.FINDINGS
    for name in ("bare", "cut", "lost"):
        assert name in result.output
    assert "the database has no sources of it" in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("body", "said"),
    [(b"", "has no table"), (b"no database" * 100, "titanoboa database"), (None, "save_to_db")],
)
def test_invalid_boa_database_is_reported(body, said, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    if body is not None:
        (project / ".deployments.db").write_bytes(body)
    result = imported(empty_site(tmp_path), "boa", source=project)
    assert said in result.output
    assert result.exit_code != ExitCode.OK
