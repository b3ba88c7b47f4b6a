"""One contract source to its documents: read, check, prove, write as bytes. Pure but for the reading."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from statuary.checks.contracts.check import ContractCheck
from statuary.checks.contracts.prove import CONTRACT_CHECKS, IDENTITY_CHECKS, prove
from statuary.checks.record_location import known_chain, path_names_contract
from statuary.content.read_contract import ParsedContract, read_contract
from statuary.documents.contract_api.proof_document import proof_document
from statuary.documents.contract_api.record_document import record_document
from statuary.documents.document import Document
from statuary.documents.pages.contracts.contract_page_context import ContractPageContext
from statuary.documents.pages.contracts.listed_contract import ListedContract, listed_contract
from statuary.domain.catalogue import ContractSource
from statuary.domain.contracts.proof import Proof
from statuary.domain.contracts.record import ContractRow, RecordValue, contract_row, in_served_order
from statuary.domain.findings import Finding
from statuary.domain.site_settings import ContractSettings, PublishPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractBuildSettings:
    """What pressing a contract depends on besides its source.

    Attributes:
        chains: ids of the site's chains.
        contracts: how contracts are published.
        checks: what a record must prove; None for everything.
        pages: what the page of a contract depends on; None makes none.
        listed: whether pages list contracts.
    """

    chains: frozenset[str]
    contracts: ContractSettings = field(default_factory=ContractSettings)
    checks: Sequence[ContractCheck] | None = None
    pages: ContractPageContext | None = None
    listed: bool = False


class BuiltContract(NamedTuple):
    """What became of one contract source.

    Attributes:
        source: the source.
        digest: SHA-256 of a record's file, as `ParsedContract` has it.
        documents: what is published of it; of a refused record, its proof alone.
        page: makes its page when it is asked for; None if it has none.
        row: its entry in lists, if it could be filed.
        entry: what pages list of it; None if they list none.
        published: whether it is published.
        findings: what is wrong with the source itself: it stops the whole build.
        refused: why the record's claim is not believed: it keeps the record back, nothing else.
    """

    source: ContractSource
    digest: bytes = b""
    documents: tuple[Document, ...] = ()
    page: Callable[[], Document] | None = None
    row: ContractRow | None = None
    entry: ListedContract | None = None
    published: bool = False
    findings: tuple[Finding, ...] = ()
    refused: tuple[Finding, ...] = ()

    def all_documents(self) -> Iterator[Document]:
        """Yield everything that is published of it."""
        yield from self.documents
        if self.page is not None:
            yield self.page()


def build_contract(root: Path, source: ContractSource, settings: ContractBuildSettings) -> BuiltContract:
    """Make the documents of one contract source, or find out why there are none.

    Args:
        root: the content folder.
        source: where the contract is written.
        settings: what the site demands of it.
    """
    return build_read_contract(source, read_contract(root, source), settings)


def build_read_contract(
    source: ContractSource, contract: ParsedContract, settings: ContractBuildSettings
) -> BuiltContract:
    """Make the documents of a contract that has been read."""
    read = contract.record
    if read is None:
        return BuiltContract(source=source, digest=contract.digest, findings=tuple(contract.findings))
    findings = [*contract.findings, *_filing_findings(read.value, source, settings)]
    if findings:
        return BuiltContract(source=source, digest=contract.digest, findings=tuple(findings))
    proof = prove(read.value, CONTRACT_CHECKS if settings.checks is None else settings.checks)
    said = tuple(finding.within(source.path) for finding in proof.findings)
    record = in_served_order(read.value)
    published = proof.holds or settings.contracts.publish is PublishPolicy.ALL
    documents = [proof_document(record, proof, source.location, published=published)] if proof.results else []
    if published:
        canonical = read.canonical if record is read.value else None
        documents.insert(0, record_document(record, source.location, canonical, contract.digest))
    return BuiltContract(
        source=source,
        digest=contract.digest,
        documents=tuple(documents),
        page=_page(record, proof, source, settings, published=published),
        row=contract_row(record),
        entry=listed_contract(record) if settings.listed else None,
        published=published,
        findings=said if proof.holds else (),
        refused=() if proof.holds else said,
    )


def _page(
    record: RecordValue,
    proof: Proof,
    source: ContractSource,
    settings: ContractBuildSettings,
    *,
    published: bool,
) -> Callable[[], Document] | None:
    if settings.pages is None:
        return None
    from statuary.documents.pages.contracts.contract_page import contract_page

    return partial(contract_page, record, proof, settings.pages, source=source.location, published=published)


def _filing_findings(
    record: RecordValue, source: ContractSource, settings: ContractBuildSettings
) -> Iterator[Finding]:
    """Yield what keeps a record from being filed under its path."""
    yield from (finding.within(source.path) for finding in prove(record, IDENTITY_CHECKS).findings)
    yield from path_names_contract(record, source)
    yield from known_chain(record, source, settings.chains)
