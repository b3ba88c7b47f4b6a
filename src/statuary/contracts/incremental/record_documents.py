"""The documents and facts that extensions make of a published record."""

from collections.abc import Callable, Iterable
from itertools import chain
from typing import TYPE_CHECKING

from statuary.registry import load, providers
from statuary.site.document import Document

if TYPE_CHECKING:
    from statuary.contracts.model.judged_record import JudgedRecord


RecordDocuments = Callable[["JudgedRecord", object, str], tuple[bytes, Iterable[Document]]]
"""Returns the data that the ledger keeps for a stage, and the additional documents of a record, given the record with
its proof, the extension's settings and the record's source.
"""


RECORD_DOCUMENTS = providers("record documents")
"""The `RecordDocuments` of extensions, as "module:name" by their key in site.yaml."""


def record_documents(
    judged: "JudgedRecord", extensions: tuple[tuple[str, object], ...], source: str
) -> tuple[bytes, Iterable[Document]]:
    """Return the data and the documents that extensions derive from a record.

    Args:
        extensions: key and settings of the enabled ones in `RECORD_DOCUMENTS`.
        source: the content file of the record.
    """
    of_each = [load(RECORD_DOCUMENTS[key])(judged, settings, source) for key, settings in extensions]
    return b"".join(facts for facts, _ in of_each), chain.from_iterable(documents for _, documents in of_each)
