"""Documents that change only with settings, counts or the program."""

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
    """Offer the settings-only documents, or keep them if their fingerprint is unchanged.

    `present` are the paths of the timed documents.
    """
    fingerprint = fingerprint_of(*settings_only_inputs(catalogue, contracts, present)).text
    last, *paths = target.ledger.note(NOTE).split("\n")
    if verify or last != fingerprint or not target.keep(paths):
        documents = settings_only_documents(catalogue, contracts, present, proof_rules())
        placed = list(laid_out(documents, catalogue.hosting))
        target.offer(placed)
        paths = [document.path for document in placed]
    target.ledger.add_notes({NOTE: "\n".join((fingerprint, *paths))})
