"""Import the contracts of a source into the content folder: each is read, verified and written before the next.

A contract that the content has is not read again, so an import that stopped continues where it ended.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Final, NamedTuple

from statuary.checks.contracts.prove import CONTRACT_CHECKS, IDENTITY_CHECKS, prove
from statuary.content.parse_record import parse_record_json
from statuary.content.read_contract import read_contract
from statuary.content.unreadable import UnreadableError
from statuary.documents.document import encode_unchecked
from statuary.domain.catalogue import Catalogue, ContractForm, ContractSource
from statuary.domain.contracts.record import RecordValue
from statuary.domain.findings import Severity
from statuary.domain.json_values import Json
from statuary.domain.limits import MAX_QUOTED
from statuary.domain.primitives import Address, ChainId, Instant
from statuary.editing.files import content_lock
from statuary.extensions.compilers.compiler import Compiler, find_compiler
from statuary.extensions.importing.evidence.ethereum_node import EthereumNode
from statuary.extensions.importing.evidence.on_chain_contract import OnChainContract, read_on_chain_contract
from statuary.extensions.importing.prepare_contract import (
    ImportOptions,
    contract_name,
    derive_contract,
    read_match_id,
    resolve_known_proxy,
    workspace_of,
)
from statuary.extensions.importing.report import (
    ContractImportError,
    ImportReport,
    Lost,
    SourceError,
    SourceUnavailableError,
)
from statuary.extensions.importing.toolchains.compilation import (
    CompilerBatch,
    ImportedCompilation,
    complete_compilation,
    no_compiler_error,
)
from statuary.extensions.importing.toolchains.found_contract import (
    Found,
    FoundContract,
    SourceContract,
    UnreadableContract,
)
from statuary.extensions.importing.workspace_files import MISSING, incomplete_files, write_contract


def checked_record(raw: bytes, chain_id: ChainId, address: Address, path: str) -> RecordValue:
    """Return a record whose bytes may be written.

    Raises:
        ContractImportError: if the bytes are not the record of this contract, or it breaks a rule.
    """
    try:
        parsed = parse_record_json(raw, path)
    except UnreadableError as error:
        raise ContractImportError(f"the server's response is not a record: {error}", error.hint) from None
    record, findings = parsed.record, parsed.findings
    if record is not None:
        if (str(record["chainId"]), str(record["address"]).lower()) != (chain_id, address.lower()):
            found = f"{record['address']} on chain {record['chainId']}"
            raise ContractImportError(f"the server responds with the record of {found[:MAX_QUOTED]}")
        findings = prove(record, (*IDENTITY_CHECKS, *CONTRACT_CHECKS)).findings
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    if record is None or errors:
        raise ContractImportError(
            f"the record breaks the rule {errors[0].rule}: {errors[0].message}", errors[0].hint
        )
    return record


def record_with_match_id(record: RecordValue, match_id: str) -> bytes:
    """Return the bytes of a record with another match id."""
    return encode_unchecked({**record, "matchId": match_id})


MAX_SILENCE: Final = 3
"""Contracts in a row for which the server does not answer, before the import stops."""

NO_CODE: Final = "its code on the chain: import again with --rpc URL"


class ContractImportSettings(NamedTuple):
    """How contracts are imported."""

    form: ContractForm  # a workspace or a record; what is served as a record stays one
    now: Instant
    compilers: Sequence[Compiler] = ()  # compile again with these, where the version is right
    nodes: Mapping[ChainId, EthereumNode] = {}  # of some chains
    dry_run: bool = False


class ImportedContracts:
    """What an import of contracts did, or would do."""

    def __init__(self) -> None:
        self.report = ImportReport()  # the paths of new contracts, and what was lost
        self.verified: list[str] = []  # name, place and match level of each verified contract
        self.incomplete: list[Lost] = []  # path of each incomplete workspace, and what it lacks
        self.notes: list[Lost] = []


class ContractImport:
    """An import of contracts into one content folder."""

    def __init__(self, root: Path, catalogue: Catalogue, settings: ContractImportSettings) -> None:
        self.root = root
        self.settings = settings
        self.chains = {chain.chain_id for chain in catalogue.chains}
        self.has_bulk = bool(catalogue.bulk)
        self.sources = {(one.chain_id, one.address.lower()): one for one in catalogue.contracts}
        self.done = ImportedContracts()
        self.seen: set[tuple[ChainId, str]] = set()
        self.silence = 0
        self.batch = CompilerBatch()

    def import_all(self, found: Found) -> ImportedContracts:
        """Import everything that a source yields; the report has the failure of each contract."""
        report = self.done.report
        try:
            for one in found:
                self._import(one)
                if self.silence == MAX_SILENCE:
                    break
        except SourceUnavailableError as error:
            report.incomplete = f"{error}; {error.hint}"
        return self.done

    def _import(self, found: FoundContract | UnreadableContract) -> None:
        """Import one contract, unless the content has it."""
        if isinstance(found, UnreadableContract):
            self._lose(found.name, found.reason, found.hint)
            return
        place = (found.chain_id, found.address.lower())
        if place in self.seen:
            return
        self.seen.add(place)
        existing = self.sources.get(place)
        if existing is not None and not self._is_incomplete(existing):
            self.done.report.kept += 1
            return
        label = found.name if found.name == found.address else f"{found.name} ({found.address})"
        if found.chain_id not in self.chains:
            self._lose(label, f"chain {found.chain_id} is not in site.yaml", "add it under `chains:`")
            return
        try:
            self._bring(found, label, existing)
            self.silence = 0
        except SourceUnavailableError as error:
            self.silence += 1
            self.done.report.incomplete = f"{error}; {error.hint}"
        except (ContractImportError, SourceError) as error:
            self._lose(label, str(error), error.hint)

    def _bring(self, found: FoundContract, label: str, existing: ContractSource | None) -> None:
        source = found.read()
        if source.record is not None:
            self._bring_record(found, source.record, label)
        elif source.compilation is not None:
            self._bring_compilation(found, source.compilation, self._on_chain(found, source), label, existing)

    def _bring_record(self, found: FoundContract, raw: bytes, label: str) -> None:
        path = f"contracts/{found.chain_id}/{found.address}.json"
        record = checked_record(raw, found.chain_id, found.address, path)
        match_id = str(record["matchId"])
        if match_id in self.match_ids:
            new = self._next_match_id()
            self.done.notes.append(
                Lost("its match id is already used here, so it gets the next free one", label)
            )
            raw, match_id = record_with_match_id(record, new), new
        self._write({path: raw}, match_id, None)
        self._verified(record)

    def _bring_compilation(
        self,
        found: FoundContract,
        compilation: ImportedCompilation,
        on_chain: OnChainContract,
        label: str,
        existing: ContractSource | None,
    ) -> None:
        options = self._options(found, existing)
        compilation, missing = self._compiled(compilation)
        if on_chain.creation is None and on_chain.runtime is None:
            missing.append(NO_CODE)
        if missing:
            self._leave_workspace(options, compilation, on_chain, missing, existing)
            return
        prepared = derive_contract(
            options,
            compilation,
            on_chain,
            replaced=existing,
            proxy_resolution=self._proxy_resolution(found, on_chain),
        )
        verification = prepared.verification
        if not verification.is_valid or verification.record is None:
            error = next(one for one in verification.findings if one.severity is Severity.ERROR)
            raise ContractImportError(f"it does not match the chain: {error.message}", error.hint)
        self._write(prepared.files, options.match_id or "", existing)
        self._verified(verification.record)
        self.done.notes += [Lost(note, label) for note in dict.fromkeys(prepared.notes)]

    def _options(self, found: FoundContract, existing: ContractSource | None) -> ImportOptions:
        old_match_id = existing and read_match_id(self.root, existing)
        return ImportOptions(
            chain_id=found.chain_id,
            address=found.address,
            form=self.settings.form,
            match_id=old_match_id or self._next_match_id(),
            verified_at=None,
            now=self.settings.now,
            replace=False,
        )

    def _proxy_resolution(self, found: FoundContract, on_chain: OnChainContract) -> Json | None:
        node = self.settings.nodes.get(found.chain_id)
        if node is None:
            return None
        return resolve_known_proxy(node, found.address, on_chain, partial(self._name_at, found.chain_id))

    def _compiled(self, compilation: ImportedCompilation) -> tuple[ImportedCompilation, list[str]]:
        """Return a compilation with its output, and what is missing if there is no compiler for it."""
        kind, version, compilers = compilation.compiler, compilation.version, self.settings.compilers
        if find_compiler(compilers, kind, version):
            return self.batch.recompile(compilation, compilers), []
        try:
            if compilation.std_json_output is None:
                raise no_compiler_error(kind, version, compilers)
            return complete_compilation(compilation), []
        except ContractImportError as error:
            lacking = f"the compiler's output: {error}; import again with --compiler {kind}=PATH"
            return replace(compilation, std_json_output=None), [lacking]

    def _on_chain(self, found: FoundContract, source: SourceContract) -> OnChainContract:
        node = self.settings.nodes.get(found.chain_id)
        if node is None:
            return source.on_chain
        known = source.on_chain
        asked = read_on_chain_contract(node, found.address, known.deployment.transaction_hash)
        if asked.creation is not None or known.creation is None:
            return asked
        return asked._replace(creation=known.creation, notes=known.notes)

    def _leave_workspace(
        self,
        options: ImportOptions,
        compilation: ImportedCompilation,
        on_chain: OnChainContract,
        missing: list[str],
        existing: ContractSource | None,
    ) -> None:
        workspace = workspace_of(options, compilation, on_chain)
        path = f"contracts/{options.chain_id}/{options.address}/contract.yaml"
        self.done.incomplete += [Lost(one, path) for one in missing]
        if existing is None:
            self._write(incomplete_files(workspace, missing), options.match_id or "", None)

    def _write(self, files: Mapping[str, bytes], match_id: str, replaced: ContractSource | None) -> None:
        """Write a contract; the lock is held only meanwhile, so that an incident need not wait for an import."""
        if not self.settings.dry_run:
            with content_lock(self.root):
                write_contract(self.root, files, replaced)
        self.match_ids.add(match_id)
        self.done.report.added.append(list(files)[-1])

    def _verified(self, record: RecordValue) -> None:
        name, where = record["compilation"]["name"], f"{record['address']} on chain {record['chainId']}"
        self.done.verified.append(f"{name} at {where}: {record['match']}")

    def _lose(self, name: str, reason: str, hint: str) -> None:
        self.done.report.lost.append(Lost(f"{reason}; {hint}" if hint else reason, name))

    def _is_incomplete(self, source: ContractSource) -> bool:
        """Return whether a workspace is one that an import could not complete, not one that the author began."""
        if source.form is not ContractForm.WORKSPACE or read_contract(self.root, source).record is not None:
            return False
        try:
            return (self.root / source.path).read_text("utf-8", "replace").startswith(MISSING)
        except OSError:
            return False

    def _name_at(self, chain_id: ChainId, address: Address) -> str | None:
        return contract_name(self.root, self.sources.get((chain_id, address.lower())))

    @cached_property
    def match_ids(self) -> set[str]:
        """The match ids of the site."""
        found = (read_match_id(self.root, source) for source in self.sources.values())
        return {number for number in found if number}

    def _next_match_id(self) -> str:
        if self.has_bulk:
            raise ContractImportError(
                "the match ids of bulk files are not searched for a free one",
                "add the contract with `statuary contract add --match-id`",
            )
        return str(
            1 + max((int(one) for one in self.match_ids if one.isascii() and one.isdigit()), default=0)
        )
