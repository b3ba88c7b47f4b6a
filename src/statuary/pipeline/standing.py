"""The documents that only another setting or another program changes: made once, and left alone from then on."""

from collections.abc import Sequence

from statuary.checks.catalogue import proof_rules
from statuary.documents.all_documents import standing_documents, standing_on
from statuary.domain.catalogue import Catalogue
from statuary.domain.contracts.tally import Tally
from statuary.pipeline.made_of import made_of
from statuary.publishing.arrange import arranged
from statuary.publishing.publication import Publication
from statuary.publishing.publisher import Publisher

NOTE = "standing"
"""The note of a publication that holds what they were made of, and a line for each of their paths."""


def offer_standing(
    publisher: Publisher, catalogue: Catalogue, contracts: Tally, present: Sequence[str], *, verify: bool
) -> None:
    """Offer the standing documents: as they stand, if nothing that they are made of has changed.

    Args:
        publisher: where they go.
        catalogue: the site.
        contracts: the published contracts in numbers.
        present: the paths of the documents that keep time.
        verify: whether every published file is held against the ledger.
    """
    if not isinstance(publisher, Publication):
        documents = standing_documents(catalogue, contracts, present, proof_rules())
        publisher.offer(arranged(documents, catalogue.hosting))
        return
    made = made_of(*standing_on(catalogue, contracts, present)).text
    last, *paths = publisher.noted(NOTE).split("\n")
    if verify or last != made or not publisher.keep(paths):
        documents = standing_documents(catalogue, contracts, present, proof_rules())
        placed = list(arranged(documents, catalogue.hosting))
        publisher.offer(placed)
        paths = [document.path for document in placed]
    publisher.note({NOTE: "\n".join((made, *paths))})
