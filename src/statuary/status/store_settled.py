"""Store the incidents that later builds neither parse, replay nor check again."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from statuary.base.findings import Finding
from statuary.base.primitives import Instant
from statuary.section import Run
from statuary.status.known_settled import KnownSettled
from statuary.status.model.incident_history import IncidentHistory
from statuary.status.model.settled_incidents import (
    SettledFacts,
    SettledPast,
    components_digest,
    split_settled,
)
from statuary.status.model.status_history import ReplayState, replay_updates
from statuary.status.model.timeline import Timeline
from statuary.status.site_status import SiteStatus

REPLACED_PART = 8
"""The settled incidents are stored again when one in so many is new."""


def store_settled_incidents(run: Run, status: SiteStatus, findings: Iterable[Finding]) -> None:
    """Store the incidents that are settled, unless few became settled since they were stored.

    A build that verifies reads no stored values. One that skips rules, or has a component with an error, does not
    know which incidents break a rule. So none of them stores any.

    Args:
        run: the build.
        status: the status of the build.
        findings: the findings of all rules; each build checks an incident with a finding again.
    """
    is_known = not (run.execution.verify or run.checks.skipped or status.timeline.catalogue.faulty_parts)
    if is_known and _are_many_new(status.timeline, status.now):
        known = run.target.ledger.table(KnownSettled)
        known.store(_settle(status.timeline, _ended_incidents(known, status, findings), status.now))


def _are_many_new(timeline: Timeline, now: Instant) -> bool:
    """Return whether many incidents became settled since the settled ones were stored."""
    if timeline.past is None:
        return True
    opened = [history for history in timeline.histories if not history.is_unchanging_after(now)]
    limit = min([now, *(history.change_instants[0] for history in opened)])
    count = sum(history.change_instants[-1:] < (limit,) for history in timeline.incidents)
    return count - len(timeline.past.facts) > len(timeline.past.facts) // REPLACED_PART


class _Ended(NamedTuple):
    """An incident that has ended, and may be settled."""

    history: IncidentHistory
    facts: SettledFacts

    @property
    def start(self) -> Instant:
        """The time at which it was published."""
        return self.history.change_instants[0]

    @property
    def end(self) -> Instant:
        """The time of its last change."""
        return self.history.change_instants[-1]


def _ended_incidents(
    known: KnownSettled, status: SiteStatus, findings: Iterable[Finding]
) -> Iterator[_Ended]:
    faulty = {finding.path for finding in findings}
    # Digests with earlier versions of updates hold for one build only.
    digests = {} if status.previous_versions else status.digests
    for history in status.timeline.incidents:
        final = history.final_state
        if final is None or not history.is_unchanging_after(status.now) or history.incident.source in faulty:
            continue
        facts = known.facts_of(history)
        if facts is not None:
            yield _Ended(history, facts._replace(digest=facts.digest or digests.get(final, "")))


def _settle(timeline: Timeline, candidates: Iterable[_Ended], now: Instant) -> SettledPast | None:
    """Return those of the ended incidents that are settled, with the statuses after them; None if none is."""
    ended = list(candidates)
    others = set(timeline.histories).difference(entry.history for entry in ended)
    limit = min([now, *(change for history in others for change in history.change_instants[:1])])
    ended = _ended_before(ended, limit)
    if not ended:
        return None
    state = _state_after(timeline, [entry.history for entry in ended])
    facts = {entry.facts.source: entry.facts for entry in ended}
    return SettledPast(components_digest(timeline.catalogue), facts, state)


def _ended_before(ended: list[_Ended], limit: Instant) -> list[_Ended]:
    """Return the incidents that ended before a time, and before the start of any that did not."""
    while late := [entry.start for entry in ended if entry.end >= limit]:
        ended = [entry for entry in ended if entry.end < limit]
        limit = min(limit, *late)
    return ended


def _state_after(timeline: Timeline, settled: Sequence[IncidentHistory]) -> ReplayState:
    """Return the statuses of components after the last change of the settled incidents."""
    until = max(history.change_instants[-1] for history in settled)
    published = sum(bool(history.change_instants) for history in timeline.histories)
    changes = (change.at for component in timeline.catalogue.components for change in component.history)
    if published == len(settled) and not any(at > until for at in changes):
        return ReplayState(until, timeline.status_histories, timeline.layer_histories, timeline.layers)
    records = [history.incident for history in settled]
    past, others = split_settled(timeline.catalogue, records)
    start = None if past is None else past.state
    return replay_updates(timeline.catalogue, others, start, until).state_at(until)
