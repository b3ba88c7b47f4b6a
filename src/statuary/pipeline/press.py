"""One contract source to its documents: read, check, write as bytes. A pure function but for the reading."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from statuary.checks.identity import identity_findings
from statuary.content.contract_files import read_contract
from statuary.documents.contract_api.record_document import record_document
from statuary.documents.document import Document
from statuary.domain.catalogue import ContractSource
from statuary.domain.contracts.record import ContractRow, in_served_order, row_of
from statuary.domain.findings import Finding, has_errors


@dataclass(frozen=True, slots=True, kw_only=True)
class Pressed:
    """What became of one contract source.

    Attributes:
        source: the source.
        documents: what is published of it; empty if it is refused.
        row: its entry in lists, if it is published.
        findings: what its checks have to say.
    """

    source: ContractSource
    documents: tuple[Document, ...] = ()
    row: ContractRow | None = None
    findings: tuple[Finding, ...] = ()


def press(root: Path, source: ContractSource, chains: Collection[str]) -> Pressed:
    """Make the documents of one contract source, or find out why there are none.

    Args:
        root: the content folder.
        source: where the contract is written.
        chains: ids of the site's chains.
    """
    read, findings = read_contract(root, source)
    if read is None:
        return Pressed(source=source, findings=tuple(findings))
    findings.extend(identity_findings(read.value, source, chains))
    if has_errors(findings):
        return Pressed(source=source, findings=tuple(findings))
    record = in_served_order(read.value)
    canonical = read.canonical if record is read.value else None
    document = record_document(record, source.path, canonical)
    return Pressed(source=source, documents=(document,), row=row_of(record), findings=tuple(findings))
