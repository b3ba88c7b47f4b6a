"""The table of status checks.

The first line of a check's docstring is its rule; its name in kebab-case is the rule of its findings and the
argument of `--skip`.
"""

from collections.abc import Callable, Container, Iterator

from statuary.checks.status.component_checks import (
    group_has_components,
    history_in_order,
    page_is_dated,
    page_updated_at_holds,
)
from statuary.checks.status.lifecycle_checks import (
    allowed_moves,
    backfilled_moves_nothing,
    draft_unpublished,
    resolved_leaves_components_up,
    update_in_future,
    updates_in_order,
)
from statuary.checks.status.maintenance_checks import (
    announced_before_it_begins,
    cancelled_in_time,
    completed_by_clock_begins,
    overdue_maintenance,
    window_has_length,
    window_within_horizon,
    windows_do_not_overlap,
)
from statuary.checks.status.recurrence_checks import (
    move_is_dated,
    occurrence_exists,
    recurrence_within_horizon,
    recurrence_within_limit,
    start_fits_rule,
)
from statuary.checks.status.reference_checks import (
    affected_component_is_no_group,
    id_fits_a_url,
    known_component,
    unique_component,
    unique_record_id,
    unique_update_id,
)
from statuary.checks.status.status_context import StatusContext
from statuary.domain.findings import Finding
from statuary.domain.primitives import Instant
from statuary.domain.status.timeline import Timeline

StatusCheck = Callable[[StatusContext], Iterator[Finding]]

STATUS_CHECKS: tuple[StatusCheck, ...] = (
    unique_component,
    group_has_components,
    history_in_order,
    page_is_dated,
    page_updated_at_holds,
    known_component,
    affected_component_is_no_group,
    id_fits_a_url,
    unique_record_id,
    unique_update_id,
    allowed_moves,
    updates_in_order,
    update_in_future,
    draft_unpublished,
    backfilled_moves_nothing,
    resolved_leaves_components_up,
    window_has_length,
    windows_do_not_overlap,
    announced_before_it_begins,
    overdue_maintenance,
    completed_by_clock_begins,
    cancelled_in_time,
    window_within_horizon,
    start_fits_rule,
    occurrence_exists,
    move_is_dated,
    recurrence_within_limit,
    recurrence_within_horizon,
)


def rule_name(check: Callable[..., object]) -> str:
    """Return the name of a check's rule."""
    return check.__name__.replace("_", "-")


def status_findings(
    timeline: Timeline, now: Instant, skip: Container[str] = frozenset()
) -> Iterator[Finding]:
    """Yield the findings of every check whose name is not in `skip`.

    Args:
        timeline: extends to the horizon.
    """
    context = StatusContext(timeline=timeline, now=now)
    for check in STATUS_CHECKS:
        if rule_name(check) not in skip:
            yield from check(context)
