"""What each URL answers, in one table: the shape of its body, its parameters, its refusals."""

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
from statuary.documents.url_table import Url
from statuary.domain.contracts.record import Record

LOOKUP_TAG, STATUS_TAG, FEEDS_TAG = "contract look-up", "status", "feeds and badges"
"""The parts of the API, as tags."""

TAGS: dict[str, str] = {
    LOOKUP_TAG: "Sourcify's API v2. Where nothing can run beside plain files, `fields`, `omit` and the query of lists "
    "are passed over, and refusals are those of the host.",
    STATUS_TAG: "Statuspage's API v2: what it serves and no more, and the whole history by year.",
    FEEDS_TAG: "The same news for readers, calendars and other pages.",
}


class Operation(NamedTuple):
    """What a URL answers.

    Attributes:
        url: its row in the table.
        tag: the part of the API.
        shape: the type of its JSON body; None for a body that is no JSON of this API.
        query: its parameters.
        refuses: whether it answers 400.
        missing: the type of the body of its 404; None where the host's own page is the answer.
        may_miss: whether it may be there or not.
    """

    url: Url
    tag: str
    shape: Any = None
    query: tuple[JsonObject, ...] = ()
    refuses: bool = False
    missing: Any = None
    may_miss: bool = False


def _look_up(url: Url, shape: Any, **more: Any) -> Operation:
    return Operation(url=url, tag=LOOKUP_TAG, shape=shape, **more)


def _status(url: Url, shape: Any, **more: Any) -> Operation:
    return Operation(url=url, tag=STATUS_TAG, shape=shape, **more)


OPERATIONS: tuple[Operation, ...] = (
    _look_up(
        url_table.CONTRACT,
        Record,
        query=(FIELDS_PARAMETER, OMIT_PARAMETER),
        refuses=True,
        missing=lists.NotVerified,
        may_miss=True,
    ),
    _look_up(
        url_table.CONTRACT_ALL_CHAINS,
        lists.ContractOnAllChains,
        refuses=True,
        missing=lists.ContractOnAllChains,
        may_miss=True,
    ),
    _look_up(url_table.CONTRACTS, lists.ContractList, query=LIST_PARAMETERS, refuses=True),
    _look_up(url_table.CHAINS, list[lists.ListedChain]),
    _look_up(url_table.CONTRACTS_PAGES, lists.ListPages, may_miss=True),
    _look_up(url_table.CONTRACTS_PAGE, lists.ContractList, may_miss=True),
    _look_up(url_table.PROOF, None, may_miss=True),
    _status(url_table.SUMMARY, status.Summary),
    _status(url_table.STATUS, status.Status),
    _status(url_table.COMPONENTS, status.Components),
    _status(url_table.INCIDENTS, status.Incidents),
    _status(url_table.INCIDENTS_UNRESOLVED, status.Incidents),
    _status(url_table.MAINTENANCES, status.ScheduledMaintenances),
    _status(url_table.MAINTENANCES_UPCOMING, status.ScheduledMaintenances),
    _status(url_table.MAINTENANCES_ACTIVE, status.ScheduledMaintenances),
    _status(url_table.INCIDENT, status.IncidentPage, may_miss=True),
    _status(url_table.ARCHIVES, status.Archives, may_miss=True),
    _status(url_table.ARCHIVE, status.Archive, may_miss=True),
    _status(url_table.UPTIME, None, may_miss=True),
    _status(url_table.EPOCHS, status.Epochs),
    Operation(url=url_table.HISTORY_ATOM, tag=FEEDS_TAG),
    Operation(url=url_table.HISTORY_RSS, tag=FEEDS_TAG),
    Operation(url=url_table.FEED, tag=FEEDS_TAG),
    Operation(url=url_table.COMPONENT_ATOM, tag=FEEDS_TAG, may_miss=True),
    Operation(url=url_table.CALENDAR, tag=FEEDS_TAG),
    Operation(url=url_table.BADGE, tag=FEEDS_TAG),
    Operation(url=url_table.BADGE_ENDPOINT, tag=FEEDS_TAG),
    Operation(url=url_table.COMPONENT_BADGE, tag=FEEDS_TAG, may_miss=True),
    Operation(url=url_table.COMPONENT_BADGE_ENDPOINT, tag=FEEDS_TAG, may_miss=True),
    Operation(url=url_table.CHANGES, tag=FEEDS_TAG),
)
"""The whole API; pages for people, their assets and what serves hosts are no part of it."""
