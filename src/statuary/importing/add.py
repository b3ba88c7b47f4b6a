"""Adding a contract to a site: what was compiled and what the chain holds, to what is written."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from statuary.domain.catalogue import Catalogue, ContractForm, ContractSource
from statuary.domain.contracts.proxies import Verdict, proxy_evidence
from statuary.domain.contracts.workspace import Workspace
from statuary.domain.json_values import Json
from statuary.domain.primitives import Address, ChainId, Instant
from statuary.importing.cannot_import import CannotImport
from statuary.importing.compilation import Compilation
from statuary.importing.completed import compiled_again, completed
from statuary.importing.judged import Judged, judge
from statuary.importing.node import Node
from statuary.importing.on_chain import OnChain
from statuary.importing.proxy_on_chain import resolution_on_chain
from statuary.importing.site_contracts import (
    Standing,
    free_match_id,
    record_of,
    refuse_taken_match_id,
    source_at,
    standing_contract,
)
from statuary.importing.workspace_files import contract_files
from statuary.pipeline.compilers import Compiler


class Wanted(NamedTuple):
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


class Addition(NamedTuple):
    """What adding a contract comes to.

    Attributes:
        judged: its record and what is wrong with it.
        files: what is to be written, by path in the content folder; none if the record does not hold.
        replaced: the contract that is there already.
        notes: what could not be found out, as sentences.
    """

    judged: Judged
    files: dict[str, bytes]
    replaced: ContractSource | None
    notes: tuple[str, ...]


def addition(
    root: Path,
    catalogue: Catalogue,
    wanted: Wanted,
    compilation: Compilation,
    on_chain: OnChain,
    *,
    node: Node | None = None,
) -> Addition:
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
    standing = _standing(root, catalogue, wanted)
    again = compiled_again(compilation, wanted.compilers) if wanted.compilers else compilation
    whole = completed(again)
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
        verified_at=wanted.verified_at or (standing and standing.verified_at) or wanted.now,
        match_id=_match_id(root, catalogue, wanted, standing),
        proxy_resolution=_proxy(root, catalogue, wanted, on_chain, node) or _told_before(standing, on_chain),
    )
    judged = judge(workspace, source_path(wanted))
    files = (
        contract_files(judged.workspace, judged.record, wanted.form) if judged.record and judged.holds else {}
    )
    return Addition(
        judged=judged,
        files=files,
        replaced=standing and standing.source,
        notes=(*whole.notes, *on_chain.notes, *judged.notes),
    )


def source_path(wanted: Wanted) -> str:
    """Return the file that makes the contract, by path in the content folder."""
    place = f"contracts/{wanted.chain_id}/{wanted.address}"
    return f"{place}.json" if wanted.form is ContractForm.RECORD else f"{place}/contract.yaml"


def _standing(root: Path, catalogue: Catalogue, wanted: Wanted) -> Standing | None:
    standing = standing_contract(root, catalogue, wanted.chain_id, wanted.address)
    if standing is not None and not wanted.replace:
        raise CannotImport(f"{standing.source.path} is there already", "replace it with --force")
    return standing


def _match_id(root: Path, catalogue: Catalogue, wanted: Wanted, standing: Standing | None) -> str:
    if wanted.match_id is not None:
        refuse_taken_match_id(root, catalogue, wanted.match_id, standing and standing.source)
        return wanted.match_id
    return (standing and standing.match_id) or free_match_id(root, catalogue)


def _told_before(standing: Standing | None, on_chain: OnChain) -> Json | None:
    """Return what the contract that is replaced says the chain answered, if the code leaves the question open."""
    code = on_chain.creation or on_chain.runtime
    if standing is None or code is None:
        return None
    is_open = proxy_evidence(bytes.fromhex(code[2:])).verdict is Verdict.NEEDS_CHAIN
    return standing.proxy_resolution if is_open else None


def _proxy(
    root: Path, catalogue: Catalogue, wanted: Wanted, on_chain: OnChain, node: Node | None
) -> Json | None:
    code = on_chain.creation or on_chain.runtime
    if node is None or code is None:
        return None

    def name_of(address: Address) -> str | None:
        source = source_at(catalogue, wanted.chain_id, address)
        record = None if source is None else record_of(root, source)
        return None if record is None else str(record["compilation"]["name"])

    return resolution_on_chain(node, wanted.address, bytes.fromhex(code[2:]), name_of)
