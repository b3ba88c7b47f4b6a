"""Prepare a contract for the content folder, from its compilation and its code on the chain."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from statuary.compilers.compiler import Compiler
from statuary.domain.catalogue import Catalogue, ContractForm, ContractSource
from statuary.domain.contracts.bytecode.proxy_detection import ProxyVerdict, proxy_evidence
from statuary.domain.contracts.workspace import Workspace
from statuary.domain.json_values import Json
from statuary.domain.primitives import Address, ChainId, Instant
from statuary.importing.complete_compilation import complete_compilation, recompile
from statuary.importing.ethereum_node import EthereumNode
from statuary.importing.existing_contracts import (
    ExistingContract,
    check_match_id_is_free,
    contract_name,
    find_existing_contract,
    find_source,
    next_match_id,
)
from statuary.importing.import_error import ContractImportError
from statuary.importing.imported_compilation import ImportedCompilation
from statuary.importing.on_chain_contract import OnChainContract
from statuary.importing.resolve_proxy import NameOf, resolve_proxy
from statuary.importing.verify_contract import VerificationResult, verify_contract
from statuary.importing.workspace_files import contract_files


class ImportOptions(NamedTuple):
    """Which contract to add, and how."""

    chain_id: ChainId
    address: Address
    form: ContractForm
    match_id: str | None  # None for the existing contract's, or else the next free one
    verified_at: Instant | None  # None for the existing contract's, or else `now`
    now: Instant
    replace: bool
    compilers: Sequence[Compiler] = ()  # compile again with these; empty to use the output of the tool chain

    @property
    def path(self) -> str:
        """The file that makes the contract, as a path in the content folder."""
        path = f"contracts/{self.chain_id}/{self.address}"
        return f"{path}.json" if self.form is ContractForm.RECORD else f"{path}/contract.yaml"


class PreparedContract(NamedTuple):
    """A contract that is ready to be written."""

    verification: VerificationResult  # the record, and what is wrong with it
    files: dict[str, bytes]  # by path in the content folder; empty if the record has errors
    replaced: ContractSource | None
    notes: tuple[str, ...]  # what is unknown and why, as sentences


def prepare_contract(
    root: Path,
    catalogue: Catalogue,
    options: ImportOptions,
    compilation: ImportedCompilation,
    on_chain: OnChainContract,
    *,
    node: EthereumNode | None = None,
) -> PreparedContract:
    """Derive and verify a contract; return the files to write.

    Args:
        node: the node for the implementation of a proxy.

    Raises:
        ContractImportError: if the contract exists already, something is missing, or a compiler or node fails.
    """
    existing = _find_replaceable(root, catalogue, options)
    return derive_contract(
        options._replace(
            match_id=_match_id(root, catalogue, options, existing),
            verified_at=options.verified_at or (existing and existing.verified_at),
        ),
        recompile(compilation, options.compilers) if options.compilers else compilation,
        on_chain,
        replaced=existing and existing.source,
        proxy_resolution=_proxy_resolution(root, catalogue, options, on_chain, node)
        or _existing_resolution(existing, on_chain),
    )


def derive_contract(
    options: ImportOptions,
    compilation: ImportedCompilation,
    on_chain: OnChainContract,
    *,
    replaced: ContractSource | None = None,
    proxy_resolution: Json | None = None,
) -> PreparedContract:
    """Derive and verify a contract whose place in the site is known.

    Args:
        replaced: the existing contract.
        proxy_resolution: the members that the chain gives, if it is a proxy.

    Raises:
        ContractImportError: if something is missing that every record needs.
    """
    compiled = complete_compilation(compilation)
    verification = verify_contract(workspace_of(options, compiled, on_chain, proxy_resolution), options.path)
    record = verification.record if verification.is_valid else None
    return PreparedContract(
        verification=verification,
        files={} if record is None else contract_files(verification.workspace, record, options.form),
        replaced=replaced,
        notes=(*compiled.notes, *on_chain.notes, *verification.notes),
    )


def workspace_of(
    options: ImportOptions,
    compilation: ImportedCompilation,
    on_chain: OnChainContract,
    proxy_resolution: Json | None = None,
) -> Workspace:
    """Return the workspace of a contract whose match id is known."""
    return Workspace(
        chain_id=options.chain_id,
        address=options.address,
        compiler=compilation.compiler,
        compiler_version=compilation.version,
        fully_qualified_name=compilation.fully_qualified_name,
        std_json_input=compilation.std_json_input,
        std_json_output=compilation.std_json_output,
        onchain_creation=on_chain.creation,
        onchain_runtime=on_chain.runtime,
        deployment=on_chain.deployment,
        verified_at=options.verified_at or options.now,
        match_id=options.match_id or "",
        proxy_resolution=proxy_resolution,
    )


def _find_replaceable(root: Path, catalogue: Catalogue, options: ImportOptions) -> ExistingContract | None:
    existing = find_existing_contract(root, catalogue, options.chain_id, options.address)
    if existing is not None and not options.replace:
        raise ContractImportError(f"{existing.source.path} already exists", "replace it with --force")
    return existing


def _match_id(
    root: Path, catalogue: Catalogue, options: ImportOptions, existing: ExistingContract | None
) -> str:
    if options.match_id is not None:
        check_match_id_is_free(root, catalogue, options.match_id, existing and existing.source)
        return options.match_id
    return (existing and existing.match_id) or next_match_id(root, catalogue)


def _existing_resolution(existing: ExistingContract | None, on_chain: OnChainContract) -> Json | None:
    code = on_chain.creation or on_chain.runtime
    if existing is None or code is None:
        return None
    needs_chain = proxy_evidence(bytes.fromhex(code[2:])).verdict is ProxyVerdict.NEEDS_CHAIN
    return existing.proxy_resolution if needs_chain else None


def _proxy_resolution(
    root: Path,
    catalogue: Catalogue,
    options: ImportOptions,
    on_chain: OnChainContract,
    node: EthereumNode | None,
) -> Json | None:
    if node is None:
        return None

    def name_of(address: Address) -> str | None:
        return contract_name(root, find_source(catalogue, options.chain_id, address))

    return resolve_known_proxy(node, options.address, on_chain, name_of)


def resolve_known_proxy(
    node: EthereumNode, address: Address, on_chain: OnChainContract, name_of: NameOf
) -> Json | None:
    """Return what the chain shows of a contract whose code is known, if it is a proxy; else None."""
    code = on_chain.creation or on_chain.runtime
    return None if code is None else resolve_proxy(node, address, bytes.fromhex(code[2:]), name_of)
