"""Sites with a proxy, and the ABIs and storage layouts of its implementations."""

from pathlib import Path
from typing import Any

import orjson

from statuary.base.primitives import parse_instant
from statuary.base.progress import NoProgress
from statuary.engine.build import BuildResult, build_site
from statuary.publish.folder.folder_target import FolderTarget
from support.sites import CHAIN, NOW, WITHOUT_CHECKS, address_of, path_of, site_of_many

LATER = "2027-02-03T04:05:06.000Z"
"""When the proxy of `upgraded_site` has another implementation."""


def function(name: str, *types: str, **members: Any) -> dict[str, Any]:
    inputs = [{"name": "", "type": one} for one in types]
    return {"type": "function", "name": name, "inputs": inputs, "outputs": [], **members}


def event(name: str, *indexed: bool) -> dict[str, Any]:
    return {
        "type": "event",
        "name": name,
        "inputs": [{"name": "", "type": "uint256", "indexed": one} for one in indexed],
    }


def error(name: str, *types: str) -> dict[str, Any]:
    return {"type": "error", "name": name, "inputs": [{"name": "", "type": one} for one in types]}


def layout(*variables: tuple[str, int, int, str], **types: dict[str, Any]) -> dict[str, Any]:
    basic = {
        "uint": {"encoding": "inplace", "label": "uint256", "numberOfBytes": "32"},
        "small": {"encoding": "inplace", "label": "uint128", "numberOfBytes": "16"},
        "address": {"encoding": "inplace", "label": "address", "numberOfBytes": "20"},
        "token": {"encoding": "inplace", "label": "contract IToken", "numberOfBytes": "20"},
    }
    storage = [
        {"astId": 1, "contract": "A.sol:A", "label": name, "slot": str(slot), "offset": at, "type": kind}
        for name, slot, at, kind in variables
    ]
    return {"storage": storage, "types": basic | types}


OWNER, TOTAL = ("owner", 0, 0, "address"), ("total", 1, 0, "uint")
TRANSFER, CLASHING = function("transfer", "address", "uint256"), function("many_msg_babbage", "bytes1")

FOLDER = f"proxies/{CHAIN}/{address_of(1)}"
"""The folder of the proxy's documents."""


def build_unchecked(content: Path, out: Path, now: str = NOW) -> BuildResult:
    """Build without checks of records: no compiler made the code of these proxies, and a contradicted one has no documents."""
    with FolderTarget(out) as target:
        return build_site(content, target, parse_instant(now), NoProgress(), WITHOUT_CHECKS)


def content_with_proxy(root: Path, count: int = 4, *, pages: bool = False) -> Path:
    """A site whose first contract is a proxy of the second."""
    content = site_of_many(root, count, pages=pages)
    with (content / "site.yaml").open("a") as file:
        file.write("apis: [proxies]\n")
    upgrade(content, 2)
    return content


def upgrade(content: Path, number: int) -> None:
    """Have the proxy name another implementation."""
    record = orjson.loads((content / path_of(1)).read_bytes())
    record["proxyResolution"] = {
        "isProxy": True,
        "proxyType": "EIP1967Proxy",
        "implementations": [{"address": address_of(number)}],
    }
    (content / path_of(1)).write_bytes(orjson.dumps(record))


def change(content: Path, number: int, **members: Any) -> None:
    record = orjson.loads((content / path_of(number)).read_bytes())
    (content / path_of(number)).write_bytes(orjson.dumps(record | members))


def upgraded_site(root: Path) -> Path:
    """Build a site whose proxy has another implementation since, with hazards, and return where it is.

    The pages show a function that the proxy shadows, every kind of change, and names that are long.
    """
    content, out = content_with_proxy(root, pages=True), root / "out"
    record = orjson.loads((content / path_of(3)).read_bytes())
    path, name = record["compilation"]["fullyQualifiedName"].rsplit(":", 1)
    text = record["sources"][path]["content"]
    long = function(
        "settleTheRewardsOfEveryDelegatorOfTheValidator", "address[]", "uint256[]", "bytes32", "bytes"
    )
    proxy = [CLASHING, event("Upgraded", True), {"type": "fallback", "stateMutability": "payable"}]
    change(content, 1, abi=proxy)
    change(
        content,
        2,
        storageLayout=layout(OWNER, TOTAL, ("fee", 2, 0, "small")),
        abi=[TRANSFER, function("owner")],
    )
    change(
        content,
        3,
        storageLayout=layout(
            TOTAL, ("owner", 0, 0, "uint"), ("price", 2, 0, "small"), ("feeOfTheValidator", 3, 0, "uint")
        ),
        abi=[TRANSFER, long, error("Paused")],
        sources=record["sources"] | {path: {"content": f"{text}\n// {name} of the second version\n"}},
    )
    build_unchecked(content, out)
    upgrade(content, 3)
    build_unchecked(content, out, LATER)
    return out
