"""Run all checks of the status."""

from collections.abc import Container, Iterator
from functools import partial

from statuary.base.budget import run_guarded
from statuary.base.findings import Finding
from statuary.base.primitives import Instant
from statuary.base.rules import RegisteredCheck, registered_checks
from statuary.status.checks import component_checks, lifecycle_checks, maintenance_checks
from statuary.status.checks.status_context import StatusContext, status_context
from statuary.status.model.timeline import Timeline

STATUS_CHECKS = tuple(registered_checks(component_checks, lifecycle_checks, maintenance_checks))
"""Every check of components, incidents and maintenances."""


def status_findings(
    timeline: Timeline, now: Instant, skip: Container[str] = frozenset()
) -> Iterator[Finding]:
    """Run the checks of incidents, windows and components.

    Args:
        timeline: the status over time, as far ahead as the build writes documents.
        now: the build's time.
        skip: the names of checks to skip.
    """
    context = status_context(timeline, now)
    for check in STATUS_CHECKS:
        if check.name not in skip:
            outcome = run_guarded(
                partial(_run_check, check, context), timeline.catalogue.page_source, f"the check {check.name}"
            )
            yield from [outcome] if isinstance(outcome, Finding) else outcome


def _run_check(check: RegisteredCheck, context: StatusContext) -> list[Finding]:
    return [
        Finding(rule=check.name, severity=check.severity, **violation._asdict())
        for violation in check.function(context)
    ]
