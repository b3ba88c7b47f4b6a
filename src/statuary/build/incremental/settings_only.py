"""The documents that change only with settings, counts or the program: made once, and kept until then."""

from collections.abc import Sequence

from statuary.build.incremental.fingerprint import fingerprint_of
from statuary.checks.rule_catalogue import proof_rules
from statuary.documents.all_documents import settings_only_documents, settings_only_inputs
from statuary.domain.catalogue import Catalogue
from statuary.domain.contracts.contract_counts import ContractCounts
from statuary.publishing.host_layout import laid_out
from statuary.publishing.target import BuildTarget

NOTE = "settings-only"
"""The note of a build that holds their fingerprint, and a line for each of their paths."""


def offer_settings_only(
    target: BuildTarget,
    catalogue: Catalogue,
    contracts: ContractCounts,
    present: Sequence[str],
    *,
    verify: bool,
) -> None:
    """Offer the settings-only documents, or keep them if their fingerprint is the same.

    Args:
        target: where they go.
        catalogue: the site.
        contracts: the published contracts in numbers.
        present: the paths of the documents that depend on time.
        verify: whether every published file is compared with the ledger.
    """
    fingerprint = fingerprint_of(*settings_only_inputs(catalogue, contracts, present)).text
    last, *paths = target.ledger.note(NOTE).split("\n")
    if verify or last != fingerprint or not target.keep(paths):
        documents = settings_only_documents(catalogue, contracts, present, proof_rules())
        placed = list(laid_out(documents, catalogue.hosting))
        target.offer(placed)
        paths = [document.path for document in placed]
    target.ledger.add_notes({NOTE: "\n".join((fingerprint, *paths))})
