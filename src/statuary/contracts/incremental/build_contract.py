"""Build the documents of one contract: read its source, check it, encode.

A record that fails excludes only itself, with a finding that names it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import orjson

from statuary.base.budget import DEFECT, run_guarded
from statuary.base.findings import Finding, Position, Severity, has_errors
from statuary.contracts.api.lists import AddressContracts
from statuary.contracts.chain.anchor import NO_CHECKPOINTS
from statuary.contracts.checks.check import ContractCheck
from statuary.contracts.checks.claims import COMPILATION_PROBLEMS, RECOMPILATION_PROBLEMS
from statuary.contracts.checks.identity_checks import passes_identity_checks
from statuary.contracts.checks.proof_rule_list import proof_rules
from statuary.contracts.checks.prove import (
    CONTRACT_CHECKS,
    IDENTITY_CHECKS,
    ProofInput,
    prove_batch,
    run_checks,
    runtime_mismatch_findings,
)
from statuary.contracts.checks.proxy_checks import unresolved_proxy_findings
from statuary.contracts.documents import contract_documents
from statuary.contracts.incremental.build_settings import ContractBuildSettings
from statuary.contracts.incremental.record_documents import record_documents
from statuary.contracts.incremental.record_location import path_mismatch, unknown_chain
from statuary.contracts.incremental.table_schema import UNREAD, SourceRow
from statuary.contracts.model.contract_row import ContractRow
from statuary.contracts.model.known_contradiction import KnownContradiction
from statuary.contracts.model.proof import Claim, ClaimName, ClaimStatus, CompilationEvidence, Proof
from statuary.contracts.model.record import RecordValue, make_contract_row, sort_members_as_served
from statuary.contracts.model.record_with_proof import RecordWithProof
from statuary.contracts.pages.context import ContractPageContext
from statuary.contracts.pages.page_members import listed_compilation, with_page_members
from statuary.contracts.pages.trail import trail_signs
from statuary.contracts.settings import PublishPolicy
from statuary.contracts.sources.contract_source import ContractForm, ContractSource
from statuary.contracts.sources.parse_record import ParsedContract
from statuary.contracts.sources.read_contract import read_contract
from statuary.contracts.sources.source_stat import SourceStat, source_stat
from statuary.site.document import Document, encode_unchecked
from statuary.site.pages.page_texts import english_sentence
from statuary.site.pages.theme_findings import failing_template_finding
from statuary.site.settings import ThemeError
from statuary.system.files import OpenFolder

CONTRADICTED = ClaimStatus.CONTRADICTED

RECOMPILATION_MISMATCH = "recompilation-mismatch"

BATCH, BATCH_BYTES = 16, 400_000
"""The most records that are proved together, and the bytes of records that end a batch."""


class ContractDocuments(NamedTuple):
    """A contract's documents, and findings about those that were skipped."""

    documents: tuple[Document, ...] = ()
    findings: tuple[Finding, ...] = ()


class ExtensionDocuments(NamedTuple):
    """The documents that extensions make for a contract.

    If an extension fails, only its own documents are skipped. `facts` is data that it stores for later steps.
    """

    facts: bytes = b""  # the facts that the ledger keeps
    documents: Iterable[Document] = ()
    findings: tuple[Finding, ...] = ()


class ContractWithDocuments(NamedTuple):
    """A built contract together with its encoded documents."""

    contract: "BuiltContract"
    documents: tuple[Document, ...] = ()


class BuiltContract(NamedTuple):
    """A contract that was read and checked; its documents are made later."""

    source: ContractSource
    digest: bytes = b""  # the SHA-256 of the record's file, as in `ParsedContract`
    make: Callable[[], ContractDocuments] = ContractDocuments  # makes the contract's documents
    row: ContractRow | None = None  # the contract's list entry; None if the record is unreadable or misplaced
    is_published: bool = False
    facts: bytes = b""  # data that extensions derived from the record
    findings: tuple[Finding, ...] = ()
    """The findings about the contract.

    An error excludes the record, and removes the documents that an earlier build published, unless the record could not
    be read.
    """
    is_unread: bool = (
        False  # whether the source could not be read, so it does not show what became of the contract
    )

    @property
    def is_deterministic(self) -> bool:
        """Whether another build of the same files would give the same result.

        False after an unexpected exception.
        """
        return not any(finding.rule == DEFECT for finding in self.findings)

    def with_documents(self) -> ContractWithDocuments:
        """Make the contract's documents, and return the contract with them.

        If a document cannot be made, the contract is excluded from the site, and has no documents.
        """
        outcome = run_guarded(self.make, self.source.path, "making the documents of the record")
        if isinstance(outcome, Finding):
            return ContractWithDocuments(_excluded_contract(self.source, (*self.findings, outcome)))
        findings = (*self.findings, *outcome.findings)
        return ContractWithDocuments(self._replace(findings=findings), outcome.documents)

    def source_row(self, *, unit: str, reason: str, git_id: str = "", stat_text: str = "") -> SourceRow:
        """Return the contract's row for the ledger, the database of the build.

        If the source could not be read, or after an unexpected exception, the row has no digest, so that the next build
        reads the file again.

        Args:
            unit: the path of the record's file or folder. The next build checks whether it has changed.
            reason: why the source was built, as `statuary explain` prints it.
            git_id: the git object id of the source; empty if unknown.
            stat_text: the size and time of the source's files; empty if the files may still change.
        """
        digest = self.digest
        if self.is_unread or not self.is_deterministic:
            git_id, stat_text, digest = "", "", b""
        return SourceRow(
            location=self.source.location,
            unit=unit,
            git=git_id,
            stat=stat_text,
            digest=digest,
            documents="",
            reason=UNREAD if self.is_unread else reason,
            findings=orjson.dumps(self.findings).decode() if self.findings else "",
            published=self.is_published,
            facts=self.facts,
        ).with_list_entry(self.row)


def build_contracts_of_files(
    root: Path, sources: Iterable[ContractSource], settings: ContractBuildSettings
) -> Iterator[tuple[BuiltContract, SourceStat]]:
    """Read and check contracts that have their own files or folders.

    Args:
        root: the content folder.
        sources: the files or folders of the contracts.
        settings: the settings that all contracts share.

    Yields:
        Each contract, with the size and time of its files. Both are read before the content.
    """
    root_path = str(root)
    with closing(OpenFolder(root)) as content:
        contracts = (
            (source, source_stat(root_path, source), _read_source(root, source, content))
            for source in sources
        )
        for batch in group_into_batches((source, contract, stat) for source, stat, contract in contracts):
            built_contracts = build_contract_batch([item[:2] for item in batch], settings)
            yield from zip(built_contracts, [stat for _, _, stat in batch], strict=True)


ReadContract = TypeVar("ReadContract", bound=tuple[ContractSource, ParsedContract, Any])


def group_into_batches(contracts: Iterable[ReadContract]) -> Iterator[list[ReadContract]]:
    """Group contracts into batches that are checked together.

    A batch is small enough to stay in the processor's cache.
    """
    batch, size = list[ReadContract](), 0
    for item in contracts:
        batch.append(item)
        size += len(item[1].canonical or b"") or BATCH_BYTES  # a record in another form may have any size
        if len(batch) == BATCH or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def build_contract_batch(
    contracts: Sequence[tuple[ContractSource, ParsedContract]], settings: ContractBuildSettings
) -> Iterator[BuiltContract]:
    """Check several parsed contracts together, and yield the results.

    Args:
        contracts: the contracts with their sources.
        settings: the settings that all contracts share.
    """
    checks = CONTRACT_CHECKS if settings.checks is None else settings.checks
    prepared = [_prepare_proof(source, contract, settings) for source, contract in contracts]
    provable = [
        (item, source)
        for item, (source, _) in zip(prepared, contracts, strict=True)
        if isinstance(item, ProofInput)
    ]
    proved = iter(_prove_or_report(provable, checks))
    for (source, contract), item in zip(contracts, prepared, strict=True):
        if not isinstance(item, ProofInput):
            yield BuiltContract(source, contract.digest, findings=item, is_unread=contract.record is None)
            continue
        proof = next(proved)
        if isinstance(proof, Finding):
            yield _excluded_contract(source, (proof,))
            continue
        built_contract = run_guarded(
            partial(_build_contract, source, contract, item.record, proof, settings), source.path, CHECKING
        )
        yield (
            _excluded_contract(source, (built_contract,))
            if isinstance(built_contract, Finding)
            else built_contract
        )


CHECKING = "checking the record"
EXTENDING = "making what extensions publish of the record"


def _excluded_contract(source: ContractSource, findings: Sequence[Finding]) -> BuiltContract:
    return BuiltContract(source, findings=_add_source_line(source, findings))


def _add_source_line(source: ContractSource, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    place = Position(source.line, 1) if source.line else None
    return tuple(replace(finding, position=finding.position or place) for finding in findings)


def _read_source(root: Path, source: ContractSource, content: OpenFolder) -> ParsedContract:
    contract = run_guarded(partial(read_contract, root, source, content), source.path, "reading the record")
    return ParsedContract(None, findings=[contract]) if isinstance(contract, Finding) else contract


def _prepare_proof(
    source: ContractSource, contract: ParsedContract, settings: ContractBuildSettings
) -> ProofInput | tuple[Finding, ...]:
    outcome = run_guarded(
        lambda: _record_errors(source, contract, settings) or _make_proof_input(source, contract, settings),
        source.path,
        CHECKING,
    )
    return (outcome,) if isinstance(outcome, Finding) else outcome


def _prove_or_report(
    inputs_with_sources: Sequence[tuple[ProofInput, ContractSource]], checks: Sequence[ContractCheck]
) -> Sequence[Proof | Finding]:
    # If a record raises an exception, it gets a finding, and the others keep their proofs.
    records = [record for record, _ in inputs_with_sources]
    together = run_guarded(partial(prove_batch, records, checks), "", CHECKING)
    if not isinstance(together, Finding):
        return together
    single_proofs = (
        run_guarded(partial(prove_batch, [record], checks), source.path, CHECKING)
        for record, source in inputs_with_sources
    )
    return [proofs if isinstance(proofs, Finding) else proofs[0] for proofs in single_proofs]


def _record_errors(
    source: ContractSource, contract: ParsedContract, settings: ContractBuildSettings
) -> tuple[Finding, ...]:
    findings = () if contract.record is None else _location_findings(contract.record, source, settings)
    return (*contract.findings, *findings)


def _make_proof_input(
    source: ContractSource, contract: ParsedContract, settings: ContractBuildSettings
) -> ProofInput:
    checkpoints = settings.checkpoints.get(source.chain_id, NO_CHECKPOINTS)
    record = sort_members_as_served(contract.record or {})
    provable = ProofInput(record, part=contract.part)
    if settings.recompiler is not None:
        provable = provable._replace(recompilation=settings.recompiler.recompile(record))
    if contract.compilation is None and contract.anchor is None:
        return provable
    digest = sha256(encode_unchecked(record)).hexdigest()
    return provable._replace(
        compilation=contract.compilation,
        anchor=contract.anchor,
        digest=digest,
        checkpoints=checkpoints,
        part=None,
        is_vouched_for=_is_vouched_for(contract.compilation, settings),
    )


def _is_vouched_for(compilation: CompilationEvidence | None, settings: ContractBuildSettings) -> bool:
    if compilation is None or not settings.contracts.compilations:
        return False
    from statuary.contracts.sources.evidence import hash_compilation_evidence

    return hash_compilation_evidence(compilation) in settings.contracts.compilations


def _build_contract(
    source: ContractSource,
    contract: ParsedContract,
    record: RecordValue,
    proof: Proof,
    settings: ContractBuildSettings,
) -> BuiltContract:
    is_workspace = source.form is ContractForm.WORKSPACE
    differs = runtime_mismatch_findings(record, proof, Severity.ERROR if is_workspace else Severity.NOTE)
    unresolved = unresolved_proxy_findings(record) if is_workspace else ()
    gone, rejected = (
        _find_known_contradiction(settings.gone, source),
        _find_known_contradiction(settings.rejected, source),
    )
    own_findings = tuple(_record_findings((*proof.findings, *differs, *unresolved), source, rejected))
    findings = (
        *own_findings,
        *contract.notes,
        *_evidence_findings_as_notes(_evidence_findings(proof, source), rejected),
        *_onchain_code_findings(proof, source, gone),
    )
    is_published = not has_errors(own_findings) or settings.contracts.publish is PublishPolicy.ALL
    checked_record = RecordWithProof(
        record, proof, is_published, _contradiction_to_publish(proof, gone, rejected)
    )
    row = make_contract_row(record, checked_record.verdict)
    if settings.has_contract_lists:
        part = contract.part
        compiled = listed_compilation(record) if part is None else part.derive(listed_compilation, record)
        row = with_page_members(row, record, compiled, trail_signs(checked_record))
    is_alone = is_published and len(settings.chains) == 1  # no other contract can be at its address
    make = partial(
        contract_documents,
        checked_record,
        source.location,
        canonical_json=contract.canonical if record is contract.record else None,
        digest=contract.digest,
        address_contracts=AddressContracts(row.address, (source.location,), (row,)) if is_alone else None,
    )
    further = _extension_documents(checked_record, source, settings) if is_published else ExtensionDocuments()
    return BuiltContract(
        source,
        contract.digest,
        make=partial(_make_documents, make, source, further.documents, settings.pages),
        row=row,
        is_published=is_published,
        facts=further.facts,
        findings=(*findings, *further.findings),
    )


def _extension_documents(
    checked_record: RecordWithProof, source: ContractSource, settings: ContractBuildSettings
) -> ExtensionDocuments:
    if not settings.extensions:
        return ExtensionDocuments()
    make = partial(record_documents, checked_record, settings.extensions, source.location)
    outcome = run_guarded(make, source.path, EXTENDING)
    if isinstance(outcome, Finding):
        return ExtensionDocuments(findings=_add_source_line(source, [outcome]))
    return ExtensionDocuments(*outcome)


def _make_documents(
    make_documents: Callable[[ContractPageContext | None], Iterable[Document]],
    source: ContractSource,
    extension_documents: Iterable[Document],
    pages: ContractPageContext | None,
) -> ContractDocuments:
    # If the theme's template fails, render the page with the package's own.
    pages = pages and pages._replace(rules=_rule_sentences())
    findings: tuple[Finding, ...] = ()
    try:
        documents = tuple(make_documents(pages))
    except ThemeError as error:
        findings = (failing_template_finding(error),)
        documents = tuple(make_documents(pages and pages.without_templates()))
    further = (
        run_guarded(lambda: tuple(extension_documents), source.path, EXTENDING) if extension_documents else ()
    )
    if isinstance(further, Finding):
        findings = (*findings, *_add_source_line(source, [further]))
        further = ()
    return ContractDocuments((*documents, *further), findings)


@cache
def _rule_sentences() -> tuple[tuple[str, str], ...]:
    return tuple((rule.name, rule.sentence) for rule in proof_rules())


def _evidence_findings(proof: Proof, source: ContractSource) -> Iterator[Finding]:
    # An error in the evidence does not exclude the contract: its page, its proof and its list entry show it.
    if proof.evidence_problems or (proof.verdict and proof.verdict.status is CONTRADICTED):
        from statuary.contracts.sources.evidence import anchor_file_path, compilation_file_path

        paths = compilation_file_path(source), anchor_file_path(source)
        yield from _evidence_notes(proof, source, *paths)
        if (claim := proof.find_claim(ClaimName.COMPILED)) and claim.status is CONTRADICTED:
            yield Finding(
                rule=RECOMPILATION_MISMATCH,
                message=f"contradicted: {english_sentence(claim.reason)}",
                hint="correct the sources, the settings or the compiler version",
                path=source.path,
            )


def _find_known_contradiction(
    contracts: Mapping[str, Mapping[str, KnownContradiction]], source: ContractSource
) -> KnownContradiction | None:
    return contracts.get(source.chain_id, {}).get(source.address.lower())


def _contradiction_to_publish(
    proof: Proof, gone: KnownContradiction | None, rejected: KnownContradiction | None
) -> KnownContradiction | None:
    # `gone` says that the chain no longer has the code, `rejected` that a record fails its checks.
    if not proof.has_no_errors:
        return rejected
    return gone if _proves_missing_code(proof) else None


def _record_findings(
    findings: Iterable[Finding], source: ContractSource, rejected: KnownContradiction | None
) -> Iterator[Finding]:
    # The findings are only notes if the site's author publishes the record as rejected.
    failed = False
    for finding in findings:
        failed = failed or has_errors([finding])
        own_finding = finding.with_path(source.path)
        yield _finding_as_note(own_finding, rejected) if rejected and has_errors([finding]) else own_finding
    if rejected is not None and not failed:
        yield Finding(
            rule="unneeded-rejection",
            message="`rejected` lists this contract, but its record passes all checks",
            hint="remove the contract from `rejected`",
            path=source.path,
            severity=Severity.WARNING,
        )


def _evidence_findings_as_notes(
    findings: Iterable[Finding], rejected: KnownContradiction | None
) -> Iterator[Finding]:
    # If site.yaml lists the record as rejected, a compiler output that contradicts it is only a note.
    for finding in findings:
        is_known = rejected is not None and finding.rule == RECOMPILATION_MISMATCH
        yield _finding_as_note(finding, rejected) if is_known and rejected is not None else finding


def _finding_as_note(finding: Finding, known_contradiction: KnownContradiction) -> Finding:
    message = f"{finding.message}; known since {known_contradiction.date}: {known_contradiction.reason}"
    return replace(finding, message=message, hint="", severity=Severity.NOTE)


def _onchain_code_findings(
    proof: Proof, source: ContractSource, gone: KnownContradiction | None
) -> Iterator[Finding]:
    # The finding is only a note if site.yaml names the contract under `gone`.
    claim = proof.find_claim(ClaimName.ON_CHAIN)
    if claim is not None and claim.status is CONTRADICTED:
        difference = _chain_contradiction_finding(claim, source)
        yield _finding_as_note(difference, gone) if gone and _proves_missing_code(proof) else difference
    if gone is not None and not _proves_missing_code(proof):
        yield Finding(
            rule="anchor-mismatch",
            message="`gone` lists this contract, but no proof from the chain shows that its code is gone",
            hint=f"remove the contract from `gone`, or run `statuary contract anchor {source.address} --rpc URL`",
            path=source.path,
            severity=Severity.WARNING,
        )


def _chain_contradiction_finding(claim: Claim, source: ContractSource) -> Finding:
    from statuary.contracts.sources.evidence import anchor_file_path

    return Finding(
        rule="anchor-mismatch",
        message=f"contradicted {english_sentence(claim.reason)}",
        hint="remove the contract, or replace the record with `statuary contract add --force`",
        path=anchor_file_path(source),
    )


def _proves_missing_code(proof: Proof) -> bool:
    claim = proof.find_claim(ClaimName.ON_CHAIN)
    return claim is not None and claim.status is CONTRADICTED and claim.reason.key == "no_code_since"


def _evidence_notes(
    proof: Proof, source: ContractSource, compilation_file: str, anchor_file: str
) -> Iterator[Finding]:
    for problem, hint in proof.evidence_problems:
        if problem.key in RECOMPILATION_PROBLEMS:
            yield Finding(
                rule=RECOMPILATION_MISMATCH,
                message=f"not shown: {english_sentence(problem)}",
                hint=hint,
                path=source.path,
                severity=Severity.WARNING,
            )
            continue
        is_compilation = problem.key in COMPILATION_PROBLEMS
        command = "contract compile" if is_compilation else f"contract anchor {source.address} --rpc URL"
        yield Finding(
            rule="compilation-mismatch" if is_compilation else "anchor-mismatch",
            message=f"not proven: {english_sentence(problem)}",
            hint=hint or f"run `statuary {command}`",
            path=compilation_file if is_compilation else anchor_file,
            severity=Severity.NOTE,
        )


def _location_findings(
    record: RecordValue, source: ContractSource, settings: ContractBuildSettings
) -> Iterator[Finding]:
    for result in () if passes_identity_checks(record) else run_checks(record, IDENTITY_CHECKS):
        yield from (finding.with_path(source.path) for finding in result.findings)
    yield from path_mismatch(record, source)
    yield from unknown_chain(record, source, settings.chains)
