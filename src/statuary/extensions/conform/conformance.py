"""Checks of a deployment, and their results."""

from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum, StrEnum
from time import perf_counter
from typing import NamedTuple

from statuary.extensions.conform import contract_checks as contracts
from statuary.extensions.conform import contract_checks as look_up
from statuary.extensions.conform import site_checks as site
from statuary.extensions.conform import status_api_checks as status
from statuary.extensions.conform.deployment import CheckedDeployment, NotApplicableError
from statuary.extensions.http.client import UnreachableError


class ConformanceArea(StrEnum):
    """The subject of a check."""

    CONTRACTS = "contracts"
    STATUS = "status"
    SITE = "site"
    """Only for sites of statuary."""


class ConformanceLevel(IntEnum):
    """The abilities of a deployment: plain files, or an edge runtime."""

    STATIC = 1
    EDGE = 2


class ConformanceOutcome(StrEnum):
    """The outcome of a check."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    """The rule does not apply to the deployment."""


CheckFunction = Callable[[CheckedDeployment], Iterator[str]]
"""Yields what is wrong with a deployment."""


class ConformanceCheck(NamedTuple):
    """A rule for deployments."""

    # the function; its name is the check's, and the first line of its docstring is the rule
    run: CheckFunction
    area: ConformanceArea
    level: ConformanceLevel  # the lowest level that must satisfy it
    feature: str

    @property
    def name(self) -> str:
        """The name on the command line."""
        return self.run.__name__.replace("_", "-")

    @property
    def rule(self) -> str:
        """The rule."""
        return (self.run.__doc__ or "").strip().partition("\n")[0]


class ConformanceResult(NamedTuple):
    """The result of a check."""

    check: ConformanceCheck
    outcome: ConformanceOutcome
    problems: tuple[str, ...] = ()  # what is wrong, or why the rule does not apply
    seconds: float = 0.0


def _check(
    run: CheckFunction, area: ConformanceArea, level: ConformanceLevel, feature: str
) -> ConformanceCheck:
    return ConformanceCheck(run=run, area=area, level=level, feature=feature)


CHECKS: tuple[ConformanceCheck, ...] = (
    _check(contracts.chains_are_listed, ConformanceArea.CONTRACTS, ConformanceLevel.STATIC, "lists"),
    _check(contracts.contracts_are_listed, ConformanceArea.CONTRACTS, ConformanceLevel.STATIC, "lists"),
    _check(contracts.records_are_served, ConformanceArea.CONTRACTS, ConformanceLevel.STATIC, "records"),
    _check(contracts.whole_records_are_served, ConformanceArea.CONTRACTS, ConformanceLevel.STATIC, "records"),
    _check(contracts.records_are_proved, ConformanceArea.CONTRACTS, ConformanceLevel.STATIC, "records"),
    _check(
        contracts.both_address_forms_are_served, ConformanceArea.CONTRACTS, ConformanceLevel.STATIC, "records"
    ),
    _check(contracts.all_chains_are_listed, ConformanceArea.CONTRACTS, ConformanceLevel.STATIC, "lists"),
    _check(
        contracts.missing_contracts_are_not_found, ConformanceArea.CONTRACTS, ConformanceLevel.STATIC, "404"
    ),
    _check(
        contracts.contracts_are_readable_from_any_origin,
        ConformanceArea.CONTRACTS,
        ConformanceLevel.STATIC,
        "CORS, HEAD, 304",
    ),
    _check(
        look_up.missing_contracts_are_reported_in_json,
        ConformanceArea.CONTRACTS,
        ConformanceLevel.EDGE,
        "404 in JSON",
    ),
    _check(
        look_up.malformed_parameters_are_rejected, ConformanceArea.CONTRACTS, ConformanceLevel.EDGE, "400"
    ),
    _check(look_up.unknown_chains_are_rejected, ConformanceArea.CONTRACTS, ConformanceLevel.EDGE, "400"),
    _check(
        look_up.wrong_checksums_are_rejected, ConformanceArea.CONTRACTS, ConformanceLevel.EDGE, "checksums"
    ),
    _check(look_up.fields_are_selected, ConformanceArea.CONTRACTS, ConformanceLevel.EDGE, "fields, omit"),
    _check(look_up.fields_are_omitted, ConformanceArea.CONTRACTS, ConformanceLevel.EDGE, "fields, omit"),
    _check(
        look_up.invalid_selectors_are_rejected,
        ConformanceArea.CONTRACTS,
        ConformanceLevel.EDGE,
        "fields, omit",
    ),
    _check(look_up.paths_ignore_case, ConformanceArea.CONTRACTS, ConformanceLevel.EDGE, "any case"),
    _check(
        look_up.lists_are_sorted_and_limited, ConformanceArea.CONTRACTS, ConformanceLevel.EDGE, "sort, limit"
    ),
    _check(look_up.server_prefix_is_served, ConformanceArea.CONTRACTS, ConformanceLevel.EDGE, "/server"),
    _check(
        look_up.preflight_requests_are_answered, ConformanceArea.CONTRACTS, ConformanceLevel.EDGE, "OPTIONS"
    ),
    _check(look_up.unknown_routes_are_not_found, ConformanceArea.CONTRACTS, ConformanceLevel.STATIC, "404"),
    _check(status.status_documents_are_served, ConformanceArea.STATUS, ConformanceLevel.STATIC, "status"),
    _check(status.documents_agree, ConformanceArea.STATUS, ConformanceLevel.STATIC, "status"),
    _check(status.status_follows_components, ConformanceArea.STATUS, ConformanceLevel.STATIC, "status"),
    _check(status.groups_follow_components, ConformanceArea.STATUS, ConformanceLevel.STATIC, "status"),
    _check(status.lists_are_in_order, ConformanceArea.STATUS, ConformanceLevel.STATIC, "status"),
    _check(status.lists_hold_what_they_say, ConformanceArea.STATUS, ConformanceLevel.STATIC, "status"),
    _check(status.instants_are_in_the_page_s_zone, ConformanceArea.STATUS, ConformanceLevel.STATIC, "status"),
    _check(status.incidents_have_their_documents, ConformanceArea.STATUS, ConformanceLevel.STATIC, "status"),
    _check(status.absent_incidents_are_not_found, ConformanceArea.STATUS, ConformanceLevel.STATIC, "404"),
    _check(
        status.status_is_readable_anywhere, ConformanceArea.STATUS, ConformanceLevel.STATIC, "CORS, HEAD, 304"
    ),
    _check(
        status.status_follows_the_clock, ConformanceArea.STATUS, ConformanceLevel.EDGE, "status by the clock"
    ),
    _check(site.openapi_describes_the_site, ConformanceArea.SITE, ConformanceLevel.STATIC, "OpenAPI"),
    _check(site.files_have_their_media_types, ConformanceArea.SITE, ConformanceLevel.STATIC, "types"),
    _check(site.status_is_cached_briefly, ConformanceArea.SITE, ConformanceLevel.STATIC, "cache rules"),
    _check(site.pages_are_protected, ConformanceArea.SITE, ConformanceLevel.STATIC, "pages guarded"),
    _check(site.internal_files_are_hidden, ConformanceArea.SITE, ConformanceLevel.STATIC, "pages guarded"),
    _check(site.missing_files_are_not_found, ConformanceArea.SITE, ConformanceLevel.STATIC, "404"),
)
"""In the order of the report."""


MAX_REPORTED_PROBLEMS = 20
"""Problems of one check that are reported."""


def select_checks(level: ConformanceLevel, areas: frozenset[ConformanceArea]) -> tuple[ConformanceCheck, ...]:
    """Return the checks that a deployment of a level must pass, for some areas."""
    return tuple(check for check in CHECKS if check.level <= level and check.area in areas)


def run_checks(
    deployment: CheckedDeployment, checks: Sequence[ConformanceCheck]
) -> Iterator[ConformanceResult]:
    """Yield the result of each check; raise UnreachableError if the deployment cannot be reached."""
    deployment.get("/")
    for check in checks:
        verdict = _judge(deployment, check)
        if verdict.outcome is ConformanceOutcome.FAILED:
            # a page may have changed between two requests
            deployment.clear_cache()
            verdict = _judge(deployment, check)
        yield verdict


def _judge(deployment: CheckedDeployment, check: ConformanceCheck) -> ConformanceResult:
    began = perf_counter()
    try:
        problems = tuple(check.run(deployment))
        outcome = ConformanceOutcome.FAILED if problems else ConformanceOutcome.PASSED
    except NotApplicableError as nothing:
        problems, outcome = (str(nothing),), ConformanceOutcome.SKIPPED
    except UnreachableError as unreachable:
        problems, outcome = (str(unreachable),), ConformanceOutcome.FAILED
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as odd:
        # a response can have any shape
        problems, outcome = (
            (f"cannot read the responses: {type(odd).__name__}: {odd}",),
            ConformanceOutcome.FAILED,
        )
    return ConformanceResult(
        check=check,
        outcome=outcome,
        problems=problems[:MAX_REPORTED_PROBLEMS],
        seconds=perf_counter() - began,
    )
