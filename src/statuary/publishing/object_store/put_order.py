"""The order in which objects are put, so that no visible document names one that is missing."""

from statuary.documents import url_table
from statuary.documents.stored_paths import plain_path
from statuary.documents.url_table import match_url
from statuary.publishing.snapshot_paths import MANIFEST, SIGNATURE

BODIES, PAGES, LISTS, INDEXES, STATUS, WHOLE = STEPS = range(6)
"""The steps: documents that name no others; pages of single subjects; lists; what names lists; the status; a manifest."""

STEP_OF_URL = {
    BODIES: (
        url_table.CONTRACT,
        url_table.PROOF,
        url_table.INCIDENT,
        url_table.ARCHIVE,
        url_table.EPOCH_DOCUMENT,
        url_table.EPOCH_PATCH,
        url_table.UPTIME_SCHEMA,
        url_table.SEARCH_SHARD,
        url_table.STYLE,
        url_table.SCRIPT,
        url_table.ICON,
        url_table.THEME_FILE,
        url_table.LOG_TILE,
        url_table.LOG_CONTRACT,
        url_table.LOG_INCIDENT,
    ),
    PAGES: (url_table.CONTRACT_PAGE, url_table.INCIDENT_PAGE, url_table.HISTORY_QUARTER_PAGE),
    LISTS: (url_table.CONTRACT_ALL_CHAINS, url_table.CONTRACTS_PAGE, url_table.CHAIN_PAGES),
}
STEPS_BY_NAME = {url.name: step for step, urls in STEP_OF_URL.items() for url in urls}


def step_of(path: str) -> int:
    """Return the step in which a path is put; a path outside the URL table is a body."""
    if path in (MANIFEST, SIGNATURE):
        return WHOLE
    found = match_url(plain_path(path))
    if found is None:
        return BODIES
    return STEPS_BY_NAME.get(found[0].name, STATUS if found[0].is_timed else INDEXES)
