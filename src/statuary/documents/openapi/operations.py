"""The operation of each URL, in one table: the shape of its body, its parameters, its errors."""

from typing import Any, NamedTuple

from statuary.documents import url_table
from statuary.documents.contract_api import contract_shapes as lists
from statuary.documents.openapi.parameters import (
    FIELDS_PARAMETER,
    LIST_PARAMETERS,
    OMIT_PARAMETER,
    JsonObject,
)
from statuary.documents.status_api import status_shapes as status
from statuary.documents.url import Url
from statuary.domain.contracts.record import Record

LOOKUP_TAG, STATUS_TAG, FEEDS_TAG = "contract look-up", "status", "feeds and badges"
"""The parts of the API, as tags."""

TAGS: dict[str, str] = {
    LOOKUP_TAG: "Sourcify's API v2. A host that serves only plain files ignores `fields`, `omit` and the query of lists, "
    "and sends its own error pages.",
    STATUS_TAG: "Statuspage's API v2, plus the whole history by year.",
    FEEDS_TAG: "The same status for feed readers, calendars and other pages.",
}


class Operation(NamedTuple):
    """The operation of a URL."""

    url: Url
    tag: str  # the part of the API
    shape: Any = None  # the type of its JSON body; None for another body
    query: tuple[JsonObject, ...] = ()
    rejects: bool = False  # whether it answers 400 to an invalid request
    missing: Any = None  # the type of the body of its 404; None if that is the host's own page
    may_be_missing: bool = False  # whether it answers 404 on some sites or for some parameters


def _look_up(url: Url, shape: Any, **more: Any) -> Operation:
    return Operation(url=url, tag=LOOKUP_TAG, shape=shape, **more)


def _status(url: Url, shape: Any, **more: Any) -> Operation:
    return Operation(url=url, tag=STATUS_TAG, shape=shape, **more)


OPERATIONS: tuple[Operation, ...] = (
    _look_up(
        url_table.CONTRACT,
        Record,
        query=(FIELDS_PARAMETER, OMIT_PARAMETER),
        rejects=True,
        missing=lists.NotVerified,
        may_be_missing=True,
    ),
    _look_up(
        url_table.CONTRACT_ALL_CHAINS,
        lists.ContractOnAllChains,
        rejects=True,
        missing=lists.ContractOnAllChains,
        may_be_missing=True,
    ),
    _look_up(url_table.CONTRACTS, lists.ContractList, query=LIST_PARAMETERS, rejects=True),
    _look_up(url_table.CHAINS, list[lists.ListedChain]),
    _look_up(url_table.CONTRACTS_PAGES, lists.ListPages, may_be_missing=True),
    _look_up(url_table.CONTRACTS_PAGE, lists.ContractList, may_be_missing=True),
    _look_up(url_table.PROOF, None, may_be_missing=True),
    _status(url_table.SUMMARY, status.SummaryDocument),
    _status(url_table.STATUS, status.StatusDocument),
    _status(url_table.COMPONENTS, status.ComponentsDocument),
    _status(url_table.INCIDENTS, status.IncidentsDocument),
    _status(url_table.INCIDENTS_UNRESOLVED, status.IncidentsDocument),
    _status(url_table.MAINTENANCES, status.ScheduledMaintenancesDocument),
    _status(url_table.MAINTENANCES_UPCOMING, status.ScheduledMaintenancesDocument),
    _status(url_table.MAINTENANCES_ACTIVE, status.ScheduledMaintenancesDocument),
    _status(url_table.INCIDENT, status.IncidentDocument, may_be_missing=True),
    _status(url_table.ARCHIVES, status.ArchivesDocument, may_be_missing=True),
    _status(url_table.ARCHIVE, status.ArchiveDocument, may_be_missing=True),
    _status(url_table.UPTIME, None, may_be_missing=True),
    _status(url_table.EPOCHS, status.EpochsDocument),
    Operation(url=url_table.HISTORY_ATOM, tag=FEEDS_TAG),
    Operation(url=url_table.HISTORY_RSS, tag=FEEDS_TAG),
    Operation(url=url_table.FEED, tag=FEEDS_TAG),
    Operation(url=url_table.COMPONENT_ATOM, tag=FEEDS_TAG, may_be_missing=True),
    Operation(url=url_table.CALENDAR, tag=FEEDS_TAG),
    Operation(url=url_table.BADGE, tag=FEEDS_TAG),
    Operation(url=url_table.BADGE_ENDPOINT, tag=FEEDS_TAG),
    Operation(url=url_table.COMPONENT_BADGE, tag=FEEDS_TAG, may_be_missing=True),
    Operation(url=url_table.COMPONENT_BADGE_ENDPOINT, tag=FEEDS_TAG, may_be_missing=True),
    Operation(url=url_table.CHANGES, tag=FEEDS_TAG),
)
"""The whole API; pages, their assets and the files of hosts are not part of it."""
