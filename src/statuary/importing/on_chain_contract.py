"""What a chain holds of a contract: its code, and the transaction that made it."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from statuary.domain.contracts.workspace import WorkspaceDeployment
from statuary.domain.json_values import Json
from statuary.domain.primitives import Address, ChainId, Hex, InvalidValueError, parse_chain_id
from statuary.importing.ethereum_node import METHOD_NOT_FOUND, EthereumNode, RpcError
from statuary.importing.import_error import ContractImportError

EMPTY: Final = "0x"

CREATE_FRAMES: Final = ("CREATE", "CREATE2")
"""The frames of a call trace that make contracts."""

UNKNOWN_CREATION = "the creation code is not known, so the record will say nothing of it"


class OnChainContract(NamedTuple):
    """A contract as the chain holds it.

    Attributes:
        creation: the code that created it, arguments included; None if it is not known.
        runtime: the code at its address; None if it is not known.
        deployment: the transaction that created it, as far as it is known.
        notes: what could not be found out, as sentences.
    """

    creation: Hex | None
    runtime: Hex | None
    deployment: WorkspaceDeployment
    notes: tuple[str, ...] = ()


def chain_id_of(node: EthereumNode) -> ChainId:
    """Return the chain that a node is of.

    Raises:
        CannotImport: if it does not say.
    """
    try:
        return parse_chain_id(str(node.as_number(node.ask("eth_chainId"), "eth_chainId")))
    except (RpcError, InvalidValueError) as refused:
        raise ContractImportError(f"{node.host} does not tell its chain id: {refused}") from None


def read_on_chain_contract(node: EthereumNode, address: Address, transaction: Hex | None) -> OnChainContract:
    """Ask a node for a contract.

    Args:
        node: a node of the contract's chain.
        address: the contract's.
        transaction: the hash of the transaction that created it; None if it is not known.

    Raises:
        CannotImport: if there is no such contract or transaction, or the node does not answer.
    """
    try:
        runtime = node.hex("eth_getCode", address, "latest")
        if runtime == EMPTY:
            raise ContractImportError(
                f"there is no code at {address}, says {node.host}",
                "check address and chain; it may be destroyed",
            )
        known = transaction or _creating_transaction(node, address)
        if known is None:
            return OnChainContract(
                creation=None,
                runtime=runtime,
                deployment=WorkspaceDeployment(),
                notes=(f"{UNKNOWN_CREATION}; give the creating transaction with --transaction",),
            )
        return _created_by(node, address, known, runtime)
    except RpcError as refused:
        raise ContractImportError(f"{node.host} refuses: {refused}") from None


def _creating_transaction(node: EthereumNode, address: Address) -> Hex | None:
    """Ask for the creating transaction as Otterscan does, which some nodes answer (Erigon, Reth, Anvil)."""
    try:
        found = node.ask("ots_getContractCreator", address)
    except RpcError:
        return None
    return node.as_hex(found.get("hash"), "ots_getContractCreator") if isinstance(found, dict) else None


def _created_by(node: EthereumNode, address: Address, transaction: Hex, runtime: Hex) -> OnChainContract:
    told = node.ask("eth_getTransactionByHash", transaction)
    receipt = node.ask("eth_getTransactionReceipt", transaction)
    if not isinstance(told, dict) or not isinstance(receipt, dict):
        raise ContractImportError(
            f"{node.host} knows no transaction {transaction}, or it is not in a block yet"
        )
    if receipt.get("status") == "0x0":
        raise ContractImportError(f"the transaction {transaction} failed, so it created nothing")
    creation, notes = _creation_code(node, address, (transaction, told), receipt)
    return OnChainContract(
        creation=creation, runtime=runtime, deployment=_deployment(node, transaction, told), notes=notes
    )


def _deployment(node: EthereumNode, transaction: Hex, told: dict[str, Json]) -> WorkspaceDeployment:
    return WorkspaceDeployment(
        transaction_hash=transaction,
        block_number=str(node.as_number(told.get("blockNumber"), "the block's number")),
        transaction_index=str(node.as_number(told.get("transactionIndex"), "the transaction's place")),
        deployer=node.as_address(told.get("from"), "the transaction's sender"),
    )


def _creation_code(
    node: EthereumNode, address: Address, transaction: tuple[Hex, dict[str, Json]], receipt: dict[str, Json]
) -> tuple[Hex | None, tuple[str, ...]]:
    """Return the code that created a contract: the transaction's input, or what a factory gave to the EVM."""
    name, told = transaction
    if str(receipt.get("contractAddress")).lower() == address.lower():
        return node.as_hex(told.get("input"), "the transaction's input"), ()
    try:
        trace = node.ask("debug_traceTransaction", name, {"tracer": "callTracer"})
    except RpcError as refused:
        why = "does not trace" if refused.code == METHOD_NOT_FOUND else f"does not trace it: {refused}"
        return None, (f"a contract created {address}, and {node.host} {why}: {UNKNOWN_CREATION}",)
    inputs = [
        frame.get("input") for frame in _creations(trace) if str(frame.get("to")).lower() == address.lower()
    ]
    if not inputs:
        raise ContractImportError(
            f"the transaction {name} did not create {address}", "give the one that did, or none"
        )
    return node.as_hex(inputs[-1], "the trace"), ()


def _creations(trace: Json) -> Iterator[dict[str, Json]]:
    """Yield the frames of a call trace that made contracts, in order; what was undone is left out."""
    waiting = [trace]
    while waiting:
        frame = waiting.pop()
        if not isinstance(frame, dict) or frame.get("error"):
            continue
        if frame.get("type") in CREATE_FRAMES:
            yield frame
        calls = frame.get("calls")
        waiting.extend(reversed(calls) if isinstance(calls, list) else ())
