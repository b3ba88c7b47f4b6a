"""The statuses that may follow each status of an update.

In Statuspage, an incident starts with any status (two in three real ones were entered already resolved) and
changes freely while it is open. After its end only a postmortem may follow.
"""

from collections.abc import Mapping

from statuary.domain.status.vocabulary import UpdateStatus

_OPEN: frozenset[UpdateStatus] = frozenset({"investigating", "identified", "monitoring", "resolved"})
_RUNNING: frozenset[UpdateStatus] = frozenset({"in_progress", "verifying", "completed"})

ALLOWED_TRANSITIONS: Mapping[UpdateStatus, frozenset[UpdateStatus]] = {
    "investigating": _OPEN,
    "identified": _OPEN,
    "monitoring": _OPEN,
    "resolved": frozenset({"resolved", "postmortem"}),
    "postmortem": frozenset({"postmortem"}),
    "scheduled": _RUNNING | {"scheduled"},
    "in_progress": _RUNNING,
    "verifying": _RUNNING,
    "completed": frozenset({"completed"}),
}
"""By the status of an update: the statuses that the next update may have."""


def may_follow(before: UpdateStatus | None, after: UpdateStatus) -> bool:
    """Return whether an update may have a status after another (None: as the first update)."""
    return after != "postmortem" if before is None else after in ALLOWED_TRANSITIONS[before]
