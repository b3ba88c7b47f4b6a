"""One contract source to its documents: read, check, encode."""

from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import orjson

from statuary.build.incremental.fingerprint import ContractBuildSettings
from statuary.checks.contracts.prove import CONTRACT_CHECKS, IDENTITY_CHECKS, prove, run_checks
from statuary.checks.record_location import known_chain, path_names_contract
from statuary.checks.rule_catalogue import proof_rules
from statuary.content.parse_record import ParsedContract
from statuary.content.read_contract import read_contract
from statuary.documents.all_documents import contract_documents
from statuary.documents.document import Document
from statuary.documents.encode import encode_unchecked
from statuary.documents.pages.contracts.page_members import with_page_members
from statuary.domain.catalogue import ContractSource
from statuary.domain.contracts.proof import Proof
from statuary.domain.contracts.record import ContractRow, RecordValue, contract_row, in_served_order
from statuary.domain.findings import Finding, Severity
from statuary.domain.site_settings import PublishPolicy
from statuary.publishing.ledger.rows import SourceRow


class BuiltContract(NamedTuple):
    """The result of one contract source."""

    source: ContractSource
    digest: bytes = b""  # SHA-256 of a record's file, as in `ParsedContract`
    # the documents, made while they are iterated, once; without the record if it is withheld
    documents: Iterable[Document] = ()
    row: ContractRow | None = None  # its list entry; None if the record cannot be read or placed
    published: bool = False
    findings: tuple[Finding, ...] = ()  # warnings and notes about an accepted record
    # why the record is withheld. Documents of an earlier build are removed: the same content gives the same
    # site.
    rejections: tuple[Finding, ...] = ()

    def source_row(self, *, unit: str, reason: str, git: str = "", stat: str = "") -> SourceRow:
        """Return the ledger's row for it, without documents."""
        found = self.findings or self.rejections
        return SourceRow(
            location=self.source.location,
            unit=unit,
            git=git,
            stat=stat,
            digest=self.digest,
            documents="",
            reason=reason,
            findings=orjson.dumps(found).decode() if found else "",
            rejected=bool(self.rejections),
            published=self.published,
        ).listed_as(self.row)


def build_contract(root: Path, source: ContractSource, settings: ContractBuildSettings) -> BuiltContract:
    """Read one contract and make its documents."""
    return build_parsed_contract(source, read_contract(root, source), settings)


def build_parsed_contract(
    source: ContractSource, contract: ParsedContract, settings: ContractBuildSettings
) -> BuiltContract:
    """Make the documents of a contract that has been read."""
    if contract.record is None:
        return BuiltContract(source, contract.digest, rejections=tuple(contract.findings))
    findings = [*contract.findings, *_location_findings(contract.record, source, settings)]
    if findings:
        return BuiltContract(source, contract.digest, rejections=tuple(findings))
    record = in_served_order(contract.record)
    proof = _prove(record, contract, settings)
    notes = (*contract.notes, *_anchor_notes(proof, source))
    found = (*(finding.within(source.path) for finding in proof.findings), *notes)
    published = proof.holds or settings.contracts.publish is PublishPolicy.ALL
    canonical = contract.canonical if record is contract.record else None
    documents = contract_documents(
        record,
        proof,
        source.location,
        settings.pages and settings.pages._replace(rules=_rules_of_pages()),
        canonical=canonical,
        digest=contract.digest,
        published=published,
    )
    return BuiltContract(
        source,
        contract.digest,
        documents=documents,
        row=_row(record, settings),
        published=published,
        findings=found if proof.holds else (),
        rejections=() if proof.holds else found,
    )


@cache
def _rules_of_pages() -> tuple[tuple[str, str], ...]:
    """Return the name and the rule of each check that proves a record."""
    return tuple((rule.name, rule.sentence) for rule in proof_rules())


def _row(record: RecordValue, settings: ContractBuildSettings) -> ContractRow:
    row = contract_row(record)
    return with_page_members(row, record) if settings.listed else row


def _prove(record: RecordValue, contract: ParsedContract, settings: ContractBuildSettings) -> Proof:
    checks = CONTRACT_CHECKS if settings.checks is None else settings.checks
    if contract.compilation is None and contract.anchor is None:
        return prove(record, checks)
    digest = sha256(encode_unchecked(record)).hexdigest()
    return prove(record, checks, compilation=contract.compilation, anchor=contract.anchor, digest=digest)


def _anchor_notes(proof: Proof, source: ContractSource) -> Iterator[Finding]:
    """Yield why evidence from the chain does not show the claims; the contract is published anyway."""
    for problem, hint in proof.anchor_problems:
        from statuary.content.anchor_file import anchor_path

        yield Finding(
            rule="anchor-shows-the-contract",
            message=f"not shown: {problem}",
            hint=hint or f"run `statuary contract anchor {source.address} --rpc URL`",
            path=anchor_path(source),
            severity=Severity.NOTE,
        )


def _location_findings(
    record: RecordValue, source: ContractSource, settings: ContractBuildSettings
) -> Iterator[Finding]:
    """Yield the reasons why a record cannot be published at its path."""
    for result in run_checks(record, IDENTITY_CHECKS):
        yield from (finding.within(source.path) for finding in result.findings)
    yield from path_names_contract(record, source)
    yield from known_chain(record, source, settings.chains)
