"""One contract source to its documents: read, check, encode."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import orjson

from statuary.checks.contracts.prove import (
    CONTRACT_CHECKS,
    IDENTITY_CHECKS,
    Provable,
    prove_together,
    run_checks,
)
from statuary.checks.record_location import known_chain, path_names_contract
from statuary.checks.rule_catalogue import proof_rules
from statuary.content.parse_record import ParsedContract
from statuary.content.read_contract import read_contract
from statuary.content.source_files import SourceStat, source_stat
from statuary.documents.all_documents import address_documents, contract_documents
from statuary.documents.contract_api.lists import AddressRows
from statuary.documents.document import Document, encode_unchecked
from statuary.documents.pages.contract.page_members import with_page_members
from statuary.domain.catalogue import ContractSource
from statuary.domain.contracts.proof import Proof
from statuary.domain.contracts.record import RecordValue, contract_row, in_served_order
from statuary.domain.contracts.rows import ContractRow
from statuary.domain.findings import Finding, Severity
from statuary.domain.settings import PublishPolicy
from statuary.pipeline.fingerprint import ContractBuildSettings
from statuary.publishing.ledger.schema import SourceRow

BATCH, BATCH_BYTES = 16, 400_000
"""The most records that are proved together, and the bytes of records that end a batch."""


class BuiltContract(NamedTuple):
    """The result of one contract source."""

    source: ContractSource
    digest: bytes = b""  # SHA-256 of a record's file, as in `ParsedContract`
    # the documents, made while they are iterated, once; without the record if it is withheld
    documents: Iterable[Document] = ()
    row: ContractRow | None = None  # its list entry; None if the record cannot be read or placed
    published: bool = False
    # about the record; an error withholds it. Documents of an earlier build are removed: the same content gives
    # the same site.
    findings: tuple[Finding, ...] = ()

    def source_row(self, *, unit: str, reason: str, git: str = "", stat: str = "") -> SourceRow:
        """Return the ledger's row for it, without documents."""
        return SourceRow(
            location=self.source.location,
            unit=unit,
            git=git,
            stat=stat,
            digest=self.digest,
            documents="",
            reason=reason,
            findings=orjson.dumps(self.findings).decode() if self.findings else "",
            published=self.published,
        ).listed_as(self.row)


def build_contracts_of_files(
    root: Path, sources: Iterable[ContractSource], settings: ContractBuildSettings
) -> Iterator[tuple[BuiltContract, SourceStat]]:
    """Read contracts and make their documents; each has the size and time of its source before it was read."""
    read = ((source, source_stat(root, source), read_contract(root, source)) for source in sources)
    for batch in in_batches((source, contract, stat) for source, stat, contract in read):
        built = build_contracts_together([one[:2] for one in batch], settings)
        yield from zip(built, [stat for _, _, stat in batch], strict=True)


ReadContract = TypeVar("ReadContract", bound=tuple[ContractSource, ParsedContract, Any])


def in_batches(read: Iterable[ReadContract]) -> Iterator[list[ReadContract]]:
    """Yield contracts in groups that are proved together: few enough, and small enough for a processor's cache."""
    batch, size = list[ReadContract](), 0
    for one in read:
        batch.append(one)
        size += len(one[1].canonical or b"") or BATCH_BYTES  # a record in another form may have any size
        if len(batch) == BATCH or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def build_contracts_together(
    read: Sequence[tuple[ContractSource, ParsedContract]], settings: ContractBuildSettings
) -> Iterator[BuiltContract]:
    """Make the documents of contracts that have been read; their records are proved together."""
    faults = [_faults(source, contract, settings) for source, contract in read]
    held = [_provable(contract) for (_, contract), found in zip(read, faults, strict=True) if not found]
    checks = CONTRACT_CHECKS if settings.checks is None else settings.checks
    proved = zip(held, prove_together(held, checks), strict=True)
    for (source, contract), found in zip(read, faults, strict=True):
        if found:
            yield BuiltContract(source, contract.digest, findings=found)
        else:
            one, proof = next(proved)
            yield _built(source, contract, one.record, proof, settings)


def _faults(
    source: ContractSource, contract: ParsedContract, settings: ContractBuildSettings
) -> tuple[Finding, ...]:
    """Return why a contract's record cannot be proved: it cannot be read, or is not where it belongs."""
    found = () if contract.record is None else _location_findings(contract.record, source, settings)
    return (*contract.findings, *found)


def _provable(contract: ParsedContract) -> Provable:
    record = in_served_order(contract.record or {})
    if contract.compilation is None and contract.anchor is None:
        return Provable(record)
    digest = sha256(encode_unchecked(record)).hexdigest()
    return Provable(record, contract.compilation, contract.anchor, digest)


def _built(
    source: ContractSource,
    contract: ParsedContract,
    record: RecordValue,
    proof: Proof,
    settings: ContractBuildSettings,
) -> BuiltContract:
    notes = (*contract.notes, *_anchor_notes(proof, source))
    found = (*(finding.within(source.path) for finding in proof.findings), *notes)
    published = proof.holds or settings.contracts.publish is PublishPolicy.ALL
    canonical = contract.canonical if record is contract.record else None
    row = _row(record, settings)
    documents = contract_documents(
        record,
        proof,
        source.location,
        settings.pages and settings.pages._replace(rules=_rules_of_pages()),
        canonical=canonical,
        digest=contract.digest,
        published=published,
    )
    if published and len(settings.chains) == 1:  # no other contract can be at its address
        documents = chain(
            documents, address_documents([AddressRows(row.address, (source.location,), (row,))])
        )
    return BuiltContract(
        source,
        contract.digest,
        documents=documents,
        row=row,
        published=published,
        findings=found,
    )


@cache
def _rules_of_pages() -> tuple[tuple[str, str], ...]:
    """Return the name and the rule of each check that proves a record."""
    return tuple((rule.name, rule.sentence) for rule in proof_rules())


def _row(record: RecordValue, settings: ContractBuildSettings) -> ContractRow:
    row = contract_row(record)
    return with_page_members(row, record) if settings.listed else row


def _anchor_notes(proof: Proof, source: ContractSource) -> Iterator[Finding]:
    """Yield why evidence from the chain does not show the claims; the contract is published anyway."""
    for problem, hint in proof.anchor_problems:
        from statuary.content.evidence import anchor_path
        from statuary.documents.pages.page_texts import english

        yield Finding(
            rule="anchor-shows-the-contract",
            message=f"not shown: {english(problem)}",
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
