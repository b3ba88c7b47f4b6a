"""A workspace: what only a contract's owner knows; its record is derived from it."""

from typing import Final, NamedTuple

from statuary.domain.findings import Pointer
from statuary.domain.json_values import Json
from statuary.domain.primitives import Address, ChainId, Hex, Instant, InvalidValueError


class DerivationError(InvalidValueError):
    """No record can be derived from a workspace.

    Attributes:
        pointer: its first key is `STD_JSON_INPUT`, `STD_JSON_OUTPUT` or the name of a field.
    """

    def __init__(self, message: str, hint: str = "", pointer: Pointer = ()) -> None:
        super().__init__(message, hint)
        self.pointer = pointer


STD_JSON_INPUT: Final = "std_json_input"
STD_JSON_OUTPUT: Final = "std_json_output"


class WorkspaceDeployment(NamedTuple):
    """The transaction that created a contract; numbers are decimal text, unknown members None.

    Attributes:
        block_number: "-1" for a contract of the genesis block.
        deployer: the sender of the transaction, even if a factory created the contract.
    """

    transaction_hash: Hex | None = None
    block_number: str | None = None
    transaction_index: str | None = None
    deployer: Address | None = None


class Workspace(NamedTuple):
    """What a contract's owner knows.

    Attributes:
        compiler: `solc` or `vyper`.
        compiler_version: such as `0.8.30+commit.73712a01`; a leading `v` is dropped.
        fully_qualified_name: `path:Name`.
        std_json_output: with `evm.legacyAssembly`, auxdata numbers are certain.
        onchain_creation: the input of the creating transaction or trace, with arguments; None if unknown.
        onchain_runtime: the code at the address; None if unknown.
        verified_at: served in whole seconds.
        match_id: decimal text, unique in the site.
        proxy_resolution: `isProxy`, `proxyType` and `implementations` if the code does not decide them; None
            if unknown.
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
