"""The documents and facts that extensions make of a published record."""

from collections.abc import Callable, Iterable
from itertools import chain
from typing import TYPE_CHECKING

from statuary.extension_table import EXTENSIONS, load
from statuary.site.document import Document

if TYPE_CHECKING:
    from statuary.contracts.model.judged_record import JudgedRecord


RecordDocuments = Callable[["JudgedRecord", object, str], tuple[bytes, Iterable[Document]]]
"""Returns what the ledger keeps of a published record for a stage, and what makes further documents of it; of the
record with its proof, the settings of the extension and the record's source."""


RECORD_DOCUMENTS = {row.key: row.of_record for row in EXTENSIONS if row.of_record}
"""Where the `RecordDocuments` of each extension that has one is, by its key in site.yaml."""


def record_documents(
    judged: "JudgedRecord", extensions: tuple[tuple[str, object], ...], source: str
) -> tuple[bytes, Iterable[Document]]:
    """Return what extensions keep of a published record, and the documents that they make of it.

    Args:
        extensions: the key and the settings of those in `RECORD_DOCUMENTS` that are on.
        source: the content file of the record.
    """
    of_each = [
        load(RECORD_DOCUMENTS[key], f"`{key}` in site.yaml")(judged, settings, source)
        for key, settings in extensions
    ]
    return b"".join(facts for facts, _ in of_each), chain.from_iterable(documents for _, documents in of_each)
