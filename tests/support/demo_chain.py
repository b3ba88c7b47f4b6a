"""The demo network on a node of a test: the transactions of `tests/demo_network`, sent again."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from demo_network.compilers import TOOLS, run_chain
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.read_contract import read_contract
from statuary.engine.read_content import read_content
from support.ethereum_node import ask, ethereum_node
from support.requirements import CHECKOUT, absent

PLAN = CHECKOUT / "tests/demo_network/network.yaml"


class DemoChain(NamedTuple):
    """A node that holds the demo network."""

    rpc: str
    calls: dict[str, dict[str, Any]]  # the last transaction to each function, by `Contract.function`
    addresses: dict[str, str]  # of each contract, by its name


@contextmanager
def demo_chain() -> Iterator[DemoChain]:
    """Run the network's plan on a new node; addresses and code are those of the records in `content`."""
    if not (TOOLS / "node_modules/ethers").is_dir():
        absent(f"ethers in {TOOLS}", ".ci/install-compilers")
    plan = yaml.safe_load(PLAN.read_text(encoding="utf-8"))
    network = plan["network"]
    genesis = ("--timestamp", str(_unix(network["genesis"])), "--order", "fifo")
    with ethereum_node(network["chain_id"], *genesis) as rpc:
        chain = run_chain(TOOLS, rpc, _timed(plan) | {"artifacts": _artifacts(CHECKOUT / "content")})
        addresses = {one["contract"]: one["address"] for one in chain["contracts"]}
        yield DemoChain(rpc, _calls(rpc, plan["transactions"]), addresses)


def _timed(plan: dict[str, Any]) -> dict[str, Any]:
    network = plan["network"]
    times = {time: _unix(network[time]) for time in ("genesis", "finalized")}
    steps = [{**step, "at": _unix(step["at"])} for step in plan["transactions"]]
    return {"network": network | times, "predeployed": plan["predeployed"], "transactions": steps}


def _unix(moment: datetime) -> int:
    return int(moment.timestamp())


def _artifacts(content: Path) -> dict[str, dict[str, Any]]:
    """Return what the plan deploys, by name: code of the records, whose libraries have their addresses already."""
    artifacts = {}
    for source in read_content(content).site.content_of(SiteContracts).sources:
        record = read_contract(content, source).record
        assert record is not None
        creation = record["creationBytecode"]["onchainBytecode"] or "0x"
        values = record["creationBytecode"]["transformationValues"] or {}
        arguments = values.get("constructorArguments", "0x")[2:]
        artifacts[record["compilation"]["name"]] = {
            "abi": record["abi"],
            "bytecode": creation[2:].removesuffix(arguments),
            "runtime": record["runtimeBytecode"]["onchainBytecode"][2:],
        }
    return artifacts


def _calls(rpc: str, steps: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the transactions of the steps: both are in the order in which they were sent."""
    blocks = (
        ask(rpc, "eth_getBlockByNumber", hex(number), True)
        for number in range(1, int(ask(rpc, "eth_blockNumber"), 16) + 1)
    )
    sent = [transaction for block in blocks for transaction in block["transactions"]]
    assert len(sent) == len(steps)
    return {
        f"{step['call']}.{step['function']}": transaction
        for step, transaction in zip(steps, sent, strict=True)
        if "call" in step
    }
