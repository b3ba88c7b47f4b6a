"""Foundry's `broadcast` folder: the transactions that `forge script --broadcast` sent, and the contracts they created.

`broadcast/<script>/<chain>/run-<time>.json` has the transactions with their receipts; `run-latest.json` repeats the
last one, `dry-run/` was never sent, and `multi/` holds runs on several chains. The artifacts are in `out/`. Format:
`ScriptSequence` of forge 1.7, and the files that it wrote in tests/importing.
"""

from collections.abc import Iterator
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import Any, Final

from statuary.domain.json_values import Json
from statuary.domain.primitives import Address, ChainId, Hex
from statuary.importing.contracts.creation_transaction import UNCHECKED_CREATION, created_contract
from statuary.importing.contracts.found_contract import (
    Found,
    FoundContract,
    SourceContract,
    UnreadableContract,
    any_address,
    any_chain_id,
    any_deployment,
    any_hex,
    any_quantity,
    found_in,
)
from statuary.importing.foundry import read_foundry
from statuary.importing.import_error import ContractImportError
from statuary.importing.input_files import read_json_file
from statuary.importing.on_chain_contract import OnChainContract

CREATIONS: Final = ("CREATE", "CREATE2")
SUCCESS: Final = "0x1"


def read_broadcasts(project: Path) -> Found:
    """Yield the contracts that the scripts of a Foundry project deployed; the newest run comes first.

    Raises:
        ContractImportError: if the folder has no broadcasts.
    """
    files = sorted(_run_files(project / "broadcast"), key=lambda file: (file.name, str(file)), reverse=True)
    if not files:
        raise ContractImportError(
            f"{project} has no broadcast/**/run-*.json",
            "give the folder of a Foundry project with broadcasts",
        )
    artifacts = _Artifacts(project)
    for file in files:
        yield from found_in(file, file.name, _contracts(file, artifacts))


def _contracts(file: Path, artifacts: "_Artifacts") -> Found:
    run = read_json_file(file)
    for one in run.get("deployments") or [run]:
        yield from _Run(file, one, artifacts).contracts()


def _run_files(folder: Path) -> Iterator[Path]:
    for file in folder.glob("**/run-*.json"):
        if "dry-run" not in file.relative_to(folder).parts:
            yield file
    yield from folder.glob("multi/*/run.json")


class _Run:
    """One run of a script on one chain."""

    def __init__(self, file: Path, run: dict[str, Any], artifacts: "_Artifacts") -> None:
        self.file = file
        self.artifacts = artifacts
        self.transactions = run["transactions"]
        self.chain_id = any_chain_id(run.get("chain") or file.parent.name, str(file))
        self.receipts = {
            receipt["transactionHash"]: receipt for receipt in run.get("receipts") or () if receipt
        }

    def contracts(self) -> Found:
        for transaction in self.transactions:
            name = str(transaction.get("contractName") or transaction.get("contractAddress"))
            created = _created(transaction)
            receipt = self.receipts.get(transaction.get("hash"), {})
            if created and receipt.get("status", SUCCESS) != SUCCESS:
                yield UnreadableContract(name, f"its transaction {transaction['hash']} failed")
                continue
            for contract_name, address, code, is_shown in created:
                yield self._contract(contract_name, address, code, transaction, receipt, is_shown=is_shown)

    def _contract(
        self,
        name: str | None,
        address: Json,
        code: Hex | None,
        transaction: dict[str, Any],
        receipt: dict[str, Any],
        *,
        is_shown: bool,
    ) -> FoundContract:
        on_chain = OnChainContract(
            creation=code,
            runtime=None,
            deployment=any_deployment(
                transaction.get("hash"),
                receipt.get("blockNumber"),
                receipt.get("transactionIndex"),
                transaction["transaction"].get("from"),
            ),
            notes=() if is_shown else (UNCHECKED_CREATION,),
        )
        where = any_address(address, str(self.file))
        read = partial(self.artifacts.read, name, on_chain)
        return FoundContract(ChainId(self.chain_id), where, name or where, read)


def _created(transaction: dict[str, Any]) -> list[tuple[str | None, Json, Hex | None, bool]]:
    """Return name, address and creation code of what a transaction created, and whether its own fields show it."""
    created: list[tuple[str | None, Json, Hex | None, bool]] = []
    if transaction.get("transactionType") in CREATIONS:
        name, address = transaction.get("contractName"), transaction.get("contractAddress")
        code, is_shown = _creation(transaction["transaction"], address)
        created.append((name, address, code, is_shown))
    created += [
        (other.get("contractName"), other["address"], any_hex(other.get("initCode")), False)
        for other in transaction.get("additionalContracts") or ()
    ]
    return created


def _creation(sent: dict[str, Any], address: Json) -> tuple[Hex | None, bool]:
    data, sender = any_hex(sent.get("input") or sent.get("data")), any_hex(sent.get("from"))
    nonce = any_quantity(sent.get("nonce"))
    if data is None or sender is None:
        return None, False
    to = any_hex(sent.get("to"))
    shown = created_contract(Address(sender), None if nonce is None else int(nonce), to, data)
    if shown is not None and shown.address.lower() == str(address).lower():
        return shown.code, True
    return (data if to is None else None), False


class _Artifacts:
    """The artifacts in `out/`, by the name of their contract."""

    def __init__(self, project: Path) -> None:
        self.project = project

    @cached_property
    def files(self) -> dict[str, list[Path]]:
        found: dict[str, list[Path]] = {}
        for file in sorted((self.project / "out").glob("**/*.sol/*.json")):
            # of several compilers, forge writes Name.0.8.30.json too
            found.setdefault(file.name.partition(".")[0], []).append(file)
        return found

    def read(self, name: str | None, on_chain: OnChainContract) -> SourceContract:
        file = self._choose((name or "").rpartition(":")[2], on_chain.creation)
        return SourceContract(
            compilation=read_foundry(file, read_json_file(file), None, self.project), on_chain=on_chain
        )

    def _choose(self, name: str, creation: Hex | None) -> Path:
        """Return the artifact with a name, or with the code that was deployed where that does not decide."""
        candidates = self.files.get(name, []) if name else [*chain.from_iterable(self.files.values())]
        if name and len(candidates) == 1:
            return candidates[0]
        fitting = [file for file in candidates if _is_start(file, creation)]
        # of several with one name and the same code, any will do
        if not fitting or (not name and len(fitting) > 1):
            raise ContractImportError(
                f"{self.project / 'out'} has no artifact of {name or 'a contract'} with the code that was deployed",
                "check out the revision that was deployed and run `forge build`",
            )
        return fitting[0]


def _is_start(file: Path, creation: Hex | None) -> bool:
    """Return whether on-chain creation code begins with an artifact's, libraries aside."""
    bytecode = read_json_file(file).get("bytecode")
    digits = str(bytecode.get("object", "") if isinstance(bytecode, dict) else "").removeprefix("0x")
    pieces, start = digits.split("__$"), 0
    if not digits or creation is None:
        return False
    for number, piece in enumerate(pieces):
        # a placeholder is __$, 34 digits and $__, where the chain has an address
        text = piece if number == 0 else piece[37:]
        start += 0 if number == 0 else 40
        if creation[2 + start : 2 + start + len(text)] != text:
            return False
        start += len(text)
    return True
