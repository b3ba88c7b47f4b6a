"""Import what projects deployed on a local node, a project at a time, and print a table of what became of every address.

    python tests/extensions/importing/import_projects.py --rpc http://127.0.0.1:8545 [--compiler KIND=PATH]... KIND=FOLDER...

KIND is that of `statuary import`: foundry, ignition, hardhat-deploy, boa or ape. The folders are those of projects whose own scripts
deployed them on the node. The addresses that a source names are read here without the code under test; what `--report` says of them
is compared with the content. One that is neither in the content nor in the report with a reason is unaccounted for, and the exit code
is then 1. Nothing but the node is asked.
"""

import argparse
import json
import os
import re
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from click.testing import CliRunner

sys.path.insert(0, str(Path(__file__).parents[2]))

from statuary.cli.main import command
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.read_contract import read_contract
from support.ethereum_node import ask
from support.imported_projects import catalogue_of, empty_site

ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}\b")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("projects", nargs="+", metavar="KIND=FOLDER")
    parser.add_argument("--rpc", required=True, help="the node that the projects were deployed on")
    parser.add_argument("--compiler", action="append", default=[], metavar="KIND=PATH")
    options = parser.parse_args()
    outcomes = [outcome_of(project, options) for project in options.projects]
    print(
        "| project | named | verified | anchored | compiled again | left and why | unaccounted for | seconds |"
    )
    print("|---|--:|--:|--:|--:|---|--:|--:|")
    for outcome in outcomes:
        print(outcome.row)
    for outcome in outcomes:
        print(f"\n{outcome.name}\n" + "\n".join(f"    {line}" for line in outcome.report))
    return int(any(outcome.unaccounted for outcome in outcomes))


class Outcome(NamedTuple):
    """What became of the addresses that a project names."""

    name: str
    named: set[str]
    verified: set[str]
    anchored: set[str]
    compiled: set[str]
    unaccounted: set[str]
    left: Counter[str]
    report: list[str]
    seconds: float

    @property
    def row(self) -> str:
        """The line of the table."""
        sets = (self.named, self.verified, self.anchored, self.compiled)
        counts = " | ".join(f"{len(addresses):,}" for addresses in sets)
        left = "; ".join(f"{count:,}: {reason}" for reason, count in self.left.most_common()) or "0"
        return f"| {self.name} | {counts} | {left} | {len(self.unaccounted)} | {self.seconds:.0f} |"


def outcome_of(project: str, options: argparse.Namespace) -> Outcome:
    """Import one project into a site of its own."""
    kind, _, folder = project.partition("=")
    source = Path(folder)
    named = {address.lower() for address in NAMED[kind](source)}
    with tempfile.TemporaryDirectory(prefix="statuary-") as scratch:
        content = empty_site(Path(scratch), [int(ask(options.rpc, "eth_chainId"), 16)])
        compilers = [part for text in options.compiler for part in ("--compiler", text)]
        began = time.monotonic()
        account = Path(scratch) / "account.json"
        arguments = ["import", kind, str(source), "--content", str(content), "--rpc", options.rpc, *compilers]
        arguments += ["--report", str(account)]
        result = CliRunner().invoke(command, arguments)
        seconds = time.monotonic() - began
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        contracts = {
            one.address.lower(): one for one in catalogue_of(content).content_of(SiteContracts).sources
        }
        read = {address: read_contract(content, one) for address, one in contracts.items()}
        report = result.output.replace(str(content), "content")
        rows = json.loads(account.read_text())["addresses"] if account.is_file() else []
    verified = {address for address, one in read.items() if one.record is not None}
    explained = {str(row["address"]).lower(): row for row in rows if row.get("reason")}
    imported = {str(row["address"]).lower() for row in rows if row["outcome"] == "imported"}
    return Outcome(
        name=f"{source.name} ({kind})",
        named=named | verified,
        verified=verified,
        anchored={
            address
            for address, one in read.items()
            if one.anchor is not None and one.anchor.block is not None
        },
        compiled={address for address, one in read.items() if one.compilation is not None},
        unaccounted=(named - verified - explained.keys()) | (imported ^ verified),
        left=Counter(row["reason"] for address, row in explained.items() if address not in verified),
        report=report.splitlines(),
        seconds=seconds,
    )


def of_broadcasts(project: Path) -> Iterator[str]:
    """Yield the addresses of what scripts created."""
    for file in project.glob("broadcast/**/run-*.json"):
        if "dry-run" in file.parts:
            continue
        for transaction in json.loads(file.read_text())["transactions"]:
            if (transaction.get("transactionType") or transaction.get("type")) in ("CREATE", "CREATE2"):
                yield transaction["contractAddress"]
            yield from (other["address"] for other in transaction.get("additionalContracts") or ())


def of_journals(project: Path) -> Iterator[str]:
    """Yield the addresses that Ignition lists, and those that it listed before they were wiped."""
    for file in project.glob("ignition/deployments/*/deployed_addresses.json"):
        yield from json.loads(file.read_text()).values()
    for file in project.glob("ignition/deployments/*/journal.jsonl"):
        for line in file.read_text().splitlines():
            if line and "address" in (result := json.loads(line).get("result") or {}):
                yield result["address"]


def of_deployments(project: Path) -> Iterator[str]:
    """Yield every address of a deployment of hardhat-deploy, its facets, its implementation and its history."""
    for file in project.glob("deployments/*/*.json"):
        deployment = json.loads(file.read_text())
        for stated in (deployment, *deployment.get("history", ())):
            yield from filter(None, [stated.get("address"), stated.get("implementation")])
            for facet in stated.get("facets") or ():
                yield facet[0] if isinstance(facet, list) else facet["facetAddress"]


def of_database(project: Path) -> Iterator[str]:
    """Yield the addresses in titanoboa's database."""
    for file in project.glob("**/*deployments.db"):
        with closing(sqlite3.connect(file)) as database:
            yield from (row[0] for row in database.execute("SELECT contract_address FROM deployments"))


def of_manifests(project: Path) -> Iterator[str]:
    """Yield the addresses in ape's maps of deployments (`APE_DATA_FOLDER`) and in the project's configuration."""
    names = json.loads((project / ".build/__local__.json").read_text())["contractTypes"]
    for file in Path(os.environ["APE_DATA_FOLDER"]).glob("*/deployments_map.json"):
        for networks in json.loads(file.read_text())["ecosystems"].values():
            for contracts in networks.values():
                yield from (one["address"] for name in contracts.keys() & names for one in contracts[name])
    yield from ADDRESS.findall((project / "ape-config.yaml").read_text().partition("deployments:")[2])


NAMED: dict[str, Callable[[Path], Iterator[str]]] = {
    "foundry": of_broadcasts,
    "ignition": of_journals,
    "hardhat-deploy": of_deployments,
    "boa": of_database,
    "ape": of_manifests,
}

if __name__ == "__main__":
    sys.exit(main())
