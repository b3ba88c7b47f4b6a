"""A workspace: what only a contract's owner knows; its record is derived from it."""

from typing import Final, NamedTuple

from statuary.domain.findings import Pointer
from statuary.domain.json_values import Json
from statuary.domain.primitives import Address, ChainId, Hex, Instant, InvalidValueError


class DerivationError(InvalidValueError):
    """No record can be derived from a workspace."""

    def __init__(self, message: str, hint: str = "", pointer: Pointer = ()) -> None:
        super().__init__(message, hint)
        self.pointer = pointer  # its first key is `STD_JSON_INPUT`, `STD_JSON_OUTPUT` or the name of a field


STD_JSON_INPUT: Final = "std_json_input"
STD_JSON_OUTPUT: Final = "std_json_output"


class WorkspaceDeployment(NamedTuple):
    """The transaction that created a contract; numbers are decimal text, unknown members None."""

    transaction_hash: Hex | None = None
    block_number: str | None = None  # "-1" for a contract of the genesis block
    transaction_index: str | None = None
    deployer: Address | None = None  # the sender of the transaction, even if a factory created the contract


class Workspace(NamedTuple):
    """What a contract's owner knows."""

    chain_id: ChainId
    address: Address
    compiler: str  # `solc` or `vyper`
    compiler_version: str  # such as `0.8.30+commit.73712a01`; a leading `v` is dropped
    fully_qualified_name: str  # `path:Name`
    std_json_input: Json
    std_json_output: Json  # with `evm.legacyAssembly`, auxdata numbers are certain
    # the input of the creating transaction or trace, with arguments; None if unknown
    onchain_creation: Hex | None
    onchain_runtime: Hex | None  # the code at the address; None if unknown
    deployment: WorkspaceDeployment
    verified_at: Instant  # served in whole seconds
    match_id: str  # decimal text, unique in the site
    # `isProxy`, `proxyType` and `implementations` if the code does not decide them; None if unknown
    proxy_resolution: Json | None = None
