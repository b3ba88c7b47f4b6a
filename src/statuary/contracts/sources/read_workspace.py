"""Read a workspace: `contract.yaml` and the files beside it."""

import os
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Annotated, Any, TypeVar

import orjson
from pydantic import AfterValidator, WithJsonSchema

from statuary.base.findings import Finding
from statuary.base.json_values import Json
from statuary.base.limits import LARGEST_RECORD
from statuary.base.primitives import (
    Address,
    ChainId,
    Hex,
    InvalidValueError,
    parse_address,
    parse_chain_id,
    parse_lowercase_hex,
)
from statuary.contracts.model.derivation import (
    STD_JSON_INPUT,
    STD_JSON_OUTPUT,
    DerivationError,
    Workspace,
    WorkspaceDeployment,
    derive_record,
)
from statuary.contracts.sources.contract_source import ContractSource
from statuary.contracts.sources.parse_record import ParsedContract
from statuary.source.load_model import load_model
from statuary.source.parse_json import parse_json, parse_json_bytes
from statuary.source.source_files import SourceFile, decode_utf8
from statuary.source.source_model import AddressText, Flag, HexText, InstantText, SourceModel, Text
from statuary.source.unreadable import UnreadableError


def _validate_decimal(text: str) -> str:
    if text == "-1" or (text.isascii() and text.isdigit()):
        return text
    raise InvalidValueError(f"{text!r} is not a decimal number", "write digits")


def _validate_file_name(text: str) -> str:
    path = PurePosixPath(text)
    if path.is_absolute() or ".." in path.parts or "\\" in text:
        raise InvalidValueError(
            f"{text!r} is outside the workspace", "name a file in the folder of contract.yaml"
        )
    return text


DecimalText = Annotated[
    Text,
    AfterValidator(_validate_decimal),
    WithJsonSchema({"anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^(-1|[0-9]+)$"}]}),
]
"""A decimal number, which is served as text; quotes are optional."""

FileText = Annotated[Text, AfterValidator(_validate_file_name)]
"""The name of a file beside `contract.yaml`."""


class CompilerSource(SourceModel):
    """The compiler that made the bytecode."""

    name: Text
    """The name of the compiler: `solc` or `vyper`. For Yul, write `solc`."""
    version: Text
    """The full version of the compiler, such as 0.8.30+commit.73712a01."""


class DeploymentSource(SourceModel):
    """The transaction that created the contract. Leave out keys that you don't know."""

    transaction_hash: HexText | None = None
    """The hash of the transaction, in hex."""
    block_number: DecimalText | None = None
    """The number of the block that contains the transaction. Write -1 for a contract of the genesis block."""
    transaction_index: DecimalText | None = None
    """The index of the transaction in its block, from 0."""
    deployer: AddressText | None = None
    """The address that signed the transaction, even if a factory contract created the contract."""


class ImplementationSource(SourceModel):
    """A contract that a proxy calls."""

    address: AddressText
    """The address of the implementation."""
    name: Text | None = None
    """The name of the implementation, if it is verified on this chain."""


class ProxySource(SourceModel):
    """The contract that a proxy calls (its implementation), if the address of this contract is in the proxy's storage."""

    is_proxy: Flag
    """Whether the contract is a proxy."""
    type: Text | None = None
    """The kind of the proxy, such as EIP1967Proxy."""
    implementations: tuple[ImplementationSource, ...] = ()
    """The contracts that the proxy called when you verified it."""

    def to_proxy_resolution(self) -> Json:
        """Convert the proxy in `contract.yaml` to a record's `proxyResolution`."""
        implementations = [
            {"address": implementation.address}
            if implementation.name is None
            else {"address": implementation.address, "name": implementation.name}
            for implementation in self.implementations
        ]
        return {"isProxy": self.is_proxy, "proxyType": self.type, "implementations": implementations}


class WorkspaceSource(SourceModel):
    """The content of a workspace's `contract.yaml`: what only the owner knows."""

    compiler: CompilerSource
    """The compiler that made the bytecode."""
    contract: Text
    """The path of the contract's source, a colon, and the contract's name."""
    verified_at: InstantText
    """The time at which the contract was verified."""
    match_id: DecimalText
    """A number for the contract, which no other contract of your site has. Lists in the API are ordered by
    it."""
    deployment: DeploymentSource = DeploymentSource.model_construct()
    """The transaction that created the contract."""
    proxy: ProxySource | None = None
    """The contract that a proxy calls (its implementation), if the address of this contract is in the proxy's
    storage."""
    input: FileText = "input.json"
    """The file with the compiler's standard JSON input."""
    output: FileText = "output.json"
    """The file with the compiler's standard JSON output."""
    creation: FileText | None = None
    """The file with the contract's creation code from the chain, in hex: the input of the creating
    transaction. Default: `creation.hex`, if this file exists."""
    runtime: FileText | None = None
    """The file with the contract's code on the chain (the runtime code), in hex. Default: `runtime.hex`, if
    this file exists."""

    def to_workspace(self, chain_id: ChainId, address: Address, files: "WorkspaceFiles") -> Workspace:
        """Combine the settings in `contract.yaml` with the files that they name.

        The result has everything from which a contract's record is derived: compiler, code and deployment.

        Args:
            files: the contents of the files.
        """
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
            proxy_resolution=None if self.proxy is None else self.proxy.to_proxy_resolution(),
        )


Value = TypeVar("Value")


class WorkspaceFiles(SourceModel):
    """The content of the files beside `contract.yaml`."""

    std_json_input: Any
    std_json_output: Any
    onchain_creation: Hex | None
    onchain_runtime: Hex | None


def read_workspace(file: SourceFile, source: ContractSource) -> ParsedContract:
    """Derive a contract's record from `contract.yaml` and the files beside it.

    These are the compiler's input and output, and the on-chain code. Such a folder is called a workspace.

    Args:
        file: the file `contract.yaml`.
        source: the location of the contract in the content folder.

    Returns:
        The record, or the findings if it cannot be derived.
    """
    findings: list[Finding] = []
    settings = load_model(file, WorkspaceSource, LARGEST_RECORD, findings)
    identity = _parse_path_identity(source, findings)
    if settings is None or identity is None:
        return ParsedContract(None, findings=findings)
    chain_id, address = identity
    folder = _WorkspaceFolder(file, findings)
    files = folder.read_files(settings)
    if findings:
        return ParsedContract(None, findings=findings)
    try:
        return ParsedContract(derive_record(settings.to_workspace(chain_id, address, files)))
    except DerivationError as error:
        return ParsedContract(None, findings=[_derivation_finding(error, folder, settings, source.path)])


def _parse_path_identity(source: ContractSource, findings: list[Finding]) -> tuple[ChainId, Address] | None:
    try:
        return parse_chain_id(source.chain_id), parse_address(source.address)
    except InvalidValueError as error:
        findings.append(
            Finding(rule="path-mismatch", path=source.path, message=f"the folder's {error}", hint=error.hint)
        )
        return None


class _WorkspaceFolder:
    """The folder of a workspace."""

    def __init__(self, file: SourceFile, findings: list[Finding]) -> None:
        self.root = file.root
        self.folder = PurePosixPath(file.path).parent
        self.findings = findings

    def file_path(self, name: str) -> str:
        return str(self.folder / name)

    def read_files(self, settings: WorkspaceSource) -> WorkspaceFiles:
        return WorkspaceFiles.model_construct(
            std_json_input=self._read_file(settings.input, _parse_json_bytes),
            std_json_output=self._read_file(settings.output, _parse_json_bytes),
            onchain_creation=self._read_code_file(settings.creation, "creation.hex"),
            onchain_runtime=self._read_code_file(settings.runtime, "runtime.hex"),
        )

    def _read_code_file(self, file_name: str | None, default_name: str) -> Hex | None:
        if file_name is None and not os.path.lexists(self.root / self.file_path(default_name)):
            return None
        return self._read_file(file_name or default_name, _parse_hex_bytes)

    def _read_file(self, file_name: str, parse: Callable[[bytes], Value]) -> Value | None:
        path = self.file_path(file_name)
        try:
            return parse(SourceFile(self.root, path).load_bytes(LARGEST_RECORD))
        except UnreadableError as error:
            self.findings.append(self._missing_file_error(error, file_name).to_finding(path))
        except InvalidValueError as error:
            self.findings.append(UnreadableError(str(error), error.hint).to_finding(path))
        return None

    def _missing_file_error(self, error: UnreadableError, file_name: str) -> UnreadableError:
        if os.path.lexists(self.root / self.file_path(file_name)):
            return error
        return UnreadableError(
            f"the workspace has no file {file_name!r}", "add the file, or name another one in contract.yaml"
        )


def _parse_json_bytes(raw: bytes) -> Json:
    try:
        return parse_json_bytes(raw)
    except orjson.JSONDecodeError:
        return parse_json(decode_utf8(raw))


def _parse_hex_bytes(raw: bytes) -> Hex:
    return parse_lowercase_hex(decode_utf8(raw).strip())


def _derivation_finding(
    error: DerivationError, folder: _WorkspaceFolder, settings: WorkspaceSource, path: str
) -> Finding:
    files = {STD_JSON_INPUT: settings.input, STD_JSON_OUTPUT: settings.output}
    pointer = error.pointer
    named_file = files.get(str(pointer[0])) if pointer else None
    return Finding(
        rule="underivable-record",
        path=path if named_file is None else folder.file_path(named_file),
        pointer=() if named_file is None else pointer[1:],
        message=str(error),
        hint=error.hint,
    )
