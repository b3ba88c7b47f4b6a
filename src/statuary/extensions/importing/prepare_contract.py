"""Derive and verify a contract before it is written."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from statuary.base.findings import Finding, Severity, has_errors
from statuary.base.json_values import Json
from statuary.base.limits import LARGEST_RECORD
from statuary.base.primitives import Address, ChainId, Hex, Instant, InvalidValueError, parse_instant
from statuary.contracts.checks.prove import CONTRACT_CHECKS, IDENTITY_CHECKS, prove, runtime_mismatch_findings
from statuary.contracts.model.auxdata import parse_immutable_references
from statuary.contracts.model.derivation import (
    CompiledMembers,
    Workspace,
    derive_record,
    workspace_record_members,
)
from statuary.contracts.model.proxy_detection import ProxyVerdict, find_proxy_evidence
from statuary.contracts.model.record import RecordValue
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.contract_source import ContractForm, ContractSource
from statuary.contracts.sources.read_contract import read_contract
from statuary.contracts.sources.read_workspace import WorkspaceSource
from statuary.extensions.compilers.cache import CompilationCache, CompilerRun, cache_folder
from statuary.extensions.compilers.compiler import Compiler
from statuary.extensions.importing.compilations import Compilations, await_compiler_output
from statuary.extensions.importing.evidence.ethereum_node import EthereumNode
from statuary.extensions.importing.evidence.on_chain_contract import OnChainContract
from statuary.extensions.importing.evidence.proxy_resolution import NameOf, resolve_proxy
from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.toolchains.compilation import (
    ImportedCompilation,
    add_metadata_documentation,
)
from statuary.extensions.importing.workspace_files import make_contract_files, trim_compiler_output
from statuary.site.site_content import SiteContent
from statuary.source.load_model import load_model
from statuary.source.source_files import SourceFile
from statuary.system.files import read_start

CALL_PROTECTION = range(1, 21)
"""The bytes of a library's runtime code that contain its own address."""


class VerificationResult(NamedTuple):
    """A contract's record, and the errors and warnings of its checks."""

    workspace: (
        Workspace  # the inputs of the record, without unused compiler output if a record can be derived
    )
    record: RecordValue | None  # None if none can be derived
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()  # sentences that describe how creation or runtime code differs

    @property
    def is_valid(self) -> bool:
        """Whether the contract's record could be derived, and has no errors."""
        return self.record is not None and not has_errors(self.findings)


def verify_contract(workspace: Workspace, record_path: str) -> VerificationResult:
    """Derive a contract's record from the compiler output, and check it.

    The record is the JSON that describes the verified contract.

    Args:
        workspace: the inputs: sources, compiler output and on-chain code.
        record_path: the file that the record will be written to, for error messages.
    """
    try:
        trimmed = trim_compiler_output(workspace)
        record = derive_record(trimmed)
    except InvalidValueError as error:
        message = "; ".join([str(error), *_describe_differences_if_readable(workspace)])
        finding = Finding(rule="underivable-record", path=record_path, message=message, hint=error.hint)
        return VerificationResult(workspace, None, (finding,))
    proof = prove(record, (*IDENTITY_CHECKS, *CONTRACT_CHECKS))
    return VerificationResult(
        workspace=trimmed,
        record=record,
        findings=tuple(
            finding.with_path(record_path)
            for finding in (*proof.findings, *runtime_mismatch_findings(record, proof, Severity.ERROR))
        ),
        notes=tuple(
            text for side, text in describe_bytecode_differences(trimmed) if record[f"{side}Match"] is None
        ),
    )


def _describe_differences_if_readable(workspace: Workspace) -> list[str]:
    try:
        return [text for _, text in describe_bytecode_differences(workspace)]
    except InvalidValueError:
        return []


def describe_bytecode_differences(workspace: Workspace) -> Iterator[tuple[str, str]]:
    """Describe how the compiled bytecode differs from the code on the chain.

    Some differences are expected and ignored: addresses of libraries, immutables, and compiler metadata.

    Args:
        workspace: the compiler output and on-chain code of the contract.

    Yields:
        `creation` or `runtime`, and a sentence about this bytecode. Nothing is yielded for bytecode that is
        unknown on the chain.

    Raises:
        InvalidValueError: if the compiler output cannot be read.
    """
    compiled = workspace_record_members(workspace)
    for side, code, onchain in (
        ("creation", compiled.contract.creation.code, workspace.onchain_creation),
        ("runtime", compiled.contract.runtime.code, workspace.onchain_runtime),
    ):
        if onchain:
            yield side, _describe_code_difference(side, code, onchain, _ignored_byte_offsets(compiled, side))


def _describe_code_difference(
    code_kind: str, compiled_code: bytes, onchain_hex: Hex, ignored_offsets: set[int]
) -> str:
    onchain = bytes.fromhex(onchain_hex[2:])
    sizes = f"the {code_kind} bytecode has {len(onchain):,} bytes on the chain and {len(compiled_code):,} bytes compiled"
    pairs = enumerate(zip(onchain, compiled_code, strict=False))
    differing = (
        offset for offset, (byte, other_byte) in pairs if byte != other_byte and offset not in ignored_offsets
    )
    first_offset = next(differing, None)
    if first_offset is None and len(onchain) == len(compiled_code):
        return f"{sizes}; they differ only where libraries, immutables or metadata are"
    if first_offset is None:
        return f"{sizes}; the shorter one is the start of the longer one"
    return f"{sizes}; the first difference is at byte {first_offset:,}"


def _ignored_byte_offsets(compiled: CompiledMembers, code_kind: str) -> set[int]:
    code = compiled.contract.creation if code_kind == "creation" else compiled.contract.runtime
    auxdata = compiled.auxdata.creation if code_kind == "creation" else compiled.auxdata.runtime
    spans = [range(library.start, library.start + library.length) for library in code.libraries]
    spans += [range(piece.offset, piece.offset + len(piece.value)) for piece in auxdata.values()]
    if code_kind == "runtime":
        immutables = parse_immutable_references(code.artifact.get("immutableReferences"))
        spans += [range(value.start, value.start + value.length) for value in immutables]
        spans.append(CALL_PROTECTION)
    return set().union(*spans)


_FIRST_MEMBER = re.compile(rb'\s*\{\s*"matchId"\s*:\s*"([0-9]{1,30})"')
"""The first member of a record in served order, so that the rest is not read."""


class ExistingContract(NamedTuple):
    """The contract that the site already has at an address.

    Members that cannot be read from the content are None.
    """

    source: ContractSource
    match_id: str | None
    verified_at: Instant | None
    proxy_resolution: Json | None  # only if the record says that it is a proxy

    def complete_import_options(self, import_options: "ImportOptions") -> "ImportOptions":
        """Fill in a missing match id or date from the replaced contract.

        The match id is the number of a verified contract in Sourcify's API.
        """
        return import_options._replace(
            match_id=import_options.match_id or self.match_id,
            verified_at=import_options.verified_at or self.verified_at,
        )


def find_existing_contract(
    root: Path, site: SiteContent, chain_id: ChainId, address: Address
) -> ExistingContract | None:
    """Find the contract that the site already has at an address.

    Args:
        root: the content folder.
        site: the content of the site.
        chain_id: the chain of the contract.
        address: the address, in any letter case.

    Returns:
        The contract, or None if the site has no contract at the address.
    """
    source = find_contract_source(site, chain_id, address)
    if source is None:
        return None
    record = read_existing_record(root, source) or {}
    try:
        verified_at = parse_instant(str(record.get("verifiedAt")))
    except InvalidValueError:
        verified_at = None
    resolution = record.get("proxyResolution")
    is_proxy = isinstance(resolution, dict) and resolution.get("isProxy")
    return ExistingContract(source, record.get("matchId"), verified_at, resolution if is_proxy else None)


def find_contract_source(site: SiteContent, chain_id: ChainId, address: Address) -> ContractSource | None:
    """Find the file of a contract in the content folder.

    Returns:
        The path, and whether the file contains a record or the inputs from which builds derive one. None if the
        site has no contract at the address.
    """
    key = (chain_id, address.lower())
    return next(
        (
            source
            for source in site.content_of(SiteContracts).sources
            if (source.chain_id, source.address.lower()) == key
        ),
        None,
    )


def read_contract_name(root: Path, source: ContractSource | None) -> str | None:
    """Read the name of a contract in the content folder.

    Args:
        root: the content folder.
        source: the location of the contract in the content folder, or None.

    Returns:
        The name. None if `source` is None, or if the record cannot be read.
    """
    record = None if source is None else read_existing_record(root, source)
    return None if record is None else str(record["compilation"]["name"])


def read_existing_record(root: Path, source: ContractSource) -> RecordValue | None:
    """Read the record of a contract in the content folder.

    Args:
        root: the content folder.
        source: the location of the contract in the content folder.

    Returns:
        The record, or None if it cannot be read.
    """
    return read_contract(root, source).record


def find_free_match_id(root: Path, site: SiteContent) -> str:
    """Return a new match id: one more than the site's largest.

    A match id is the number of a verified contract in Sourcify's API.

    Raises:
        NotImportableError: if the site has bulk files (many contracts in one file), which would take too long
            to search.
    """
    if site.content_of(SiteContracts).bulk:
        raise NotImportableError(
            f"the match ids in {site.content_of(SiteContracts).bulk[0].path} cannot be searched for a free one",
            "give a free match id with --match-id",
        )
    return compute_next_match_id(
        read_match_id(root, source) for source in site.content_of(SiteContracts).sources
    )


def compute_next_match_id(match_ids: Iterable[str | None]) -> str:
    """Return the largest match id plus one, such as `8` after `7`.

    A match id is the number of a verified contract in Sourcify's API.

    Args:
        match_ids: the match ids of the site; None and strings that are not numbers are ignored.
    """
    numbers = (int(text) for text in match_ids if text and text.isascii() and text.isdigit())
    return str(1 + max(numbers, default=0))


def check_match_id_is_free(
    root: Path, site: SiteContent, match_id: str, replaced_source: ContractSource | None
) -> None:
    """Raise an error if another contract already has this match id.

    A match id is the number of a verified contract in Sourcify's API. Bulk files, which contain many contracts
    each, are not searched.

    Args:
        root: the content folder.
        site: the content of the site.
        match_id: the match id, a number as text.
        replaced_source: the contract that the import replaces, which may have this match id; or None.

    Raises:
        NotImportableError: if another contract uses the match id.
    """
    for source in site.content_of(SiteContracts).sources:
        if source != replaced_source and read_match_id(root, source) == match_id:
            raise NotImportableError(
                f"{source.path} already has match id {match_id}",
                "choose another match id, or leave out --match-id",
            )


def read_match_id(root: Path, source: ContractSource) -> str | None:
    """Read the match id of a contract in the content folder.

    A match id is the number of a verified contract in Sourcify's API.

    Args:
        root: the content folder.
        source: the location of the contract in the content folder.

    Returns:
        The match id, or None if it cannot be read.
    """
    if source.form is ContractForm.WORKSPACE:
        settings = load_model(SourceFile(root, source.path), WorkspaceSource, LARGEST_RECORD, [])
        return None if settings is None else settings.match_id
    if source.form is ContractForm.RECORD and (
        start := _FIRST_MEMBER.match(_read_file_start(root / source.path))
    ):
        return start[1].decode()
    record = read_existing_record(root, source)
    return None if record is None else record.get("matchId")


def _read_file_start(file: Path) -> bytes:
    try:
        return read_start(file, 100)
    except OSError:
        return b""


class ImportOptions(NamedTuple):
    """A contract to add: its chain and address, and values from options."""

    chain_id: ChainId
    address: Address
    form: ContractForm
    match_id: str | None  # None to use the existing contract's id, or else the next free one
    verified_at: Instant | None  # None to use the existing contract's date, or else `now`
    now: Instant
    replace: bool
    compilers: Sequence[Compiler] = ()
    """The compilers to recompile with; empty to use the output from the tool chain."""

    @property
    def path(self) -> str:
        """The path of the contract's main file, such as `contracts/1/0x….json`."""
        path = f"contracts/{self.chain_id}/{self.address}"
        return f"{path}.json" if self.form is ContractForm.RECORD else f"{path}/contract.yaml"


class PreparedContract(NamedTuple):
    """A verified contract, and the files to write for it."""

    verification: VerificationResult  # the record, and its findings
    files: dict[str, bytes]  # contents by path in the content folder; empty if the record has errors
    replaced: ContractSource | None
    notes: tuple[str, ...]  # sentences that say what is unknown, and why
    run: CompilerRun | None = None  # the compiler's output; None if the tool chain's output was used

    @property
    def record(self) -> RecordValue | None:
        """The contract's record (its published JSON), or None if it has errors."""
        return self.verification.record if self.verification.is_valid else None


def prepare_contract(
    root: Path,
    site: SiteContent,
    options: ImportOptions,
    compilation: ImportedCompilation,
    on_chain: OnChainContract,
    *,
    node: EthereumNode | None = None,
    announce: Callable[[str], None] = lambda _: None,
) -> PreparedContract:
    """Verify a contract that is to be added, and make its files.

    Args:
        root: the content folder.
        site: the content of the site.
        options: the chain, the address, and values from the command line.
        compilation: the sources, settings and compiler output.
        on_chain: the code and deployment on the chain.
        node: the node to ask for the implementations, if the contract is a proxy; or None.
        announce: called with a line of text before each compilation, such as to print the line.

    Raises:
        NotImportableError: if the contract already exists, an input is missing, or a compiler or node fails.
    """
    existing = find_existing_contract(root, site, options.chain_id, options.address)
    if existing is not None and not options.replace:
        raise NotImportableError(f"{existing.source.path} already exists", "replace it with --force")
    replaced = None if existing is None else existing.source
    if options.match_id is not None:
        check_match_id_is_free(root, site, options.match_id, replaced)
    if existing is not None:
        options = existing.complete_import_options(options)
    if options.match_id is None:
        options = options._replace(match_id=find_free_match_id(root, site))
    run = None
    if options.compilers:
        with Compilations(
            options.compilers, CompilationCache(cache_folder()), workers=1, announce=announce
        ) as compilations:
            future = compilations.start_compiling(compilation)
            compilation = await_compiler_output(compilation, future)
            run = future.result()
    prepared = verify_and_make_files(
        options,
        compilation,
        on_chain,
        replaced=replaced,
        proxy_resolution=_find_proxy_resolution(root, site, options, on_chain, node)
        or _reuse_proxy_resolution(existing, on_chain),
    )
    return prepared._replace(run=run)


def verify_and_make_files(
    options: ImportOptions,
    compilation: ImportedCompilation,
    on_chain: OnChainContract,
    *,
    replaced: ContractSource | None = None,
    proxy_resolution: Json | None = None,
) -> PreparedContract:
    """Verify a contract whose match id is known, and make its files.

    Args:
        options: the chain, the address, the match id and the values from options.
        compilation: the sources, settings and compiler output.
        on_chain: the code and deployment on the chain.
        replaced: the existing contract that the new one replaces, or None.
        proxy_resolution: the implementations of a proxy, as the record's member `proxyResolution`; or None.

    Raises:
        NotImportableError: if an input is missing that every record needs.
    """
    compiled = add_metadata_documentation(compilation)
    verification = verify_contract(
        make_workspace(options, compiled, on_chain, proxy_resolution), options.path
    )
    notes = (*compiled.notes, *on_chain.notes, *verification.notes)
    prepared = PreparedContract(verification, {}, replaced, notes)
    if prepared.record is None:
        return prepared
    if "proxyResolutionError" in (prepared.record["proxyResolution"] or {}):
        notes += (
            "its code looks like a proxy's, but no node named its implementation: add it with --rpc URL",
        )
    return prepared._replace(
        files=make_contract_files(verification.workspace, prepared.record, options.form),
        notes=notes,
    )


def make_workspace(
    options: ImportOptions,
    compilation: ImportedCompilation,
    on_chain: OnChainContract,
    proxy_resolution: Json | None = None,
) -> Workspace:
    """Collect the inputs from which a contract's record is derived.

    Args:
        options: the chain, address, match id and date of the contract.
        compilation: the compiler's input and output.
        on_chain: the contract's code and creation on the chain.
        proxy_resolution: the type and implementations, if the contract is a proxy.
    """
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


def _reuse_proxy_resolution(existing: ExistingContract | None, on_chain: OnChainContract) -> Json | None:
    code = on_chain.creation or on_chain.runtime
    if existing is None or code is None:
        return None
    needs_chain = find_proxy_evidence(bytes.fromhex(code[2:])).verdict is ProxyVerdict.NEEDS_CHAIN
    return existing.proxy_resolution if needs_chain else None


def _find_proxy_resolution(
    root: Path,
    site: SiteContent,
    options: ImportOptions,
    on_chain: OnChainContract,
    node: EthereumNode | None,
) -> Json | None:
    if node is None:
        return None

    def find_contract_name(address: Address) -> str | None:
        return read_contract_name(root, find_contract_source(site, options.chain_id, address))

    return resolve_known_proxy(node, options.address, on_chain, find_contract_name)


def resolve_known_proxy(
    node: EthereumNode, address: Address, on_chain: OnChainContract, find_contract_name: NameOf
) -> Json | None:
    """Ask a node for a proxy's implementations, given the proxy's code.

    A proxy is a contract that forwards calls to other contracts, its implementations.

    Args:
        node: the node to ask.
        address: the address of the contract.
        on_chain: the contract's code on the chain; the code may be missing.
        find_contract_name: a function that returns the name of the verified contract at an address, or None.

    Returns:
        The member `proxyResolution` of the record. None if the code is unknown, if the code alone shows
        whether the contract is a proxy, or if the node responds with an error.
    """
    code = on_chain.creation or on_chain.runtime
    return None if code is None else resolve_proxy(node, address, bytes.fromhex(code[2:]), find_contract_name)
