"""The documents that only another setting or another program changes: made once, and left alone from then on."""

from collections.abc import Sequence

from statuary.build.incremental.fingerprint import fingerprint_of
from statuary.checks.rule_catalogue import proof_rules
from statuary.documents.all_documents import settings_only_documents, settings_only_inputs
from statuary.domain.catalogue import Catalogue
from statuary.domain.contracts.contract_counts import ContractCounts
from statuary.publishing.folder.folder_target import FolderTarget
from statuary.publishing.host_layout import laid_out
from statuary.publishing.target import Target

NOTE = "standing"
"""The note of a publication that holds what they were made of, and a line for each of their paths."""


def offer_settings_only(
    publisher: Target,
    catalogue: Catalogue,
    contracts: ContractCounts,
    present: Sequence[str],
    *,
    verify: bool,
) -> None:
    """Offer the standing documents: as they stand, if nothing that they are made of has changed.

    Args:
        publisher: where they go.
        catalogue: the site.
        contracts: the published contracts in numbers.
        present: the paths of the documents that keep time.
        verify: whether every published file is held against the ledger.
    """
    if not isinstance(publisher, FolderTarget):
        documents = settings_only_documents(catalogue, contracts, present, proof_rules())
        publisher.offer(laid_out(documents, catalogue.hosting))
        return
    made = fingerprint_of(*settings_only_inputs(catalogue, contracts, present)).text
    last, *paths = publisher.last_note(NOTE).split("\n")
    if verify or last != made or not publisher.keep(paths):
        documents = settings_only_documents(catalogue, contracts, present, proof_rules())
        placed = list(laid_out(documents, catalogue.hosting))
        publisher.offer(placed)
        paths = [document.path for document in placed]
    publisher.note({NOTE: "\n".join((made, *paths))})
