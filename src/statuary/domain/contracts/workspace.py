"""What only a contract's owner knows about it; the rest of its record is derived from this."""

from typing import Final, NamedTuple

from statuary.domain.findings import Pointer
from statuary.domain.json_values import Json
from statuary.domain.primitives import Address, ChainId, Hex, Instant, InvalidValueError


class DerivationError(InvalidValueError):
    """A workspace that no record follows from.

    Attributes:
        pointer: where in the workspace, its first key one of `STD_JSON_INPUT`, `STD_JSON_OUTPUT` or a field's name.
    """

    def __init__(self, message: str, hint: str = "", pointer: Pointer = ()) -> None:
        super().__init__(message, hint)
        self.pointer = pointer


STD_JSON_INPUT: Final = "std_json_input"
STD_JSON_OUTPUT: Final = "std_json_output"


class WorkspaceDeployment(NamedTuple):
    """The transaction that created a contract; what is not known is None.

    Attributes:
        transaction_hash: 32 bytes of hex.
        block_number: decimal text ("-1" for a contract of the genesis block).
        transaction_index: decimal text, the place in the block.
        deployer: the sender of the transaction, which need not be the contract that created this one.
    """

    transaction_hash: Hex | None = None
    block_number: str | None = None
    transaction_index: str | None = None
    deployer: Address | None = None


class Workspace(NamedTuple):
    """A contract as its owner has it.

    Attributes:
        chain_id: the chain that it is on.
        address: where.
        compiler: `solc` or `vyper`, as `compilation.compiler` names it.
        compiler_version: as the compiler says it, `0.8.30+commit.73712a01`; a leading `v` is dropped.
        fully_qualified_name: the source's path, a colon, and the contract's name.
        std_json_input: the compiler's standard JSON input.
        std_json_output: the compiler's output for it; `evm.legacyAssembly` in it makes the numbers of several
            auxdata certain.
        onchain_creation: input of the creating transaction (or trace), arguments included; None if unknown.
        onchain_runtime: the code at the address; None if unknown.
        deployment: the creating transaction.
        verified_at: when it was verified; served in whole seconds.
        match_id: the record's number, decimal text, unique in the site.
        proxy_resolution: the members `isProxy`, `proxyType` and `implementations` as the chain answered them,
            for a contract whose code alone does not decide; None if that is not known.
    """

    chain_id: ChainId
    address: Address
    compiler: str
    compiler_version: str
    fully_qualified_name: str
    std_json_input: Json
    std_json_output: Json
    onchain_creation: Hex | None
    onchain_runtime: Hex | None
    deployment: WorkspaceDeployment
    verified_at: Instant
    match_id: str
    proxy_resolution: Json | None = None
