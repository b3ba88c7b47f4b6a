"""Hardhat Ignition's `ignition/deployments/<id>` folders: a journal, artifacts and build-infos.

`journal.jsonl` has a line for each step: a deployment begins (DEPLOYMENT_EXECUTION_STATE_INITIALIZE), is sent
(NETWORK_INTERACTION_REQUEST, TRANSACTION_SEND), confirmed and completed. `artifacts/<future>.json` is Hardhat's, of
version 2 or 3; version 3 leaves the compiler's output in the project's own `artifacts`. Format: the journal of
ignition-core 3.1, and the files that it wrote in tests/importing.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import orjson

from statuary.domain.primitives import Address, Hex
from statuary.importing.contracts.creation_transaction import (
    UNCHECKED_CREATION,
    CreatedContract,
    created_contract,
)
from statuary.importing.contracts.found_contract import (
    Found,
    FoundContract,
    SourceContract,
    UnreadableContract,
    any_address,
    any_chain_id,
    any_deployment,
    any_hex,
    found_in,
)
from statuary.importing.hardhat import read_hardhat
from statuary.importing.import_error import ContractImportError
from statuary.importing.input_files import read_json_file, read_source_bytes
from statuary.importing.on_chain_contract import OnChainContract

JOURNAL: Final = "journal.jsonl"
BEGINS: Final = "DEPLOYMENT_EXECUTION_STATE_INITIALIZE"
WIPED: Final = "WIPE_APPLY"

CREATEX_CALLS: Final = ("0x26307668", "0x9c36a286")
"""The selectors of `deployCreate2(bytes32,bytes)` and `deployCreate3(bytes32,bytes)` of https://createx.rocks ."""


def read_ignition(folder: Path) -> Found:
    """Yield the contracts of every deployment of a project.

    Args:
        folder: the project, its `ignition` or `ignition/deployments` folder, or the folder of one deployment.

    Raises:
        ContractImportError: if there is no journal.
    """
    patterns = (JOURNAL, f"*/{JOURNAL}", f"deployments/*/{JOURNAL}", f"ignition/deployments/*/{JOURNAL}")
    journals = sorted({file for pattern in patterns for file in folder.glob(pattern)})
    if not journals:
        raise ContractImportError(
            f"{folder} has no ignition/deployments/*/{JOURNAL}", "give the folder of a project with Ignition"
        )
    for journal in journals:
        yield from found_in(journal, journal.parent.name, _contracts(journal))


def _contracts(journal: Path) -> Found:
    chain_id, futures = None, dict[str, dict[str, dict[str, Any]]]()
    broken: list[UnreadableContract] = []
    for message in _messages(journal, broken):
        kind, future = message["type"], message.get("futureId")
        if kind == "DEPLOYMENT_INITIALIZE":
            chain_id = any_chain_id(message["chainId"], str(journal))
        elif kind == WIPED:
            futures.pop(str(future), None)
        elif future is not None:
            # later interactions of a deployment that was sent again replace earlier ones
            futures.setdefault(future, {})[kind] = message
    yield from broken
    if chain_id is None:
        raise ContractImportError(f"{journal} names no chain", "run the deployment again")
    for future, steps in futures.items():
        if BEGINS not in steps:
            continue
        result = steps.get("DEPLOYMENT_EXECUTION_STATE_COMPLETE", {}).get("result") or {}
        if result.get("type") != "SUCCESS":
            yield UnreadableContract(future, "its deployment did not succeed")
            continue
        address = any_address(result["address"], str(journal))
        yield FoundContract(chain_id, address, future, partial(_read, journal.parent, steps, address))


def _messages(journal: Path, broken: list[UnreadableContract]) -> Iterator[dict[str, Any]]:
    """Yield the messages of a journal up to a broken line: the last one of a killed deployment may be broken."""
    for number, line in enumerate(read_source_bytes(journal).splitlines(), 1):
        try:
            message = orjson.loads(line or b"{}")
            kind = message.get("type")
        except (orjson.JSONDecodeError, AttributeError):
            kind = None
        if isinstance(kind, str):
            yield message
        elif line:
            where = f"{journal}:{number}"
            broken.append(
                UnreadableContract(
                    journal.parent.name,
                    f"{where} is not a message of Ignition's journal; the rest is not read",
                )
            )
            return


def _read(folder: Path, steps: dict[str, dict[str, Any]], address: Address) -> SourceContract:
    begins = steps[BEGINS]
    file = folder / "artifacts" / f"{begins['artifactId']}.json"
    return SourceContract(
        compilation=read_hardhat(file, read_json_file(file), None), on_chain=_on_chain(steps, address)
    )


def _on_chain(steps: dict[str, dict[str, Any]], address: Address) -> OnChainContract:
    confirmed, sender = steps.get("TRANSACTION_CONFIRM", {}), any_hex(steps[BEGINS].get("from"))
    receipt = confirmed.get("receipt") or {}
    sent = steps.get("NETWORK_INTERACTION_REQUEST", {}).get("networkInteraction") or {}
    nonce, data = steps.get("TRANSACTION_SEND", {}).get("nonce"), any_hex(sent.get("data"))
    created = _created(sender, nonce, any_hex(sent.get("to")), data) if sender and data else None
    is_shown = created is not None and created.address == address
    return OnChainContract(
        creation=None if created is None else created.code,
        runtime=None,
        deployment=any_deployment(confirmed.get("hash"), receipt.get("blockNumber"), None, sender),
        notes=() if is_shown else (UNCHECKED_CREATION,),
    )


def _created(sender: Hex, nonce: object, to: Hex | None, data: Hex) -> CreatedContract | None:
    """Return what a transaction creates; through CreateX, only the code is certain."""
    shown = created_contract(Address(sender), nonce if isinstance(nonce, int) else None, to, data)
    code = data if to is None else _createx_code(data)
    return shown or (None if code is None else CreatedContract(Address(""), code))


def _createx_code(data: Hex) -> Hex | None:
    """Return the creation code in a call of CreateX: after the selector come salt, offset and length."""
    digits, words = data[10:], 64
    if data[:10] not in CREATEX_CALLS or len(digits) < 3 * words:
        return None
    length = int(digits[2 * words : 3 * words], 16)
    return any_hex(digits[3 * words : 3 * words + 2 * length])
