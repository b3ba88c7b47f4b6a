"""Read a contract's code and creating transaction from a node."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from statuary.base.json_values import Json
from statuary.base.primitives import Address, ChainId, Hex, InvalidValueError, parse_chain_id
from statuary.contracts.chain.transaction import compute_create_address
from statuary.contracts.model.derivation import WorkspaceDeployment
from statuary.extensions.importing.evidence.ethereum_node import METHOD_NOT_FOUND, EthereumNode, RpcError
from statuary.extensions.importing.report import NotImportableError

NO_CODE: Final = "0x"

CREATE_FRAMES: Final = ("CREATE", "CREATE2")
"""The frames of a call trace that create contracts."""

NO_CREATION_CODE = "the record has no creation code"


class NotCreatedError(NotImportableError):
    """Raised if a transaction did not create the contract."""


class OnChainContract(NamedTuple):
    """A contract's code on the chain, and the transaction that created it."""

    creation: Hex | None  # the creation code with the constructor arguments; None if unknown
    runtime: Hex | None  # the code at the address; None if unknown
    deployment: WorkspaceDeployment  # the transaction that created the contract; empty if unknown
    notes: tuple[str, ...] = ()  # sentences that say what is unknown, and why


class _CreationEvidence(NamedTuple):
    """A transaction's evidence about a contract's creation."""

    code: Hex | None = None  # the creation code; None if unknown
    is_shown: bool = True  # whether the transaction is shown to have created the contract
    note: str = ""  # a sentence that says what is not shown, and why; empty if nothing is missing


def read_chain_id(node: EthereumNode) -> ChainId:
    """Ask a node for the id of its chain.

    Raises:
        NotImportableError: if the node does not respond, or not with a chain id.
    """
    try:
        return parse_chain_id(str(node.parse_quantity(node.call("eth_chainId"), "eth_chainId")))
    except (RpcError, InvalidValueError) as error:
        raise NotImportableError(f"{node.host} does not return its chain id: {error}") from None


def read_on_chain_contract(
    node: EthereumNode, address: Address, transaction_hash: Hex | None
) -> OnChainContract:
    """Ask a node for a contract's code and its creating transaction.

    If the transaction is neither given nor found, the result has only the contract's present (runtime) code.

    Args:
        node: the node to ask.
        address: the address of the contract.
        transaction_hash: the hash of the transaction that created the contract; None if unknown.

    Raises:
        NotCreatedError: if the given transaction did not create the contract.
        NotImportableError: if the contract or transaction does not exist, or the node does not respond.
    """
    try:
        runtime = node.call_hex("eth_getCode", address, "latest")
        if runtime == NO_CODE:
            raise NotImportableError(
                f"{address} has no code, according to {node.host}",
                _restarted_chain_hint(node)
                or "check the address and the chain; the contract may have been destroyed",
            )
        creating = transaction_hash or _find_creating_transaction(node, address)
        if creating is None:
            note = f"{NO_CREATION_CODE}: give the creating transaction with --transaction"
            return OnChainContract(None, runtime, WorkspaceDeployment(), (note,))
        return _read_created_contract(node, address, creating, runtime)
    except RpcError as error:
        raise NotImportableError(f"{node.host} responds with an error: {error}") from None


LOCAL_NODES: Final = ("anvil", "HardhatNetwork", "EthereumJS TestRPC")
"""The prefixes of `web3_clientVersion` for nodes that start a new chain each time."""


def _restarted_chain_hint(node: EthereumNode) -> str:
    """Return a hint that a local node may have restarted its chain.

    Returns:
        The hint; empty if the node is not a local one.
    """
    try:
        version = str(node.call("web3_clientVersion"))
    except (RpcError, NotImportableError):
        return ""
    if not version.startswith(LOCAL_NODES):
        return ""
    return (
        f"the node is {version.partition('/')[0]}, whose chain begins anew at each start: if this was deployed"
        " in an earlier run, deploy it again, or start the node with the state of that run"
    )


def _find_creating_transaction(node: EthereumNode, address: Address) -> Hex | None:
    """Find a contract's creating transaction by Otterscan's JSON-RPC method.

    Erigon, Reth and Anvil have this method.

    Returns:
        The transaction's hash, or None if the node does not have the method or the transaction.
    """
    try:
        creator = node.call("ots_getContractCreator", address)
    except RpcError:
        return None
    return (
        node.parse_lowercase_hex(creator.get("hash"), "ots_getContractCreator")
        if isinstance(creator, dict)
        else None
    )


def _read_created_contract(
    node: EthereumNode, address: Address, transaction_hash: Hex, runtime_code: Hex
) -> OnChainContract:
    transaction = node.call("eth_getTransactionByHash", transaction_hash)
    receipt = node.call("eth_getTransactionReceipt", transaction_hash)
    if not isinstance(transaction, dict) or not isinstance(receipt, dict):
        raise NotImportableError(
            f"{node.host} has no transaction {transaction_hash} in a block", _restarted_chain_hint(node)
        )
    if receipt.get("status") == "0x0":
        raise NotImportableError(f"transaction {transaction_hash} failed, so it created no contract")
    deployment = _read_deployment_details(node, transaction_hash, transaction)
    creation = _find_creation_evidence(node, address, deployment, transaction, receipt)
    return OnChainContract(
        creation=creation.code,
        runtime=runtime_code,
        deployment=deployment if creation.is_shown else WorkspaceDeployment(),
        notes=(creation.note,) if creation.note else (),
    )


def _read_deployment_details(
    node: EthereumNode, transaction_hash: Hex, transaction: dict[str, Json]
) -> WorkspaceDeployment:
    return WorkspaceDeployment(
        transaction_hash=transaction_hash,
        block_number=str(node.parse_quantity(transaction.get("blockNumber"), "the block number")),
        transaction_index=str(node.parse_quantity(transaction.get("transactionIndex"), "the index")),
        deployer=node.parse_address(transaction.get("from"), "the sender"),
    )


def _find_creation_evidence(
    node: EthereumNode,
    address: Address,
    deployment: WorkspaceDeployment,
    transaction: dict[str, Json],
    receipt: dict[str, Json],
) -> _CreationEvidence:
    """Find out whether a transaction created a contract.

    The receipt, the sender's nonce or a trace of the transaction shows it.

    Raises:
        NotCreatedError: if the trace shows that it did not.
    """
    is_in_receipt = str(receipt.get("contractAddress")).lower() == address.lower()
    if not transaction.get("to") and (
        is_in_receipt or _address_from_nonce(node, deployment, transaction) == address
    ):
        return _CreationEvidence(
            node.parse_lowercase_hex(transaction.get("input"), "the transaction's input")
        )
    try:
        trace = node.call("debug_traceTransaction", deployment.transaction_hash, {"tracer": "callTracer"})
    except RpcError as error:
        reason = "does not trace" if error.code == METHOD_NOT_FOUND else f"does not trace it: {error}"
        if is_in_receipt:
            return _CreationEvidence(note=f"{NO_CREATION_CODE}: {node.host} {reason}")
        return _CreationEvidence(
            is_shown=False,
            note=f"the record has no deployment: nothing shows that transaction {deployment.transaction_hash} "
            f"created {address}, and {node.host} {reason}",
        )
    inputs = [
        frame.get("input")
        for frame in _successful_create_frames(trace)
        if str(frame.get("to")).lower() == address.lower()
    ]
    if not inputs:
        raise NotCreatedError(
            f"transaction {deployment.transaction_hash} did not create {address}",
            "name the creating transaction, or leave out --transaction",
        )
    return _CreationEvidence(node.parse_lowercase_hex(inputs[-1], "the trace"))


def _address_from_nonce(
    node: EthereumNode, deployment: WorkspaceDeployment, transaction: dict[str, Json]
) -> Address | None:
    if transaction.get("nonce") is None or deployment.deployer is None:
        return None
    return compute_create_address(deployment.deployer, node.parse_quantity(transaction["nonce"], "the nonce"))


def _successful_create_frames(call_trace: Json) -> Iterator[dict[str, Json]]:
    pending_frames = [call_trace]
    while pending_frames:
        frame = pending_frames.pop()
        if not isinstance(frame, dict) or frame.get("error"):
            continue
        if frame.get("type") in CREATE_FRAMES:
            yield frame
        calls = frame.get("calls")
        pending_frames.extend(reversed(calls) if isinstance(calls, list) else ())
