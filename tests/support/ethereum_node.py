"""A whole Ethereum node on the loopback, with a new chain of its own, for as long as a test needs it."""

import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from support.requirements import CHECKOUT, absent

COMPILERS = Path(os.environ.get("STATUARY_DEMO_COMPILERS", CHECKOUT / ".compilers"))
ANVIL = COMPILERS / "node/node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil"
GAS = hex(10_000_000)


@contextmanager
def ethereum_node(chain_id: int = 31337, *more: str, hardfork: str = "prague") -> Iterator[str]:
    """Start a node, with more options of anvil's, and yield its address; skip the test where there is none."""
    if not ANVIL.is_file():
        absent(f"the Ethereum node {ANVIL}", ".ci/install-compilers")
    port = _free_port()
    options = ["--port", str(port), "--chain-id", str(chain_id), "--hardfork", hardfork, "--silent", *more]
    process = subprocess.Popen([ANVIL, *options], stdin=subprocess.DEVNULL)
    try:
        url = f"http://127.0.0.1:{port}"
        _wait_for(url, process)
        yield url
    finally:
        process.terminate()
        process.wait(10)


def ask(url: str, method: str, *parameters: Any) -> Any:
    """Return the result of a JSON-RPC method."""
    question = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
    request = Request(url, json.dumps(question).encode(), {"Content-Type": "application/json"})
    with urlopen(request, timeout=30) as response:
        answer = json.load(response)
    assert "error" not in answer, answer
    return answer["result"]


def send(url: str, data: str, to: str | None = None) -> dict[str, Any]:
    """Send a transaction from the node's first account and return its receipt."""
    [sender, *_] = ask(url, "eth_accounts")
    transaction = {"from": sender, "data": data, "gas": GAS, **({"to": to} if to else {})}
    return mined(url, ask(url, "eth_sendTransaction", transaction))


def send_signed(url: str, transaction: str) -> dict[str, Any]:
    """Send a signed transaction and return its receipt; each has a block of its own, as when it was signed."""
    return mined(url, ask(url, "eth_sendRawTransaction", transaction))


def mined(url: str, name: str, status: str = "0x1") -> dict[str, Any]:
    """Wait for a transaction and return its receipt; "0x0" is the status of one that failed."""
    for _ in range(200):
        if receipt := ask(url, "eth_getTransactionReceipt", name):
            assert receipt["status"] == status, receipt
            return receipt
        time.sleep(0.02)
    raise TimeoutError(name)


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def _wait_for(url: str, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 120
    while True:
        try:
            ask(url, "eth_chainId")
        except OSError:
            assert process.poll() is None, "the node ended"
            assert time.monotonic() < deadline, "the node does not answer"
            time.sleep(0.05)
        else:
            return
