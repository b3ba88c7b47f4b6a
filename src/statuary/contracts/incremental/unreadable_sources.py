"""Find files and folders with many published contracts that cannot be read now."""

from typing import NamedTuple

from statuary.base.findings import Finding, Severity
from statuary.contracts.incremental.contract_table import ContractTable
from statuary.contracts.sources.contract_scan import ContractScan
from statuary.contracts.sources.contract_source import ContractSources
from statuary.source.file_kinds import CONTRACTS


class SourceErrors(NamedTuple):
    """The errors about the files and folders of contracts."""

    hiding: tuple[Finding, ...]  # errors about places that had many contracts in the last build
    others: tuple[Finding, ...]


def find_hidden_contracts(sources: ContractSources, table: ContractTable) -> SourceErrors:
    """Find errors that hide many published contracts from this build.

    For example, an object store does not respond. An error counts if it concerns a whole source (the folder `contracts` or
    an external source), or a file or folder directly in it, and the last build had contracts there.

    Args:
        sources: the contracts of the content.
        table: the contracts of the last build.
    """
    external = sources.external if isinstance(sources, ContractScan) else ()
    locations = {(source.path, source.pointer): source.location.rstrip("/") for source in external}
    roots = {CONTRACTS, *locations.values()}
    hiding, others = list[Finding](), list[Finding]()
    for finding in sources.findings:
        place = locations.get((finding.path, finding.pointer), finding.path)
        has_many = place in roots or place.rpartition("/")[0] in roots
        is_error = finding.severity is Severity.ERROR
        is_hiding = is_error and has_many and table.has_previous_sources(place)
        (hiding if is_hiding else others).append(finding)
    return SourceErrors(tuple(hiding), tuple(others))
