"""The documents and data that extensions derive from a published record."""

from collections.abc import Callable, Iterable
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from statuary.registry import load, providers
from statuary.site.document import Document

if TYPE_CHECKING:
    from statuary.contracts.model.record_with_proof import RecordWithProof


class RecordOutput(NamedTuple):
    """The documents that extensions made for a contract.

    `facts` is data that the extensions store in the build database for later steps.
    """

    facts: bytes  # data that the ledger stores with the contract
    documents: Iterable[Document]


RecordDocuments = Callable[["RecordWithProof", object, str], RecordOutput]
"""Returns what an extension derives from a record, given the record with its proof, the extension's settings and the
record's source.
"""


RECORD_DOCUMENTS = providers("record documents")
"""The `RecordDocuments` of extensions, as "module:name" by their key in site.yaml."""


def record_documents(
    checked_record: "RecordWithProof", extensions: tuple[tuple[str, object], ...], source: str
) -> RecordOutput:
    """Make the documents that extensions add for a contract.

    For example, one extension makes the responses to Etherscan's API calls.

    Args:
        extensions: the name and settings of each extension, as in `RECORD_DOCUMENTS`.
        source: the path of the record in the content folder.
    """
    of_each: list[RecordOutput] = [
        load(RECORD_DOCUMENTS[key])(checked_record, settings, source) for key, settings in extensions
    ]
    return RecordOutput(
        b"".join(output.facts for output in of_each),
        chain.from_iterable(output.documents for output in of_each),
    )
