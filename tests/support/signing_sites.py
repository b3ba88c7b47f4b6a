"""Sites with descriptors for clear signing, and records of contracts with any ABI, proxies and diamonds among them."""

import json
from pathlib import Path
from typing import Any

import orjson
import pytest

from statuary.base.primitives import checksum_address, keccak256, parse_instant
from statuary.base.progress import NoProgress
from statuary.contracts.model.abi import item_signature
from statuary.engine.build import build_site
from statuary.engine.report import BuildResult
from statuary.engine.sections import NO_OPTIONS
from statuary.publish.folder.folder_target import FolderTarget
from support import contracts
from support.contracts import made_record
from support.sites import CHAIN, NOW, SMALL_SITE, tree, write_files

SIGNING_SITE = {
    "site.yaml": SMALL_SITE["site.yaml"] + "clear_signing: {}\n",
    "components.yaml": SMALL_SITE["components.yaml"],
}

TOKEN = checksum_address("0x" + "a1" * 20)
PROXY = checksum_address("0x" + "b2" * 20)
FACET = checksum_address("0x" + "c3" * 20)
OTHER = checksum_address("0x" + "d4" * 20)

SLOTS = {
    "EIP1967Proxy": "360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc",
    "DiamondProxy": "c8fcad8db84d3cc18b4c41d551ea0ee66dd599cde068d998e57d5e09332c131c",
}


def function(name: str, *inputs: str, mutability: str = "nonpayable") -> dict[str, Any]:
    """Return an ABI item; each input is "type name"."""
    parameters = [dict(zip(("type", "name"), text.split(" "), strict=True)) for text in inputs]
    return {
        "inputs": parameters,
        "name": name,
        "outputs": [],
        "stateMutability": mutability,
        "type": "function",
    }


TRANSFER = function("transfer", "address to", "uint256 value")
DEPOSIT = function("deposit", mutability="payable")
APPROVE = function("approve", "address spender", "uint256 value")
BALANCE = function("balanceOf", "address of", mutability="view")
TOKEN_ABI = [TRANSFER, DEPOSIT, APPROVE, BALANCE]


def signed_record(
    abi: list[dict[str, Any]],
    address: str,
    *,
    proxy: str = "",
    implementations: tuple[str, ...] = (),
    feature: str = "plain",
) -> bytes:
    """Return the record of a contract with an ABI, whose hash is in the code; `proxy` is a key of SLOTS."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contracts, "ABI", [contracts.ABI[0], *abi])
        selectors = [keccak256(str(item_signature(item)).encode())[:4].hex() for item in abi]
        slot = f"507f{SLOTS[proxy]}" if proxy else ""
        code = contracts.SELECTOR + "".join(f"5063{selector}" for selector in selectors) + slot
        patch.setattr(contracts, "SELECTOR", code)
        record = made_record(feature)
    number = str(int(address[2:6], 16))
    resolution = {
        "isProxy": bool(proxy),
        "proxyType": proxy or None,
        "implementations": [{"address": item} for item in implementations],
    }
    return orjson.dumps(
        record | {"chainId": CHAIN, "address": address, "matchId": number, "proxyResolution": resolution}
    )


def record_path(address: str) -> str:
    """Return where a record is written, below the content folder."""
    return f"contracts/{CHAIN}/{address}.json"


def field(path: str, label: str, name: str = "raw", **params: Any) -> dict[str, Any]:
    """Return a field."""
    return {"path": path, "label": label, "format": name, **({"params": params} if params else {})}


SEND = {
    "intent": "Send",
    "interpolatedIntent": "Send {value} to {to}",
    "fields": [field("value", "Amount", "tokenAmount", tokenPath="@.to"), field("to", "To", "addressName")],
}
SEND_KEY = "transfer(address to,uint256 value)"


def descriptor(formats: dict[str, Any] | None = None, *addresses: str, **members: Any) -> dict[str, Any]:
    """Return a calldata descriptor bound to addresses, by default the token's `transfer`."""
    listed = [{"chainId": int(CHAIN), "address": address} for address in addresses or (TOKEN,)]
    return {
        "$schema": "../../specs/erc7730-v2.schema.json",
        "context": {"$id": "Token", "contract": {"deployments": listed}},
        "metadata": {"owner": "Plinth", "contractName": "Token"},
        "display": {"formats": {SEND_KEY: SEND} if formats is None else formats},
    } | members


def messages(formats: dict[str, Any], *addresses: str, **context: Any) -> dict[str, Any]:
    """Return an EIP-712 descriptor bound to addresses."""
    made = descriptor(formats, *addresses)
    made["context"] = {"eip712": {"deployments": made["context"]["contract"]["deployments"], **context}}
    return made


TOKEN_FILE = "registry/plinth/calldata-Token.json"


def signing_content(root: Path, files: dict[str, Any], records: dict[str, bytes] | None = None) -> Path:
    """Write a site whose descriptors are `files`, by path below clear-signing/, and return its content folder."""
    known = {TOKEN: signed_record(TOKEN_ABI, TOKEN)} if records is None else records
    written: dict[str, str | bytes | None] = dict(SIGNING_SITE)
    written |= {record_path(address): record for address, record in known.items()}
    for path, value in files.items():
        written[f"clear-signing/{path}"] = (
            value if isinstance(value, str | bytes) else json.dumps(value, indent=2)
        )
    return write_files(root / "content", written)


def build(content: Path, out: Path, now: str = NOW) -> BuildResult:
    """Build as the command does, with the stages of extensions."""
    with FolderTarget(out) as target:
        return build_site(content, target, parse_instant(now), NoProgress(), extension_options=NO_OPTIONS)


def signed_site(
    root: Path, files: dict[str, Any], records: dict[str, bytes] | None = None, **options: Any
) -> dict[str, Any]:
    """Build such a site; return what is published below clear-signing/, JSON parsed, and under "" the findings."""
    content = signing_content(root, files, records)
    return built_again(content, root / "site", **options)


def built_again(content: Path, out: Path, **options: Any) -> dict[str, Any]:
    """Build a site and return what `signed_site` does."""
    result = build(content, out, **options)
    assert result.applied, result.checked.all_findings
    files = {
        path.removeprefix("clear-signing/"): json.loads(body)
        for path, body in tree(out).items()
        if path.startswith("clear-signing/")
    }
    return files | {"": result.checked.all_findings}


def indexed(site: dict[str, Any]) -> set[str]:
    """Return the keys of both indexes."""
    return {key for name in ("index.calldata.json", "index.eip712.json") for key in site.get(name, {})}


def errors(site: dict[str, Any], rule: str = "") -> list[Any]:
    """Return the errors and warnings of clear signing, or those of one rule."""
    return [
        item
        for item in site[""]
        if item.severity != "note" and item.path.startswith("clear-signing/") and rule in ("", item.rule)
    ]
