"""Contracts whose files cannot be read now: they stay as last published.

A file that cannot be read does not show that its contract was withdrawn.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

import orjson

from statuary.base.findings import Finding, Severity
from statuary.base.primitives import count_text
from statuary.contracts.api.lists import AddressContracts, address_list_document
from statuary.contracts.incremental.contract_table import ContractTable, KnownSource
from statuary.contracts.incremental.table_schema import UNREAD, SourceRow
from statuary.contracts.paths import apply_host_layout
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.contract_scan import ContractScan
from statuary.publish.target import BuildTarget
from statuary.site.site_content import SiteContent

MAX_NAMED_CONTRACTS = 5
"""The most contracts that a message names."""


class HiddenContracts(NamedTuple):
    """Files and folders that cannot be listed, and that had contracts in the last build."""

    contracts: SiteContracts  # the contracts of the content, whose number includes the hidden ones
    places: frozenset[str] = frozenset()  # the paths or URLs
    findings: tuple[Finding, ...] = ()  # the errors about these places

    def hide(self, path: str) -> bool:
        """Return whether a path is one of the places, or below one."""
        while path and path not in self.places:
            path = path.rpartition("/")[0]
        return bool(path)

    def visible_sources(self, sources: Iterable[KnownSource]) -> Iterable[KnownSource]:
        """Leave out sources of the last build that this build cannot list."""
        return (source for source in sources if not self.hide(source[0])) if self.places else sources


def find_hidden_contracts(contracts: SiteContracts, table: ContractTable) -> HiddenContracts:
    """Find errors that hide published contracts from this build.

    For example, an object store does not respond, or a record has become a link out of the content folder.

    Args:
        contracts: the contracts of the content.
        table: the contracts of the last build.
    """
    scan = contracts.sources
    if not isinstance(scan, ContractScan):
        return HiddenContracts(contracts)
    locations = {(source.path, source.pointer): source.location.rstrip("/") for source in scan.external}
    places, hiding, others = set[str](), list[Finding](), list[Finding]()
    count, has_bulk = 0, False
    for finding in scan.findings:
        place = locations.get((finding.path, finding.pointer), finding.path)
        hidden = table.count_previous_contracts(place) if finding.severity is Severity.ERROR else None
        if hidden is None or not hidden.sources:
            others.append(finding)
            continue
        places.add(place)
        hiding.append(replace(finding, message=f"{finding.message}{_consequence(hidden.published)}"))
        count, has_bulk = count + hidden.sources, has_bulk or bool(hidden.in_bulk)
    if not places:
        return HiddenContracts(contracts)
    result = replace(
        scan.result,
        count=len(scan) + count,
        findings=tuple(others),
        hidden=tuple(hiding),
        hides_bulk=has_bulk,
    )
    contracts = contracts._replace(sources=ContractScan(scan.root, scan.external, result))
    return HiddenContracts(contracts, frozenset(places), tuple(hiding))


def _consequence(published: int, names: Sequence[str] = ()) -> str:
    if not published:
        return ""
    stay = f"{count_text(published, 'contract')} {'stays' if published == 1 else 'stay'} as last published"
    named = ", ".join(names)
    others = f" and {published - len(names):,} others" if published > len(names) > 0 else ""
    return f"; {stay}: {named}{others}" if named else f"; {stay}"


def restore_unread_rows(table: ContractTable, hidden: HiddenContracts) -> None:
    """Add the last build's rows of contracts whose files this build could not read.

    A contract that this build has read from another file, or from another line of the same file, is not added.

    Call this method after all other rows have been added. Then call `restore_unread_documents`.
    """
    for unit, rows in groupby(table.unread_rows(), key=attrgetter("unit")):
        unread = next(rows)
        table.add(
            _restored_row(row, unread.findings if row.location == unit else "")
            for row in table.previous_rows(unit, is_partial=True)
        )
    if not table.keeps_unreplaced:
        for place in sorted(hidden.places):
            table.add(_restored_row(row) for row in table.previous_rows(place, is_partial=False))


def _restored_row(row: SourceRow, findings: str = "") -> SourceRow:
    # On its line of the last build, there may be another contract now.
    is_bulk = row.location != row.unit
    location = f"{row.unit}:{row.chain_id}/{row.address}" if is_bulk else row.location
    return row._replace(location=location, git="", stat="", digest=b"", reason=UNREAD, findings=findings)


def restore_unread_documents(
    table: ContractTable, hidden: HiddenContracts, target: BuildTarget, site: SiteContent
) -> None:
    """Keep the published documents of the rows that `restore_unread_rows` has added.

    Call this method after duplicate contracts have been excluded.
    """
    if not (hidden.places or table.unread_rows()):
        return  # do not read every row
    counts, names = Counter[str](), defaultdict[str, list[str]](list)
    for row in table.restored_rows():
        table.add([row._replace(documents="\n".join(_restore_documents(row, target, site)))])
        counts[row.unit] += 1
        if counts[row.unit] <= MAX_NAMED_CONTRACTS:
            names[row.unit].append(f"{row.chain_id}/{row.address}")
    for row in table.unread_rows():
        if count := counts.pop(row.unit, 0):
            first, *others = orjson.loads(row.findings)
            first["message"] += _consequence(count, names[row.unit])
            table.add([row._replace(findings=orjson.dumps([first, *others]).decode())])


def _restore_documents(row: SourceRow, target: BuildTarget, site: SiteContent) -> Iterator[str]:
    """Keep a contract's documents, and yield their paths.

    The list of contracts at the address is made again, unless that is done with the other lists.
    """
    entry = row.list_entry()
    address = AddressContracts(entry.address, (row.location,), (entry,))
    lists = list(apply_host_layout([address_list_document(address)], site.hosting))
    for path in row.documents.split("\n"):
        if path not in {document.path for document in lists}:
            target.ledger.documents.retain_unreplaced_files(path)
            yield path
    if len(site.content_of(SiteContracts).chains) == 1:
        target.add(lists)
        yield from (document.path for document in lists)
