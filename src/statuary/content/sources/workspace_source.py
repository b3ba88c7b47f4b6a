"""`contract.yaml`: what only a contract's owner knows; the rest is derived from the files beside it."""

from pathlib import PurePosixPath
from typing import Annotated, Any

from pydantic import AfterValidator, WithJsonSchema

from statuary.content.source_model import AddressText, Flag, HexText, InstantText, SourceModel, Text
from statuary.domain.contracts.workspace import Workspace, WorkspaceDeployment
from statuary.domain.json_values import Json
from statuary.domain.primitives import Address, ChainId, Hex, InvalidValueError


def _decimal(text: str) -> str:
    if text == "-1" or (text.isascii() and text.isdigit()):
        return text
    raise InvalidValueError(f"{text!r} is not a decimal number", "write digits")


def _file_beside(text: str) -> str:
    path = PurePosixPath(text)
    if path.is_absolute() or ".." in path.parts or "\\" in text:
        raise InvalidValueError(f"{text!r} is outside the workspace", "name a file beside contract.yaml")
    return text


DecimalText = Annotated[
    Text,
    AfterValidator(_decimal),
    WithJsonSchema({"anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^(-1|[0-9]+)$"}]}),
]
"""A decimal number, which is served as text; quotes are optional."""

FileText = Annotated[Text, AfterValidator(_file_beside)]
"""The name of a file beside `contract.yaml`."""


class CompilerSource(SourceModel):
    """The compiler that made the bytecode."""

    name: Text
    """`solc` or `vyper` (Yul is compiled by solc)."""
    version: Text
    """The full version, such as 0.8.30+commit.73712a01."""


class DeploymentSource(SourceModel):
    """The transaction that created the contract; omit what is unknown."""

    transaction_hash: HexText | None = None
    """Its hash, 32 bytes."""
    block_number: DecimalText | None = None
    """The number of its block; -1 for a contract of the genesis block."""
    transaction_index: DecimalText | None = None
    """Its index in that block, from 0."""
    deployer: AddressText | None = None
    """The sender (not a factory that it called)."""


class ImplementationSource(SourceModel):
    """A contract that a proxy calls."""

    address: AddressText
    """Where it is."""
    name: Text | None = None
    """Its name, if it is verified on this chain."""


class ProxySource(SourceModel):
    """The implementation of a proxy on the chain, where the contract's code alone does not decide it."""

    is_proxy: Flag
    """Whether it is a proxy."""
    type: Text | None = None
    """Its kind, such as EIP1967Proxy."""
    implementations: tuple[ImplementationSource, ...] = ()
    """The implementation that it called at that time."""

    def resolution(self) -> Json:
        """Return the members of a record's `proxyResolution`."""
        implementations = [
            {"address": one.address} if one.name is None else {"address": one.address, "name": one.name}
            for one in self.implementations
        ]
        return {"isProxy": self.is_proxy, "proxyType": self.type, "implementations": implementations}


class WorkspaceSource(SourceModel):
    """A contract as its owner has it: what cannot be derived, and the files beside it."""

    compiler: CompilerSource
    """The compiler."""
    contract: Text
    """The fully qualified name, such as contracts/Bridge.sol:Bridge."""
    verified_at: InstantText
    """When it was verified."""
    match_id: DecimalText
    """The record's number, unique in the site; lists are in its order."""
    deployment: DeploymentSource = DeploymentSource.model_construct()
    """The creating transaction."""
    proxy: ProxySource | None = None
    """What the chain returns for it, if it is a proxy that reads a storage slot."""
    input: FileText = "input.json"
    """The compiler's standard JSON input."""
    output: FileText = "output.json"
    """The compiler's standard JSON output for it."""
    creation: FileText | None = None
    """The on-chain creation code as hex: input of the creating transaction. `creation.hex` is taken if it exists."""
    runtime: FileText | None = None
    """The on-chain runtime code as hex. `runtime.hex` is taken if it exists."""

    def workspace(self, chain_id: ChainId, address: Address, files: "WorkspaceFiles") -> Workspace:
        """Return the workspace that the record is derived from."""
        return Workspace(
            chain_id=chain_id,
            address=address,
            compiler=self.compiler.name,
            compiler_version=self.compiler.version,
            fully_qualified_name=self.contract,
            std_json_input=files.std_json_input,
            std_json_output=files.std_json_output,
            onchain_creation=files.onchain_creation,
            onchain_runtime=files.onchain_runtime,
            deployment=WorkspaceDeployment(
                transaction_hash=self.deployment.transaction_hash,
                block_number=self.deployment.block_number,
                transaction_index=self.deployment.transaction_index,
                deployer=self.deployment.deployer,
            ),
            verified_at=self.verified_at,
            match_id=self.match_id,
            proxy_resolution=None if self.proxy is None else self.proxy.resolution(),
        )


class WorkspaceFiles(SourceModel):
    """The content of the files beside `contract.yaml`."""

    std_json_input: Any
    std_json_output: Any
    onchain_creation: Hex | None
    onchain_runtime: Hex | None
