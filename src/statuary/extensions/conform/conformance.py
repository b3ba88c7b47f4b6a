"""Checks of a deployment, and their results."""

from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum, StrEnum
from time import perf_counter
from typing import NamedTuple

from statuary.extensions.conform import addition_checks as additions
from statuary.extensions.conform import api_checks as apis
from statuary.extensions.conform import contract_checks as contracts
from statuary.extensions.conform import site_checks as site
from statuary.extensions.conform import status_api_checks as status
from statuary.extensions.conform.deployment import CheckedDeployment, NotApplicableError
from statuary.system.network.client import UnreachableError


class ConformanceArea(StrEnum):
    """The part that a check tests: a site's contracts, status, or files."""

    CONTRACTS = "contracts"
    STATUS = "status"
    SITE = "site"
    """Only for sites of statuary."""


class ConformanceLevel(IntEnum):
    """The hosting that a check requires: plain files or an edge program."""

    STATIC = 1
    EDGE = 2


class ConformanceOutcome(StrEnum):
    """The outcome of a check: passed, failed or skipped."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    """The rule does not apply to the deployment."""


CheckFunction = Callable[[CheckedDeployment], Iterator[str]]
"""Yields the faults of a deployment, a sentence each."""


class ConformanceCheck(NamedTuple):
    """A rule that a published site must satisfy, and its test."""

    run: CheckFunction
    """The function of the check. Its name gives the check's name, and its docstring's first line the rule."""
    area: ConformanceArea
    level: ConformanceLevel  # the lowest level of hosting that must satisfy the rule
    feature: str  # the subject of the rule, for reports as JSON

    @property
    def name(self) -> str:
        """The name of the check on the command line, such as `records-are-served`."""
        return self.run.__name__.replace("_", "-")

    @property
    def rule(self) -> str:
        """The rule that the check tests, as a sentence."""
        return (self.run.__doc__ or "").strip().partition("\n")[0]


class ConformanceResult(NamedTuple):
    """The outcome of a check (passed, failed or skipped) and its faults."""

    check: ConformanceCheck
    outcome: ConformanceOutcome
    problems: tuple[str, ...] = ()  # the faults, or why the rule does not apply
    seconds: float = 0.0


CONTRACTS, STATUS, SITE = ConformanceArea
STATIC, EDGE = ConformanceLevel

CHECKS: tuple[ConformanceCheck, ...] = (
    ConformanceCheck(contracts.chains_are_listed, CONTRACTS, STATIC, "lists"),
    ConformanceCheck(contracts.contracts_are_listed, CONTRACTS, STATIC, "lists"),
    ConformanceCheck(contracts.records_are_served, CONTRACTS, STATIC, "records"),
    ConformanceCheck(contracts.whole_records_are_served, CONTRACTS, STATIC, "records"),
    ConformanceCheck(contracts.records_are_proved, CONTRACTS, STATIC, "records"),
    ConformanceCheck(contracts.both_address_forms_are_served, CONTRACTS, STATIC, "records"),
    ConformanceCheck(contracts.all_chains_are_listed, CONTRACTS, STATIC, "lists"),
    ConformanceCheck(contracts.missing_contracts_are_not_found, CONTRACTS, STATIC, "404"),
    ConformanceCheck(contracts.contracts_are_readable_from_any_origin, CONTRACTS, STATIC, "CORS, HEAD, 304"),
    ConformanceCheck(contracts.missing_contracts_are_reported_in_json, CONTRACTS, EDGE, "404 in JSON"),
    ConformanceCheck(contracts.malformed_parameters_are_rejected, CONTRACTS, EDGE, "400"),
    ConformanceCheck(contracts.unknown_chains_are_rejected, CONTRACTS, EDGE, "400"),
    ConformanceCheck(contracts.wrong_checksums_are_rejected, CONTRACTS, EDGE, "checksums"),
    ConformanceCheck(contracts.fields_are_selected, CONTRACTS, EDGE, "fields, omit"),
    ConformanceCheck(contracts.fields_are_omitted, CONTRACTS, EDGE, "fields, omit"),
    ConformanceCheck(contracts.invalid_selectors_are_rejected, CONTRACTS, EDGE, "fields, omit"),
    ConformanceCheck(contracts.paths_ignore_case, CONTRACTS, EDGE, "any case"),
    ConformanceCheck(contracts.lists_are_sorted_and_limited, CONTRACTS, EDGE, "sort, limit"),
    ConformanceCheck(contracts.server_prefix_is_served, CONTRACTS, EDGE, "/server"),
    ConformanceCheck(contracts.preflight_requests_are_answered, CONTRACTS, EDGE, "OPTIONS"),
    ConformanceCheck(contracts.unknown_routes_are_not_found, CONTRACTS, STATIC, "404"),
    ConformanceCheck(status.status_documents_are_served, STATUS, STATIC, "status"),
    ConformanceCheck(status.documents_agree, STATUS, STATIC, "status"),
    ConformanceCheck(status.status_follows_components, STATUS, STATIC, "status"),
    ConformanceCheck(status.groups_follow_components, STATUS, STATIC, "status"),
    ConformanceCheck(status.lists_are_in_order, STATUS, STATIC, "status"),
    ConformanceCheck(status.lists_hold_what_they_say, STATUS, STATIC, "status"),
    ConformanceCheck(status.instants_are_in_the_page_s_zone, STATUS, STATIC, "status"),
    ConformanceCheck(status.incidents_have_their_documents, STATUS, STATIC, "status"),
    ConformanceCheck(status.absent_incidents_are_not_found, STATUS, STATIC, "404"),
    ConformanceCheck(status.status_is_readable_anywhere, STATUS, STATIC, "CORS, HEAD, 304"),
    ConformanceCheck(status.status_follows_the_clock, STATUS, EDGE, "status by the clock"),
    ConformanceCheck(site.openapi_describes_the_site, SITE, STATIC, "OpenAPI"),
    ConformanceCheck(site.files_have_their_media_types, SITE, STATIC, "types"),
    ConformanceCheck(site.status_is_cached_briefly, SITE, STATIC, "cache rules"),
    ConformanceCheck(site.pages_are_protected, SITE, STATIC, "pages guarded"),
    ConformanceCheck(site.internal_files_are_hidden, SITE, STATIC, "pages guarded"),
    ConformanceCheck(site.missing_files_are_not_found, SITE, STATIC, "404"),
    ConformanceCheck(apis.signatures_are_counted, SITE, STATIC, "signature files"),
    ConformanceCheck(apis.signatures_are_looked_up, SITE, EDGE, "signature look-up"),
    ConformanceCheck(apis.signatures_are_searched, SITE, EDGE, "signature look-up"),
    ConformanceCheck(apis.explorer_calls_are_answered, SITE, EDGE, "explorer calls"),
    ConformanceCheck(apis.interfaces_have_listed_contracts, SITE, STATIC, "explorer files"),
    ConformanceCheck(apis.missing_contracts_are_said_in_json, SITE, EDGE, "missing contracts"),
    ConformanceCheck(apis.code_finds_contracts, SITE, STATIC, "code"),
    ConformanceCheck(apis.proxies_are_resolved, SITE, STATIC, "proxies"),
    ConformanceCheck(additions.descriptors_are_indexed, SITE, STATIC, "clear signing"),
    ConformanceCheck(additions.descriptors_have_proofs, SITE, STATIC, "clear signing"),
    ConformanceCheck(additions.metrics_have_their_points, SITE, STATIC, "metrics"),
    ConformanceCheck(additions.packs_have_the_records, SITE, STATIC, "packs"),
)
"""All checks, in the order of the report."""


MAX_REPORTED_PROBLEMS = 20
"""Problems of one check that are reported."""


def select_checks(level: ConformanceLevel, areas: frozenset[ConformanceArea]) -> tuple[ConformanceCheck, ...]:
    """Return the checks for a kind of host and parts of a site.

    Args:
        level: whether the host only serves files, or also runs the edge program. The second kind must also
            pass the checks of the first.
        areas: the parts to check: contract API, status API, or both.
    """
    return tuple(check for check in CHECKS if check.level <= level and check.area in areas)


def run_checks(
    deployment: CheckedDeployment, checks: Sequence[ConformanceCheck]
) -> Iterator[ConformanceResult]:
    """Test a published site with some checks, and yield each result.

    A failed check is repeated once, because the site may have changed between two requests.

    Args:
        deployment: the published site, given by its URL.
        checks: the checks to run.

    Raises:
        UnreachableError: if the deployment does not respond to the first request.
    """
    try:
        deployment.get_response("/")
    except UnreachableError as error:
        error.hint = error.hint or "check the URL, and that a server runs there"
        raise
    for check in checks:
        verdict = _run_single_check(deployment, check)
        if verdict.outcome is ConformanceOutcome.FAILED:
            # Repeat a failed check once, because a build may have replaced the site between two requests of
            # the check.
            deployment.clear_cache()
            verdict = _run_single_check(deployment, check)
        yield verdict


def _run_single_check(deployment: CheckedDeployment, check: ConformanceCheck) -> ConformanceResult:
    began = perf_counter()
    try:
        problems = tuple(check.run(deployment))
        outcome = ConformanceOutcome.FAILED if problems else ConformanceOutcome.PASSED
    except NotApplicableError as nothing:
        problems = (str(nothing),)
        outcome = ConformanceOutcome.SKIPPED
    except UnreachableError as unreachable:
        problems = (str(unreachable),)
        outcome = ConformanceOutcome.FAILED
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as odd:
        # A check reads responses as the format of the APIs requires. If a response has another format, the
        # check may raise any of these exceptions.
        problems = (f"cannot read the responses: {type(odd).__name__}: {odd}",)
        outcome = ConformanceOutcome.FAILED
    return ConformanceResult(
        check=check,
        outcome=outcome,
        problems=problems[:MAX_REPORTED_PROBLEMS],
        seconds=perf_counter() - began,
    )
