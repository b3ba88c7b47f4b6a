"""Import contracts one by one: read, verify and write each.

Contracts in the content are skipped, so a second import continues one that stopped.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from statuary.base.errors import StatuaryError
from statuary.base.findings import Finding, Severity, has_errors
from statuary.base.json_values import Json
from statuary.base.limits import LARGEST_RECORD, MAX_QUOTED
from statuary.base.primitives import Address, ChainId, Hex, Instant
from statuary.contracts.checks.prove import CONTRACT_CHECKS, IDENTITY_CHECKS, prove
from statuary.contracts.model.proof import CompilationEvidence
from statuary.contracts.model.record import RecordValue
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.contract_source import ContractForm, ContractSource
from statuary.contracts.sources.parse_record import parse_record_json
from statuary.contracts.sources.read_contract import read_contract
from statuary.extensions.compilers.compiler import Compiler
from statuary.extensions.importing.compilations import Compilations, await_compiler_output
from statuary.extensions.importing.evidence.compile_contract import compare_compiler_run, write_evidence
from statuary.extensions.importing.evidence.ethereum_node import EthereumNode
from statuary.extensions.importing.evidence.on_chain_contract import (
    NotCreatedError,
    OnChainContract,
    read_on_chain_contract,
)
from statuary.extensions.importing.prepare_contract import (
    ImportOptions,
    PreparedContract,
    compute_next_match_id,
    make_workspace,
    read_contract_name,
    read_match_id,
    resolve_known_proxy,
    verify_and_make_files,
)
from statuary.extensions.importing.report import (
    AddressResult,
    ImportReport,
    NotImportableError,
    SkippedRecord,
)
from statuary.extensions.importing.toolchains.compilation import (
    ImportedCompilation,
    add_metadata_documentation,
    make_compilation_from_record,
    make_no_compiler_error,
)
from statuary.extensions.importing.toolchains.listed_contract import (
    ListedContract,
    ListedContracts,
    SourceContract,
    UnreadableContract,
)
from statuary.extensions.importing.workspace_files import (
    MISSING,
    add_chain,
    make_incomplete_contract_files,
    write_contract,
)
from statuary.site.document import encode_unchecked
from statuary.site.site_content import SiteContent
from statuary.source.edit_files import content_lock
from statuary.source.source_files import SourceFile
from statuary.source.unreadable import UnreadableError
from statuary.system.network.client import UnreachableError

if TYPE_CHECKING:
    from concurrent.futures import Future

    from statuary.extensions.compilers.cache import CompilerRun


def parse_imported_record(record_json: bytes, chain_id: ChainId, address: Address, path: str) -> RecordValue:
    """Parse a contract's record that a server returned, and check it.

    The record is the JSON that describes a verified contract.

    Raises:
        NotImportableError: if the JSON is not the record of this contract, or the record breaks a rule.
    """
    try:
        parsed = parse_record_json(record_json, path)
    except UnreadableError as error:
        raise NotImportableError(f"the server's response is not a record: {error}", error.hint) from None
    record, findings = parsed.record, parsed.findings
    if record is not None:
        if (str(record["chainId"]), str(record["address"]).lower()) != (chain_id, address.lower()):
            record_location = f"{record['address']} on chain {record['chainId']}"
            raise NotImportableError(f"the server responds with the record of {record_location[:MAX_QUOTED]}")
        findings = prove(record, (*IDENTITY_CHECKS, *CONTRACT_CHECKS)).findings
    if record is None or has_errors(findings):
        broken = find_first_error(findings)
        raise NotImportableError(f"the record breaks the rule {broken.rule}: {broken.message}", broken.hint)
    return record


def _bytecode_mismatch_error(prepared: PreparedContract, source: SourceContract) -> NotImportableError:
    error = find_first_error(prepared.verification.findings)
    return NotImportableError(f"the bytecode does not match: {error.message}", source.revision or error.hint)


def find_first_error(findings: Iterable[Finding]) -> Finding:
    """Return the first error in a list of errors and warnings.

    Raises:
        StopIteration: if no finding is an error.
    """
    return next(finding for finding in findings if finding.severity is Severity.ERROR)


MAX_CHAINS_SHOWN: Final = 12


MAX_SILENCE: Final = 3
"""Contracts in a row for which the server does not respond, before the import stops."""

NO_CODE: Final = "its code on the chain: import again with --rpc URL"


class ContractImportSettings(NamedTuple):
    """The options for importing contracts."""

    form: ContractForm  # write a workspace or a record; a record from a server is always written as a record
    now: Instant
    compilers: Sequence[Compiler] = ()  # the compilers to recompile with, if one has the right version
    nodes: Mapping[ChainId, EthereumNode] = {}  # nodes by chain id, for chains that have one
    dry_run: bool = False
    add_chains: bool = False  # add chains that are missing in site.yaml


def _read_contract_and_creation(
    node: EthereumNode, address: Address, stated_transaction: Hex | None, other_transactions: Sequence[Hex]
) -> OnChainContract:
    """Ask a node for a contract and the transaction that created it.

    The transaction that the imported project states is tried first, then the others in order.

    Raises:
        NotImportableError: if there is no such contract, the node does not respond, or a transaction is stated
            but none of them created the contract.
    """
    for candidate in filter(None, (stated_transaction, *other_transactions)):
        with suppress(NotCreatedError):
            return read_on_chain_contract(node, address, candidate)
    if stated_transaction is None:
        return read_on_chain_contract(node, address, None)
    raise NotImportableError(
        f"transaction {stated_transaction} did not create {address}, although the source says so",
        "add the contract alone, with `statuary contract add --transaction HASH`",
    )


class ImportedContracts:
    """The results of importing contracts."""

    def __init__(self) -> None:
        self.report = ImportReport()  # the paths of new contracts, and what was skipped
        self.verified: list[str] = []  # name, place and match level of each verified contract
        self.incomplete: list[SkippedRecord] = []  # path of each incomplete workspace, and its missing parts
        self.notes: list[SkippedRecord] = []
        self.compiled = 0  # the number of contracts that were compiled again with the same result
        self.written_sources: list[ContractSource] = []
        self.notes_of: defaultdict[tuple[ChainId | None, str], list[str]] = defaultdict(list)
        self.accounts: dict[tuple[ChainId | None, str], AddressResult] = {}

    def record_result(
        self,
        contract: ListedContract | UnreadableContract,
        outcome: str,
        reason: str = "",
        hint: str = "",
        *,
        match: str = "",
        is_compiled_again: bool = False,
    ) -> None:
        """Store for the report how the import of one address ended.

        If a contract could be read, its result replaces an earlier one for its address. See `AddressResult`.
        """
        place = _location_of_contract(contract)
        if isinstance(contract, ListedContract) or place not in self.accounts:
            about = (contract.chain_id, contract.address, contract.name, outcome, reason, hint)
            self.accounts[place] = AddressResult(*about, match=match, is_compiled_again=is_compiled_again)

    def add_notes(self, contract: ListedContract, *notes: str) -> None:
        """Add remarks about an imported contract to the report."""
        self.notes += [SkippedRecord(contract.label, note) for note in notes]
        self.notes_of[_location_of_contract(contract)] += notes

    def all_results(self) -> Iterator[AddressResult]:
        """Yield the result of each address, together with its notes."""
        for place, account in self.accounts.items():
            yield account._replace(notes=tuple(self.notes_of[place]))


class _ContractLocation(NamedTuple):
    """The chain and address of a contract."""

    chain_id: ChainId | None
    address: str  # in lower case; the name of the contract if it has no address


def _location_of_contract(contract: ListedContract | UnreadableContract) -> _ContractLocation:
    return _ContractLocation(
        contract.chain_id, contract.name if contract.address is None else contract.address.lower()
    )


class _CompilationResult(NamedTuple):
    compilation: ImportedCompilation
    missing_compiler: str = ""  # why the compilation has no output; empty if it has output


class _StartedContract(NamedTuple):
    """A contract whose compilation may still be running."""

    contract: ListedContract
    existing: ContractSource | None
    source: SourceContract | None  # None if the source cannot be read
    record: RecordValue | None = None  # the record from the source, if the source has complete records
    run: "Future[CompilerRun] | None" = None  # None if the contract is not compiled
    error: StatuaryError | None = None  # the reason why the source cannot be read

    @property
    def is_compilation_done(self) -> bool:
        """Whether the contract is compiled, or need not be."""
        return self.run is None or self.run.done()


class ContractImport:
    """Imports contracts into a content folder."""

    def __init__(
        self,
        root: Path,
        site: SiteContent,
        settings: ContractImportSettings,
        compilations: Compilations | None = None,
    ) -> None:
        self.root = root
        self.settings = settings
        self.compilations = compilations or Compilations(settings.compilers)
        self.chains = {chain.chain_id for chain in site.content_of(SiteContracts).chains}
        self.settings_file = site.source
        self.has_bulk = bool(site.content_of(SiteContracts).bulk)
        self.sources = {
            (source.chain_id, source.address.lower()): source
            for source in site.content_of(SiteContracts).sources
        }
        self.done = ImportedContracts()
        self.seen_contracts: set[tuple[ChainId, str]] = set()
        self.silence = 0
        self.missing_chain_contracts: list[ListedContract] = []

    def register_compilations(self, contracts: ListedContracts) -> None:
        """Announce all contracts that must be compiled, before the first is.

        Contracts with the same compiler input are then compiled in a single run.
        """
        for contract in contracts:
            if isinstance(contract, UnreadableContract) or self._is_in_content(contract):
                continue
            with suppress(NotImportableError, UnreachableError):
                if (compilation := contract.read_source().compilation) is not None:
                    self.compilations.expect_compilation(compilation)

    def import_contracts(self, contracts: ListedContracts) -> ImportedContracts:
        """Import all contracts of a source, such as a Foundry project.

        The import stops if the server does not respond for `MAX_SILENCE` contracts in a row.

        Returns:
            The result for each contract.
        """
        begun: deque[_StartedContract] = deque()
        ahead = 2 * self.compilations.workers
        try:
            for contract in contracts:
                if (next_one := self._read_and_compile(contract)) is not None:
                    begun.append(next_one)
                while begun and (begun[0].is_compilation_done or len(begun) > ahead):
                    self._finish_contract(begun.popleft())
                if self.silence == MAX_SILENCE:
                    break
        except UnreachableError as error:
            self.done.report.incomplete = f"{error}; {error.hint}"
        for begun_contract in begun:
            self._finish_contract(begun_contract)
        self._report_missing_chains()
        return self.done

    def _is_in_content(self, contract: ListedContract) -> bool:
        existing = self.sources.get((contract.chain_id, contract.address.lower()))
        return existing is not None and not self._is_incomplete_workspace(existing)

    def _read_and_compile(self, contract: ListedContract | UnreadableContract) -> _StartedContract | None:
        """Read a contract and start compiling it.

        Returns:
            The contract; None if it is skipped: already in the content, listed twice, unreadable, or on a
            missing chain.
        """
        if isinstance(contract, UnreadableContract):
            self._report_unreadable(contract)
            return None
        place = (contract.chain_id, contract.address.lower())
        if place in self.seen_contracts:
            return None
        self.seen_contracts.add(place)
        if self._is_in_content(contract):
            self.done.report.present_count += 1
            self.done.record_result(contract, "present")
            return None
        if contract.chain_id not in self.chains and not self._add_chain_if_requested(contract.chain_id):
            self.missing_chain_contracts.append(contract)
            return None
        existing = self.sources.get(place)
        try:
            return self._start_compilation(contract, contract.read_source(), existing)
        except (UnreachableError, NotImportableError) as error:
            return _StartedContract(contract, existing, None, error=error)

    def _start_compilation(
        self, contract: ListedContract, source: SourceContract, existing: ContractSource | None
    ) -> _StartedContract:
        record, compilation = None, source.compilation
        if source.record is not None:
            path = f"contracts/{contract.chain_id}/{contract.address}.json"
            record = parse_imported_record(source.record, contract.chain_id, contract.address, path)
            compilation = make_compilation_from_record(record)
        has_compiler = compilation is not None and self.compilations.find_compiler(compilation) is not None
        run = (
            self.compilations.start_compiling(compilation)
            if compilation is not None and has_compiler
            else None
        )
        return _StartedContract(contract, existing, source, record, run)

    def _finish_contract(self, started: _StartedContract) -> None:
        try:
            if started.error is not None:
                raise started.error
            self._import_source(started)
            self.silence = 0
        except UnreachableError as error:
            self.silence += 1
            self.done.report.incomplete = f"{error}; {error.hint}"
            self.done.record_result(started.contract, "not_imported", reason=str(error), hint=error.hint)
        except NotImportableError as error:
            self._report_skipped_contract(started.contract, str(error), error.hint)

    def _import_source(self, started: _StartedContract) -> None:
        source = started.source
        if source is not None and started.record is not None and source.record is not None:
            self._import_record(started, started.record, source.record)
        elif source is not None and source.compilation is not None:
            self._import_compilation(started, source, source.compilation)

    def _report_unreadable(self, contract: UnreadableContract) -> None:
        if contract.is_expected:
            self.done.notes.append(SkippedRecord(contract.label, contract.reason))
            self.done.record_result(contract, "mentioned", reason=contract.reason)
        else:
            self._report_skipped_contract(contract, contract.reason, contract.hint)

    def _add_chain_if_requested(self, chain_id: ChainId) -> bool:
        """Add a contract's chain to site.yaml, if `--add-chains` was given.

        A dry run does not write the file.

        Returns:
            Whether the option was given.
        """
        if not self.settings.add_chains:
            return False
        if not self.settings.dry_run:
            with content_lock(self.root):
                add_chain(self.root, self.settings_file, chain_id)
        self.chains.add(chain_id)
        self.done.notes.append(
            SkippedRecord(f"chain {chain_id}", f"added to {self.settings_file}; name the chain there")
        )
        return True

    def _report_missing_chains(self) -> None:
        chains = sorted({contract.chain_id for contract in self.missing_chain_contracts}, key=int)
        if not chains:
            return
        chain_names = (
            f"{', '.join(chains[:MAX_CHAINS_SHOWN])}{' …' if len(chains) > MAX_CHAINS_SHOWN else ''}"
        )
        reason = (
            f"chain {chain_names} is not listed under `chains`"
            if len(chains) == 1
            else f"{len(chains)} chains are not listed under `chains`: {chain_names}"
        )
        them = "it" if len(chains) == 1 else "them"
        for contract in self.missing_chain_contracts:
            self._report_skipped_contract(
                contract,
                reason,
                f"add {them} to `chains` in site.yaml or site.json, or import again with --add-chains",
            )

    def _import_record(self, started: _StartedContract, record: RecordValue, record_json: bytes) -> None:
        contract = started.contract
        match_id = str(record["matchId"])
        if match_id in self.used_match_ids:
            reason = "its match id is already used here, so it gets the next free one"
            match_id = self._next_match_id()
            record = {**record, "matchId": match_id}
            record_json = encode_unchecked(record)
            self.done.add_notes(contract, reason)
        path = f"contracts/{contract.chain_id}/{contract.address}.json"
        evidence = self._compilation_evidence(started, record, path)
        self._write_contract(started, {path: record_json}, match_id, evidence)
        self._record_verified_contract(contract, record, evidence)

    def _import_compilation(
        self, started: _StartedContract, source: SourceContract, compilation: ImportedCompilation
    ) -> None:
        contract, existing = started.contract, started.existing
        on_chain = self._read_on_chain_code(contract, source)
        options = self._make_import_options(contract, existing)
        compilation, missing_compiler = self._await_compiler_output(started, compilation)
        missing_parts = [missing_compiler] if missing_compiler else []
        if not on_chain.creation and not on_chain.runtime:
            missing_parts.append(NO_CODE)
        if missing_parts:
            path = f"contracts/{options.chain_id}/{options.address}/contract.yaml"
            self.done.incomplete += [SkippedRecord(path, what) for what in missing_parts]
            files = make_incomplete_contract_files(
                make_workspace(options, compilation, on_chain), missing_parts
            )
            if existing is None:
                self._write_contract(started, files, options.match_id or "")
            self.done.record_result(contract, "incomplete", reason=f"it lacks {'; '.join(missing_parts)}")
            return
        prepared = verify_and_make_files(
            options,
            compilation,
            on_chain,
            replaced=existing,
            proxy_resolution=self._resolve_proxy(contract, on_chain),
        )
        if prepared.record is None:
            raise _bytecode_mismatch_error(prepared, source)
        evidence = self._compilation_evidence(started, prepared.record, options.path)
        self._write_contract(started, prepared.files, options.match_id or "", evidence)
        self._record_verified_contract(contract, prepared.record, evidence)
        self.done.add_notes(contract, *dict.fromkeys(prepared.notes))

    def _compilation_evidence(
        self, started: _StartedContract, record: RecordValue, record_path: str
    ) -> CompilationEvidence | None:
        """Compare a record with the output of its compiler.

        Returns:
            The evidence that both agree. None if the output differs or the compiler failed; then a note has the
            reason.
        """
        if started.run is None:
            return None
        try:
            outcome = compare_compiler_run(record, started.run.result(), record_path)
        except StatuaryError as error:
            self.done.add_notes(started.contract, f"it was not compiled again: {error}")
            return None
        if outcome.evidence is None:
            reason = f"compiled again, it differs: {find_first_error(outcome.findings).message}"
            self.done.add_notes(started.contract, reason)
        else:
            self.done.compiled += 1
        return outcome.evidence

    def _make_import_options(
        self, contract: ListedContract, existing: ContractSource | None
    ) -> ImportOptions:
        match_id = None if existing is None else read_match_id(self.root, existing)
        return ImportOptions(
            chain_id=contract.chain_id,
            address=contract.address,
            form=self.settings.form,
            match_id=match_id or self._next_match_id(),
            verified_at=None,
            now=self.settings.now,
            replace=False,
        )

    def _resolve_proxy(self, contract: ListedContract, on_chain: OnChainContract) -> Json | None:
        node = self.settings.nodes.get(contract.chain_id)
        if node is None:
            return None

        def find_contract_name(address: Address) -> str | None:
            return read_contract_name(self.root, self.sources.get((contract.chain_id, address.lower())))

        return resolve_known_proxy(node, contract.address, on_chain, find_contract_name)

    def _await_compiler_output(
        self, started: _StartedContract, compilation: ImportedCompilation
    ) -> "_CompilationResult":
        """Wait for the compiler, and return a compilation with its output.

        If no compiler was found, the output in the imported project is used. If the project has none or only a
        part, the result has the reason.
        """
        if started.run is not None:
            return _CompilationResult(await_compiler_output(compilation, started.run))
        kind, version = compilation.compiler, compilation.version
        try:
            if compilation.std_json_output is None:
                raise make_no_compiler_error(kind, version, self.settings.compilers)
            return _CompilationResult(add_metadata_documentation(compilation))
        except NotImportableError as error:
            missing_compiler = (
                f"the compiler's output: {error}; {error.hint or f'import again with --compiler {kind}=PATH'}"
            )
            return _CompilationResult(replace(compilation, std_json_output=None), missing_compiler)

    def _read_on_chain_code(self, contract: ListedContract, source: SourceContract) -> OnChainContract:
        node = self.settings.nodes.get(contract.chain_id)
        if node is None:
            return source.on_chain
        stated = source.on_chain
        named = stated.deployment.transaction_hash
        on_chain = _read_contract_and_creation(node, contract.address, named, source.other_transactions)
        if on_chain.creation is not None or stated.creation is None:
            return on_chain
        return on_chain._replace(creation=stated.creation, notes=stated.notes)

    def _write_contract(
        self,
        started: _StartedContract,
        files: Mapping[str, bytes],
        match_id: str,
        evidence: CompilationEvidence | None = None,
    ) -> None:
        contract, path = started.contract, list(files)[-1]
        form = ContractForm.RECORD if path.endswith(".json") else ContractForm.WORKSPACE
        source = ContractSource(path, contract.chain_id, contract.address, form)
        if not self.settings.dry_run:
            with content_lock(self.root):
                write_contract(self.root, files, started.existing)
                if evidence is not None:
                    write_evidence(self.root, source, evidence)
        self.sources[contract.chain_id, contract.address.lower()] = source
        self.done.written_sources.append(source)
        self.used_match_ids.add(match_id)
        self.done.report.added_paths.append(path)

    def _record_verified_contract(
        self, contract: ListedContract, record: RecordValue, evidence: CompilationEvidence | None
    ) -> None:
        name = record["compilation"]["name"]
        where = f"{record['address']} on chain {record['chainId']}"
        self.done.verified.append(f"{name} at {where}: {record['match']}")
        match = str(record["match"])
        is_compiled_again = evidence is not None
        self.done.record_result(contract, "imported", match=match, is_compiled_again=is_compiled_again)

    def _report_skipped_contract(
        self, contract: ListedContract | UnreadableContract, reason: str, hint: str
    ) -> None:
        self.done.report.skipped.append(
            SkippedRecord(contract.label, f"{reason}; {hint}" if hint else reason)
        )
        self.done.record_result(contract, "not_imported", reason=reason, hint=hint)

    def _is_incomplete_workspace(self, source: ContractSource) -> bool:
        """Return whether an earlier import could not complete a contract's folder (workspace)."""
        if source.form is not ContractForm.WORKSPACE or read_contract(self.root, source).record is not None:
            return False
        try:
            return SourceFile(self.root, source.path).load_bytes(LARGEST_RECORD).startswith(MISSING.encode())
        except UnreadableError:
            return False

    @cached_property
    def used_match_ids(self) -> set[str]:
        """The match ids (numbers in Sourcify's API) of contracts in the content."""
        match_ids = (read_match_id(self.root, source) for source in self.sources.values())
        return set(filter(None, match_ids))

    def _next_match_id(self) -> str:
        if self.has_bulk:
            raise NotImportableError(
                "the next free match id is unknown, because bulk files are not searched",
                "add the contract with `statuary contract add --match-id`",
            )
        return compute_next_match_id(self.used_match_ids)
