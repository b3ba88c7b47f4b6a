"""Find the contracts of a content folder, without reading them."""

import os
from collections.abc import Sequence
from pathlib import Path

from statuary.contracts.sources.contract_source import ContractSources, NoContracts
from statuary.source.file_kinds import CONTRACTS


def find_contracts(
    root: Path, locations: Sequence[str], path: str, *, reads_contracts: bool
) -> ContractSources:
    """Find the contracts in the content folder and in external sources.

    Files are only listed, not read. An external source is, for example, a bucket of an object store.

    Args:
        root: the content folder.
        locations: the external sources: folders, files and URLs of object stores.
        path: the path of site.yaml, which errors name.
        reads_contracts: whether to search the folder `contracts` of the content.
    """
    if not locations and not (reads_contracts and os.path.lexists(root / CONTRACTS)):
        return NoContracts()
    from statuary.contracts.sources.contract_scan import ContractScan, ExternalSource, ScanResult

    external = [
        ExternalSource(location, path, ("contracts", "sources", number))
        for number, location in enumerate(locations)
    ]
    return ContractScan(root, external, None if reads_contracts else ScanResult(0))
