"""Adding a contract to a site: what was compiled and what the chain holds, to what is written."""

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
    find_existing_contract,
    find_source,
    next_match_id,
    read_existing_record,
)
from statuary.importing.import_error import ContractImportError
from statuary.importing.imported_compilation import ImportedCompilation
from statuary.importing.on_chain_contract import OnChainContract
from statuary.importing.resolve_proxy import resolve_proxy
from statuary.importing.verify_contract import VerificationResult, verify_contract
from statuary.importing.workspace_files import contract_files


class ImportOptions(NamedTuple):
    """What is to be added, and how.

    Attributes:
        chain_id: the contract's chain.
        address: the contract's address.
        form: a workspace, or a whole record.
        match_id: its number; None for the next that is free, or the one that it has already.
        verified_at: when it was verified; None for `now`, or when it was already.
        now: the instant that it is.
        replace: whether a contract that is there already is replaced.
        compilers: to compile with again; none to take what tool chains wrote.
    """

    chain_id: ChainId
    address: Address
    form: ContractForm
    match_id: str | None
    verified_at: Instant | None
    now: Instant
    replace: bool
    compilers: Sequence[Compiler] = ()


class PreparedContract(NamedTuple):
    """What adding a contract comes to.

    Attributes:
        judged: its record and what is wrong with it.
        files: what is to be written, by path in the content folder; none if the record does not hold.
        replaced: the contract that is there already.
        notes: what could not be found out, as sentences.
    """

    verification: VerificationResult
    files: dict[str, bytes]
    replaced: ContractSource | None
    notes: tuple[str, ...]


def prepare_contract(
    root: Path,
    catalogue: Catalogue,
    wanted: ImportOptions,
    compilation: ImportedCompilation,
    on_chain: OnChainContract,
    *,
    node: EthereumNode | None = None,
) -> PreparedContract:
    """Derive and prove a contract, and return what there is to write; nothing is written.

    Args:
        root: the content folder.
        catalogue: the site.
        wanted: what is to be added.
        compilation: what it was compiled from and to.
        on_chain: what the chain holds of it.
        node: a node to ask about proxies; None if there is none.

    Raises:
        CannotImport: if it is there already, if it cannot be completed, or a compiler or node fails.
    """
    existing = _standing(root, catalogue, wanted)
    again = recompile(compilation, wanted.compilers) if wanted.compilers else compilation
    whole = complete_compilation(again)
    workspace = Workspace(
        chain_id=wanted.chain_id,
        address=wanted.address,
        compiler=whole.compiler,
        compiler_version=whole.version,
        fully_qualified_name=whole.fully_qualified_name,
        std_json_input=whole.std_json_input,
        std_json_output=whole.std_json_output,
        onchain_creation=on_chain.creation,
        onchain_runtime=on_chain.runtime,
        deployment=on_chain.deployment,
        verified_at=wanted.verified_at or (existing and existing.verified_at) or wanted.now,
        match_id=_match_id(root, catalogue, wanted, existing),
        proxy_resolution=_proxy(root, catalogue, wanted, on_chain, node) or _told_before(existing, on_chain),
    )
    verification = verify_contract(workspace, contract_path(wanted))
    files = (
        contract_files(verification.workspace, verification.record, wanted.form)
        if verification.record and verification.holds
        else {}
    )
    return PreparedContract(
        verification=verification,
        files=files,
        replaced=existing and existing.source,
        notes=(*whole.notes, *on_chain.notes, *verification.notes),
    )


def contract_path(wanted: ImportOptions) -> str:
    """Return the file that makes the contract, by path in the content folder."""
    place = f"contracts/{wanted.chain_id}/{wanted.address}"
    return f"{place}.json" if wanted.form is ContractForm.RECORD else f"{place}/contract.yaml"


def _standing(root: Path, catalogue: Catalogue, wanted: ImportOptions) -> ExistingContract | None:
    existing = find_existing_contract(root, catalogue, wanted.chain_id, wanted.address)
    if existing is not None and not wanted.replace:
        raise ContractImportError(f"{existing.source.path} is there already", "replace it with --force")
    return existing


def _match_id(
    root: Path, catalogue: Catalogue, wanted: ImportOptions, existing: ExistingContract | None
) -> str:
    if wanted.match_id is not None:
        check_match_id_is_free(root, catalogue, wanted.match_id, existing and existing.source)
        return wanted.match_id
    return (existing and existing.match_id) or next_match_id(root, catalogue)


def _told_before(existing: ExistingContract | None, on_chain: OnChainContract) -> Json | None:
    """Return what the contract that is replaced says the chain answered, if the code leaves the question open."""
    code = on_chain.creation or on_chain.runtime
    if existing is None or code is None:
        return None
    is_open = proxy_evidence(bytes.fromhex(code[2:])).verdict is ProxyVerdict.NEEDS_CHAIN
    return existing.proxy_resolution if is_open else None


def _proxy(
    root: Path,
    catalogue: Catalogue,
    wanted: ImportOptions,
    on_chain: OnChainContract,
    node: EthereumNode | None,
) -> Json | None:
    code = on_chain.creation or on_chain.runtime
    if node is None or code is None:
        return None

    def name_of(address: Address) -> str | None:
        source = find_source(catalogue, wanted.chain_id, address)
        record = None if source is None else read_existing_record(root, source)
        return None if record is None else str(record["compilation"]["name"])

    return resolve_proxy(node, wanted.address, bytes.fromhex(code[2:]), name_of)
