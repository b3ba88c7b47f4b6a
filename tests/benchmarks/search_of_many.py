"""The search over many contracts: what its files weigh, and what a search costs in a real browser.

    python tests/benchmarks/search_of_many.py [--contracts 100000]

Contracts with names of two or three words, and a function each of their own beside one that all have, are built from
JSON lines without their proof, which is not what is measured. Chromium (`.ci/install-browser`) then searches by name,
address and selector, and filters by language, match and proxy.
"""

import argparse
import gzip
import random
import re
import subprocess
import sys
import tempfile
import time
from hashlib import sha256
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import orjson

from statuary.base.primitives import checksum_address
from statuary.contracts.model.abi import signature_with_hashes
from support.browser import browse
from support.sites import CHAIN, record_of, write_files

SITE = f"""\
page: {{name: Many, url: https://many.example}}
chains: [{{chain_id: {CHAIN}, name: Many}}]
pages: {{status: false, contracts: 0, listed: 1000000, search: true}}
"""
WORDS = re.findall(
    r"\w+",
    """
Vault Token Pool Router Bridge Factory Oracle Staking Escrow Registry Auction Governor Timelock
Splitter Faucet Lending Market Reserve Treasury Minter Wrapper Proxy Gauge Voter Farm Locker Drop
Badge Ticket Swap
""",
)
SEED = 20261121


def name_of(number: int) -> str:
    """Return the name of a contract: words that others have too, and a number that few have."""
    chosen = random.Random(SEED + number)
    return "".join(chosen.sample(WORDS, chosen.choice((2, 3)))) + str(number % 9973)


def function_of(number: int) -> dict[str, object]:
    """Return a function that only one contract has, as in an ABI."""
    return {
        "type": "function",
        "name": f"settle{number}",
        "inputs": [],
        "outputs": [],
        "stateMutability": "view",
    }


def selector_of(signature: str) -> str:
    """Return what a search for a function is typed as."""
    return signature_with_hashes(signature)["signatureHash4"]


def address_of(number: int) -> str:
    """Return the address of a contract: as evenly spread as addresses are."""
    return checksum_address("0x" + sha256(str(number).encode()).hexdigest()[:40])


def record(number: int) -> bytes:
    """Return a record as a line of JSON."""
    value = orjson.loads(record_of(number))
    name = name_of(number)
    value["address"] = address_of(number)
    value["compilation"] |= {"name": name, "fullyQualifiedName": f"contracts/Made.sol:{name}"}
    value["compilation"]["language"] = "Vyper" if number % 5 == 0 else "Solidity"
    if number % 7 == 0:
        value["proxyResolution"] = {"isProxy": True, "proxyType": "EIP1967Proxy", "implementations": []}
    value["abi"].append(function_of(number))
    return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)


def build(folder: Path, count: int) -> tuple[Path, float]:
    """Build a site of so many contracts; return where it is, and the seconds that it took."""
    content = write_files(folder / "content", {"site.yaml": SITE})
    (content / "contracts").mkdir()
    with (content / "contracts/many.jsonl").open("wb") as lines:
        lines.writelines(map(record, range(1, count + 1)))
    command = [sys.executable, "-m", "statuary", "build", "--content", content, "--out", folder / "site"]
    began = time.perf_counter()
    subprocess.run([*command, "--skip", "proof"], check=True, stdout=subprocess.DEVNULL)
    return folder / "site", time.perf_counter() - began


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--contracts", type=int, default=100_000)
    count = parser.parse_args().contracts
    with tempfile.TemporaryDirectory(prefix="statuary-search-") as folder:
        site, seconds = build(Path(folder), count)
        shards = [file.read_bytes() for file in (site / "contracts/search").rglob("*.json")]
        built = sorted(len(gzip.compress(shard)) for shard in shards)
        print(f"{count:,} contracts built in {seconds:.0f} s, without proof, with lists and search")
        print(
            f"search: {len(shards):,} files, {sum(map(len, shards)) / 1e6:.1f} MB; the largest {built[-1]:,} bytes"
            f" and the median {built[len(built) // 2]:,} in transfer"
        )
        middle = count // 2
        wanted = {
            "name": {"query": name_of(middle)},
            "address": {"query": address_of(middle)},
            "selector of its own": {"query": selector_of(f"settle{middle}()")},
            "selector that all have": {"query": selector_of("meet(address)")},
            "word that many have": {"query": "vault"},
            "word, of one language": {"query": "vault", "language": "Vyper"},
            "language and proxy alone": {"query": "", "language": "Vyper", "proxy": "yes"},
        }
        cost_of = browse(site, "search_cost", queries=list(wanted.values()))
        print("\n| search by | first result | files read | bytes | results |\n|---|---|---|---|---|")
        for kind, chosen in wanted.items():
            cost = cost_of[" ".join(chosen.values())]
            assert not cost["complaints"], cost["complaints"]
            print(
                f"| {kind} | {cost['milliseconds']} ms | {len(cost['requests'])} | {cost['bytes']:,} | {cost['found']} |"
            )


if __name__ == "__main__":
    main()
