"""In which order objects are put, so that nobody is sent to what is not there yet: bodies, then what names them."""

from statuary.documents import url_table
from statuary.documents.stored_paths import plain_path
from statuary.documents.url_table import match_url
from statuary.publishing.snapshot_paths import MANIFEST, SIGNATURE

BODIES = frozenset(
    url.name
    for url in (
        url_table.CONTRACT,
        url_table.PROOF,
        url_table.CONTRACT_PAGE,
        url_table.INCIDENT,
        url_table.INCIDENT_PAGE,
        url_table.ARCHIVE,
        url_table.HISTORY_QUARTER_PAGE,
        url_table.EPOCH_DOCUMENT,
        url_table.SEARCH_SHARD,
        url_table.STYLE,
        url_table.SCRIPT,
        url_table.ICON,
        url_table.THEME_FILE,
    )
)
"""Documents that tell of one thing; every other document of the URL table tells of several."""

STEPS = (0, 1, 2)
"""Bodies; documents that name them; a snapshot's manifest, which names all."""


def step_of(path: str) -> int:
    """Return the step that a path is put in; what no row of the URL table knows is a body."""
    if path in (MANIFEST, SIGNATURE):
        return 2
    found = match_url(plain_path(path))
    return 0 if found is None or found[0].name in BODIES else 1
